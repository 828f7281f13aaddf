// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Why a render pass instance cannot be ended in the middle and begun again; converts to false if it can.
struct SplitObstacle {
  const char* text = nullptr;                                      // a clause, such as "it has several subpasses"
  VkStructureType structure = VK_STRUCTURE_TYPE_APPLICATION_INFO;  // that the text is about; this one: of none

  explicit operator bool() const { return text != nullptr; }
  [[nodiscard]] std::string Describe() const {
    if (structure == VK_STRUCTURE_TYPE_APPLICATION_INFO) return text;
    return std::string(text) + " (sType " + std::to_string(structure) + ")";
  }
};

inline constexpr SplitObstacle kLeftAlone = {
    "an attachment that can be written has VK_ATTACHMENT_STORE_OP_NONE, with which it must not be stored"};
inline constexpr SplitObstacle kNotAllStored = {
    "its attachments are not all stored: give them VK_ATTACHMENT_STORE_OP_STORE, or set split_render_passes to on"};

}  // namespace trellis
