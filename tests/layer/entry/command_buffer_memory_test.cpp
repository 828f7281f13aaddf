// SPDX-License-Identifier: Apache-2.0
// Memory of command buffers with graphs: how many allocations of the driver they make, and that all are freed.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "tests/faults/graph_parts.h"
#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {
namespace {

constexpr uint32_t kCommandBuffers = 1024;
// Bound for a small dispatch in each of them.
constexpr uint32_t kFewAllocations = 8;

class CommandBufferMemory : public ::testing::Test {
 protected:
  CommandBufferMemory() {
    const VkExecutionGraphPipelineCreateInfoAMDX info = parts_->GraphInfo();
    EXPECT_EQ(TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(device_->handle(), VK_NULL_HANDLE, 1, &info,
                                                                        nullptr, &graph_),
              VK_SUCCESS);
    CreatePool();
    AllocateCommandBuffers();
    Record(command_buffers_[0]);  // makes what the device needs for any graph
    before_ = Allocations();
  }
  ~CommandBufferMemory() override { DestroyAll(); }

  void DestroyAll() {
    if (!device_) return;
    DestroyPool();
    TRELLIS_CALL(*device_, DestroyPipeline)(device_->handle(), graph_, nullptr);
    scratch_.reset();
    parts_.reset();
    device_.reset();
  }
  void CreatePool() {
    auto info = MakeStruct<VkCommandPoolCreateInfo>();
    info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    EXPECT_EQ(TRELLIS_CALL(*device_, CreateCommandPool)(device_->handle(), &info, nullptr, &pool_), VK_SUCCESS);
  }
  void DestroyPool() { TRELLIS_CALL(*device_, DestroyCommandPool)(device_->handle(), pool_, nullptr); }
  void AllocateCommandBuffers() {
    command_buffers_.resize(kCommandBuffers);
    const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                              VK_COMMAND_BUFFER_LEVEL_PRIMARY, kCommandBuffers};
    EXPECT_EQ(TRELLIS_CALL(*device_, AllocateCommandBuffers)(device_->handle(), &info, command_buffers_.data()),
              VK_SUCCESS);
  }

  void Record(VkCommandBuffer command_buffer) {
    auto begin = MakeStruct<VkCommandBufferBeginInfo>();
    EXPECT_EQ(TRELLIS_CALL(*device_, BeginCommandBuffer)(command_buffer, &begin), VK_SUCCESS);
    TRELLIS_CALL(*device_, CmdBindPipeline)(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_);
    const OnePayload payload;
    TRELLIS_CALL(*device_, CmdDispatchGraphAMDX)
    (command_buffer, scratch_->address(), Scratch::kBytes, &payload.counts);
    EXPECT_EQ(TRELLIS_CALL(*device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);
  }
  void RecordAll() {
    for (const VkCommandBuffer command_buffer : command_buffers_) Record(command_buffer);
  }
  // Records all command buffers, and again after each call of `discard`.
  void ExpectFewAllocations(const std::function<void()>& discard) {
    for (uint32_t round = 0; round < 3; ++round) {
      RecordAll();
      discard();
      driver_.ForgetCalls();
    }
    RecordAll();
    EXPECT_LE(Allocations(), before_ + kFewAllocations);
  }

  // Calls of vkAllocateMemory so far.
  [[nodiscard]] uint32_t Allocations() const { return driver_.allocations; }

  FakeDriver driver_;
  const TestInstance instance_{driver_};
  std::optional<TestDevice> device_{std::in_place, instance_};
  std::optional<GraphParts> parts_{std::in_place, *device_};
  std::optional<Scratch> scratch_{std::in_place, *device_};
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> command_buffers_;
  uint32_t before_ = 0;
};

TEST_F(CommandBufferMemory, BeginsAnew) {
  ExpectFewAllocations([] {});
}
TEST_F(CommandBufferMemory, IsReset) {
  ExpectFewAllocations([this] {
    for (const VkCommandBuffer command_buffer : command_buffers_)
      TRELLIS_CALL(*device_, ResetCommandBuffer)(command_buffer, 0);
  });
}
TEST_F(CommandBufferMemory, PoolIsReset) {
  ExpectFewAllocations([this] { TRELLIS_CALL(*device_, ResetCommandPool)(device_->handle(), pool_, 0); });
}
TEST_F(CommandBufferMemory, IsFreed) {
  ExpectFewAllocations([this] {
    TRELLIS_CALL(*device_, FreeCommandBuffers)
    (device_->handle(), pool_, kCommandBuffers, command_buffers_.data());
    AllocateCommandBuffers();
  });
}
TEST_F(CommandBufferMemory, PoolIsDestroyed) {
  ExpectFewAllocations([this] {
    DestroyPool();
    CreatePool();
    AllocateCommandBuffers();
  });
}

// Recordings that stay do not keep the memory of those that come and go.
TEST_F(CommandBufferMemory, IsKeptByNoneThatStays) {
  for (uint32_t i = 0; i < kCommandBuffers; ++i) {
    Record(command_buffers_[i]);
    for (uint32_t other = 0; other < 8; ++other) Record(command_buffers_.back());
    driver_.ForgetCalls();
  }
  EXPECT_LE(Allocations(), before_ + kFewAllocations);
}

TEST_F(CommandBufferMemory, AllIsFreedWithTheDevice) {
  RecordAll();
  EXPECT_GT(driver_.LiveObjects(), 2u);
  DestroyAll();
  EXPECT_TRUE(driver_.memories.empty());
  EXPECT_EQ(driver_.LiveObjects(), 1u) << "the instance";
}

}  // namespace
}  // namespace trellis::test
