#include "layer/dispatch/struct_chain.h"

#include <gtest/gtest.h>

namespace trellis::test {
namespace {

constexpr auto kUnknownType = static_cast<VkStructureType>(1999999999);

TEST(StructChain, sizes_are_those_of_the_headers) {
  EXPECT_EQ(StructSize(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES),
            sizeof(VkPhysicalDeviceVulkan12Features));
  EXPECT_EQ(StructSize(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO), sizeof(VkBufferCreateInfo));
  EXPECT_EQ(StructSize(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX),
            sizeof(VkPhysicalDeviceShaderEnqueuePropertiesAMDX))
      << "provisional structures are in";
  EXPECT_EQ(StructSize(VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO), sizeof(VkLayerDeviceCreateInfo));
  EXPECT_EQ(StructSize(kUnknownType), 0u);
}

TEST(StructChain, copies_every_structure_in_order) {
  VkPhysicalDeviceVulkan12Features second = {};
  second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  second.scalarBlockLayout = VK_TRUE;
  VkPhysicalDeviceVulkan11Features first = {};
  first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  first.pNext = &second;

  Arena arena;
  auto* copy = static_cast<VkPhysicalDeviceVulkan11Features*>(CopyChain(&first, arena));
  ASSERT_NE(copy, &first);
  EXPECT_EQ(copy->sType, first.sType);
  auto* second_copy = static_cast<VkPhysicalDeviceVulkan12Features*>(copy->pNext);
  ASSERT_NE(second_copy, &second);
  EXPECT_TRUE(second_copy->scalarBlockLayout);
  EXPECT_EQ(second_copy->pNext, nullptr);
  EXPECT_EQ(CopyChain(nullptr, arena), nullptr);
}

TEST(StructChain, unknown_structure_stays_and_is_restored_with_the_arena) {
  VkPhysicalDeviceVulkan12Features last = {};
  last.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkBaseOutStructure unknown = {kUnknownType, reinterpret_cast<VkBaseOutStructure*>(&last)};
  VkPhysicalDeviceVulkan11Features first = {};
  first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  first.pNext = &unknown;
  {
    Arena arena;
    auto* copy = static_cast<VkBaseOutStructure*>(CopyChain(&first, arena));
    EXPECT_EQ(copy->pNext, &unknown);
    auto* last_copy = const_cast<VkBaseInStructure*>(FindInChain(copy, last.sType));
    EXPECT_NE(last_copy, reinterpret_cast<VkBaseInStructure*>(&last)) << "what follows can be edited";
    EXPECT_TRUE(RemoveFromChain(copy, last.sType));
    EXPECT_EQ(unknown.pNext, nullptr);
  }
  EXPECT_EQ(unknown.pNext, reinterpret_cast<VkBaseOutStructure*>(&last));
}

TEST(StructChain, removes_and_inserts) {
  VkPhysicalDeviceVulkan12Features second = {};
  second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 head = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &second, {}};
  EXPECT_EQ(RemoveFromChain(&head, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES), nullptr);
  EXPECT_EQ(RemoveFromChain(&head, second.sType), reinterpret_cast<VkBaseOutStructure*>(&second));
  EXPECT_EQ(head.pNext, nullptr);
  InsertIntoChain(&head, &second);
  EXPECT_EQ(head.pNext, &second);
}

TEST(StructChain, scoped_unlink_restores_in_any_nesting) {
  VkPhysicalDeviceVulkan12Features third = {};
  third.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX second = {};
  second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;
  second.pNext = &third;
  VkPhysicalDeviceMaintenance5Features first = {};
  first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES;
  first.pNext = &second;
  VkPhysicalDeviceFeatures2 head = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &first, {}};
  for (const bool enqueue_first : {false, true}) {
    const ScopedUnlink outer(&head, enqueue_first ? second.sType : first.sType);
    const ScopedUnlink inner(&head, enqueue_first ? first.sType : second.sType);
    EXPECT_EQ(head.pNext, &third);
  }
  EXPECT_EQ(head.pNext, &first);
  EXPECT_EQ(first.pNext, &second);
  EXPECT_EQ(second.pNext, &third);
}

}  // namespace
}  // namespace trellis::test
