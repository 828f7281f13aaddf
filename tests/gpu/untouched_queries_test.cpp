// SPDX-License-Identifier: Apache-2.0
// Applications without graphs see the driver as it is: every query of a physical device is answered alike with the
// layer and without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/platform/platform.h"
#include "tests/support/vulkan.h"

namespace trellis::test {
namespace {

// An instance with the layer or without it, whatever the environment says.
class BareInstance {
 public:
  explicit BareInstance(bool with_layer) {
    const char* before = std::getenv(kDisable);
    const std::string kept = before ? before : "";
    if (with_layer) {
      RemoveVariable(kDisable);
    } else {
      SetVariable(kDisable, "1");
    }
    auto application = MakeStruct<VkApplicationInfo>();
    application.apiVersion = VK_API_VERSION_1_3;
    auto info = MakeStruct<VkInstanceCreateInfo>();
    info.pApplicationInfo = &application;
    EXPECT_EQ(vkCreateInstance(&info, nullptr, &instance_), VK_SUCCESS);
    if (before) {
      SetVariable(kDisable, kept);
    } else {
      RemoveVariable(kDisable);
    }
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance_, &count, &device_);
    EXPECT_EQ(count, 1u);
  }
  ~BareInstance() {
    if (instance_) vkDestroyInstance(instance_, nullptr);
  }
  BareInstance(const BareInstance&) = delete;
  BareInstance& operator=(const BareInstance&) = delete;

  [[nodiscard]] VkPhysicalDevice device() const { return device_; }

 private:
  static constexpr char kDisable[] = "TRELLIS_DISABLE";

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice device_ = VK_NULL_HANDLE;
};

// The members of structures as bytes, without sType and pNext.
using QueriedBytes = std::string;

template <typename T>
QueriedBytes BytesOf(T structure, size_t from = 0) {
  // Drivers leave there what lay on their stack.
  __builtin_clear_padding(&structure);
  return {reinterpret_cast<const char*>(&structure) + from, sizeof(structure) - from};
}

// One structure in the chain of vkGetPhysicalDeviceFeatures2 or vkGetPhysicalDeviceProperties2.
template <typename T>
QueriedBytes Chained(VkPhysicalDevice device) {
  auto structure = MakeStruct<T>();
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&structure);
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&structure);
  vkGetPhysicalDeviceFeatures2(device, &features);
  vkGetPhysicalDeviceProperties2(device, &properties);
  return BytesOf(structure, sizeof(VkBaseOutStructure)) + BytesOf(features.features) + BytesOf(properties.properties);
}

// Everything that a device without graphs can be asked, by a name for messages.
std::map<std::string, QueriedBytes> Ask(VkPhysicalDevice device) {
  std::map<std::string, QueriedBytes> answers;
  VkPhysicalDeviceProperties properties = {};
  vkGetPhysicalDeviceProperties(device, &properties);
  answers["properties"] = BytesOf(properties);
  answers["limits"] = BytesOf(properties.limits);
  VkPhysicalDeviceFeatures features = {};
  vkGetPhysicalDeviceFeatures(device, &features);
  answers["features"] = BytesOf(features);
  VkPhysicalDeviceMemoryProperties memory = {};
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  answers["memory"] = BytesOf(memory);
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (const VkQueueFamilyProperties& family : families) answers["queue families"] += BytesOf(family);
  for (int format = VK_FORMAT_R4G4_UNORM_PACK8; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++format) {
    VkFormatProperties of_format = {};
    vkGetPhysicalDeviceFormatProperties(device, static_cast<VkFormat>(format), &of_format);
    answers["formats"] += BytesOf(of_format);
  }
  VkImageFormatProperties image = {};
  vkGetPhysicalDeviceImageFormatProperties(device, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                           VK_IMAGE_USAGE_SAMPLED_BIT, 0, &image);
  answers["image formats"] = BytesOf(image);
  auto external = MakeStruct<VkPhysicalDeviceExternalBufferInfo>();
  external.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  external.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  auto of_external = MakeStruct<VkExternalBufferProperties>();
  vkGetPhysicalDeviceExternalBufferProperties(device, &external, &of_external);
  answers["external buffers"] = BytesOf(of_external.externalMemoryProperties);

#define ASK(type) answers[#type] = Chained<type>(device)
  ASK(VkPhysicalDeviceVulkan11Features);
  ASK(VkPhysicalDeviceVulkan12Features);
  ASK(VkPhysicalDeviceVulkan13Features);
  ASK(VkPhysicalDeviceVulkan11Properties);
  ASK(VkPhysicalDeviceVulkan12Properties);
  ASK(VkPhysicalDeviceVulkan13Properties);
  ASK(VkPhysicalDeviceSubgroupProperties);
  ASK(VkPhysicalDeviceMeshShaderFeaturesEXT);
  ASK(VkPhysicalDeviceDescriptorBufferPropertiesEXT);
#undef ASK
  return answers;
}

std::map<std::string, uint32_t> ExtensionsOf(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  std::map<std::string, uint32_t> versions;
  for (const VkExtensionProperties& extension : extensions) versions[extension.extensionName] = extension.specVersion;
  EXPECT_EQ(versions.size(), extensions.size()) << "each once";
  return versions;
}

TEST(UntouchedQueries, AreAnsweredByTheDriver) {
  const BareInstance with(true), without(false);
  const auto expected = Ask(without.device());
  const auto answers = Ask(with.device());
  ASSERT_EQ(answers.size(), expected.size());
  for (const auto& [name, bytes] : expected) EXPECT_TRUE(answers.at(name) == bytes) << name;
  EXPECT_NE(expected.at("properties").find_first_not_of('\0'), std::string::npos);
}

TEST(UntouchedQueries, ExtensionsAreAddedAndNoneIsMissing) {
  const BareInstance with(true), without(false);
  auto listed = ExtensionsOf(with.device());
  ASSERT_EQ(listed[VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME], 2u) << "the layer is there";
  const auto below = ExtensionsOf(without.device());
  const std::set<std::string> ours = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, "VK_KHR_maintenance5",
                                      "VK_KHR_pipeline_library", "VK_KHR_buffer_device_address"};
  for (const auto& [name, version] : below) {
    ASSERT_TRUE(listed.count(name)) << name;
    if (!ours.count(name)) {
      EXPECT_EQ(listed[name], version) << name;
    }
    listed.erase(name);
  }
  for (const auto& [name, version] : listed) EXPECT_TRUE(ours.count(name)) << name;
}

}  // namespace
}  // namespace trellis::test
