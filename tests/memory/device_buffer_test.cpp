// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/device_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/recording_device.h"

namespace trellis::test {
namespace {

TEST(DeviceBufferTest, OwnsItsObjectsAndIsAligned) {
  RecordingDevice device;
  {
    Expected<DeviceBuffer> made = DeviceBuffer::Create(device.device(), 100, BufferMemory::kHost, "a buffer");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->address() % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uint64_t>(made->data()), made->address());
    EXPECT_EQ(device.NameOf(HandleToU64(made->handle())), "a buffer");
    EXPECT_EQ(device.LiveObjects(), 2);
    DeviceBuffer moved = *std::move(made);
    DeviceBuffer again;
    again = std::move(moved);
    EXPECT_EQ(again.size(), 100u);
    EXPECT_EQ(device.LiveObjects(), 2);
  }
  EXPECT_EQ(device.LiveObjects(), 0);
}

TEST(DeviceBufferTest, FamiliesThatCanComputeShareIt) {
  RecordingDevice device;
  std::vector<VkQueueFamilyProperties>& families = device.device().queue_families;
  families.resize(3);
  families[0].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
  EXPECT_TRUE(DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "one family"));
  EXPECT_TRUE(device.LastSharing().empty());
  families[2].queueFlags = VK_QUEUE_COMPUTE_BIT;
  EXPECT_TRUE(DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "two families"));
  EXPECT_EQ(device.LastSharing(), (std::vector<uint32_t>{0, 2}));
}

TEST(DeviceBufferTest, MemoryThatNeedsAFeatureOrProtectedQueuesIsSkipped) {
  RecordingDevice device;
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  VkPhysicalDeviceMemoryProperties& memory = device.device().memory_properties;
  memory.memoryTypeCount = 4;
  memory.memoryTypes[0].propertyFlags = kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT;
  memory.memoryTypes[1].propertyFlags = kLocal | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
  memory.memoryTypes[2].propertyFlags = 0;
  memory.memoryTypes[3].propertyFlags = kLocal;
  EXPECT_EQ(device.device().FindMemoryType(0b1111, 0, kLocal), 3u);
  EXPECT_EQ(device.device().FindMemoryType(0b0111, 0, kLocal), 2u);
  EXPECT_EQ(device.device().FindMemoryType(0b0011, 0), UINT32_MAX);
}

TEST(DeviceBufferTest, FailureLeavesNothingBehind) {
  RecordingDevice device;
  device.FailAllocations(true);
  const Expected<DeviceBuffer> made = DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "ring");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("ring"), std::string::npos);
  EXPECT_EQ(device.LiveObjects(), 0);
}

}  // namespace
}  // namespace trellis::test
