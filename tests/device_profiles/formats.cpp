// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/formats.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis::test {
namespace {

struct NamedFormat {
  std::string_view name;
  VkFormat value;
};
constexpr NamedFormat kFormats[] = {
#define FORMAT(name) {#name, name},
#include "tests/device_profiles/members.inc"
};

struct NamedFeature {
  std::string_view name;
  VkFormatFeatureFlags2 bit;
};
constexpr NamedFeature kFormatFeatures[] = {
#define FORMAT_FEATURE(name) {#name, name},
#include "tests/device_profiles/members.inc"
};

constexpr VkFormatFeatureFlags2 kAttachment =
    VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT;
constexpr VkFormatFeatureFlags2 kTexelBuffer =
    VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT;

// A usage of images, and the features one of which it needs.
struct ImageUsage {
  VkImageUsageFlags usage;
  VkFormatFeatureFlags2 features;
};
constexpr ImageUsage kImageUsages[] = {
    {VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT},
    {VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT},
    {VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT},
    {VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT},
    {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT},
    {VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, kAttachment},
};

VkFormatFeatureFlags2 HiddenFeatures(const Profile& profile, VkFormat format,
                                     VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL) {
  if (profile.optimal_tiling_only && tiling != VK_IMAGE_TILING_OPTIMAL) return kAllFormatFeatures;
  const auto found = profile.hidden_format_features.find(format);
  return found == profile.hidden_format_features.end() ? 0 : found->second;
}

// `missing`: kAllFormatFeatures for the whole format.
std::string Describe(VkFormat format, VkFormatFeatureFlags2 missing) {
  std::string text;
  for (const NamedFormat& named : kFormats) {
    if (named.value == format) text = named.name;
  }
  if (missing == kAllFormatFeatures) return text;
  const char* separator = " with ";
  for (const NamedFeature& feature : kFormatFeatures) {
    if ((missing & feature.bit) == 0) continue;
    text.append(separator).append(feature.name);
    separator = ", ";
  }
  return text;
}

// VkDrmFormatModifierPropertiesListEXT and its second form.
template <typename List>
void HideInModifiers(VkFormatFeatureFlags2 hidden, void* chain) {
  auto* const list = FindStruct<List>(chain);
  if (list == nullptr) return;
  if (hidden == kAllFormatFeatures) list->drmFormatModifierCount = 0;
  if (list->pDrmFormatModifierProperties == nullptr) return;
  for (uint32_t i = 0; i < list->drmFormatModifierCount; ++i)
    list->pDrmFormatModifierProperties[i].drmFormatModifierTilingFeatures &= ~hidden;
}

}  // namespace

std::vector<VkFormat> FormatsNamed(std::string_view name) {
  const bool prefix = name.ends_with('*');
  if (prefix) name.remove_suffix(1);
  std::vector<VkFormat> formats;
  for (const NamedFormat& format : kFormats) {
    if (prefix ? format.name.starts_with(name) : format.name == name) formats.push_back(format.value);
  }
  return formats;
}

VkFormatFeatureFlags2 FormatFeatureNamed(std::string_view name) {
  for (const NamedFeature& feature : kFormatFeatures) {
    if (feature.name == name) return feature.bit;
  }
  return 0;
}

void HideFormatFeatures(const Profile& profile, VkFormat format, VkFormatProperties& properties) {
  const auto shown = static_cast<VkFormatFeatureFlags>(~HiddenFeatures(profile, format));
  properties.linearTilingFeatures &=
      static_cast<VkFormatFeatureFlags>(~HiddenFeatures(profile, format, VK_IMAGE_TILING_LINEAR));
  properties.optimalTilingFeatures &= shown;
  properties.bufferFeatures &= shown;
}

void HideFormatFeatures(const Profile& profile, VkFormat format, VkFormatProperties2& properties) {
  HideFormatFeatures(profile, format, properties.formatProperties);
  const VkFormatFeatureFlags2 hidden = HiddenFeatures(profile, format);
  if (auto* const wide = FindStruct<VkFormatProperties3>(properties.pNext)) {
    wide->linearTilingFeatures &= ~HiddenFeatures(profile, format, VK_IMAGE_TILING_LINEAR);
    wide->optimalTilingFeatures &= ~hidden;
    wide->bufferFeatures &= ~hidden;
  }
  const VkFormatFeatureFlags2 of_modifiers = HiddenFeatures(profile, format, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
  HideInModifiers<VkDrmFormatModifierPropertiesListEXT>(of_modifiers, properties.pNext);
  HideInModifiers<VkDrmFormatModifierPropertiesList2EXT>(of_modifiers, properties.pNext);
}

std::string HiddenFromImage(const Profile& profile, VkFormat format, VkImageTiling tiling, VkImageUsageFlags usage,
                            VkImageCreateFlags flags) {
  const VkFormatFeatureFlags2 hidden = HiddenFeatures(profile, format, tiling);
  if (hidden == kAllFormatFeatures) return Describe(format, hidden);
  // The format of a view of such an image may have the features that the usage needs.
  if ((flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) != 0) return std::string();
  VkFormatFeatureFlags2 missing = 0;
  for (const ImageUsage& need : kImageUsages) {
    if ((usage & need.usage) != 0 && (hidden & need.features) == need.features) missing |= need.features;
  }
  return missing == 0 ? std::string() : Describe(format, missing);
}

std::string HiddenFromImageView(const Profile& profile, VkFormat format) {
  return HiddenFeatures(profile, format) == kAllFormatFeatures ? Describe(format, kAllFormatFeatures) : std::string();
}

std::string HiddenFromBufferView(const Profile& profile, VkFormat format) {
  const VkFormatFeatureFlags2 hidden = HiddenFeatures(profile, format);
  if (hidden == kAllFormatFeatures) return Describe(format, hidden);
  // Which of the two the view needs is up to its buffer.
  return (hidden & kTexelBuffer) == kTexelBuffer ? Describe(format, kTexelBuffer) : std::string();
}

}  // namespace trellis::test
