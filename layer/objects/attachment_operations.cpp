// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/attachment_operations.h"

namespace trellis {

// A clear is a write: with VK_ATTACHMENT_STORE_OP_NONE it leaves contents undefined, whatever the layout.
static bool IsUntouched(const AttachmentOperations& operations) {
  return operations.store == VK_ATTACHMENT_STORE_OP_NONE && operations.is_read_only &&
         operations.load != VK_ATTACHMENT_LOAD_OP_CLEAR;
}

bool KeepsContents(const AttachmentOperations& operations) {
  return operations.store == VK_ATTACHMENT_STORE_OP_STORE || IsUntouched(operations);
}

bool MayBeStored(const AttachmentOperations& operations) {
  const bool load_writes =
      operations.load != VK_ATTACHMENT_LOAD_OP_LOAD && operations.load != VK_ATTACHMENT_LOAD_OP_NONE;
  return KeepsContents(operations) || operations.store != VK_ATTACHMENT_STORE_OP_NONE || load_writes;
}

VkAttachmentStoreOp FirstStoreOp(const AttachmentOperations& operations) {
  return KeepsContents(operations) ? operations.store : VK_ATTACHMENT_STORE_OP_STORE;
}

VkAttachmentLoadOp SecondLoadOp(const AttachmentOperations& operations) {
  return IsUntouched(operations) && operations.load == VK_ATTACHMENT_LOAD_OP_NONE ? operations.load
                                                                                  : VK_ATTACHMENT_LOAD_OP_LOAD;
}

bool IsDepthReadOnly(VkImageLayout layout) {
  return layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL ||
         layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL ||
         layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL || layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
}

bool IsStencilReadOnly(VkImageLayout layout) {
  return layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL ||
         layout == VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL ||
         layout == VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL || layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
}

bool HasStencil(VkFormat format) {
  return format == VK_FORMAT_S8_UINT || format == VK_FORMAT_D16_UNORM_S8_UINT ||
         format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
}

}  // namespace trellis
