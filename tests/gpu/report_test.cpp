// SPDX-License-Identifier: Apache-2.0
// The setting `report`. What the file says is compared with what the graphs are known to enqueue.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/gpu/root_and_leaf.h"
#include "tests/support/json_schema.h"

namespace trellis::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint32_t kWorkgroups = 8;
constexpr uint32_t kSubmits = 3;

class ReportFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::string error;
    reported_ =
        Context::Create(error, {.settings = {{"TRELLIS_REPORT", path().c_str()}, {"TRELLIS_DUMP_PAYLOADS", "Leaf:5"}}});
    ASSERT_NE(reported_, nullptr) << error;
  }
  void TearDown() override {
    Close();
    fs::remove_all(folder_);
  }

  // Destroys the device.
  void Close() {
    if (reported_ == nullptr) return;
    reported_->DestroyDevice();
    ReportUnexpectedMessages(*reported_);
    reported_.reset();
  }

  // What the root does: enqueues one record for the leaf in each workgroup.
  static void Send(Program& p) {
    const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 1});
    p.Begin(1, kWorkgroups);
    const auto allocated = p.m.Allocate(to, Scope::kWorkgroup, 1);
    SetLeaf(p.m, allocated, 0, p.m.GroupId(0), 1);
    p.m.Enqueue(allocated);
  }

  void Run(DispatchCommand command, uint32_t records = 1) {
    GraphRun run(*reported_, {.words = 16, .submits = kSubmits, .command = command});
    Program p({});
    Send(p);
    ASSERT_TRUE(RunProgram(run, p.End(), records));
    EXPECT_TRUE(run.Matches(std::vector<uint32_t>(kWorkgroups, kSubmits * records)));
  }

  [[nodiscard]] json Read() {
    Close();
    std::ifstream file(path());
    json report = json::parse(file, nullptr, false);
    std::ifstream schema(std::string(TRELLIS_SOURCE_DIR) + "/json/report.schema.json");
    EXPECT_EQ(SchemaViolation(json::parse(schema), report), "");
    return report;
  }

  // Records of a node in a level, of the only graph.
  static uint64_t Records(const json& report, const std::string& node, uint32_t level) {
    const json& graph = report["graphs"][0];
    for (const json& place : report["dispatches"][0]["slots"]) {
      const uint32_t slot = place["slot"];
      if (slot >= graph["slots"].size() || place["level"] != level) continue;
      if (graph["nodes"][graph["slots"][slot]["node"].get<size_t>()]["name"] == node) return place["records"];
    }
    return 0;
  }

  [[nodiscard]] std::string path() const { return (folder_ / "report.json").string(); }

  std::unique_ptr<Context> reported_;
  const fs::path folder_ = fs::temp_directory_path() / ("trellis_report_test_" + std::to_string(getpid()));
};

TEST_F(ReportFile, CountsRecordsOfEachLevelOverAllExecutions) {
  Run(DispatchCommand::kHost, 2);
  const json report = Read();
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["reason"], "end");
  EXPECT_EQ(report["settings"]["report"], path());
  ASSERT_EQ(report["dispatches"].size(), 1u);
  const json& dispatch = report["dispatches"][0];
  EXPECT_EQ(dispatch["executions"], kSubmits);
  EXPECT_EQ(dispatch["counted_executions"], kSubmits);
  EXPECT_EQ(dispatch["levels"], 2);
  EXPECT_EQ(Records(report, "Root", 0), 2 * kSubmits);
  EXPECT_EQ(Records(report, "Leaf", 1), 2 * kSubmits * kWorkgroups);
  EXPECT_TRUE(report["findings"].empty());
}

TEST_F(ReportFile, CountsRecordsThatTheDeviceReads) {
  Run(DispatchCommand::kIndirectCount, 2);
  const json report = Read();
  ASSERT_FALSE(report.is_discarded());
  EXPECT_EQ(Records(report, "Root", 0), 2 * kSubmits);
  EXPECT_EQ(Records(report, "Leaf", 1), 2 * kSubmits * kWorkgroups);
}

// Eight workgroups for each of two records send 16, of which three make a workgroup.
TEST_F(ReportFile, CountsWorkgroupsOfCoalescingNodes) {
  constexpr uint32_t kTogether = 3;
  {
    GraphRun run(*reported_, {.words = 16, .submits = kSubmits, .command = DispatchCommand::kHost});
    Program p({});
    Send(p);
    p.m.EndNode();
    AddCoalescingLeaf(p.m, "Leaf", p.words, p.record, kTogether);
    ASSERT_TRUE(RunProgram(run, p.m.Text(), 2));
  }
  const json report = Read();
  ASSERT_FALSE(report.is_discarded());
  const json& slots = report["dispatches"][0]["slots"];
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_FALSE(slots[0].contains("workgroups"));
  EXPECT_EQ(slots[1]["records"], 2 * kWorkgroups * kSubmits);
  EXPECT_EQ(slots[1]["workgroups"], 6 * kSubmits);
  const auto record_bytes = report["graphs"][0]["slots"][1]["record_bytes"].get<uint64_t>();
  EXPECT_GE(slots[1]["reserved_bytes"].get<uint64_t>(), 2 * kWorkgroups * record_bytes);
}

TEST_F(ReportFile, DescribesTheGraph) {
  Run(DispatchCommand::kHost);
  const json report = Read();
  ASSERT_FALSE(report.is_discarded());
  const json& graph = report["graphs"][0];
  ASSERT_EQ(graph["nodes"].size(), 2u);
  EXPECT_EQ(graph["nodes"][0]["name"], "Root");
  EXPECT_EQ(graph["nodes"][0]["launch"], "static");
  EXPECT_EQ(graph["nodes"][0]["grid"], json({kWorkgroups, 1, 1}));
  EXPECT_EQ(graph["nodes"][0]["outputs"][0]["target"], "Leaf");
  ASSERT_EQ(graph["edges"].size(), 1u);
  EXPECT_EQ(graph["edges"][0]["max_payloads"], 1);
}

// Eight workgroups of three executions sent {number, 1, ...}; the report holds the first five, whichever they are.
TEST_F(ReportFile, HoldsTheFirstPayloads) {
  Run(DispatchCommand::kHost);
  const json report = Read();
  ASSERT_FALSE(report.is_discarded());
  const json& dumps = report["dispatches"][0]["payloads"];
  ASSERT_EQ(dumps.size(), 1u);
  EXPECT_EQ(dumps[0]["level"], 1);
  ASSERT_EQ(dumps[0]["payloads"].size(), 5u);
  std::set<std::string> numbers;
  for (const std::string digits : dumps[0]["payloads"]) {
    EXPECT_EQ(digits.substr(8, 8), "01000000") << digits;
    EXPECT_LT(digits.substr(0, 8), "08000000") << digits;
    numbers.insert(digits.substr(0, 8));
  }
  EXPECT_EQ(numbers.size(), 5u);
  const json& leaf = report["graphs"][0]["nodes"][1];
  ASSERT_EQ(leaf["name"], "Leaf");
  EXPECT_EQ(leaf["scalars"][0]["offset"], 0);
  EXPECT_EQ(leaf["scalars"][0]["type"], "uint");
  EXPECT_TRUE(report["graphs"][0]["nodes"][0]["scalars"].empty());
}

TEST_F(ReportFile, LeavesNoPartOfAFileBehind) {
  Run(DispatchCommand::kHost);
  ASSERT_FALSE(Read().is_discarded());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace trellis::test
