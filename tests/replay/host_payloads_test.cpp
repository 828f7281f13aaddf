// SPDX-License-Identifier: Apache-2.0
// Payloads of vkCmdDispatchGraphAMDX as launches read them.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "layer/replay/replay.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

class HostPayloadsTest : public ::testing::Test {
 protected:
  void Use(NodeBuilder node) {
    pipeline_ = MakePipeline(device_, {std::move(node)});
    scratch_ = device_.MakeScratch(ScratchBytes(*pipeline_));
  }
  // Begins a new recording that dispatches `infos` to the only node.
  void Record(std::vector<VkDispatchGraphInfoAMDX> infos) {
    device_.Begin();
    device_.command_buffer().execution_graph.pipeline = TestHandle(*pipeline_);
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = static_cast<uint32_t>(infos.size());
    count_info.infos.hostAddress = infos.data();
    count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
    DispatchGraph(device_.command_buffer(), scratch_, ScratchBytes(*pipeline_), count_info);
    EXPECT_EQ(device_.command_buffer().recorded_error, VK_SUCCESS);
  }
  static VkDispatchGraphInfoAMDX Info(const std::vector<uint32_t>& payloads, uint32_t count, uint64_t stride) {
    VkDispatchGraphInfoAMDX info = {};
    info.payloadCount = count;
    info.payloads.hostAddress = payloads.data();
    info.payloadStride = stride;
    return info;
  }
  // Returns what the only launch reads.
  shared::LaunchInput LaunchInputOf() const {
    uint64_t block = 0;
    for (const Command& command : device_.stream())
      if (command.kind == Command::Kind::kPushConstants)
        std::memcpy(&block, command.bytes.data() + command.bytes.size() - sizeof(block), sizeof(block));
    return *reinterpret_cast<const shared::LaunchInput*>(reinterpret_cast<const shared::LaunchBlock*>(block)->source);
  }
  static std::vector<uint32_t> Words(VkDeviceAddress address, size_t count) {
    const auto* words = reinterpret_cast<const uint32_t*>(address);
    return {words, words + count};
  }

  RecordingDevice device_{[] {
    Settings settings;
    settings.log_file = "/dev/null";
    return settings;
  }()};
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
  VkDeviceAddress scratch_ = 0;
};

TEST_F(HostPayloadsTest, StayWhileOtherRecordingsComeAndGo) {
  constexpr uint32_t kWords = 400;
  Use(NodeBuilder("a").Payload(16));
  const std::vector<uint32_t> payloads(kWords, 7);
  const std::vector<uint32_t> others(kWords, 9);
  Record({Info(payloads, kWords / 4, 16)});
  const shared::Records kept = LaunchInputOf().records;
  CommandBuffer recording(device_.device(), device_.command_buffer().handle);
  recording.BeginRecording(0);
  recording.keep_alive = device_.command_buffer().keep_alive;  // as if it had been recorded there
  for (uint32_t i = 0; i < 1000; ++i) {
    Record({Info(others, kWords / 4, 16)});
    ASSERT_EQ(Words(LaunchInputOf().records.base, kWords), others);
  }
  EXPECT_EQ(Words(kept.base, kWords), payloads);
}

TEST_F(HostPayloadsTest, LargeOnesAreWrittenToTheSameMemoryAgain) {
  constexpr uint32_t kWords = 1 << 22;
  Use(NodeBuilder("a").Payload(64).Coalescing(64));
  for (uint32_t recording = 1; recording <= 3; ++recording) {
    const std::vector<uint32_t> payloads(kWords, recording);
    Record({Info(payloads, kWords / 16, 64)});
    const shared::Records records = LaunchInputOf().records;
    EXPECT_EQ(records.count, kWords / 16);
    EXPECT_EQ(records.stride, 64u);
    EXPECT_TRUE(Words(records.base, kWords) == payloads);
  }
  const int before = device_.Allocations();
  Record({Info(std::vector<uint32_t>(kWords), kWords / 16, 64)});
  EXPECT_EQ(device_.Allocations(), before);
}

// The first three words of a payload are the grid. The application's memory ends with the last payload.
TEST_F(HostPayloadsTest, GridsAreReadAtEveryStride) {
  Use(NodeBuilder("a").Payload(16).Dynamic());
  const auto expect = [this](const std::vector<uint32_t>& sums, uint32_t workgroups,
                             const std::vector<uint32_t>& words) {
    const shared::LaunchInput input = LaunchInputOf();
    EXPECT_EQ(input.workgroup_count, workgroups);
    EXPECT_EQ(Words(input.record_state, sums.size()), sums);
    EXPECT_EQ(Words(input.records.base, words.size()), words);
    EXPECT_EQ(input.records.stride, 16u);
  };
  const std::vector<uint32_t> dense = {1, 2, 3, 70, 4, 5, 1, 71, 1, 1, 2, 72};
  Record({Info(dense, 3, 16)});
  expect({0, 6, 26}, 28, dense);
  const std::vector<uint32_t> padded = {1, 2, 3, 70, 99, 4, 5, 1, 71, 99, 1, 1, 2, 72};
  Record({Info(padded, 3, 20)});
  expect({0, 6, 26}, 28, dense);
  const std::vector<uint32_t> overlapping = {1, 2, 3, 4, 5, 6};
  Record({Info(overlapping, 3, 4)});
  expect({0, 6, 30}, 90, {1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6});
  Record({Info(overlapping, 2, 0)});
  expect({0, 6}, 12, {1, 2, 3, 4, 1, 2, 3, 4});
  Record({Info(padded, 1, 20), Info(dense, 2, 16)});
  expect({0, 6, 12}, 32, {1, 2, 3, 70, 1, 2, 3, 70, 4, 5, 1, 71});
}

}  // namespace
}  // namespace trellis::test
