// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/rendering_parts.h"

#include <span>

#include "layer/objects/attachment_operations.h"
#include "layer/objects/begin_chain.h"

namespace trellis {
namespace {

enum class Aspect : uint8_t { kColor, kDepth, kStencil };

constexpr VkRenderingFlags kHarmlessFlags =
    VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT |
    VK_RENDERING_CONTENTS_INLINE_BIT_KHR | VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT;

// Structures that a second part may have as well.
constexpr VkStructureType kKnown[] = {
    VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO,
    VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
    VK_STRUCTURE_TYPE_MULTIVIEW_PER_VIEW_ATTRIBUTES_INFO_NVX,
    VK_STRUCTURE_TYPE_MULTIVIEW_PER_VIEW_RENDER_AREAS_RENDER_PASS_BEGIN_INFO_QCOM,
};

bool IsAttached(const VkRenderingAttachmentInfo& attachment) { return attachment.imageView != VK_NULL_HANDLE; }

AttachmentOperations OperationsOf(const VkRenderingAttachmentInfo& attachment, Aspect aspect) {
  const bool is_read_only = (aspect == Aspect::kDepth && IsDepthReadOnly(attachment.imageLayout)) ||
                            (aspect == Aspect::kStencil && IsStencilReadOnly(attachment.imageLayout));
  return {attachment.loadOp, attachment.storeOp, is_read_only};
}

// Calls visit(attachment, aspect) for all attachments, also those without a view.
template <typename Visit>
void ForAttachments(const VkRenderingInfo& info, Visit&& visit) {
  for (uint32_t i = 0; i < info.colorAttachmentCount; ++i) visit(info.pColorAttachments[i], Aspect::kColor);
  if (info.pDepthAttachment) visit(*info.pDepthAttachment, Aspect::kDepth);
  if (info.pStencilAttachment) visit(*info.pStencilAttachment, Aspect::kStencil);
}

// Calls edit(attachment, operations) for copies of all attachments in a copy of `info`.
template <typename Edit>
VkRenderingInfo* EditAttachments(const VkRenderingInfo& info, Arena& arena, Edit&& edit) {
  VkRenderingInfo* const copy = arena.Copy(info);
  const auto edit_copies = [&](const VkRenderingAttachmentInfo* attachments, uint32_t count, Aspect aspect) {
    auto* const copies = arena.CopyArray(attachments, count);
    for (VkRenderingAttachmentInfo& attachment : std::span(copies, count))
      if (IsAttached(attachment)) edit(attachment, OperationsOf(attachment, aspect));
    return copies;
  };
  copy->pColorAttachments = edit_copies(info.pColorAttachments, info.colorAttachmentCount, Aspect::kColor);
  if (info.pDepthAttachment) copy->pDepthAttachment = edit_copies(info.pDepthAttachment, 1, Aspect::kDepth);
  if (info.pStencilAttachment) copy->pStencilAttachment = edit_copies(info.pStencilAttachment, 1, Aspect::kStencil);
  return copy;
}

// Custom and external format resolves read more than the attachment's samples.
bool HasOrdinaryResolve(const VkRenderingAttachmentInfo& attachment) {
  constexpr VkResolveModeFlags kOrdinary =
      VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_AVERAGE_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT;
  return (VkResolveModeFlags{static_cast<uint32_t>(attachment.resolveMode)} & ~kOrdinary) == 0;
}

SplitObstacle FindObstacleInAttachments(const VkRenderingInfo& info) {
  SplitObstacle obstacle;
  // Those without a view as well: with an external format they are resolved all the same.
  ForAttachments(info, [&obstacle](const VkRenderingAttachmentInfo& attachment, Aspect) {
    if (obstacle) return;
    obstacle = FindForeignStruct(attachment.pNext);
    if (!obstacle && !HasOrdinaryResolve(attachment)) obstacle.text = "an attachment has a custom or external resolve";
  });
  ForAttachments(info, [&obstacle](const VkRenderingAttachmentInfo& attachment, Aspect aspect) {
    if (!obstacle && IsAttached(attachment) && !MayBeStored(OperationsOf(attachment, aspect))) obstacle = kLeftAlone;
  });
  return obstacle;
}

}  // namespace

SplitObstacle FindObstacle(const VkRenderingInfo& info) {
  if (info.flags & VK_RENDERING_SUSPENDING_BIT) return {"it is suspended (VK_RENDERING_SUSPENDING_BIT)"};
  if ((info.flags & ~kHarmlessFlags) != 0) return {"its VkRenderingInfo has flags with which attachments differ"};
  if ((info.flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT) != 0 &&
      (info.flags & VK_RENDERING_CONTENTS_INLINE_BIT_KHR) == 0)
    return {"its contents are secondary command buffers"};
  if (const SplitObstacle obstacle = FindForeignStruct(info.pNext, kKnown)) return obstacle;
  return FindObstacleInAttachments(info);
}

bool KeepsContents(const VkRenderingInfo& info) {
  bool keeps = true;
  ForAttachments(info, [&keeps](const VkRenderingAttachmentInfo& attachment, Aspect aspect) {
    keeps = keeps && (!IsAttached(attachment) || KeepsContents(OperationsOf(attachment, aspect)));
  });
  return keeps;
}

const VkRenderingInfo* FirstPart(const VkRenderingInfo& info, Arena& arena) {
  if (KeepsContents(info)) return &info;
  return EditAttachments(info, arena, [](VkRenderingAttachmentInfo& attachment, const AttachmentOperations& given) {
    attachment.storeOp = FirstStoreOp(given);
  });
}

const VkRenderingInfo* SecondPart(const VkRenderingInfo& info, Arena& arena) {
  VkRenderingInfo* const second =
      EditAttachments(info, arena, [](VkRenderingAttachmentInfo& attachment, const AttachmentOperations& given) {
        attachment.loadOp = SecondLoadOp(given);
        attachment.storeOp = FirstStoreOp(given);
        attachment.clearValue = {};
      });
  second->flags &= ~VkRenderingFlags{VK_RENDERING_RESUMING_BIT};
  second->pNext = CopyBeginChain(info.pNext, arena);
  return second;
}

}  // namespace trellis
