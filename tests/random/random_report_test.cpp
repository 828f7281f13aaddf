// SPDX-License-Identifier: Apache-2.0
// Reports about random graphs against the reference.
//
//   TRELLIS_TEST_RANDOM_GRAPHS=N   how many, without TRELLIS_TEST_RANDOM_PARTS; otherwise 48
//   TRELLIS_TEST_RANDOM_SEED=S     the first seed
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <array>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/random/describe.h"
#include "tests/random/device.h"
#include "tests/random/node_kind.h"
#include "tests/random/semantics.h"
#include "tests/support/environment.h"
#include "tests/support/gpu_test.h"
#include "tests/support/json_schema.h"

namespace trellis::test::random_graphs {
namespace {

using nlohmann::json;

constexpr uint32_t kReportedGraphs = 48;
constexpr uint32_t kNamedNodes = 32;  // more than a graph has
constexpr uint32_t kDumped = 512;     // payloads of each level and node

using Arrivals = std::map<ArrivalPlace, uint64_t>;

// Of a graph in a report, the sums of a member over all its dispatches. Names are those of NodeName.
Arrivals ReportedSums(const json& report, const json& graph, const Topology& topology, const char* member) {
  std::map<std::string, uint32_t> numbers;
  for (uint32_t number = 0; number < topology.nodes.size(); ++number) numbers[NodeName(number)] = number;
  Arrivals arrivals;
  for (const json& dispatch : report["dispatches"]) {
    if (dispatch["graph"] != graph["id"]) continue;
    for (const json& place : dispatch["slots"]) {
      const auto slot = place["slot"].get<size_t>();
      if (slot >= graph["slots"].size() || place.value(member, 0u) == 0) continue;  // the heap; nothing
      const json& of_slot = graph["slots"][slot];
      const json& node = graph["nodes"][of_slot["node"].get<size_t>()];
      arrivals[{place["level"], numbers.at(node["name"]), node["index"], of_slot["remaining_recursion"]}] +=
          place[member].get<uint64_t>();
    }
  }
  return arrivals;
}

// Whether nobody writes the payloads of a node, and all of their bits mean something.
bool StayAsSent(const Topology& topology, uint32_t number) {
  const InputForm& input = NodeKinds()[topology.nodes[number].kind].input;
  if (!input.declared || input.overwrites) return false;
  return std::none_of(topology.nodes.begin(), topology.nodes.end(), [&](const Node& node) {
    return node.shares && node.shares->node == number && NodeKinds()[node.kind].input.overwrites;
  });
}

// How often each payload came, as text. Bits that no node reads are 0.
using Payloads = std::map<ArrivalPlace, std::map<std::string, uint64_t>>;

std::string TextOf(const InputForm& input, std::span<const uint32_t> words) {
  std::string text;
  for (uint32_t w = 0; w < input.record_words; ++w)
    text += " " + std::to_string(words[w] & ReadableBits(input.grid, w));
  return text;
}

std::vector<uint32_t> WordsOf(const std::string& digits) {
  std::vector<uint32_t> words((digits.size() + 7) / 8);
  for (size_t at = 0; at < digits.size(); at += 2)
    words[at / 8] |= static_cast<uint32_t>(std::stoul(digits.substr(at, 2), nullptr, 16)) << at % 8 * 4;
  return words;
}

// Calls `visit` with the place, the node's number and the words of each payload of the graph in the report.
template <typename Visit>
void ForEachPayload(const json& report, const json& graph, const Topology& topology, const Visit& visit) {
  std::map<std::string, uint32_t> numbers;
  for (uint32_t number = 0; number < topology.nodes.size(); ++number) numbers[NodeName(number)] = number;
  for (const json& dispatch : report["dispatches"]) {
    if (dispatch["graph"] != graph["id"]) continue;
    for (const json& dump : dispatch["payloads"]) {
      const json& slot = graph["slots"][dump["slot"].get<size_t>()];
      const json& node = graph["nodes"][slot["node"].get<size_t>()];
      const uint32_t number = numbers.at(node["name"]);
      const ArrivalPlace place = {dump["level"], number, node["index"], slot["remaining_recursion"]};
      for (const json& digits : dump["payloads"]) visit(place, number, WordsOf(digits));
    }
  }
}

// Whether the records of each slot are those of the reference, which goes level by level, and none came earlier: the
// layer may launch a slot once, in the last of its levels, where all of them wait.
testing::AssertionResult CameNoEarlier(const Arrivals& reported, const Arrivals& expected) {
  using Levels = std::map<uint32_t, int64_t>;  // beyond what was expected
  std::map<std::array<uint32_t, 3>, Levels> by_slot;
  const auto levels_of = [&by_slot](const ArrivalPlace& place) -> int64_t& {
    return by_slot[{place[1], place[2], place[3]}][place[0]];
  };
  for (const auto& [place, records] : reported) levels_of(place) += static_cast<int64_t>(records);
  for (const auto& [place, records] : expected) levels_of(place) -= static_cast<int64_t>(records);
  for (const auto& [slot, levels] : by_slot) {
    int64_t so_far = 0;
    for (const auto& [level, records] : levels) {
      so_far += records;
      if (so_far > 0 || (level == 0 && so_far != 0))
        return testing::AssertionFailure() << NodeName(slot[0]) << " in level " << level << ": " << so_far;
    }
    if (so_far != 0) return testing::AssertionFailure() << NodeName(slot[0]) << " lacks " << -so_far;
  }
  return testing::AssertionSuccess();
}

// All levels behind the first as one, for the rest of what is said of such slots.
ArrivalPlace Folded(ArrivalPlace place) {
  place[0] = std::min(place[0], 1u);
  return place;
}
Arrivals Folded(const Arrivals& arrivals) {
  Arrivals folded;
  for (const auto& [place, count] : arrivals) folded[Folded(place)] += count;
  return folded;
}
Payloads Folded(const Payloads& payloads) {
  Payloads folded;
  for (const auto& [place, counts] : payloads)
    for (const auto& [text, count] : counts) folded[Folded(place)][text] += count;
  return folded;
}

std::string Listed(const Arrivals& arrivals) {
  std::string text;
  for (const auto& [place, records] : arrivals)
    text += "level " + std::to_string(place[0]) + " " + NodeName(place[1]) + "[" + std::to_string(place[2]) + "], " +
            std::to_string(place[3]) + " left: " + std::to_string(records) + "\n";
  return text;
}

// Whether the device counts all dispatches of the graph; a reason is printed.
bool IsCounted(const json& report, const json& graph) {
  for (const json& dispatch : report["dispatches"]) {
    if (dispatch["graph"] != graph["id"] || dispatch["not_counted"] == "") continue;
    std::printf("graph %s is not compared: %s\n", graph["id"].dump().c_str(), dispatch["not_counted"].dump().c_str());
    return false;
  }
  return true;
}

class RandomReports : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("TRELLIS_RING_BUDGET") != nullptr) GTEST_SKIP() << "steps are not counted";
    std::string error;
    std::string names;
    for (uint32_t number = 0; number < kNamedNodes; ++number)
      names += (names.empty() ? "" : ",") + NodeName(number) + ":" + std::to_string(kDumped);
    context_ =
        Context::Create(error, {.settings = {{"TRELLIS_REPORT", path_.c_str()}, {"TRELLIS_DUMP_PAYLOADS", names}}});
    ASSERT_NE(context_, nullptr) << error;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // Runs the graphs of one topology and keeps what the reference counts.
  void Run(Device& device, uint32_t first, uint32_t end) {
    topologies_.push_back(MakeTopology(first / kInputsPerTopology, device.abilities()));
    std::vector<Case> cases;
    for (uint32_t seed = first; seed < end; ++seed) cases.push_back(MakeCase(seed, topologies_.back()));
    const DeviceResults results = device.Run(cases);
    ASSERT_EQ(results.error, "") << ReplayCommand(first, end - first);
    Arrivals& sums = expected_.emplace_back();
    Arrivals& workgroups = workgroups_.emplace_back();
    Payloads& payloads = payloads_.emplace_back();
    for (const Case& one : cases) {
      for (const auto& [place, records] : one.expected.arrivals) {
        sums[place] += records;
        const Node& node = topologies_.back().nodes[place[1]];
        if (NodeKinds()[node.kind].Coalescing()) workgroups[place] += (records + node.coalesce - 1) / node.coalesce;
      }
      for (const auto& [place, records] : one.expected.payloads) {
        const InputForm& input = NodeKinds()[topologies_.back().nodes[place[1]].kind].input;
        for (const std::vector<uint32_t>& words : records) ++payloads[place][TextOf(input, words)];
      }
    }
  }

  // Each payload of the report was sent, and as often. `compared` counts them.
  void ComparePayloads(const json& report, const json& graph, size_t topology, bool by_level, const std::string& seed,
                       size_t& compared) {
    const Topology& of = topologies_[topology];
    const Payloads sent = by_level ? payloads_[topology] : Folded(payloads_[topology]);
    const Arrivals arrived = by_level ? expected_[topology] : Folded(expected_[topology]);
    Payloads left = sent;
    ForEachPayload(
        report, graph, of, [&](const ArrivalPlace& reported, uint32_t number, const std::vector<uint32_t>& words) {
          const ArrivalPlace place = by_level ? reported : Folded(reported);
          if (!StayAsSent(of, number)) return;
          ++compared;
          const std::string text = TextOf(NodeKinds()[of.nodes[number].kind].input, words);
          uint64_t& count = left[place][text];
          EXPECT_NE(count, 0u) << seed << ", level " << place[0] << " " << NodeName(number) << ": nobody sent" << text;
          if (count != 0) --count;
        });
    // What is short of the limit is all there.
    for (const auto& [place, payloads] : left) {
      if (!StayAsSent(of, place[1]) || sent.at(place).empty() || arrived.at(place) > kDumped) continue;
      for (const auto& [text, count] : payloads)
        EXPECT_EQ(count, 0u) << seed << ", level " << place[0] << " " << NodeName(place[1]) << " lacks" << text;
    }
  }

  // Coalescing nodes that run once have as many workgroups as in their levels together, or fewer.
  void ExpectNoMoreWorkgroups(const Arrivals& reported, size_t topology, const std::string& seed) {
    const Arrivals most = Folded(workgroups_[topology]);
    EXPECT_EQ(reported.size(), most.size()) << seed;
    for (const auto& [place, count] : reported) {
      const auto known = most.find(place);
      ASSERT_NE(known, most.end()) << seed << ' ' << NodeName(place[1]);
      EXPECT_LE(count, known->second) << seed << ' ' << NodeName(place[1]);
    }
  }

  // Destroys the device.
  json Read() {
    context_->DestroyDevice();
    std::ifstream file(path_);
    json report = json::parse(file, nullptr, false);
    std::ifstream schema(std::string(TRELLIS_SOURCE_DIR) + "/json/report.schema.json");
    EXPECT_EQ(SchemaViolation(json::parse(schema), report), "");
    return report;
  }

  std::unique_ptr<Context> context_;
  std::vector<Topology> topologies_;
  std::vector<Arrivals> expected_;
  std::vector<Arrivals> workgroups_;  // of nodes that coalesce
  std::vector<Payloads> payloads_;
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("trellis_random_report_" + std::to_string(getpid()) + ".json"));
};

TEST_F(RandomReports, CountsAndPayloadsAgreeWithTheReference) {
  const TestVariables variables = ReadTestVariables();
  const uint32_t first = variables.random_seed.value_or(0);
  const bool is_by_hand = variables.random_parts == 1;
  const uint32_t end = first + (is_by_hand ? variables.random_graphs.value_or(kReportedGraphs) : kReportedGraphs);
  {
    Device device(*context_);
    for (uint32_t seed = first; seed < end;) {
      const uint32_t next = std::min(end, (seed / kInputsPerTopology + 1) * kInputsPerTopology);
      ASSERT_NO_FATAL_FAILURE(Run(device, seed, next));
      seed = next;
    }
  }
  const json report = Read();
  ASSERT_FALSE(report.is_discarded());
  // A graph all of whose dispatches are empty is not in the report.
  const auto unused =
      std::count_if(expected_.begin(), expected_.end(), [](const Arrivals& all) { return all.empty(); });
  ASSERT_EQ(report["graphs"].size(), expected_.size() - static_cast<size_t>(unused));
  size_t compared = 0, payloads = 0, next = 0, folded = 0;
  for (size_t i = 0; i < expected_.size(); ++i) {
    if (expected_[i].empty()) continue;
    const json& graph = report["graphs"][next++];  // in the order of creation
    if (!IsCounted(report, graph)) continue;
    ++compared;
    const std::string seed =
        "topology of seed " + std::to_string((first / kInputsPerTopology + i) * kInputsPerTopology);
    const Arrivals records = ReportedSums(report, graph, topologies_[i], "records");
    const bool by_level = records == expected_[i];
    if (by_level) {
      EXPECT_EQ(Listed(ReportedSums(report, graph, topologies_[i], "workgroups")), Listed(workgroups_[i])) << seed;
    } else {
      ++folded;
      EXPECT_TRUE(CameNoEarlier(records, expected_[i])) << seed << '\n'
                                                        << Listed(records) << "by level:\n"
                                                        << Listed(expected_[i]);
      ExpectNoMoreWorkgroups(Folded(ReportedSums(report, graph, topologies_[i], "workgroups")), i, seed);
    }
    ComparePayloads(report, graph, i, by_level, seed, payloads);
  }
  std::printf("%u random graphs from seed %u on, %zu of %zu topologies compared (%zu not by level), and %zu payloads\n",
              end - first, first, compared, expected_.size(), folded, payloads);
  EXPECT_GT(compared, 0u);
  EXPECT_GT(payloads, 0u);
}

}  // namespace
}  // namespace trellis::test::random_graphs
