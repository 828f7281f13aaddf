// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/struct_chain.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/layer/fake_driver/messenger.h"

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

TEST(StructChain, types_come_from_the_registry) {
  EXPECT_EQ(kStructureType<VkDeviceCreateInfo>, VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  EXPECT_EQ(kStructureType<VkLayerDeviceCreateInfo>, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  EXPECT_EQ(kStructureType<VkPipelineRobustnessCreateInfoEXT>, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO)
      << "an alias";
  EXPECT_TRUE(ChainableStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>) << "provisional structures are in";
  EXPECT_FALSE(ChainableStruct<VkExtent2D>);
}

TEST(StructChain, made_and_found_by_type) {
  auto wanted = MakeStruct<VkPhysicalDeviceVulkan12Features>();
  EXPECT_EQ(wanted.sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  EXPECT_EQ(wanted.pNext, nullptr);
  EXPECT_FALSE(wanted.scalarBlockLayout);
  const auto head = MakeStruct<VkDeviceCreateInfo>(&wanted);
  EXPECT_EQ(FindStruct<VkPhysicalDeviceVulkan12Features>(head.pNext), &wanted);
  EXPECT_EQ(FindStruct<VkPhysicalDeviceVulkan12Features>(static_cast<void*>(&wanted)), &wanted);
  EXPECT_EQ(FindStruct<VkPhysicalDeviceVulkan13Features>(head.pNext), nullptr);
}

TEST(StructChain, edits_a_copy_and_leaves_what_follows) {
  auto third = MakeStruct<VkPhysicalDeviceVulkan13Features>();
  auto second = MakeStruct<VkPhysicalDeviceVulkan12Features>(&third);
  second.scalarBlockLayout = VK_TRUE;
  auto first = MakeStruct<VkPhysicalDeviceVulkan11Features>(&second);
  VkDeviceCreateInfo head = {};
  head.pNext = &first;

  Arena arena;
  auto* copy = EditStruct<VkPhysicalDeviceVulkan12Features>(&head, arena);
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
  auto first = MakeStruct<VkPhysicalDeviceVulkan11Features>();
  VkDeviceCreateInfo head = {};
  head.pNext = &first;
  Arena arena;
  EXPECT_EQ(EditInChain(&head, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, arena), nullptr);
  EXPECT_EQ(RemoveFromChain(&head, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, arena), nullptr);
  EXPECT_EQ(head.pNext, &first);
}

TEST(StructChain, removes_and_inserts) {
  auto third = MakeStruct<VkPhysicalDeviceVulkan13Features>();
  auto second = MakeStruct<VkPhysicalDeviceVulkan12Features>(&third);
  auto first = MakeStruct<VkPhysicalDeviceVulkan11Features>(&second);
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

// Three pages, the last of which cannot be read.
class UnknownStruct : public ::testing::Test {
 protected:
  static constexpr size_t kPage = 4096;

  void SetUp() override {
    void* const pages = mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    base_ = static_cast<uint8_t*>(pages);
    for (size_t i = 0; i < 2 * kPage; ++i) base_[i] = static_cast<uint8_t>(i % 255 + 1);
    ASSERT_EQ(mprotect(base_ + 2 * kPage, kPage, PROT_NONE), 0);
  }
  void TearDown() override { munmap(base_, 3 * kPage); }

  // Bytes of a structure at this offset that were copied; behind them the copy has to be 0.
  [[nodiscard]] size_t Copied(size_t offset) const {
    auto* const source = reinterpret_cast<VkBaseOutStructure*>(base_ + offset);
    source->sType = kUnknownType;
    source->pNext = nullptr;
    Arena arena;
    const auto* copy =
        reinterpret_cast<const uint8_t*>(CopyUnknownStruct(*reinterpret_cast<VkBaseInStructure*>(source), arena));
    size_t copied = kMaxUnknownStructSize;
    while (copied != 0 && copy[copied - 1] == 0) --copied;
    EXPECT_EQ(std::memcmp(copy, source, copied), 0);
    return copied;
  }

  uint8_t* base_ = nullptr;
};

TEST_F(UnknownStruct, is_copied_as_far_as_it_is_readable) {
  EXPECT_EQ(Copied(16), 1024u) << "within a page";
  EXPECT_EQ(Copied(kPage - 16), 1024u) << "over a border";
  EXPECT_EQ(Copied(kPage - 512), 1024u);
  EXPECT_EQ(Copied(2 * kPage - 1024), 1024u) << "up to what cannot be read";
  EXPECT_EQ(Copied(2 * kPage - 1016), 1016u) << "over that border";
  EXPECT_EQ(Copied(2 * kPage - 40), 40u);
}

// A process that can open no files.
class WithoutFiles {
 public:
  WithoutFiles() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none = {0, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~WithoutFiles() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  WithoutFiles(const WithoutFiles&) = delete;
  WithoutFiles& operator=(const WithoutFiles&) = delete;

 private:
  rlimit before_ = {};
};

TEST_F(UnknownStruct, ends_at_a_page_border_where_the_system_does_not_tell) {
  FakeDriver driver;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  std::vector<std::string> messages;
  const Messenger messenger(instance,
                            [&](const HeardMessage& message) { messages.push_back(message.data.pMessageIdName); });
  EXPECT_EQ(Copied(kPage - 512), 1024u);
  EXPECT_TRUE(messages.empty());
  {
    const WithoutFiles without_files;
    EXPECT_EQ(Copied(16), 1024u) << "within a page";
    EXPECT_TRUE(messages.empty());
    EXPECT_EQ(Copied(kPage - 40), 40u);
    EXPECT_EQ(Copied(2 * kPage - 40), 40u);
  }
  EXPECT_EQ(messages, std::vector<std::string>{"TRELLIS-unknown-structure"}) << "once";
  EXPECT_EQ(Copied(kPage - 40), 1024u);
}

TEST(StructChain, scoped_unlink_restores_in_any_nesting) {
  auto third = MakeStruct<VkPhysicalDeviceVulkan12Features>();
  auto second = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(&third);
  auto first = MakeStruct<VkPhysicalDeviceMaintenance5Features>(&second);
  auto head = MakeStruct<VkPhysicalDeviceFeatures2>(&first);
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
  auto second = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
  VkBaseOutStructure unknown = {kUnknownType, reinterpret_cast<VkBaseOutStructure*>(&second)};
  auto head = MakeStruct<VkPhysicalDeviceFeatures2>(&unknown);
  const ScopedUnlink none(&head, second.sType);
  EXPECT_EQ(head.pNext, &unknown);
  EXPECT_EQ(static_cast<void*>(unknown.pNext), &second);
}

}  // namespace
}  // namespace trellis::test
