// SPDX-License-Identifier: Apache-2.0
// Features and limits by name. A name stands for every member of that name: in VkPhysicalDeviceFeatures and
// VkPhysicalDeviceLimits, in the structures of core versions, and in those of extensions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/device_profiles/profile.h"

namespace trellis::test {

[[nodiscard]] bool IsFeature(std::string_view name);
// Returns the number of elements of a limit. Returns 0 if `name` is no limit, or is the size of subgroups, which
// shaders would still see.
[[nodiscard]] size_t LimitElements(std::string_view name);
// Returns the version of Vulkan whose core added the command, or 1.0 for all other commands.
[[nodiscard]] uint32_t CommandVersion(std::string_view name);

// Sets the hidden features to VK_FALSE. `chain`: VkPhysicalDeviceFeatures2 and the structures behind it.
void HideFeatures(const Profile& profile, VkPhysicalDeviceFeatures& features);
void HideFeatures(const Profile& profile, void* chain);
// Return the names of enabled features, and of enabled extensions, that the profile hides.
[[nodiscard]] std::vector<std::string> EnabledHiddenFeatures(const Profile& profile, const VkDeviceCreateInfo& info);
[[nodiscard]] std::vector<std::string> EnabledHiddenExtensions(const Profile& profile, const VkDeviceCreateInfo& info);

// Sets each limit to the worse of the device's and the profile's. `chain`: VkPhysicalDeviceProperties2 and the
// structures behind it.
void LowerLimits(const Profile& profile, VkPhysicalDeviceLimits& limits);
void LowerLimits(const Profile& profile, void* chain);

}  // namespace trellis::test
