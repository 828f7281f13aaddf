// SPDX-License-Identifier: Apache-2.0
// What dispatches of one graph share, and for how long.
#include "layer/replay/placing/placed_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "layer/memory/prepared_regions.h"
#include "layer/replay/planning/recent_cache.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

using Kind = Command::Kind;

// The address that each dispatch finds in its push constants, which it is the last of: of a kernel's plan, or of a
// launch block.
std::vector<uint64_t> PushedAddresses(const CommandStream& stream) {
  std::vector<uint64_t> addresses;
  uint64_t pushed = 0;
  for (const Command& command : stream) {
    if (command.kind == Kind::kPushConstants)
      std::memcpy(&pushed, command.bytes.data() + command.bytes.size() - sizeof(pushed), sizeof(pushed));
    if (command.kind == Kind::kDispatch || command.kind == Kind::kDispatchIndirect) addresses.push_back(pushed);
  }
  return addresses;
}

std::vector<Kind> KindsOf(const CommandStream& stream) {
  std::vector<Kind> kinds;
  for (const Command& command : stream) kinds.push_back(command.kind);
  return kinds;
}

class PlacedPlanTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kNodes = 128;
  // Where the root stands among the dispatches of a recording, behind the begin kernel.
  static constexpr size_t kRoot = 1;

  PlacedPlanTest() {
    std::vector<NodeSource> sources = {NodeBuilder("a").To("b").source};
    for (uint32_t i = 0; i < kNodes; ++i) sources.push_back(NodeBuilder("b", i).source);
    pipeline_ = MakePipeline(device_, sources);
  }

  VkDeviceAddress MakeScratch() { return device_.MakeScratch(ScratchBytes(*pipeline_)); }

  // A recording with one dispatch.
  std::vector<uint64_t> Record(VkDeviceAddress scratch, uint32_t count = 1) {
    device_.Begin();
    Dispatch(device_, pipeline_, scratch, {{"a", count}});
    EXPECT_EQ(device_.command_buffer().recorded_error, VK_SUCCESS);
    return PushedAddresses(device_.stream());
  }
  // All of them but the root's, which belongs to the recording.
  std::vector<uint64_t> RecordShared(VkDeviceAddress scratch, uint32_t count = 1) {
    std::vector<uint64_t> addresses = Record(scratch, count);
    addresses.erase(addresses.begin() + kRoot);
    return addresses;
  }

  RecordingDevice device_{[] {
    Settings settings;
    settings.log_file = "/dev/null";
    return settings;
  }()};
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
};

TEST_F(PlacedPlanTest, ADispatchThatComesAgainWritesOnlyWhatItBrings) {
  const VkDeviceAddress scratch = MakeScratch();
  const std::vector<uint64_t> first = RecordShared(scratch);
  const std::vector<Kind> kinds = KindsOf(device_.stream());
  device_.Begin();
  const auto next_address = [this] {
    PlanArena arena(PlanBlockPool::Of(device_.device()), PlanLifetime::kRecording);
    return arena.Allocate(0)->address;
  };
  const uint64_t before = next_address();
  Dispatch(device_, pipeline_, scratch, {{"a", 1}});
  const uint64_t after = next_address();
  EXPECT_LE(after - before, 256u) << "a record, what describes it, and one launch block";
  EXPECT_EQ(KindsOf(device_.stream()), kinds);
  std::vector<uint64_t> second = PushedAddresses(device_.stream());
  EXPECT_GT(second[kRoot], before);
  EXPECT_LT(second[kRoot], after);
  second.erase(second.begin() + kRoot);
  EXPECT_EQ(second, first);
}

TEST_F(PlacedPlanTest, ScratchBuffersAndCountsTakeTurns) {
  const VkDeviceAddress scratches[] = {MakeScratch(), MakeScratch()};
  std::set<std::vector<uint64_t>> seen;
  for (uint32_t round = 0; round < 3; ++round)
    for (const VkDeviceAddress scratch : scratches)
      for (uint32_t count = 1; count <= 3; ++count) seen.insert(RecordShared(scratch, count));
  EXPECT_EQ(seen.size(), 6u) << "one for each scratch and count";
}

TEST_F(PlacedPlanTest, InfosOnTheDeviceShareToo) {
  const VkDeviceAddress scratch = MakeScratch();
  std::vector<std::vector<uint64_t>> addresses;
  for (uint32_t i = 0; i < 2; ++i) {
    device_.Begin();
    DispatchFromDevice(device_, pipeline_, scratch, 3);
    addresses.push_back(PushedAddresses(device_.stream()));
  }
  ASSERT_EQ(addresses[0].size(), addresses[1].size());
  EXPECT_EQ(addresses[0].front(), addresses[1].front()) << "the begin kernel's";
  EXPECT_EQ(addresses[0].back(), addresses[1].back()) << "the end kernel's";
}

TEST_F(PlacedPlanTest, TheCommandIsPartOfIt) {
  const VkDeviceAddress scratch = MakeScratch();
  std::set<uint64_t> begins = {Record(scratch).front()};
  for (const std::optional<uint32_t> count : {std::optional<uint32_t>(3), std::optional<uint32_t>()}) {
    device_.Begin();
    DispatchFromDevice(device_, pipeline_, scratch, count);
    begins.insert(PushedAddresses(device_.stream()).front());
  }
  EXPECT_EQ(begins.size(), 3u) << "reports name the command";
}

// Bounded mode reads the roots' inputs with every step.
TEST_F(PlacedPlanTest, StepsThatReadTheirOwnRootsAreNotShared) {
  Settings settings;
  settings.ring_budget = 1;
  RecordingDevice device(settings);
  constexpr uint32_t kLarge = 16384;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b", 40, kLarge), NodeBuilder("b").Payload(kLarge)});
  const VkDeviceAddress scratch = device.MakeScratch(ScratchBytes(*pipeline));
  std::set<std::vector<uint64_t>> seen;
  std::vector<std::vector<std::shared_ptr<const void>>> kept;  // so that neither recording gets the other's memory
  for (uint32_t i = 0; i < 2; ++i) {
    device.Begin();
    Dispatch(device, pipeline, scratch, {{"a", 4}});
    seen.insert(PushedAddresses(device.stream()));
    kept.push_back(device.command_buffer().keep_alive);
  }
  EXPECT_GT(seen.begin()->size(), 6u) << "there are no steps";
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(PlacedPlanTest, ScratchThatNeverComesAgainKeepsNoMemory) {
  constexpr uint32_t kRecordings = 2000;
  const VkDeviceAddress scratch = device_.MakeScratch(ScratchBytes(*pipeline_) + kRecordings * 64);
  Record(scratch);
  const int before = device_.LiveObjects();
  for (uint32_t i = 1; i < kRecordings; ++i) Record(scratch + i * 64);
  // Plans that are kept have prepared regions of their own, and a few are kept for the next ones.
  constexpr int kKeptPlans = 16;
  constexpr int kBlocks = 4;  // that the plans share
  EXPECT_LE((device_.LiveObjects() - before) / 2, kBlocks + kKeptPlans + int{PreparedRegionPool::kMaxKept});
}

TEST_F(PlacedPlanTest, WhatIsRecordedOutlivesWhatIsKept) {
  constexpr uint32_t kOthers = 100;
  const VkDeviceAddress scratch = device_.MakeScratch(ScratchBytes(*pipeline_) + kOthers * 64);
  CommandBuffer other(device_.device(), device_.command_buffer().handle);
  other.BeginRecording(0);
  const std::vector<uint64_t> addresses = Record(scratch);
  other.keep_alive = device_.command_buffer().keep_alive;  // as if it had been recorded there

  const auto* batch = reinterpret_cast<const shared::LaunchBatch*>(addresses.back());
  ASSERT_EQ(batch->form, shared::kFormBatch);
  ASSERT_EQ(batch->member_count, kNodes);
  const auto* members = reinterpret_cast<const std::byte*>(batch->members);
  const std::vector<std::byte> expected(members, members + size_t{batch->member_count} * batch->member_bytes);
  const auto expect_intact = [&] { EXPECT_TRUE(std::equal(expected.begin(), expected.end(), members)); };
  for (uint32_t i = 1; i <= kOthers; ++i) EXPECT_NE(Record(scratch + i * 64), addresses);
  expect_intact();
  EXPECT_NE(Record(scratch), addresses) << "it is kept for longer than it should be";
  device_.device().execution_graphs.Take(TestHandle(*pipeline_));
  pipeline_.reset();
  device_.Begin();
  expect_intact();
}

TEST_F(PlacedPlanTest, RunningOutOfMemoryKeepsNothing) {
  // What the device needs for any graph is made by a dispatch of this one.
  const size_t expected = Record(MakeScratch()).size();
  // Too large for what is left of that dispatch's block.
  std::vector<NodeSource> sources = {NodeBuilder("a").To("b").source};
  for (uint32_t i = 0; i < 32 * kNodes; ++i) sources.push_back(NodeBuilder("b", i).source);
  pipeline_ = MakePipeline(device_, sources);
  const VkDeviceAddress scratch = MakeScratch();
  device_.Begin();
  device_.FailAllocations(true);
  Dispatch(device_, pipeline_, scratch, {{"a", 1}});
  EXPECT_EQ(device_.command_buffer().recorded_error, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_TRUE(device_.stream().empty());
  device_.FailAllocations(false);
  EXPECT_GE(Record(scratch).size(), expected);
}

class RecentCacheTest : public ::testing::Test {
 protected:
  bool IsKept(int key) { return cache_.Find(key) != nullptr; }
  void Make(int key) { ASSERT_EQ(*cache_.Keep(key, std::make_shared<const int>(10 * key)), 10 * key); }

  RecentCache<int, int, 3> cache_;
};

TEST_F(RecentCacheTest, WhatNobodyAskedForTheLongestGoes) {
  for (int key = 1; key <= 3; ++key) Make(key);
  EXPECT_EQ(*cache_.Find(1), 10);
  Make(4);
  EXPECT_FALSE(IsKept(2));
  EXPECT_TRUE(IsKept(1));
  EXPECT_TRUE(IsKept(3));
  EXPECT_TRUE(IsKept(4));
}

TEST_F(RecentCacheTest, TheFirstOfTwoThatWereMadeAtATimeIsKept) {
  const auto first = std::make_shared<const int>(1);
  EXPECT_EQ(cache_.Keep(7, first), first);
  EXPECT_EQ(cache_.Keep(7, std::make_shared<const int>(2)), first);
  EXPECT_EQ(cache_.Find(7), first);
}

}  // namespace
}  // namespace trellis::test
