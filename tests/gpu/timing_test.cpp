// SPDX-License-Identifier: Apache-2.0
// The setting `timing`.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <regex>
#include <vector>

#include "tests/gpu/root_and_leaf.h"

namespace trellis::test {
namespace {

constexpr const char* kTiming = "TRELLIS-timing";

class Timing : public testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    timed_ = Context::Create(error, {.settings = {{"TRELLIS_TIMING", "1"}}});
    ASSERT_NE(timed_, nullptr) << error;
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(timed_->physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(timed_->physical_device, &count, families.data());
    if (families[timed_->queue_family].timestampValidBits == 0) GTEST_SKIP() << "no timestamps";
  }
  void TearDown() override {
    if (timed_ == nullptr) return;
    timed_->DestroyDevice();
    ReportUnexpectedMessages(*timed_);
  }

  [[nodiscard]] Context& context() const { return *timed_; }

 private:
  std::unique_ptr<Context> timed_;
};

// Root sends its workgroup's number to one leaf each.
std::string NumbersModule() {
  Program p({});
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 1});
  p.Begin(1, 8);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 1);
  SetLeaf(m, records, 0, m.GroupId(0), 1);
  m.Enqueue(records);
  return p.End();
}

double Figure(const std::string& text, const std::string& what) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(what + ":? ([0-9]+\\.[0-9]) us")) ? std::stod(match[1]) : -1;
}

// One report for each execution, with what every level and node took.
TEST_F(Timing, EveryExecutionIsReported) {
  GraphRun run(context(), {.words = 16, .submits = 3, .command = DispatchCommand::kHost});
  ASSERT_TRUE(RunProgram(run, NumbersModule()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, 3)));
  const std::vector<Message> reports = context().messages.Find(kTiming);
  ASSERT_EQ(reports.size(), 3u);
  for (const Message& report : reports) {
    EXPECT_EQ(report.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
    const std::string& text = report.text;
    EXPECT_EQ(text.find("execution graph"), 0u) << text;
    const double total = Figure(text, "Root\\[0\\]");
    std::vector<double> parts = {Figure(text, "level 0"), Figure(text, "level 1")};
    // Executions prepare regions for one another where there is one queue.
    const bool has_begin = text.find("\n  begin: ") != std::string::npos;
    EXPECT_TRUE(has_begin || context().HasOneQueue()) << text;
    if (has_begin) parts.push_back(Figure(text, "begin"));
    EXPECT_GE(Figure(text, has_begin ? "begin" : "regions"), 0) << text;
    // Something follows where the ring is given back.
    const bool has_end = text.find("\n  end: ") != std::string::npos;
    EXPECT_TRUE(has_end || context().HasOneQueue()) << text;
    if (has_end) parts.push_back(Figure(text, "end"));
    for (double part : parts) EXPECT_GE(part, 0) << text;
    EXPECT_GT(total, 0) << text;
    // Each figure is rounded.
    EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), total, 0.3) << text;
    EXPECT_GE(Figure(text, "Leaf\\[0\\]"), 0) << text;
  }
}

// Infos that the device reads are a phase of their own.
TEST_F(Timing, InfosOnTheDevice) {
  GraphRun run(context(), {.words = 16, .command = DispatchCommand::kIndirectCount});
  ASSERT_TRUE(RunProgram(run, NumbersModule()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, 1)));
  const std::vector<Message> reports = context().messages.Find(kTiming);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_GE(Figure(reports[0].text, "infos"), 0) << reports[0].text;
}

}  // namespace
}  // namespace trellis::test
