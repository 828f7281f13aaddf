// SPDX-License-Identifier: Apache-2.0
#include "tests/poison_layer/poison.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis::test {
namespace {

bool IsAttached(const VkRenderingAttachmentInfo* attachment) {
  return attachment != nullptr && attachment->imageView != VK_NULL_HANDLE;
}

bool HasDepthOrStencil(VkFormat format) {
  return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}

VkClearValue PoisonOf(bool is_color) {
  VkClearValue value = PoisonColor();
  if (!is_color) value.depthStencil = kPoisonDepth;
  return value;
}

const VkRenderingAttachmentInfo* PoisonLoad(const VkRenderingAttachmentInfo* attachment, bool is_color, Arena& arena) {
  if (!IsAttached(attachment) || attachment->loadOp != VK_ATTACHMENT_LOAD_OP_DONT_CARE) return attachment;
  auto* const poisoned = arena.Copy(*attachment);
  poisoned->loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  poisoned->clearValue = PoisonOf(is_color);
  return poisoned;
}

// Null if nothing of it is lost.
const VkRenderingAttachmentInfo* PoisonStore(const VkRenderingAttachmentInfo* attachment, bool is_color, Arena& arena) {
  if (!IsAttached(attachment) || attachment->storeOp != VK_ATTACHMENT_STORE_OP_DONT_CARE) return nullptr;
  auto* const poisoned = arena.Copy(*attachment);
  poisoned->pNext = nullptr;
  poisoned->resolveMode = VK_RESOLVE_MODE_NONE;
  poisoned->resolveImageView = VK_NULL_HANDLE;
  poisoned->loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  poisoned->storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  poisoned->clearValue = PoisonOf(is_color);
  return poisoned;
}

// A single subpass may have other resolve attachments and be compatible all the same.
void RemoveResolves(VkSubpassDescription& subpass, Arena&) { subpass.pResolveAttachments = nullptr; }
void RemoveResolves(VkSubpassDescription2& subpass, Arena& arena) {
  subpass.pResolveAttachments = nullptr;
  RemoveFromChain(&subpass, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE, arena);
}

void KeepStencilLayout(VkAttachmentDescription&, Arena&) {}
void KeepStencilLayout(VkAttachmentDescription2& attachment, Arena& arena) {
  auto* const layout = EditStruct<VkAttachmentDescriptionStencilLayout>(&attachment, arena);
  if (layout != nullptr) layout->stencilInitialLayout = layout->stencilFinalLayout;
}

void PoisonLoad(VkAttachmentLoadOp& operation) {
  if (operation == VK_ATTACHMENT_LOAD_OP_DONT_CARE) operation = VK_ATTACHMENT_LOAD_OP_CLEAR;
}

void PoisonStore(VkAttachmentLoadOp& load, VkAttachmentStoreOp& store) {
  load = store == VK_ATTACHMENT_STORE_OP_DONT_CARE ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  store = VK_ATTACHMENT_STORE_OP_STORE;
}

}  // namespace

VkClearValue PoisonColor() {
  VkClearValue value = {};
  for (float& component : value.color.float32) component = 0.6f;
  return value;
}

const VkRenderingInfo* PoisonLoads(const VkRenderingInfo& info, Arena& arena) {
  auto* const poisoned = arena.Copy(info);
  auto* const colors = arena.CopyArray(info.pColorAttachments, info.colorAttachmentCount);
  for (uint32_t i = 0; i < info.colorAttachmentCount; ++i) colors[i] = *PoisonLoad(&colors[i], true, arena);
  poisoned->pColorAttachments = colors;
  poisoned->pDepthAttachment = PoisonLoad(info.pDepthAttachment, false, arena);
  poisoned->pStencilAttachment = PoisonLoad(info.pStencilAttachment, false, arena);
  return poisoned;
}

const VkRenderingInfo* PoisonStores(const VkRenderingInfo& info, Arena& arena) {
  auto* const poisoned = arena.Copy(info);
  poisoned->pNext = nullptr;
  poisoned->flags = 0;
  auto* const colors = arena.CopyArray(info.pColorAttachments, info.colorAttachmentCount);
  uint32_t count = 0;
  for (uint32_t i = 0; i < info.colorAttachmentCount; ++i)
    if (const auto* const color = PoisonStore(&info.pColorAttachments[i], true, arena)) colors[count++] = *color;
  poisoned->colorAttachmentCount = count;
  poisoned->pColorAttachments = colors;
  poisoned->pDepthAttachment = PoisonStore(info.pDepthAttachment, false, arena);
  poisoned->pStencilAttachment = PoisonStore(info.pStencilAttachment, false, arena);
  const bool has_something =
      count != 0 || poisoned->pDepthAttachment != nullptr || poisoned->pStencilAttachment != nullptr;
  return has_something ? poisoned : nullptr;
}

template <typename CreateInfo>
std::vector<PoisonedAttachment> FindPoisoned(const CreateInfo& info) {
  std::vector<PoisonedAttachment> found(info.attachmentCount);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto& attachment = info.pAttachments[i];
    found[i].is_color = !HasDepthOrStencil(attachment.format);
    found[i].loads = attachment.loadOp == VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    found[i].stencil_loads = attachment.stencilLoadOp == VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    found[i].stores = attachment.storeOp == VK_ATTACHMENT_STORE_OP_DONT_CARE ||
                      (!found[i].is_color && attachment.stencilStoreOp == VK_ATTACHMENT_STORE_OP_DONT_CARE);
  }
  return found;
}

template <typename CreateInfo>
CreateInfo PoisonLoads(const CreateInfo& info, Arena& arena) {
  CreateInfo poisoned = info;
  auto* const attachments = arena.CopyArray(info.pAttachments, info.attachmentCount);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    PoisonLoad(attachments[i].loadOp);
    PoisonLoad(attachments[i].stencilLoadOp);
  }
  poisoned.pAttachments = attachments;
  return poisoned;
}

template <typename CreateInfo>
CreateInfo PoisonStores(const CreateInfo& info, Arena& arena) {
  CreateInfo poisoned = info;
  auto* const attachments = arena.CopyArray(info.pAttachments, info.attachmentCount);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    attachments[i].initialLayout = attachments[i].finalLayout;
    PoisonStore(attachments[i].loadOp, attachments[i].storeOp);
    PoisonStore(attachments[i].stencilLoadOp, attachments[i].stencilStoreOp);
    KeepStencilLayout(attachments[i], arena);
  }
  poisoned.pAttachments = attachments;
  auto* const subpass = arena.Copy(info.pSubpasses[0]);
  RemoveResolves(*subpass, arena);
  poisoned.pSubpasses = subpass;
  return poisoned;
}

template std::vector<PoisonedAttachment> FindPoisoned(const VkRenderPassCreateInfo&);
template std::vector<PoisonedAttachment> FindPoisoned(const VkRenderPassCreateInfo2&);
template VkRenderPassCreateInfo PoisonLoads(const VkRenderPassCreateInfo&, Arena&);
template VkRenderPassCreateInfo2 PoisonLoads(const VkRenderPassCreateInfo2&, Arena&);
template VkRenderPassCreateInfo PoisonStores(const VkRenderPassCreateInfo&, Arena&);
template VkRenderPassCreateInfo2 PoisonStores(const VkRenderPassCreateInfo2&, Arena&);

}  // namespace trellis::test
