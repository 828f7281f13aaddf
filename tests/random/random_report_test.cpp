// Reports about random graphs against the reference.
//
//   TRELLIS_TEST_RANDOM_GRAPHS=N   how many, without TRELLIS_TEST_RANDOM_PARTS; otherwise 48
//   TRELLIS_TEST_RANDOM_SEED=S     the first seed
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/random/describe.h"
#include "tests/random/device.h"
#include "tests/support/environment.h"
#include "tests/support/gpu_test.h"
#include "tests/support/json_schema.h"

namespace trellis::test::random_graphs {
namespace {

using nlohmann::json;

constexpr uint32_t kGraphs = 48;

using Arrivals = std::map<ArrivalPlace, uint64_t>;

// Of a graph in a report, the records of all its dispatches. Names are those of NodeName.
Arrivals ReportedArrivals(const json& report, const json& graph, const Topology& topology) {
  std::map<std::string, uint32_t> numbers;
  for (uint32_t number = 0; number < topology.nodes.size(); ++number) numbers[NodeName(number)] = number;
  Arrivals arrivals;
  for (const json& dispatch : report["dispatches"]) {
    if (dispatch["graph"] != graph["id"]) continue;
    for (const json& place : dispatch["slots"]) {
      const auto slot = place["slot"].get<size_t>();
      if (slot >= graph["slots"].size() || place["records"] == 0) continue;  // the heap; nothing
      const json& of_slot = graph["slots"][slot];
      const json& node = graph["nodes"][of_slot["node"].get<size_t>()];
      arrivals[{place["level"], numbers.at(node["name"]), node["index"], of_slot["remaining_recursion"]}] +=
          place["records"].get<uint64_t>();
    }
  }
  return arrivals;
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
    context_ = Context::Create(error, {.settings = {{"TRELLIS_REPORT", path_.c_str()}}});
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
    for (const Case& one : cases)
      for (const auto& [place, records] : one.expected.arrivals) sums[place] += records;
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
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("trellis_random_report_" + std::to_string(getpid()) + ".json"));
};

TEST_F(RandomReports, CountsAgreeWithTheReference) {
  const TestVariables variables = ReadTestVariables();
  const uint32_t first = variables.random_seed.value_or(0);
  const bool is_by_hand = variables.random_parts == 1;
  const uint32_t end = first + (is_by_hand ? variables.random_graphs.value_or(kGraphs) : kGraphs);
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
  ASSERT_EQ(report["graphs"].size(), expected_.size());
  size_t compared = 0;
  for (size_t i = 0; i < expected_.size(); ++i) {
    const json& graph = report["graphs"][i];  // in the order of creation
    if (!IsCounted(report, graph)) continue;
    ++compared;
    EXPECT_EQ(Listed(ReportedArrivals(report, graph, topologies_[i])), Listed(expected_[i]))
        << "topology of seed " << (first / kInputsPerTopology + i) * kInputsPerTopology;
  }
  std::printf("%u random graphs from seed %u on, %zu of %zu topologies compared\n", end - first, first, compared,
              expected_.size());
  EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace trellis::test::random_graphs
