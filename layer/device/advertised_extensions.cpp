// SPDX-License-Identifier: Apache-2.0
#include "layer/device/advertised_extensions.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace trellis {

std::vector<VkExtensionProperties> LayerExtensions(const EmulationDecision& decision) {
  std::vector<VkExtensionProperties> extensions;
  const auto add = [&extensions](std::string_view name, uint32_t spec_version) {
    VkExtensionProperties& properties = extensions.emplace_back();
    std::memcpy(properties.extensionName, name.data(), name.size());
    properties.specVersion = spec_version;
  };
  if (!decision.Emulates()) return extensions;
  add(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION);
  if (decision.maintenance5) add(VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_SPEC_VERSION);
  if (decision.pipeline_library) add(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_SPEC_VERSION);
  if (decision.buffer_device_address)
    add(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, VK_KHR_BUFFER_DEVICE_ADDRESS_SPEC_VERSION);
  return extensions;
}

std::vector<VkExtensionProperties> AdvertisedExtensions(std::span<const VkExtensionProperties> below,
                                                        const EmulationDecision& decision) {
  const std::vector<VkExtensionProperties> own = LayerExtensions(decision);
  std::vector<VkExtensionProperties> all;
  for (const VkExtensionProperties& extension : below) {
    const std::string_view name = extension.extensionName;
    if (decision.emulation != Emulation::kNative && name == VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) continue;
    const auto same_name = [name](const auto& other) { return name == other.extensionName; };
    if (std::none_of(own.begin(), own.end(), same_name)) all.push_back(extension);
  }
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

VkResult AnswerEnumeration(std::span<const VkExtensionProperties> answer, uint32_t* count,
                           VkExtensionProperties* properties) {
  const auto available = static_cast<uint32_t>(answer.size());
  if (!properties) {
    *count = available;
    return VK_SUCCESS;
  }
  *count = std::min(*count, available);
  std::copy_n(answer.begin(), *count, properties);
  return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

}  // namespace trellis
