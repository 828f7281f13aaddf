// Random graphs against a computation on the CPU: combinations that nobody thought of.
// TRELLIS_TEST_RANDOM_GRAPHS=N in the environment runs N of them for each shape instead of a few.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/gpu/random_program.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint64_t kMostRecords = 20000;
constexpr uint64_t kFewestWorkgroups = 1000;  // fewer show little
constexpr uint32_t kFewGraphs = 4;

using RandomGraphs = ShapedGpuTest;

uint32_t GraphCount() {
  const char* wanted = std::getenv("TRELLIS_TEST_RANDOM_GRAPHS");
  return wanted ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : kFewGraphs;
}

uint64_t WorkIn(const std::vector<uint32_t>& words) {
  uint64_t work = 0;
  for (size_t i = 0; i < words.size(); i += 2) work += words[i];
  return work;
}

void AddInputs(GraphRun& run, const RandomProgram& program) {
  for (const RandomProgram::Root& root : program.roots()) {
    std::vector<uint32_t> words;
    for (uint32_t seed : root.seeds) {
      const std::vector<uint32_t> record = program.RecordWords(root.node, seed);
      words.insert(words.end(), record.begin(), record.end());
    }
    run.Input({.node = program.nodes()[root.node].name,
               .index = root.index,
               .count = static_cast<uint32_t>(root.seeds.size()),
               .payloads = Bytes(words),
               .stride = program.StrideOf(root.node)});
  }
}

TEST_P(RandomGraphs, AgreeWithTheCpu) {
  uint32_t done = 0;
  for (uint32_t subject = 0; done < GraphCount(); ++subject) {
    const RandomProgram program(subject);
    std::optional<std::vector<uint32_t>> expected = program.Expected(kMostRecords);
    if (!expected || WorkIn(*expected) < kFewestWorkgroups) continue;
    ++done;
    GraphRun run(context(), {.words = RandomProgram::kWords, .dispatches = 2});
    const std::string text = program.Text(shape());
    for (const RandomProgram::Node& node : program.nodes())
      for (uint32_t index : node.indices) run.Node({.text = text, .entry = node.name, .index = index});
    AddInputs(run, program);
    ASSERT_TRUE(run.Execute()) << "subject " << subject;
    for (uint32_t& word : *expected) word *= 2;  // two dispatches
    ASSERT_TRUE(run.Matches(*expected)) << "subject " << subject;
  }
}

TRELLIS_BOTH_SHAPES(RandomGraphs);

}  // namespace
}  // namespace trellis::test
