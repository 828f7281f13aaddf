// SPDX-License-Identifier: Apache-2.0
// Random graphs on the device against the reference.
//
//   TRELLIS_TEST_RANDOM_GRAPHS=N    how many
//   TRELLIS_TEST_RANDOM_SEED=S      the first seed
//   TRELLIS_TEST_RANDOM_PARTS=N     runs an N-th of them: those of TRELLIS_TEST_PART, which may exceed N
//   TRELLIS_TEST_RANDOM_STEPPED=N   how many have to run in steps, at least, of an N-th of RANDOM_PARTS
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tests/random/describe.h"
#include "tests/random/device.h"
#include "tests/random/shrink.h"
#include "tests/support/environment.h"
#include "tests/support/gpu_test.h"
#include "tests/support/test_part.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kShrinkTries = 300;
constexpr uint32_t kGraphs = 2000;
constexpr uint32_t kMaxRounds = 128'000;  // recording more takes too much memory

class RandomGraphs : public GpuTest {
 protected:
  // Graphs of the seeds [first, end), which have one topology.
  testing::AssertionResult RunBatch(Device& device, uint32_t first, uint32_t end) {
    const Topology topology = MakeTopology(first / kInputsPerTopology, device.abilities());
    std::vector<Case> cases;
    for (uint32_t seed = first; seed < end; ++seed) cases.push_back(MakeCase(seed, topology));
    const DeviceResults results = device.Run(cases);
    stepped_ += results.stepped;
    bool excused = results.error.empty();
    for (size_t i = 0; i < cases.size(); ++i) {
      records_ += cases[i].expected.records;
      if (!results.words.empty() && !Differ(cases[i], results.words[i])) continue;
      if (results.spent_rounds == 0) return Explain(device, cases[i], first, end);
      if (testing::AssertionResult again = RunWithMoreRounds(cases[i], results); !again) return again;
      excused = true;
      context().messages.Clear();
    }
    if (excused) return testing::AssertionSuccess();
    return testing::AssertionFailure() << results.error << "\n" << ReplayCommand(first, end - first);
  }

  [[nodiscard]] uint64_t records() const { return records_; }
  [[nodiscard]] size_t stepped() const { return stepped_; }

 private:
  static bool Differ(const Case& one, const std::vector<uint32_t>& words) {
    return !Differences(one.graph, words, one.expected.words).empty();
  }

  // Runs a wrong graph alone, with more rounds than those that dropped records. It must need more steps than those.
  static testing::AssertionResult RunWithMoreRounds(const Case& one, const DeviceResults& dropped) {
    DeviceResults results = dropped;
    uint32_t rounds = dropped.spent_rounds;
    while (results.spent_rounds != 0 && rounds <= kMaxRounds / 8) {
      rounds *= 8;
      std::printf("seed %u is wrong where max_rounds=%u drops records; it runs again with max_rounds=%u\n",
                  one.graph.seed, results.spent_rounds, rounds);
      std::string error;
      const auto context = Context::Create(error, {.settings = {{"TRELLIS_MAX_ROUNDS", std::to_string(rounds)}}});
      if (context == nullptr) return testing::AssertionFailure() << error;
      results = Device(*context).Run({&one, 1});
    }
    if (results.error.empty()) results.error = Differences(one.graph, results.words[0], one.expected.words);
    if (results.error.empty() && results.used_steps <= dropped.spent_rounds)
      results.error = "records were dropped, but " + std::to_string(results.used_steps) + " steps suffice";
    if (results.error.empty()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "seed " << one.graph.seed << "\n"
                                       << results.error << "\n"
                                       << ReplayCommand(one.graph.seed, 1);
  }

  static std::string Complaint(Device& device, const Case& one) {
    const DeviceResults results = device.Run({&one, 1});
    if (results.words.empty()) return results.error;
    return Differences(one.graph, results.words[0], one.expected.words) + results.error;
  }

  static bool FailsAlone(Device& device, const RandomGraph& graph) {
    std::optional<Outcome> expected = Execute(graph);
    return expected && !Complaint(device, {graph, *std::move(expected)}).empty();
  }

  // What went wrong, alone and as small as it gets.
  testing::AssertionResult Explain(Device& device, const Case& failed, uint32_t first, uint32_t end) {
    const uint32_t seed = failed.graph.seed;
    testing::AssertionResult failure = testing::AssertionFailure();
    const std::string complaint = Complaint(device, failed);
    if (complaint.empty()) {
      failure << "seed " << seed << " fails after others in the same command buffer only\n"
              << ReplayCommand(first, end - first);
    } else {
      failure << "seed " << seed << "\n" << complaint << ReplayCommand(seed, 1) << "\n" << Describe(failed.graph);
      const ShrinkResult small = Shrink(
          failed.graph, [&](const RandomGraph& graph) { return FailsAlone(device, graph); }, kShrinkTries);
      failure << "the smallest that was found in " << small.tries << " tries:\n"
              << Describe(small.graph) << Complaint(device, {small.graph, Execute(small.graph).value()});
    }
    context().messages.Clear();  // of attempts
    return failure;
  }

  uint64_t records_ = 0;
  size_t stepped_ = 0;
};

TEST_F(RandomGraphs, AgreeWithTheReference) {
  const TestVariables variables = ReadTestVariables();
  const TestPart part = ChosenPart(variables, variables.random_parts, PartKind::kOnDriver);
  const uint32_t graphs = variables.random_graphs.value_or(kGraphs) / part.count;
  const uint32_t first = variables.random_seed.value_or(0) + part.number * graphs;
  const uint32_t end = first + graphs;
  ASSERT_GT(end, first) << "no graph was asked for, or seeds beyond 32 bits";
  const auto begin = std::chrono::steady_clock::now();
  Device device(context());
  for (uint32_t seed = first; seed < end;) {
    const uint32_t next = std::min(end, (seed / kInputsPerTopology + 1) * kInputsPerTopology);
    ASSERT_TRUE(RunBatch(device, seed, next));
    seed = next;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%u random graphs from seed %u on, %zu of them in steps, %llu records, %.1f seconds\n", graphs, first,
              stepped(), static_cast<unsigned long long>(records()), seconds.count());
  EXPECT_GE(stepped(), variables.random_stepped.value_or(0) * variables.random_parts / part.count);
}

}  // namespace
}  // namespace trellis::test::random_graphs
