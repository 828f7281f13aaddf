// SPDX-License-Identifier: Apache-2.0
#include "layer/device/device_create_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "layer/device/spirv_capabilities.h"
#include "layer/dispatch/struct_chain.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr VkStructureType kAddressType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
constexpr VkStructureType kScalarType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES;
constexpr VkStructureType k16BitType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
constexpr VkStructureType k8BitType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES;
constexpr VkStructureType k12Type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr VkStructureType kEnqueueType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;

class DeviceCreateInfo : public ::testing::Test {
 protected:
  DeviceCreateInfo() {
    supported_.storage_buffer_8bit = true;
    supported_.storage_buffer_16bit = true;
    decision_.emulation = Emulation::kEmulated;
    decision_.maintenance5 = true;
    UseExtensions({"VK_KHR_swapchain", VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                   VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME});
  }

  void UseExtensions(std::vector<const char*> names) {
    names_ = std::move(names);
    info_.enabledExtensionCount = static_cast<uint32_t>(names_.size());
    info_.ppEnabledExtensionNames = names_.data();
  }

  template <typename Struct>
  void Chain(Struct& structure) {
    structure.sType = kStructureType<Struct>;
    structure.pNext = const_cast<void*>(info_.pNext);
    info_.pNext = &structure;
  }

  const VkDeviceCreateInfo& Edit() {
    return *EditDeviceCreateInfo(info_, FindRequestedEmulation(info_, decision_), supported_, arena_);
  }

  static std::vector<std::string> Names(const VkDeviceCreateInfo& info) {
    return {info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount};
  }

  static std::vector<VkStructureType> Types(const VkDeviceCreateInfo& info) {
    std::vector<VkStructureType> types;
    for (auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at; at = at->pNext) types.push_back(at->sType);
    return types;
  }

  VkDeviceCreateInfo info_ = MakeStruct<VkDeviceCreateInfo>();
  std::vector<const char*> names_;
  DeviceTraits supported_;
  EmulationDecision decision_;
  Arena arena_;
};

TEST_F(DeviceCreateInfo, queues_of_a_family_are_counted_whatever_their_flags) {
  VkDeviceQueueCreateInfo queues[3] = {};
  queues[0].queueFamilyIndex = 1;
  queues[0].queueCount = 2;
  queues[1].queueFamilyIndex = 0;
  queues[1].queueCount = 1;
  queues[2].flags = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT;
  queues[2].queueFamilyIndex = 1;
  queues[2].queueCount = 3;
  info_.queueCreateInfoCount = 3;
  info_.pQueueCreateInfos = queues;
  EXPECT_EQ(CountQueues(info_, 0), 1u);
  EXPECT_EQ(CountQueues(info_, 1), 5u);
  EXPECT_EQ(CountQueues(info_, 2), 0u);
}

TEST_F(DeviceCreateInfo, strips_what_the_layer_provides) {
  EXPECT_THAT(Names(Edit()), ElementsAre("VK_KHR_swapchain", VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME));
  EXPECT_EQ(info_.enabledExtensionCount, 4u) << "the application's own create info stays";
}

TEST_F(DeviceCreateInfo, keeps_maintenance5_where_the_driver_has_it) {
  decision_.maintenance5 = false;
  VkPhysicalDeviceMaintenance5Features features = {};
  Chain(features);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Names(edited), ElementsAre("VK_KHR_swapchain", VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                         VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME));
  EXPECT_TRUE(FindInChain(edited.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES));
}

TEST_F(DeviceCreateInfo, strips_feature_structures_from_the_copy_only) {
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {};
  VkPhysicalDeviceMaintenance5Features maintenance5 = {};
  Chain(enqueue);
  Chain(maintenance5);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_FALSE(FindInChain(edited.pNext, kEnqueueType));
  EXPECT_FALSE(FindInChain(edited.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES));
  EXPECT_TRUE(FindInChain(info_.pNext, kEnqueueType));
}

TEST_F(DeviceCreateInfo, adds_single_structures_to_an_empty_chain) {
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Types(edited), ::testing::UnorderedElementsAre(kAddressType, kScalarType, k16BitType, k8BitType));
  EXPECT_TRUE(FindStruct<VkPhysicalDeviceBufferDeviceAddressFeatures>(edited.pNext)->bufferDeviceAddress);
  EXPECT_TRUE(FindStruct<VkPhysicalDeviceScalarBlockLayoutFeatures>(edited.pNext)->scalarBlockLayout);
  EXPECT_TRUE(FindStruct<VkPhysicalDevice16BitStorageFeatures>(edited.pNext)->storageBuffer16BitAccess);
  EXPECT_TRUE(FindStruct<VkPhysicalDevice8BitStorageFeatures>(edited.pNext)->storageBuffer8BitAccess);
}

TEST_F(DeviceCreateInfo, does_not_ask_for_storage_widths_that_the_device_lacks) {
  supported_.storage_buffer_8bit = false;
  supported_.storage_buffer_16bit = false;
  EXPECT_THAT(Types(Edit()), ::testing::UnorderedElementsAre(kAddressType, kScalarType));
}

TEST_F(DeviceCreateInfo, enables_maximal_reconvergence_where_the_device_has_it) {
  supported_.maximal_reconvergence = true;
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Names(edited), ElementsAre("VK_KHR_swapchain", VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                         VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME));
  EXPECT_TRUE(EnabledTraits(edited, supported_).maximal_reconvergence);
  EXPECT_FALSE(EnabledTraits(info_, supported_).maximal_reconvergence);
}

TEST_F(DeviceCreateInfo, enables_mesh_shaders_for_mesh_nodes) {
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX features = {};
  features.shaderMeshEnqueue = VK_TRUE;
  Chain(features);
  EXPECT_FALSE(EnabledTraits(Edit(), supported_).mesh_shader) << "not where it was not offered";
  decision_.mesh_nodes = true;
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Names(edited), ElementsAre("VK_KHR_swapchain", VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                         VK_EXT_MESH_SHADER_EXTENSION_NAME));
  EXPECT_TRUE(EnabledTraits(edited, supported_).mesh_shader);
  EXPECT_FALSE(EnabledTraits(info_, supported_).mesh_shader);
}

TEST_F(DeviceCreateInfo, enables_maximal_reconvergence_in_the_structure_of_the_application) {
  supported_.maximal_reconvergence = true;
  UseExtensions({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME});
  VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR features = {};
  constexpr VkStructureType kType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR;
  Chain(features);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Names(edited), ElementsAre(VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME));
  EXPECT_TRUE(EnabledTraits(edited, supported_).maximal_reconvergence);
  EXPECT_FALSE(features.shaderMaximalReconvergence) << "the application's own structure stays";
  const std::vector<VkStructureType> types = Types(edited);
  EXPECT_EQ(std::count(types.begin(), types.end(), kType), 1);
}

TEST_F(DeviceCreateInfo, enables_subgroup_partitions_where_the_device_has_them) {
  const auto partitions = [this](const VkDeviceCreateInfo& info) {
    return (EnabledTraits(info, supported_).subgroup_operations & VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV) != 0;
  };
  UseExtensions({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, "VK_KHR_swapchain"});
  supported_.subgroup_operations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  EXPECT_THAT(Names(Edit()), ElementsAre("VK_KHR_swapchain"));
  EXPECT_FALSE(partitions(Edit()));
  supported_.subgroup_operations |= VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;
  EXPECT_FALSE(partitions(info_)) << "a device without the extension does not have what comes with it";
  EXPECT_THAT(Names(Edit()), ElementsAre("VK_KHR_swapchain", VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME));
  EXPECT_TRUE(partitions(Edit()));
  EXPECT_EQ(EnabledTraits(info_, supported_).subgroup_operations, VK_SUBGROUP_FEATURE_BASIC_BIT);

  UseExtensions({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME});
  EXPECT_THAT(Names(Edit()), ElementsAre(VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME));
}

// Of pEnabledFeatures, VkPhysicalDeviceFeatures2, or neither.
TEST_F(DeviceCreateInfo, enables_64_bit_integers_where_the_device_has_them) {
  EXPECT_EQ(Edit().pEnabledFeatures, nullptr);
  supported_.shader_int64 = true;
  ASSERT_TRUE(Edit().pEnabledFeatures);
  EXPECT_TRUE(Edit().pEnabledFeatures->shaderInt64);
  EXPECT_TRUE(EnabledTraits(Edit(), supported_).shader_int64);
  EXPECT_FALSE(EnabledTraits(info_, supported_).shader_int64);

  VkPhysicalDeviceFeatures features = {};
  features.shaderInt16 = VK_TRUE;
  info_.pEnabledFeatures = &features;
  EXPECT_TRUE(Edit().pEnabledFeatures->shaderInt64 && Edit().pEnabledFeatures->shaderInt16);
  EXPECT_FALSE(features.shaderInt64) << "the application's own structure stays";

  info_.pEnabledFeatures = nullptr;
  VkPhysicalDeviceFeatures2 features2 = {};
  features2.features.shaderInt16 = VK_TRUE;
  Chain(features2);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_FALSE(edited.pEnabledFeatures);
  const VkPhysicalDeviceFeatures& enabled = FindStruct<VkPhysicalDeviceFeatures2>(edited.pNext)->features;
  EXPECT_TRUE(enabled.shaderInt64 && enabled.shaderInt16);
  EXPECT_FALSE(features2.features.shaderInt64);
}

TEST_F(DeviceCreateInfo, sets_members_of_core_structures_instead_of_adding_single_ones) {
  VkPhysicalDeviceVulkan11Features vulkan11 = {};
  VkPhysicalDeviceVulkan12Features vulkan12 = {};
  vulkan12.timelineSemaphore = VK_TRUE;
  Chain(vulkan11);
  Chain(vulkan12);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Types(edited), ElementsAre(k12Type, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES));
  const auto* edited12 = FindStruct<VkPhysicalDeviceVulkan12Features>(edited.pNext);
  EXPECT_TRUE(edited12->bufferDeviceAddress && edited12->scalarBlockLayout && edited12->storageBuffer8BitAccess);
  EXPECT_TRUE(edited12->timelineSemaphore);
  EXPECT_FALSE(vulkan12.bufferDeviceAddress) << "the application's own structure stays";
}

TEST_F(DeviceCreateInfo, sets_members_of_single_structures_that_are_there) {
  VkPhysicalDeviceBufferDeviceAddressFeatures address = {};
  VkPhysicalDevice16BitStorageFeatures storage = {};
  Chain(address);
  Chain(storage);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_THAT(Types(edited), ::testing::UnorderedElementsAre(kAddressType, kScalarType, k16BitType, k8BitType));
  EXPECT_TRUE(FindStruct<VkPhysicalDeviceBufferDeviceAddressFeatures>(edited.pNext)->bufferDeviceAddress);
  EXPECT_TRUE(FindStruct<VkPhysicalDevice16BitStorageFeatures>(edited.pNext)->storageBuffer16BitAccess);
}

TEST_F(DeviceCreateInfo, leaves_the_older_address_extension_its_own_feature) {
  UseExtensions({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
  VkPhysicalDeviceBufferDeviceAddressFeaturesEXT address = {};
  Chain(address);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_FALSE(FindInChain(edited.pNext, kAddressType));
  EXPECT_TRUE(EnabledTraits(edited, supported_).buffer_device_address);
}

// VUID-VkDeviceCreateInfo-pNext-04748: the newer feature is forbidden there, wherever it stands.
TEST_F(DeviceCreateInfo, adds_the_older_address_feature_to_the_older_extension) {
  UseExtensions({VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
  VkPhysicalDeviceVulkan12Features vulkan12 = {};
  Chain(vulkan12);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_FALSE(FindInChain(edited.pNext, kAddressType));
  EXPECT_FALSE(FindStruct<VkPhysicalDeviceVulkan12Features>(edited.pNext)->bufferDeviceAddress);
  EXPECT_TRUE(EnabledTraits(edited, supported_).buffer_device_address);
}

TEST_F(DeviceCreateInfo, nothing_is_requested_by_an_application_that_does_not_ask) {
  UseExtensions({"VK_KHR_swapchain"});
  EXPECT_EQ(FindRequestedEmulation(info_, decision_), RequestedEmulation());
  EXPECT_THAT(Types(Edit()), IsEmpty());
}

TEST_F(DeviceCreateInfo, stale_feature_structure_does_not_go_down_without_the_extension_either) {
  UseExtensions({});
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {};
  Chain(enqueue);
  EXPECT_THAT(Types(Edit()), IsEmpty());
}

TEST_F(DeviceCreateInfo, native_driver_gets_everything) {
  decision_.emulation = Emulation::kNative;
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {};
  Chain(enqueue);
  const VkDeviceCreateInfo& edited = Edit();
  EXPECT_EQ(edited.enabledExtensionCount, 4u);
  EXPECT_THAT(Types(edited), ElementsAre(kEnqueueType));
}

TEST_F(DeviceCreateInfo, capabilities_of_spirv_follow_what_is_enabled) {
  constexpr uint32_t kMatrix = 0, kInt64 = 11, kInt16 = 22, kInt8 = 39, kBallot = 64, kRayQuery = 4472,
                     kShaderEnqueue = 5067;
  const auto disabled = [this](uint32_t capability, uint32_t version = VK_API_VERSION_1_3) {
    const std::vector<uint32_t> all = DisabledCapabilities(info_, version);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    return std::binary_search(all.begin(), all.end(), capability);
  };
  EXPECT_TRUE(disabled(kInt16) && disabled(kInt64) && disabled(kInt8) && disabled(kRayQuery));
  EXPECT_FALSE(disabled(kMatrix) || disabled(kBallot)) << "of Vulkan 1.0, and a property";
  EXPECT_FALSE(disabled(kShaderEnqueue)) << "the layer's own";
  EXPECT_FALSE(disabled(4000000000u)) << "nothing is known of it";

  VkPhysicalDeviceFeatures features = {};
  features.shaderInt16 = VK_TRUE;
  info_.pEnabledFeatures = &features;
  EXPECT_FALSE(disabled(kInt16));
  EXPECT_TRUE(disabled(kInt64));

  VkPhysicalDeviceVulkan12Features vulkan12 = {};
  vulkan12.shaderInt8 = VK_TRUE;
  Chain(vulkan12);
  EXPECT_FALSE(disabled(kInt8));
  vulkan12.shaderInt8 = VK_FALSE;
  EXPECT_TRUE(disabled(kInt8));
  VkPhysicalDeviceShaderFloat16Int8Features single = {};
  single.shaderInt8 = VK_TRUE;
  Chain(single);
  EXPECT_FALSE(disabled(kInt8));
}

TEST_F(DeviceCreateInfo, enabled_traits_tell_supported_from_enabled) {
  supported_.shader_float64 = true;
  supported_.shader_int16 = true;
  supported_.robust_buffer_access = true;
  VkPhysicalDeviceFeatures features = {};
  features.shaderInt16 = VK_TRUE;
  info_.pEnabledFeatures = &features;
  const DeviceTraits traits = EnabledTraits(Edit(), supported_);
  EXPECT_TRUE(traits.shader_int16);
  EXPECT_FALSE(traits.shader_float64);
  EXPECT_FALSE(traits.robust_buffer_access);
  EXPECT_TRUE(traits.buffer_device_address && traits.scalar_block_layout);
  EXPECT_TRUE(traits.storage_buffer_8bit && traits.storage_buffer_16bit);
  EXPECT_FALSE(traits.vulkan_memory_model);
  features.robustBufferAccess = VK_TRUE;
  EXPECT_TRUE(EnabledTraits(Edit(), supported_).robust_buffer_access);
}

}  // namespace
}  // namespace trellis::test
