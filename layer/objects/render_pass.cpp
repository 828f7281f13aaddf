// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/render_pass.h"

#include <vector>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/objects/attachment_operations.h"
#include "layer/objects/begin_chain.h"
#include "layer/objects/device.h"

namespace trellis {
namespace {

// How the only subpass uses an attachment.
struct AttachmentUse {
  bool is_used = false;  // operations of the others are ignored
  bool is_depth_read_only = true;
  bool is_stencil_read_only = true;
};

VkImageLayout StencilLayoutOf(const VkAttachmentReference& reference) { return reference.layout; }
VkImageLayout StencilLayoutOf(const VkAttachmentReference2& reference) {
  const auto* const given = FindStruct<VkAttachmentReferenceStencilLayout>(reference.pNext);
  return given ? given->stencilLayout : reference.layout;
}

const VkAttachmentReference2* DepthResolveOf(const VkSubpassDescription&) { return nullptr; }
const VkAttachmentReference2* DepthResolveOf(const VkSubpassDescription2& subpass) {
  const auto* const given = FindStruct<VkSubpassDescriptionDepthStencilResolve>(subpass.pNext);
  return given ? given->pDepthStencilResolveAttachment : nullptr;
}

const VkAttachmentReference2* ShadingRateOf(const VkSubpassDescription&) { return nullptr; }
const VkAttachmentReference2* ShadingRateOf(const VkSubpassDescription2& subpass) {
  const auto* const given = FindStruct<VkFragmentShadingRateAttachmentInfoKHR>(subpass.pNext);
  return given ? given->pFragmentShadingRateAttachment : nullptr;
}

template <typename CreateInfo>
std::vector<AttachmentUse> FindUses(const CreateInfo& info) {
  std::vector<AttachmentUse> uses(info.attachmentCount);
  const auto use = [&uses](uint32_t attachment, bool depth_read_only, bool stencil_read_only) {
    if (attachment >= uses.size()) return;  // VK_ATTACHMENT_UNUSED
    uses[attachment].is_used = true;
    uses[attachment].is_depth_read_only &= depth_read_only;
    uses[attachment].is_stencil_read_only &= stencil_read_only;
  };
  const auto& subpass = info.pSubpasses[0];
  for (uint32_t i = 0; i < subpass.inputAttachmentCount; ++i) use(subpass.pInputAttachments[i].attachment, true, true);
  for (uint32_t i = 0; i < subpass.colorAttachmentCount; ++i) {
    use(subpass.pColorAttachments[i].attachment, false, false);
    if (subpass.pResolveAttachments) use(subpass.pResolveAttachments[i].attachment, false, false);
  }
  if (const auto* const depth = subpass.pDepthStencilAttachment)
    use(depth->attachment, IsDepthReadOnly(depth->layout), IsStencilReadOnly(StencilLayoutOf(*depth)));
  if (const auto* const resolve = DepthResolveOf(subpass)) use(resolve->attachment, false, false);
  if (const auto* const rate = ShadingRateOf(subpass)) use(rate->attachment, true, true);
  return uses;
}

template <typename Attachment>
AttachmentOperations OperationsOf(const Attachment& attachment, const AttachmentUse& use) {
  return {attachment.loadOp, attachment.storeOp, use.is_depth_read_only};
}
template <typename Attachment>
AttachmentOperations StencilOperationsOf(const Attachment& attachment, const AttachmentUse& use) {
  return {attachment.stencilLoadOp, attachment.stencilStoreOp, use.is_stencil_read_only};
}

// Whether `holds` is true for each aspect that the format has. True for attachments that are not used.
template <typename Attachment>
bool HoldsForAll(const Attachment& attachment, const AttachmentUse& use, bool (&holds)(const AttachmentOperations&)) {
  return !use.is_used || ((attachment.format == VK_FORMAT_S8_UINT || holds(OperationsOf(attachment, use))) &&
                          (!HasStencil(attachment.format) || holds(StencilOperationsOf(attachment, use))));
}

template <typename Attachment>
void StoreContents(Attachment& attachment, const AttachmentUse& use) {
  if (!use.is_used) return;
  attachment.storeOp = FirstStoreOp(OperationsOf(attachment, use));
  if (HasStencil(attachment.format)) attachment.stencilStoreOp = FirstStoreOp(StencilOperationsOf(attachment, use));
}

template <typename Attachment>
void LoadContents(Attachment& attachment, const AttachmentUse& use) {
  attachment.initialLayout = attachment.finalLayout;
  if (use.is_used) {
    attachment.loadOp = SecondLoadOp(OperationsOf(attachment, use));
    if (HasStencil(attachment.format)) attachment.stencilLoadOp = SecondLoadOp(StencilOperationsOf(attachment, use));
  }
  // Clear values are counted for those too that are not used or have no such aspect, and there are none.
  for (VkAttachmentLoadOp* const operation : {&attachment.loadOp, &attachment.stencilLoadOp})
    if (*operation == VK_ATTACHMENT_LOAD_OP_CLEAR) *operation = VK_ATTACHMENT_LOAD_OP_LOAD;
}

void KeepStencilLayout(VkAttachmentDescription&, Arena&) {}
void KeepStencilLayout(VkAttachmentDescription2& attachment, Arena& arena) {
  auto* const layout = EditStruct<VkAttachmentDescriptionStencilLayout>(&attachment, arena);
  if (layout) layout->stencilInitialLayout = layout->stencilFinalLayout;
}

// The feedback that the application asked for is about its own render pass.
void RemoveFeedback(VkRenderPassCreateInfo&, Arena&) {}
void RemoveFeedback(VkRenderPassCreateInfo2& info, Arena& arena) {
  RemoveFromChain(&info, VK_STRUCTURE_TYPE_RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT, arena);
  VkSubpassDescription2* const subpass = arena.Copy(info.pSubpasses[0]);
  RemoveFromChain(subpass, VK_STRUCTURE_TYPE_RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT, arena);
  info.pSubpasses = subpass;
}

SplitObstacle FindObstacleInChains(const VkRenderPassCreateInfo& info) {
  constexpr VkStructureType kKnown[] = {VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                                        VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO};
  return FindForeignStruct(info.pNext, kKnown);
}

SplitObstacle FindObstacleInReferences(const VkAttachmentReference2* references, uint32_t count) {
  constexpr VkStructureType kKnown[] = {VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT};
  for (uint32_t i = 0; references && i < count; ++i)
    if (const SplitObstacle obstacle = FindForeignStruct(references[i].pNext, kKnown)) return obstacle;
  return {};
}

SplitObstacle FindObstacleInChains(const VkSubpassDescription2& subpass) {
  constexpr VkStructureType kKnown[] = {VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
                                        VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
                                        VK_STRUCTURE_TYPE_RENDER_PASS_CREATION_CONTROL_EXT,
                                        VK_STRUCTURE_TYPE_RENDER_PASS_SUBPASS_FEEDBACK_CREATE_INFO_EXT};
  if (const SplitObstacle obstacle = FindForeignStruct(subpass.pNext, kKnown)) return obstacle;
  const std::pair<const VkAttachmentReference2*, uint32_t> references[] = {
      {subpass.pInputAttachments, subpass.inputAttachmentCount},
      {subpass.pColorAttachments, subpass.colorAttachmentCount},
      {subpass.pResolveAttachments, subpass.colorAttachmentCount},
      {subpass.pDepthStencilAttachment, 1},
      {DepthResolveOf(subpass), 1},
      {ShadingRateOf(subpass), 1}};
  for (const auto& [first, count] : references)
    if (const SplitObstacle obstacle = FindObstacleInReferences(first, count)) return obstacle;
  return {};
}

SplitObstacle FindObstacleInChains(const VkRenderPassCreateInfo2& info) {
  constexpr VkStructureType kKnown[] = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATION_CONTROL_EXT,
                                        VK_STRUCTURE_TYPE_RENDER_PASS_CREATION_FEEDBACK_CREATE_INFO_EXT};
  constexpr VkStructureType kKnownOfAttachments[] = {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT};
  constexpr VkStructureType kKnownOfDependencies[] = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  if (const SplitObstacle obstacle = FindForeignStruct(info.pNext, kKnown)) return obstacle;
  for (uint32_t i = 0; i < info.attachmentCount; ++i)
    if (const SplitObstacle obstacle = FindForeignStruct(info.pAttachments[i].pNext, kKnownOfAttachments))
      return obstacle;
  for (uint32_t i = 0; i < info.dependencyCount; ++i)
    if (const SplitObstacle obstacle = FindForeignStruct(info.pDependencies[i].pNext, kKnownOfDependencies))
      return obstacle;
  return FindObstacleInChains(info.pSubpasses[0]);
}

template <typename CreateInfo>
SplitObstacle FindObstacle(const CreateInfo& info) {
  constexpr VkSubpassDescriptionFlags kHarmlessFlags =
      VK_SUBPASS_DESCRIPTION_PER_VIEW_ATTRIBUTES_BIT_NVX | VK_SUBPASS_DESCRIPTION_PER_VIEW_POSITION_X_ONLY_BIT_NVX |
      VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT |
      VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_BIT_EXT |
      VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_BIT_EXT |
      VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT;
  if (info.subpassCount != 1) return {"its render pass has several subpasses"};
  if (info.flags != 0 || (info.pSubpasses[0].flags & ~kHarmlessFlags) != 0 ||
      info.pSubpasses[0].pipelineBindPoint != VK_PIPELINE_BIND_POINT_GRAPHICS)
    return {"its render pass has flags with which attachments differ, or a subpass that is not for graphics"};
  for (uint32_t i = 0; i < info.attachmentCount; ++i)
    if (info.pAttachments[i].flags != 0)
      return {"an attachment has flags, such as VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT"};
  return FindObstacleInChains(info);
}

VkResult CreateBelow(const Device& device, const VkRenderPassCreateInfo& info, VkRenderPass& render_pass) {
  return device.dispatch.CreateRenderPass(device.handle, &info, nullptr, &render_pass);
}
VkResult CreateBelow(const Device& device, const VkRenderPassCreateInfo2& info, VkRenderPass& render_pass) {
  return device.dispatch.CreateRenderPass2(device.handle, &info, nullptr, &render_pass);
}

// `info` is edited step by step into what the parts are made with.
template <typename CreateInfo>
void MakeParts(const Device& device, CreateInfo info, RenderPass& made) {
  const std::vector<AttachmentUse> uses = FindUses(info);
  bool keeps = true;
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    if (!HoldsForAll(info.pAttachments[i], uses[i], MayBeStored)) {
      made.obstacle = kLeftAlone;
      return;
    }
    keeps = keeps && HoldsForAll(info.pAttachments[i], uses[i], KeepsContents);
  }
  if (!keeps && !device.StoresAttachments()) {
    made.obstacle = kNotAllStored;
    return;
  }
  if (const auto* const depth = info.pSubpasses[0].pDepthStencilAttachment) made.depth_attachment = depth->attachment;

  Arena arena;
  auto* const attachments = arena.CopyArray(info.pAttachments, info.attachmentCount);
  info.pAttachments = attachments;
  RemoveFeedback(info, arena);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) StoreContents(attachments[i], uses[i]);
  VkResult result = keeps ? VK_SUCCESS : CreateBelow(device, info, made.first);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    LoadContents(attachments[i], uses[i]);
    KeepStencilLayout(attachments[i], arena);
  }
  if (result == VK_SUCCESS) result = CreateBelow(device, info, made.second);
  // The application's own was made, and is good for everything else.
  if (result != VK_SUCCESS) made.obstacle = {"the driver could not make a render pass for its second part"};
}

}  // namespace

RenderPass::~RenderPass() {
  for (const VkRenderPass part : {first, second})
    if (part != VK_NULL_HANDLE) device.dispatch.DestroyRenderPass(device.handle, part, nullptr);
}

template <typename CreateInfo>
std::shared_ptr<RenderPass> MakeRenderPass(const Device& device, const CreateInfo& info) {
  auto render_pass = std::make_shared<RenderPass>(device);
  render_pass->obstacle = FindObstacle(info);
  if (!render_pass->obstacle) MakeParts(device, info, *render_pass);
  return render_pass;
}
template std::shared_ptr<RenderPass> MakeRenderPass(const Device&, const VkRenderPassCreateInfo&);
template std::shared_ptr<RenderPass> MakeRenderPass(const Device&, const VkRenderPassCreateInfo2&);

}  // namespace trellis
