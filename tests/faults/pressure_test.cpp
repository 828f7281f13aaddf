// SPDX-License-Identifier: Apache-2.0
// A driver without memory for the ring that a graph wants: the graph gets a smaller one and runs in steps.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "layer/memory/ring_pool.h"
#include "layer/objects/registry.h"
#include "tests/faults/command_attempt.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

constexpr VkDeviceSize kWanted = 12 * kMiB;  // what 10,000 payloads cause in the last level, 1,280 bytes each

// Records a dispatch that wants a ring of 12 MiB at least, and submits it.
class LargeGraph : public CommandAttempt {
 public:
  LargeGraph() : queue_(MakeQueue()) {
    const VkExecutionGraphPipelineCreateInfoAMDX info = parts().GraphInfo();
    TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &graph_);
  }

  VkResult Run() override {
    const VkResult recorded = Record();
    return recorded == VK_SUCCESS ? Submit(queue_) : recorded;
  }
  void Release() override {}

  // Decides what vkAllocateMemory returns from now on.
  void Allocate(std::function<VkResult(VkDeviceSize bytes)> allocate) { driver_.see_allocation = std::move(allocate); }
  [[nodiscard]] VkDeviceSize RingBytes() const {
    const auto pool = RingPoolOf(*FindDevice(handle()), 0);
    return pool ? (*pool)->TotalBytes() : 0;
  }
  [[nodiscard]] size_t Dispatches() const { return driver_.CountOf("CmdDispatchIndirect"); }

 private:
  void Dispatch() override {
    OnePayload payload;
    payload.node.payloadCount = 10'000;
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphAMDX), command_buffer(), scratch(), Scratch::kBytes, &payload.counts);
  }

  const VkQueue queue_;
};

TEST(Pressure, WithoutItTheGraphRunsInOnePass) {
  LargeGraph graph;
  ASSERT_EQ(graph.Run(), VK_SUCCESS);
  EXPECT_GE(graph.RingBytes(), kWanted);
  EXPECT_LT(graph.Dispatches(), 8u);
}

// Each allocation of memory that the recording and its submission need, alone and with all that follow.
TEST(Pressure, EveryAllocationFails) {
  uint32_t survived = 0;
  for (const bool for_good : {false, true})
    for (int64_t number = 0;; ++number) {
      SCOPED_TRACE((for_good ? "all from number " : "number ") + std::to_string(number));
      LargeGraph graph;
      int64_t count = 0;
      bool failed = false;
      graph.Allocate([&](VkDeviceSize) {
        const int64_t mine = count++;
        if (for_good ? mine < number : mine != number) return VK_SUCCESS;
        failed = true;
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      });
      const VkResult result = graph.Run();
      if (result != VK_SUCCESS)
        EXPECT_EQ(result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      else if (failed)
        ++survived;
      graph.Allocate(nullptr);
      EXPECT_EQ(graph.Run(), VK_SUCCESS) << "the same again, with memory";
      if (failed) continue;
      EXPECT_GT(number, 2) << "plan memory, reports, table and ring";
      break;
    }
  EXPECT_GE(survived, 1u);
}

// The first n large allocations fail: those of rings. A size may be asked for more than once, until a smaller one is.
TEST(Pressure, RingsGetSmallerUntilThereIsOne) {
  std::set<VkDeviceSize, std::greater<>> in_steps;  // rings of graphs that run in steps
  bool has_all = false;
  for (uint32_t failing = 0; failing < 100; ++failing) {
    SCOPED_TRACE(failing);
    LargeGraph graph;
    uint32_t failed = 0;
    graph.Allocate([&](VkDeviceSize bytes) {
      if (bytes < kMiB || failed == failing) return VK_SUCCESS;
      ++failed;
      return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    });
    EXPECT_EQ(graph.Run(), VK_SUCCESS);
    const VkDeviceSize ring = graph.RingBytes();
    EXPECT_EQ(graph.Dispatches() > 8, ring < kWanted) << ring;
    EXPECT_TRUE(in_steps.empty() || ring <= *in_steps.rbegin()) << ring;
    if (ring < kWanted) in_steps.insert(ring);
    has_all = failed < failing;
    if (has_all) break;
  }
  EXPECT_TRUE(has_all) << "large rings are asked for again and again";
  ASSERT_GE(in_steps.size(), 3u);
  EXPECT_LT(*in_steps.rbegin(), kMiB);
}

// From some limit on the graph runs, with a ring that fits into it.
TEST(Pressure, AnyRingThatCanBeHadIsUsed) {
  VkDeviceSize first = 0;
  for (VkDeviceSize limit = 64 * 1024; limit <= 64 * kMiB; limit *= 2) {
    SCOPED_TRACE(limit);
    LargeGraph graph;
    graph.Allocate([limit](VkDeviceSize bytes) { return bytes > limit ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS; });
    const VkResult result = graph.Run();
    if (first == 0 && result != VK_SUCCESS) {
      EXPECT_EQ(result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      continue;
    }
    EXPECT_EQ(result, VK_SUCCESS);
    EXPECT_LE(graph.RingBytes(), limit);
    if (first == 0) first = limit;
  }
  EXPECT_GT(first, 0u);
  EXPECT_LE(first, kMiB);
}

}  // namespace
}  // namespace trellis::test
