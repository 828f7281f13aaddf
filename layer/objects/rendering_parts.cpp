// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/rendering_parts.h"

#include "layer/objects/attachment_operations.h"
#include "layer/objects/begin_chain.h"

namespace trellis {
namespace {

enum class Aspect : uint8_t { kColor, kDepth, kStencil };

constexpr VkRenderingFlags kHarmlessFlags =
    VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT |
    VK_RENDERING_CONTENTS_INLINE_BIT_KHR | VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT;

bool IsAttached(const VkRenderingAttachmentInfo* attachment) {
  return attachment != nullptr && attachment->imageView != VK_NULL_HANDLE;
}

AttachmentOperations OperationsOf(const VkRenderingAttachmentInfo& attachment, Aspect aspect) {
  const bool is_read_only = (aspect == Aspect::kDepth && IsDepthReadOnly(attachment.imageLayout)) ||
                            (aspect == Aspect::kStencil && IsStencilReadOnly(attachment.imageLayout));
  return {attachment.loadOp, attachment.storeOp, is_read_only};
}

// Calls visit(attachment, aspect) for everything that is attached.
template <typename Visit>
void ForAttachments(const VkRenderingInfo& info, Visit&& visit) {
  for (uint32_t i = 0; i < info.colorAttachmentCount; ++i)
    if (IsAttached(&info.pColorAttachments[i])) visit(info.pColorAttachments[i], Aspect::kColor);
  if (IsAttached(info.pDepthAttachment)) visit(*info.pDepthAttachment, Aspect::kDepth);
  if (IsAttached(info.pStencilAttachment)) visit(*info.pStencilAttachment, Aspect::kStencil);
}

// Calls edit(attachment, operations) for copies of all attachments in a copy of `info`.
template <typename Edit>
VkRenderingInfo* EditAttachments(const VkRenderingInfo& info, Arena& arena, Edit&& edit) {
  VkRenderingInfo* const copy = arena.Copy(info);
  const auto edit_one = [&](VkRenderingAttachmentInfo& attachment, Aspect aspect) {
    if (IsAttached(&attachment)) edit(attachment, OperationsOf(attachment, aspect));
  };
  auto* const colors = arena.CopyArray(info.pColorAttachments, info.colorAttachmentCount);
  for (uint32_t i = 0; i < info.colorAttachmentCount; ++i) edit_one(colors[i], Aspect::kColor);
  copy->pColorAttachments = colors;
  if (info.pDepthAttachment != nullptr) {
    auto* const depth = arena.Copy(*info.pDepthAttachment);
    edit_one(*depth, Aspect::kDepth);
    copy->pDepthAttachment = depth;
  }
  if (info.pStencilAttachment != nullptr) {
    auto* const stencil = arena.Copy(*info.pStencilAttachment);
    edit_one(*stencil, Aspect::kStencil);
    copy->pStencilAttachment = stencil;
  }
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
  const auto look_at = [&obstacle](const VkRenderingAttachmentInfo& attachment) {
    if (obstacle) return;
    obstacle = FindForeignStruct(attachment.pNext);
    if (!obstacle && !HasOrdinaryResolve(attachment)) obstacle.text = "an attachment has a custom or external resolve";
  };
  // Those without a view as well: with an external format they are resolved all the same.
  for (uint32_t i = 0; i < info.colorAttachmentCount; ++i) look_at(info.pColorAttachments[i]);
  if (info.pDepthAttachment != nullptr) look_at(*info.pDepthAttachment);
  if (info.pStencilAttachment != nullptr) look_at(*info.pStencilAttachment);
  ForAttachments(info, [&obstacle](const VkRenderingAttachmentInfo& attachment, Aspect aspect) {
    if (!obstacle && !MayBeStored(OperationsOf(attachment, aspect))) obstacle = kLeftAlone;
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
  if (const SplitObstacle obstacle = FindForeignStruct(info.pNext, KnownOfRendering())) return obstacle;
  return FindObstacleInAttachments(info);
}

bool KeepsContents(const VkRenderingInfo& info) {
  bool keeps = true;
  ForAttachments(info, [&keeps](const VkRenderingAttachmentInfo& attachment, Aspect aspect) {
    keeps = keeps && KeepsContents(OperationsOf(attachment, aspect));
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
