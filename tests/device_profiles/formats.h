// SPDX-License-Identifier: Apache-2.0
// Formats, and features of formats, that a profile hides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/device_profiles/profile.h"

namespace trellis::test {

// Returns the formats of Vulkan with that name, or that begin with it if it ends with an asterisk. VK_FORMAT_UNDEFINED
// is none of them.
[[nodiscard]] std::vector<VkFormat> FormatsNamed(std::string_view name);
// Returns the bit called VK_FORMAT_FEATURE_2_..., or 0.
[[nodiscard]] VkFormatFeatureFlags2 FormatFeatureNamed(std::string_view name);

// Clear the hidden features of a format. The second form also clears them in the structures behind `properties`.
void HideFormatFeatures(const Profile& profile, VkFormat format, VkFormatProperties& properties);
void HideFormatFeatures(const Profile& profile, VkFormat format, VkFormatProperties2& properties);

// Return what the profile hides of that which a resource needs: the format's name, or its name and features. Return an
// empty text if nothing is hidden. A view of an image needs the format alone.
[[nodiscard]] std::string HiddenFromImage(const Profile& profile, VkFormat format, VkImageTiling tiling,
                                          VkImageUsageFlags usage, VkImageCreateFlags flags);
[[nodiscard]] std::string HiddenFromImageView(const Profile& profile, VkFormat format);
[[nodiscard]] std::string HiddenFromBufferView(const Profile& profile, VkFormat format);

}  // namespace trellis::test
