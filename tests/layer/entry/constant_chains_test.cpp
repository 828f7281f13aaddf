// SPDX-License-Identifier: Apache-2.0
// Applications keep create infos in constant memory, and chain structures that are newer than the layer's headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "layer/dispatch/struct_chain.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_driver/read_only_memory.h"

namespace trellis::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

struct NewerStruct {
  VkStructureType sType;
  const void* pNext;
  uint32_t words[4];
};

constexpr auto kNewer = static_cast<VkStructureType>(1000999000);
constexpr auto kNewerToo = static_cast<VkStructureType>(1000999001);
constexpr VkStructureType kVulkan12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr VkStructureType kEnqueue = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;

VkPhysicalDeviceVulkan12Features Vulkan12(const void* next = nullptr) {
  auto features = MakeStruct<VkPhysicalDeviceVulkan12Features>(next);
  features.timelineSemaphore = VK_TRUE;
  return features;
}

class ConstantChains : public ::testing::Test {
 protected:
  ConstantChains() {
    const auto see = [this](const void* chain) {
      for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) {
        seen_.push_back(at->sType);
        if (at->sType != kNewer && at->sType != kNewerToo) continue;
        newer_.push_back(at);
        const auto* newer = reinterpret_cast<const NewerStruct*>(at);
        EXPECT_THAT(newer->words, ElementsAre(1, 2, 3, 4));
      }
    };
    driver_.see_instance_chain = see;
    driver_.see_device_chain = see;
  }

  ReadOnlyMemory memory_;
  FakeDriver driver_;
  std::vector<VkStructureType> seen_;  // by the driver, in the chain of the last vkCreateInstance or vkCreateDevice
  std::vector<const void*> newer_;     // where it saw structures of the types kNewer and kNewerToo
};

TEST_F(ConstantChains, instances) {
  auto validation = MakeStruct<VkValidationFeaturesEXT>();
  const auto* last = memory_.Store(validation);
  const auto* newer = memory_.Store(NewerStruct{kNewer, last, {1, 2, 3, 4}});
  memory_.Seal();
  const TestInstance instance(driver_, {}, newer);
  EXPECT_EQ(instance.result(), VK_SUCCESS);
  EXPECT_THAT(seen_, ElementsAre(VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, kNewer, validation.sType));
  EXPECT_THAT(newer_, ElementsAre(newer)) << "nothing behind it is edited: it goes down as it is";
}

TEST_F(ConstantChains, devices_without_graphs) {
  const auto* last = memory_.Store(Vulkan12());
  const auto* newer = memory_.Store(NewerStruct{kNewer, last, {1, 2, 3, 4}});
  memory_.Seal();
  const TestInstance instance(driver_);
  seen_.clear();
  const TestDevice device(instance, {}, newer);
  EXPECT_EQ(device.result(), VK_SUCCESS);
  EXPECT_THAT(seen_, ElementsAre(VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, kNewer, kVulkan12));
  EXPECT_THAT(newer_, ElementsAre(newer));
  EXPECT_FALSE(driver_.device_features.at(kVulkan12).at(2)) << "storageBuffer8BitAccess is the application's choice";
}

// What the layer takes out, and what it edits, stand behind structures that it does not know.
TEST_F(ConstantChains, devices_with_graphs) {
  const auto* last = memory_.Store(NewerStruct{kNewerToo, nullptr, {1, 2, 3, 4}});
  const auto* vulkan12 = memory_.Store(Vulkan12(last));
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(vulkan12);
  enqueue.shaderEnqueue = VK_TRUE;
  const auto* ours = memory_.Store(enqueue);
  const auto* newer = memory_.Store(NewerStruct{kNewer, ours, {1, 2, 3, 4}});
  memory_.Seal();
  const TestInstance instance(driver_);
  seen_.clear();
  const TestDevice device(instance, kGraphExtensions, newer);
  EXPECT_EQ(device.result(), VK_SUCCESS);
  EXPECT_EQ(std::count(seen_.begin(), seen_.end(), kNewer), 1);
  EXPECT_EQ(std::count(seen_.begin(), seen_.end(), kNewerToo), 1);
  EXPECT_EQ(std::count(seen_.begin(), seen_.end(), kVulkan12), 1);
  EXPECT_THAT(seen_, Not(Contains(kEnqueue)));
  EXPECT_THAT(newer_, Contains(last)) << "nothing behind it is edited";
  EXPECT_TRUE(driver_.device_features.at(kVulkan12).at(2)) << "storageBuffer8BitAccess, which the layer enables";
  EXPECT_FALSE(vulkan12->storageBuffer8BitAccess);
}

TEST_F(ConstantChains, answers_are_written_to_the_structures_that_are_asked_for_alone) {
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
  const auto* newer = memory_.Store(NewerStruct{kNewer, &enqueue, {1, 2, 3, 4}});
  memory_.Seal();
  const TestInstance instance(driver_);
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(const_cast<NewerStruct*>(newer));
  TRELLIS_CALL(instance, GetPhysicalDeviceFeatures2)(instance.physical_device(), &features);
  EXPECT_TRUE(enqueue.shaderEnqueue);
}

TEST_F(ConstantChains, buffers) {
  auto usage = MakeStruct<VkBufferUsageFlags2CreateInfo>();
  usage.usage = VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
  const auto* last = memory_.Store(usage);
  const auto* newer = memory_.Store(NewerStruct{kNewer, last, {1, 2, 3, 4}});
  auto info = MakeStruct<VkBufferCreateInfo>(newer);
  info.size = 256;
  const auto* constant = memory_.Store(info);
  memory_.Seal();
  const TestInstance instance(driver_);
  const TestDevice device(instance);
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(TRELLIS_CALL(device, CreateBuffer)(device.handle(), constant, nullptr, &buffer), VK_SUCCESS);
  const DriverCall call = driver_.CallsOf("CreateBuffer").at(0);
  EXPECT_THAT(call.chain, ElementsAre(kNewer)) << "without VK_KHR_maintenance5 below the flags go into the create info";
  EXPECT_EQ(call.flags,
            VkBufferUsageFlags2{VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT});
  TRELLIS_CALL(device, DestroyBuffer)(device.handle(), buffer, nullptr);
}

}  // namespace
}  // namespace trellis::test
