// SPDX-License-Identifier: Apache-2.0
// Load and store operations of an attachment in the two parts of a render pass instance that is split. Pure.
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Load and store operations of one aspect of an attachment, as the application gave them.
struct AttachmentOperations {
  VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_LOAD;
  VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE;
  bool is_read_only = false;  // by its layout
};

// Returns whether memory holds after the instance what the attachment held at its end.
[[nodiscard]] bool KeepsContents(const AttachmentOperations& operations);
// Returns whether it may be stored all the same. What the application leaves alone in memory unless it draws there
// (VK_ATTACHMENT_STORE_OP_NONE without a load that writes) must not be written for it: nothing of the application's
// would be ordered with that.
[[nodiscard]] bool MayBeStored(const AttachmentOperations& operations);
// The store operation with which memory holds it.
[[nodiscard]] VkAttachmentStoreOp FirstStoreOp(const AttachmentOperations& operations);
// The load operation with which a second part goes on.
[[nodiscard]] VkAttachmentLoadOp SecondLoadOp(const AttachmentOperations& operations);

[[nodiscard]] bool IsDepthReadOnly(VkImageLayout layout);
[[nodiscard]] bool IsStencilReadOnly(VkImageLayout layout);

[[nodiscard]] bool HasStencil(VkFormat format);

}  // namespace trellis
