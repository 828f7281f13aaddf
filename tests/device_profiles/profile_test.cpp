// SPDX-License-Identifier: Apache-2.0
// Profiles and what they do to structures; without a device.
#include "tests/device_profiles/profile.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "layer/dispatch/struct_type.h"
#include "tests/device_profiles/formats.h"
#include "tests/device_profiles/members.h"
#include "tests/device_profiles/memory.h"
#include "tests/device_profiles/queues.h"

namespace trellis::test {
namespace {

Profile Parse(const std::string& rest) {
  std::string error;
  const std::optional<Profile> profile =
      ParseProfile("test", R"({"source": ["a test"], "apiVersion": "1.3")" + rest + "}", error);
  EXPECT_TRUE(profile) << error;
  return profile.value_or(Profile{});
}

std::string ErrorOf(const std::string& text) {
  std::string error;
  EXPECT_FALSE(ParseProfile("test", text, error)) << text;
  return error;
}

TEST(DeviceProfile, EveryFileIsAProfile) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRELLIS_DEVICE_PROFILES)) {
    std::string error;
    const std::optional<Profile> profile = LoadProfile(entry.path().string(), error);
    EXPECT_TRUE(profile) << error;
    if (profile) {
      EXPECT_EQ(profile->name, entry.path().stem().string());
    }
    ++files;
  }
  EXPECT_GE(files, 8);
}

TEST(DeviceProfile, SaysWhatIsWrong) {
  EXPECT_NE(ErrorOf("{").find("parse error"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"apiVersion": "1.3"})").find("source"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.1"})").find("apiVersion"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3", "limit": {}})").find("unknown key limit"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3", "features": {"without": ["shaderInt65"]}})")
                .find("shaderInt65"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3", "limits": {"subgroupSize": 4}})").find("subgroupSize"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(R"({"source": ["a"], "apiVersion": "1.3", "limits": {"maxComputeWorkGroupSize": 4}})").find("3 elements"),
      std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3",
                        "queueFamilies": [{"queueFlags": ["VK_QUEUE_FAST_BIT"], "queueCount": 1}]})")
                .find("VK_QUEUE_FAST_BIT"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3", "formats": [{"names": ["VK_FORMAT_BC9*"]}]})")
                .find("VK_FORMAT_BC9* is not a format"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3",
                        "formats": [{"names": ["VK_FORMAT_R8_UINT"], "without": ["VK_FORMAT_FEATURE_2_FAST_BIT"]}]})")
                .find("VK_FORMAT_FEATURE_2_FAST_BIT"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"source": ["a"], "apiVersion": "1.3",
                        "formats": [{"names": ["VK_FORMAT_R8_UINT"], "only": [], "without": []}]})")
                .find("formats have names"),
            std::string::npos);
}

TEST(DeviceProfile, LimitsBecomeWorseAndNeverBetter) {
  const Profile profile = Parse(R"(, "limits": {"maxComputeSharedMemorySize": 16384, "maxPushConstantsSize": 512,
    "minStorageBufferOffsetAlignment": 256, "minUniformBufferOffsetAlignment": 4, "minTexelOffset": -8,
    "maxComputeWorkGroupSize": [128, 2048, 64], "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT",
    "VK_SUBGROUP_FEATURE_QUAD_BIT"], "maxMemoryAllocationSize": 1073741824})");
  auto vulkan11 = MakeStruct<VkPhysicalDeviceVulkan11Properties>();
  vulkan11.subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT;
  vulkan11.maxMemoryAllocationSize = uint64_t{1} << 40;
  auto subgroups = MakeStruct<VkPhysicalDeviceSubgroupProperties>(&vulkan11);
  subgroups.supportedOperations = vulkan11.subgroupSupportedOperations;
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&subgroups);
  VkPhysicalDeviceLimits& limits = properties.properties.limits;
  limits.maxComputeSharedMemorySize = 32768;
  limits.maxPushConstantsSize = 256;
  limits.minStorageBufferOffsetAlignment = 16;
  limits.minUniformBufferOffsetAlignment = 16;
  limits.minTexelOffset = -32;
  limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupSize[1] = limits.maxComputeWorkGroupSize[2] = 1024;
  limits.maxBoundDescriptorSets = 8;
  LowerLimits(profile, static_cast<void*>(&properties));
  EXPECT_EQ(limits.maxComputeSharedMemorySize, 16384u);
  EXPECT_EQ(limits.maxPushConstantsSize, 256u);
  EXPECT_EQ(limits.minStorageBufferOffsetAlignment, 256u);
  EXPECT_EQ(limits.minUniformBufferOffsetAlignment, 16u);
  EXPECT_EQ(limits.minTexelOffset, -8);
  EXPECT_EQ(limits.maxComputeWorkGroupSize[0], 128u);
  EXPECT_EQ(limits.maxComputeWorkGroupSize[1], 1024u);
  EXPECT_EQ(limits.maxComputeWorkGroupSize[2], 64u);
  EXPECT_EQ(limits.maxBoundDescriptorSets, 8u);
  EXPECT_EQ(subgroups.supportedOperations, VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT});
  EXPECT_EQ(vulkan11.subgroupSupportedOperations, VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT});
  EXPECT_EQ(vulkan11.maxMemoryAllocationSize, uint64_t{1} << 30);
}

struct FeatureChain {
  VkPhysicalDeviceFeatures2 features = MakeStruct<VkPhysicalDeviceFeatures2>(&vulkan12);
  VkPhysicalDeviceVulkan12Features vulkan12 = MakeStruct<VkPhysicalDeviceVulkan12Features>(&small_types);
  VkPhysicalDeviceShaderFloat16Int8Features small_types = MakeStruct<VkPhysicalDeviceShaderFloat16Int8Features>();

  FeatureChain() {
    features.features.shaderInt64 = features.features.robustBufferAccess = VK_TRUE;
    vulkan12.shaderInt8 = vulkan12.shaderFloat16 = VK_TRUE;
    small_types.shaderInt8 = small_types.shaderFloat16 = VK_TRUE;
  }
};

TEST(DeviceProfile, FeaturesAreHiddenInEveryStructure) {
  FeatureChain chain;
  HideFeatures(Parse(R"(, "features": {"without": ["shaderInt64", "shaderInt8"]})"),
               static_cast<void*>(&chain.features));
  EXPECT_EQ(chain.features.features.shaderInt64, VK_FALSE);
  EXPECT_EQ(chain.features.features.robustBufferAccess, VK_TRUE);
  EXPECT_EQ(chain.vulkan12.shaderInt8, VK_FALSE);
  EXPECT_EQ(chain.vulkan12.shaderFloat16, VK_TRUE);
  EXPECT_EQ(chain.small_types.shaderInt8, VK_FALSE);
  EXPECT_EQ(chain.small_types.shaderFloat16, VK_TRUE);
}

TEST(DeviceProfile, OnlyTheListedFeaturesAreLeft) {
  FeatureChain chain;
  HideFeatures(Parse(R"(, "features": {"only": ["robustBufferAccess"]})"), static_cast<void*>(&chain.features));
  EXPECT_EQ(chain.features.features.shaderInt64, VK_FALSE);
  EXPECT_EQ(chain.features.features.robustBufferAccess, VK_TRUE);
  EXPECT_EQ(chain.vulkan12.shaderFloat16, VK_FALSE);
}

TEST(DeviceProfile, EnabledFeaturesAreFoundInEveryForm) {
  const Profile profile = Parse(R"(, "features": {"without": ["shaderInt64", "shaderInt8"]})");
  FeatureChain chain;
  VkDeviceCreateInfo info = {};
  info.pNext = &chain.features;
  EXPECT_EQ(EnabledHiddenFeatures(profile, info),
            (std::vector<std::string>{"shaderInt64", "shaderInt8", "shaderInt8"}));
  info.pNext = nullptr;
  info.pEnabledFeatures = &chain.features.features;
  EXPECT_EQ(EnabledHiddenFeatures(profile, info), std::vector<std::string>{"shaderInt64"});
  chain.features.features.shaderInt64 = VK_FALSE;
  EXPECT_TRUE(EnabledHiddenFeatures(profile, info).empty());
}

TEST(DeviceProfile, EnabledExtensionsThatAreHiddenAreFound) {
  const char* const names[] = {"VK_KHR_swapchain", "VK_KHR_push_descriptor", "VK_KHR_maintenance6"};
  VkDeviceCreateInfo info = {};
  info.enabledExtensionCount = 3;
  info.ppEnabledExtensionNames = names;
  EXPECT_EQ(EnabledHiddenExtensions(Parse(R"(, "extensions": {"without": ["VK_KHR_push_descriptor"]})"), info),
            std::vector<std::string>{"VK_KHR_push_descriptor"});
  EXPECT_EQ(EnabledHiddenExtensions(Parse(R"(, "extensions": {"only": ["VK_KHR_push_descriptor"]})"), info),
            (std::vector<std::string>{"VK_KHR_swapchain", "VK_KHR_maintenance6"}));
  EXPECT_TRUE(EnabledHiddenExtensions(Parse(""), info).empty());
}

TEST(DeviceProfile, CommandsHaveTheirVersion) {
  EXPECT_EQ(CommandVersion("vkCmdDispatch"), VK_API_VERSION_1_0);
  EXPECT_EQ(CommandVersion("vkWaitSemaphores"), VK_API_VERSION_1_2);
  EXPECT_EQ(CommandVersion("vkQueueSubmit2"), VK_API_VERSION_1_3);
  EXPECT_EQ(CommandVersion("vkQueueSubmit2KHR"), VK_API_VERSION_1_0);
}

constexpr const char* kFormats = R"(, "formats": [{"names": ["VK_FORMAT_BC*", "VK_FORMAT_D24_UNORM_S8_UINT"]},
    {"names": ["VK_FORMAT_R8_UNORM", "VK_FORMAT_R8_UINT"], "without":
      ["VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT", "VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT"]},
    {"names": ["VK_FORMAT_R8_UINT"], "without":
      ["VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT", "VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT"]}])";

struct FormatChain {
  VkFormatProperties2 properties = MakeStruct<VkFormatProperties2>(&wide);
  VkFormatProperties3 wide = MakeStruct<VkFormatProperties3>(&modifiers);
  VkDrmFormatModifierPropertiesListEXT modifiers = MakeStruct<VkDrmFormatModifierPropertiesListEXT>(&wide_modifiers);
  VkDrmFormatModifierPropertiesList2EXT wide_modifiers = MakeStruct<VkDrmFormatModifierPropertiesList2EXT>();
  VkDrmFormatModifierPropertiesEXT modifier = {7, 1, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT};
  VkDrmFormatModifierProperties2EXT wide_modifier = {7, 1, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT};

  FormatChain() {
    properties.formatProperties.linearTilingFeatures = properties.formatProperties.optimalTilingFeatures =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    properties.formatProperties.bufferFeatures = VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    wide.linearTilingFeatures = wide.optimalTilingFeatures =
        VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT;
    wide.bufferFeatures = VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT;
    modifiers.drmFormatModifierCount = wide_modifiers.drmFormatModifierCount = 1;
    modifiers.pDrmFormatModifierProperties = &modifier;
    wide_modifiers.pDrmFormatModifierProperties = &wide_modifier;
  }
};

TEST(DeviceProfile, FormatsAreHiddenInEveryStructure) {
  FormatChain chain;
  HideFormatFeatures(Parse(kFormats), VK_FORMAT_BC7_SRGB_BLOCK, chain.properties);
  EXPECT_EQ(chain.properties.formatProperties.linearTilingFeatures, 0u);
  EXPECT_EQ(chain.properties.formatProperties.optimalTilingFeatures, 0u);
  EXPECT_EQ(chain.properties.formatProperties.bufferFeatures, 0u);
  EXPECT_EQ(chain.wide.linearTilingFeatures, 0u);
  EXPECT_EQ(chain.wide.optimalTilingFeatures, 0u);
  EXPECT_EQ(chain.wide.bufferFeatures, 0u);
  EXPECT_EQ(chain.modifiers.drmFormatModifierCount, 0u);
  EXPECT_EQ(chain.wide_modifiers.drmFormatModifierCount, 0u);
}

TEST(DeviceProfile, FeaturesOfFormatsAreHiddenInEveryStructure) {
  FormatChain chain;
  chain.modifier.drmFormatModifierTilingFeatures |= VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
  chain.wide_modifier.drmFormatModifierTilingFeatures |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT;
  HideFormatFeatures(Parse(kFormats), VK_FORMAT_R8_UNORM, chain.properties);
  const VkFormatFeatureFlags sampled = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
  EXPECT_EQ(chain.properties.formatProperties.linearTilingFeatures, sampled);
  EXPECT_EQ(chain.properties.formatProperties.optimalTilingFeatures, sampled);
  EXPECT_EQ(chain.properties.formatProperties.bufferFeatures,
            VkFormatFeatureFlags{VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT});
  EXPECT_EQ(chain.wide.linearTilingFeatures, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT);
  EXPECT_EQ(chain.wide.optimalTilingFeatures, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT);
  EXPECT_EQ(chain.wide.bufferFeatures, VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT);
  EXPECT_EQ(chain.modifiers.drmFormatModifierCount, 1u);
  EXPECT_EQ(chain.modifier.drmFormatModifierTilingFeatures, sampled);
  EXPECT_EQ(chain.wide_modifier.drmFormatModifierTilingFeatures, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT);
}

// A format that two entries name, and another one.
constexpr const char* kOnly = R"(, "formats": [
    {"names": ["VK_FORMAT_R8_UNORM", "VK_FORMAT_R8_UINT"], "only": ["VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT"]},
    {"names": ["VK_FORMAT_R8_UNORM"], "only":
      ["VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT", "VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT"]}])";

TEST(DeviceProfile, OnlyTheNamedFeaturesOfFormatsStay) {
  FormatChain chain;
  HideFormatFeatures(Parse(kOnly), VK_FORMAT_R8_UNORM, chain.properties);
  EXPECT_EQ(chain.properties.formatProperties.optimalTilingFeatures,
            VkFormatFeatureFlags{VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT});
  EXPECT_EQ(chain.properties.formatProperties.bufferFeatures,
            VkFormatFeatureFlags{VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT});
  EXPECT_EQ(chain.wide.optimalTilingFeatures, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT);
  EXPECT_EQ(chain.wide.bufferFeatures, VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT);
  EXPECT_EQ(chain.properties.formatProperties.linearTilingFeatures, 0u);
  EXPECT_EQ(chain.wide.linearTilingFeatures, 0u);
  EXPECT_EQ(chain.modifiers.drmFormatModifierCount, 0u);
  FormatChain other;
  HideFormatFeatures(Parse(kOnly), VK_FORMAT_R16_UNORM, other.properties);
  EXPECT_EQ(other.properties.formatProperties.optimalTilingFeatures, 0u);
  EXPECT_EQ(other.properties.formatProperties.bufferFeatures, 0u);
  EXPECT_EQ(other.wide.optimalTilingFeatures, 0u);
}

TEST(DeviceProfile, UsesOfFormatsThatAreNotNamedAreFound) {
  const Profile profile = Parse(kOnly);
  const auto from_image = [&](VkFormat format, VkImageTiling tiling, VkImageUsageFlags usage) {
    return HiddenFromImage(profile, format, tiling, usage, 0);
  };
  // An input attachment needs one of two features.
  EXPECT_EQ(from_image(VK_FORMAT_R8_UNORM, VK_IMAGE_TILING_OPTIMAL,
                       VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
            "");
  EXPECT_EQ(from_image(VK_FORMAT_R8_UINT, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
            "VK_FORMAT_R8_UINT with VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT, "
            "VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT");
  EXPECT_EQ(from_image(VK_FORMAT_R8_UNORM, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_STORAGE_BIT),
            "VK_FORMAT_R8_UNORM with VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT");
  EXPECT_EQ(from_image(VK_FORMAT_R8_UNORM, VK_IMAGE_TILING_LINEAR, VK_IMAGE_USAGE_SAMPLED_BIT), "VK_FORMAT_R8_UNORM");
  EXPECT_EQ(from_image(VK_FORMAT_R16_UNORM, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT),
            "VK_FORMAT_R16_UNORM");
  EXPECT_EQ(HiddenFromImageView(profile, VK_FORMAT_R8_UNORM), "");
  EXPECT_EQ(HiddenFromImageView(profile, VK_FORMAT_R16_UNORM), "VK_FORMAT_R16_UNORM");
  EXPECT_EQ(HiddenFromBufferView(profile, VK_FORMAT_R8_UNORM), "");
}

constexpr VkFormatFeatureFlags2 kSampled = VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT |
                                           VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
constexpr VkFormatFeatureFlags2 kColor = VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT;
constexpr VkFormatFeatureFlags2 kRead =
    VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT;
constexpr VkFormatFeatureFlags2 kStored =
    VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT;

TEST(DeviceProfile, TheLeastDevicesHaveTheRequiredFormats) {
  for (const char* name : {"vulkan_1_2", "vulkan_1_3"}) {
    std::string error;
    const std::optional<Profile> profile =
        LoadProfile(std::string(TRELLIS_DEVICE_PROFILES) + "/" + name + ".json", error);
    ASSERT_TRUE(profile) << error;
    EXPECT_TRUE(profile->optimal_tiling_only) << name;
    const auto shown = [&](VkFormat format) { return ~profile->hidden_format_features.at(format); };
    EXPECT_EQ(shown(VK_FORMAT_R8G8B8A8_UNORM), kSampled | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT | kColor |
                                                   VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT | kRead | kStored)
        << name;
    EXPECT_EQ(shown(VK_FORMAT_R32_UINT), kSampled | kColor | kRead | kStored |
                                             VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT |
                                             VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT)
        << name;
    EXPECT_EQ(shown(VK_FORMAT_R32G32B32A32_SFLOAT), kSampled | kColor | kRead | kStored) << name;
    EXPECT_EQ(shown(VK_FORMAT_R32G32B32_SFLOAT), VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT) << name;
    EXPECT_EQ(shown(VK_FORMAT_R16_UNORM), VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT) << name;
    EXPECT_EQ(shown(VK_FORMAT_R8G8B8_UNORM), 0u) << name;
    EXPECT_EQ(shown(VK_FORMAT_D24_UNORM_S8_UINT), 0u) << name;
    EXPECT_EQ(shown(VK_FORMAT_D32_SFLOAT_S8_UINT), VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT) << name;
    size_t formats = 0;
    for (const VkFormat format : FormatsNamed("*")) formats += shown(format) != 0 ? 1 : 0;
    EXPECT_EQ(formats, 73u) << name;  // with the 16 of BC
  }
}

TEST(DeviceProfile, OtherFormatsStayAsTheyAre) {
  FormatChain chain;
  HideFormatFeatures(Parse(kFormats), VK_FORMAT_R16_UNORM, chain.properties);
  EXPECT_EQ(chain.properties.formatProperties.optimalTilingFeatures,
            VkFormatFeatureFlags{VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT});
  EXPECT_EQ(chain.wide.bufferFeatures, VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT);
  EXPECT_EQ(chain.modifiers.drmFormatModifierCount, 1u);
}

TEST(DeviceProfile, UsesOfHiddenFormatsAreFound) {
  const Profile profile = Parse(kFormats);
  const auto from_image = [&](VkFormat format, VkImageUsageFlags usage, VkImageCreateFlags flags = 0) {
    return HiddenFromImage(profile, format, VK_IMAGE_TILING_OPTIMAL, usage, flags);
  };
  EXPECT_EQ(from_image(VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_IMAGE_USAGE_TRANSFER_DST_BIT),
            "VK_FORMAT_BC1_RGB_UNORM_BLOCK");
  EXPECT_EQ(from_image(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0, VK_IMAGE_CREATE_EXTENDED_USAGE_BIT),
            "VK_FORMAT_BC1_RGB_UNORM_BLOCK");
  EXPECT_EQ(from_image(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT),
            "VK_FORMAT_R8_UNORM with VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT");
  EXPECT_EQ(from_image(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_CREATE_EXTENDED_USAGE_BIT), "");
  EXPECT_EQ(from_image(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT), "");
  EXPECT_EQ(from_image(VK_FORMAT_R16_UNORM, VK_IMAGE_USAGE_STORAGE_BIT), "");
  EXPECT_EQ(HiddenFromImageView(profile, VK_FORMAT_D24_UNORM_S8_UINT), "VK_FORMAT_D24_UNORM_S8_UINT");
  EXPECT_EQ(HiddenFromImageView(profile, VK_FORMAT_R8_UNORM), "");
  EXPECT_EQ(HiddenFromBufferView(profile, VK_FORMAT_BC1_RGB_UNORM_BLOCK), "VK_FORMAT_BC1_RGB_UNORM_BLOCK");
  EXPECT_EQ(HiddenFromBufferView(profile, VK_FORMAT_R8_UINT),
            "VK_FORMAT_R8_UINT with VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT, "
            "VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT");
  EXPECT_EQ(HiddenFromBufferView(profile, VK_FORMAT_R8_UNORM), "");
}

constexpr VkMemoryPropertyFlags kAll =
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

TEST(DeviceProfile, MemoryTypesStandInFrontOfTheDrivers) {
  const Profile profile = Parse(R"(, "memoryHeaps": [{"size": 1000, "flags": ["VK_MEMORY_HEAP_DEVICE_LOCAL_BIT"]},
    {"size": 9000, "flags": []}], "memoryTypes": [
    {"heapIndex": 0, "propertyFlags": ["VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT"]},
    {"heapIndex": 1, "propertyFlags": ["VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT", "VK_MEMORY_PROPERTY_HOST_CACHED_BIT"]},
    {"heapIndex": 1, "propertyFlags": ["VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT"]}])");
  VkPhysicalDeviceMemoryProperties driver = {};
  driver.memoryHeapCount = 1;
  driver.memoryHeaps[0] = {5000, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  driver.memoryTypeCount = 2;
  driver.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  driver.memoryTypes[1] = {kAll, 0};
  const MemoryView view = MakeMemoryView(profile, driver);
  ASSERT_EQ(view.shown.memoryTypeCount, 2u);  // the driver has no cached memory
  EXPECT_EQ(view.driver_types, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(view.shown.memoryTypes[0].propertyFlags, VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
  EXPECT_EQ(view.shown.memoryTypes[1].propertyFlags, VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT});
  EXPECT_EQ(view.shown.memoryHeaps[0].size, 1000u);
  EXPECT_EQ(view.shown.memoryHeaps[1].size, 5000u);
  EXPECT_EQ(view.ShownBits(0b10), 0b10u);
  EXPECT_EQ(view.ShownBits(0b01), 0b01u);
}

TEST(DeviceProfile, SeveralTypesOnOneOfTheDriver) {
  const Profile profile = Parse(R"(, "memoryHeaps": [{"size": 1000, "flags": []}], "memoryTypes": [
    {"heapIndex": 0, "propertyFlags": ["VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT"]},
    {"heapIndex": 0, "propertyFlags": ["VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT"]}])");
  VkPhysicalDeviceMemoryProperties driver = {};
  driver.memoryHeapCount = 1;
  driver.memoryHeaps[0] = {5000, 0};
  driver.memoryTypeCount = 1;
  driver.memoryTypes[0] = {kAll, 0};
  const MemoryView view = MakeMemoryView(profile, driver);
  EXPECT_EQ(view.driver_types, (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(view.ShownBits(0b1), 0b11u);
  EXPECT_EQ(view.ShownBits(0b0), 0b00u);
}

TEST(DeviceProfile, QueueFamiliesStandInFrontOfTheDrivers) {
  const Profile profile = Parse(R"(, "queueFamilies": [
    {"queueFlags": ["VK_QUEUE_GRAPHICS_BIT", "VK_QUEUE_COMPUTE_BIT"], "queueCount": 1, "timestampValidBits": 36},
    {"queueFlags": ["VK_QUEUE_SPARSE_BINDING_BIT"], "queueCount": 2},
    {"queueFlags": ["VK_QUEUE_COMPUTE_BIT", "VK_QUEUE_SPARSE_BINDING_BIT"], "queueCount": 4}])");
  VkQueueFamilyProperties driver = {};
  driver.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  driver.queueCount = 1;
  driver.timestampValidBits = 64;
  const QueueFamilyView view = MakeQueueFamilyView(profile, {driver});
  ASSERT_EQ(view.shown.size(), 2u);
  EXPECT_EQ(view.shown[0].queueFlags, VkQueueFlags{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT});
  EXPECT_EQ(view.shown[0].timestampValidBits, 36u);
  EXPECT_EQ(view.shown[1].queueFlags, VkQueueFlags{VK_QUEUE_COMPUTE_BIT});
  EXPECT_EQ(view.shown[1].queueCount, 4u);
  EXPECT_EQ(view.DriverFamily(1), 0u);
}

}  // namespace
}  // namespace trellis::test
