#include "layer/dispatch/struct_chain.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

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

TEST(StructChain, edits_a_copy_and_leaves_what_follows) {
  VkPhysicalDeviceVulkan13Features third = {};
  third.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceVulkan12Features second = {};
  second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  second.pNext = &third;
  second.scalarBlockLayout = VK_TRUE;
  VkPhysicalDeviceVulkan11Features first = {};
  first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  first.pNext = &second;
  VkDeviceCreateInfo head = {};
  head.pNext = &first;

  Arena arena;
  auto* copy = EditStruct<VkPhysicalDeviceVulkan12Features>(&head, second.sType, arena);
  ASSERT_TRUE(copy);
  EXPECT_NE(copy, &second);
  EXPECT_TRUE(copy->scalarBlockLayout);
  EXPECT_EQ(copy->pNext, &third);
  const auto* first_copy = static_cast<const VkPhysicalDeviceVulkan11Features*>(head.pNext);
  EXPECT_NE(first_copy, &first);
  EXPECT_EQ(first_copy->sType, first.sType);
  EXPECT_EQ(first_copy->pNext, copy);
  EXPECT_EQ(first.pNext, &second) << "the application's own stays";
}

TEST(StructChain, what_is_not_there_copies_nothing) {
  VkPhysicalDeviceVulkan11Features first = {};
  first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  VkDeviceCreateInfo head = {};
  head.pNext = &first;
  Arena arena;
  EXPECT_EQ(EditInChain(&head, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, arena), nullptr);
  EXPECT_EQ(RemoveFromChain(&head, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, arena), nullptr);
  EXPECT_EQ(head.pNext, &first);
}

TEST(StructChain, removes_and_inserts) {
  VkPhysicalDeviceVulkan13Features third = {};
  third.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceVulkan12Features second = {};
  second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  second.pNext = &third;
  VkPhysicalDeviceVulkan11Features first = {};
  first.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  first.pNext = &second;
  VkDeviceCreateInfo head = {};
  head.pNext = &first;
  Arena arena;
  EXPECT_EQ(RemoveFromChain(&head, second.sType, arena), reinterpret_cast<VkBaseInStructure*>(&second));
  EXPECT_EQ(static_cast<const VkBaseInStructure*>(head.pNext)->sType, first.sType);
  EXPECT_EQ(static_cast<const VkBaseInStructure*>(head.pNext)->pNext, reinterpret_cast<VkBaseInStructure*>(&third));
  EXPECT_EQ(first.pNext, &second) << "the application's own stays";
  EXPECT_TRUE(RemoveFromChain(&head, first.sType, arena));
  EXPECT_EQ(head.pNext, &third);
  second.pNext = nullptr;
  InsertIntoChain(&head, &second);
  EXPECT_EQ(head.pNext, &second);
  EXPECT_EQ(second.pNext, &third);
}

// Wherever it lies, all of a structure that is readable is copied, and nothing else is read.
TEST(StructChain, copies_structures_of_unknown_size) {
  struct Unknown {
    VkStructureType sType;
    const void* pNext;
    uint32_t words[6];
  };
  void* const pages = mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const base = static_cast<std::byte*>(pages);
  mprotect(base + 2 * 4096, 4096, PROT_NONE);
  // Within a page, over the border to the second one, and up to the end of what is readable.
  for (const size_t offset : {size_t{16}, size_t{4096 - 16}, 2 * 4096 - sizeof(Unknown)}) {
    const Unknown unknown = {kUnknownType, nullptr, {1, 2, 3, 4, 5, 6}};
    std::memcpy(base + offset, &unknown, sizeof(unknown));
    Arena arena;
    const VkBaseOutStructure* copy =
        CopyUnknownStruct(*reinterpret_cast<const VkBaseInStructure*>(base + offset), arena);
    EXPECT_EQ(std::memcmp(copy, &unknown, sizeof(unknown)), 0) << offset;
  }
  munmap(pages, 3 * 4096);
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

TEST(StructChain, scoped_unlink_writes_to_no_structure_of_unknown_type) {
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX second = {};
  second.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;
  VkBaseOutStructure unknown = {kUnknownType, reinterpret_cast<VkBaseOutStructure*>(&second)};
  VkPhysicalDeviceFeatures2 head = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &unknown, {}};
  const ScopedUnlink none(&head, second.sType);
  EXPECT_EQ(head.pNext, &unknown);
  EXPECT_EQ(static_cast<void*>(unknown.pNext), &second);
}

}  // namespace
}  // namespace trellis::test
