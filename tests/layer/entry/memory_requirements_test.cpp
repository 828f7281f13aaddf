// SPDX-License-Identifier: Apache-2.0
// What an application is told about memory for scratch buffers: it binds them where the requirements allow, and uses
// the address as scratch, which the extension wants at a multiple of 64.
#include <gtest/gtest.h>

#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {
namespace {

constexpr VkBufferUsageFlags kScratchUsage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;

DriverOptions AlignsTo(VkDeviceSize alignment) {
  DriverOptions options;
  options.buffer_alignment = alignment;
  return options;
}

// How an application says what a buffer is for.
enum class UsageForm : uint8_t { kMember, kFlags2 };

class MemoryRequirements : public ::testing::Test {
 protected:
  // The alignments that every query answers with for a buffer of this usage; they have to agree.
  VkDeviceSize Alignment(VkBufferUsageFlags usage, UsageForm form, VkDeviceSize driver_alignment,
                         const std::vector<const char*>& extensions = kGraphExtensions) {
    FakeDriver driver(AlignsTo(driver_alignment));
    const TestInstance instance(driver);
    const TestDevice device(instance, extensions);
    auto flags2 = MakeStruct<VkBufferUsageFlags2CreateInfo>();
    flags2.usage = usage;
    auto info = MakeStruct<VkBufferCreateInfo>(form == UsageForm::kFlags2 ? &flags2 : nullptr);
    info.size = 4096;
    info.usage = form == UsageForm::kMember ? usage : 0;
    VkBuffer buffer = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device, CreateBuffer)(device.handle(), &info, nullptr, &buffer), VK_SUCCESS);

    VkMemoryRequirements first = {};
    TRELLIS_CALL(device, GetBufferMemoryRequirements)(device.handle(), buffer, &first);
    EXPECT_EQ(first.size, 4096u);
    for (const char* name : {"vkGetBufferMemoryRequirements2", "vkGetBufferMemoryRequirements2KHR"}) {
      const VkBufferMemoryRequirementsInfo2 of = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr, buffer};
      auto told = MakeStruct<VkMemoryRequirements2>();
      device.Get<PFN_vkGetBufferMemoryRequirements2>(name)(device.handle(), &of, &told);
      EXPECT_EQ(told.memoryRequirements.alignment, first.alignment) << name;
    }
    for (const char* name : {"vkGetDeviceBufferMemoryRequirements", "vkGetDeviceBufferMemoryRequirementsKHR"}) {
      const VkDeviceBufferMemoryRequirements of = {VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr, &info};
      auto told = MakeStruct<VkMemoryRequirements2>();
      device.Get<PFN_vkGetDeviceBufferMemoryRequirements>(name)(device.handle(), &of, &told);
      EXPECT_EQ(told.memoryRequirements.alignment, first.alignment) << name;
    }
    TRELLIS_CALL(device, DestroyBuffer)(device.handle(), buffer, nullptr);
    return first.alignment;
  }
};

TEST_F(MemoryRequirements, of_scratch_are_at_least_256_in_every_query) {
  for (const UsageForm form : {UsageForm::kMember, UsageForm::kFlags2}) {
    EXPECT_EQ(Alignment(kScratchUsage, form, 32), 256u);
    EXPECT_EQ(Alignment(kScratchUsage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, form, 16), 256u);
    EXPECT_EQ(Alignment(kScratchUsage, form, 4096), 4096u) << "the driver needs more";
  }
}

TEST_F(MemoryRequirements, of_other_buffers_are_the_drivers) {
  for (const UsageForm form : {UsageForm::kMember, UsageForm::kFlags2}) {
    EXPECT_EQ(Alignment(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, form, 32), 32u);
    EXPECT_EQ(Alignment(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, form, 32, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME}), 32u);
  }
}

}  // namespace
}  // namespace trellis::test
