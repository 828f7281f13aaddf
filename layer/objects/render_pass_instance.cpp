// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/render_pass_instance.h"

#include "layer/dispatch/device_dispatch.h"
#include "layer/dispatch/struct_type.h"
#include "layer/objects/begin_chain.h"
#include "layer/objects/render_pass.h"
#include "layer/objects/rendering_parts.h"

namespace trellis {
namespace {

// Until the copies are made.
constexpr SplitObstacle kNotCopied = {"there was no memory to keep what begins it"};

SplitObstacle FindObstacleInBegin(const VkRenderPassBeginInfo& info, const RenderPass* render_pass,
                                  VkSubpassContents contents) {
  if (!render_pass) return {"its render pass is not known"};
  if (render_pass->obstacle) return render_pass->obstacle;
  if (contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS) return {"its contents are secondary command buffers"};
  // Structures that a second part may have as well.
  constexpr VkStructureType kKnown[] = {VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO,
                                        VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
                                        VK_STRUCTURE_TYPE_RENDER_PASS_SAMPLE_LOCATIONS_BEGIN_INFO_EXT,
                                        VK_STRUCTURE_TYPE_MULTIVIEW_PER_VIEW_RENDER_AREAS_RENDER_PASS_BEGIN_INFO_QCOM};
  return FindForeignStruct(info.pNext, kKnown);
}

}  // namespace

void RenderPassInstance::Open(Kind kind, const SplitObstacle& obstacle) {
  End();
  kind_ = kind;
  obstacle_ = obstacle;
}

void RenderPassInstance::End() {
  kind_ = Kind::kNone;
  shape_ = {};
  obstacle_ = {};
  queries_ = 0;
  transform_feedback_ = false;
  conditional_rendering_ = false;
  rendering_ = nullptr;
  render_pass_ = nullptr;
  contents_.reset();
  subpass_ = {};
  locations_ = nullptr;
  input_indices_ = nullptr;
  arena_.Clear();
}

const VkRenderingInfo* RenderPassInstance::Begin(const VkRenderingInfo& info, bool stores_attachments) {
  Open(Kind::kDynamic, trellis::FindObstacle(info));
  shape_ = {true, info.viewMask, info.colorAttachmentCount};
  if (obstacle_) return &info;
  // The infos of all parts of an instance that the application suspends and resumes have to match.
  const bool may_edit = stores_attachments && (info.flags & VK_RENDERING_RESUMING_BIT) == 0;
  if (!may_edit && !KeepsContents(info)) {
    obstacle_ = kNotAllStored;
    return &info;
  }
  obstacle_ = kNotCopied;
  rendering_ = SecondPart(info, arena_);
  const VkRenderingInfo* const first = FirstPart(info, arena_);
  obstacle_ = {};
  return first;
}

const VkRenderPassBeginInfo* RenderPassInstance::Begin(const VkRenderPassBeginInfo& info, const RenderPass* render_pass,
                                                       VkSubpassContents contents) {
  Open(Kind::kObject, FindObstacleInBegin(info, render_pass, contents));
  if (obstacle_) return &info;
  obstacle_ = kNotCopied;
  contents_ = contents;
  VkRenderPassBeginInfo* const second = arena_.Copy(info);
  second->pNext = CopyBeginChain(info.pNext, arena_, render_pass->depth_attachment);
  second->renderPass = render_pass->second;
  second->clearValueCount = 0;
  second->pClearValues = nullptr;
  render_pass_ = second;
  const VkRenderPassBeginInfo* first = &info;
  if (render_pass->first) {
    VkRenderPassBeginInfo* const edited = arena_.Copy(info);
    edited->renderPass = render_pass->first;
    first = edited;
  }
  obstacle_ = {};
  return first;
}

const VkRenderPassBeginInfo* RenderPassInstance::Begin(const VkRenderPassBeginInfo& info, const RenderPass* render_pass,
                                                       const VkSubpassBeginInfo& subpass) {
  const SplitObstacle obstacle = FindForeignStruct(subpass.pNext);
  const VkRenderPassBeginInfo* const first = Begin(info, obstacle ? nullptr : render_pass, subpass.contents);
  if (obstacle) obstacle_ = obstacle;
  contents_.reset();
  subpass_ = subpass;
  subpass_.pNext = nullptr;
  return first;
}

template <typename Info>
Info* RenderPassInstance::BeginCopy(const Info& info) {
  if (kind_ != Kind::kDynamic) return nullptr;
  if (!obstacle_) obstacle_ = FindForeignStruct(info.pNext);
  if (obstacle_) return nullptr;
  obstacle_ = kNotCopied;
  Info* const copy = arena_.Copy(info);
  copy->pNext = nullptr;
  return copy;
}

void RenderPassInstance::SetLocations(const VkRenderingAttachmentLocationInfo& info) {
  VkRenderingAttachmentLocationInfo* const copy = BeginCopy(info);
  if (!copy) return;
  if (info.pColorAttachmentLocations)
    copy->pColorAttachmentLocations = arena_.CopyArray(info.pColorAttachmentLocations, info.colorAttachmentCount);
  locations_ = copy;
  obstacle_ = {};
}

void RenderPassInstance::SetInputIndices(const VkRenderingInputAttachmentIndexInfo& info) {
  VkRenderingInputAttachmentIndexInfo* const copy = BeginCopy(info);
  if (!copy) return;
  if (info.pColorAttachmentInputIndices)
    copy->pColorAttachmentInputIndices = arena_.CopyArray(info.pColorAttachmentInputIndices, info.colorAttachmentCount);
  if (info.pDepthInputAttachmentIndex) copy->pDepthInputAttachmentIndex = arena_.Copy(*info.pDepthInputAttachmentIndex);
  if (info.pStencilInputAttachmentIndex)
    copy->pStencilInputAttachmentIndex = arena_.Copy(*info.pStencilInputAttachmentIndex);
  input_indices_ = copy;
  obstacle_ = {};
}

SplitObstacle RenderPassInstance::FindObstacle() const {
  if (queries_ != 0) return {"a query that began inside of it is active"};
  if (transform_feedback_) return {"transform feedback that began inside of it is active"};
  return obstacle_;
}

void RenderPassInstance::RecordEnd(const DeviceDispatch& dispatch, VkCommandBuffer command_buffer) const {
  if (kind_ == Kind::kDynamic) {
    dispatch.CmdEndRendering(command_buffer);
  } else if (contents_) {
    dispatch.CmdEndRenderPass(command_buffer);
  } else {
    auto info = MakeStruct<VkSubpassEndInfo>();
    dispatch.CmdEndRenderPass2(command_buffer, &info);
  }
}

void RenderPassInstance::RecordSecondPart(const DeviceDispatch& dispatch, VkCommandBuffer command_buffer) const {
  if (kind_ == Kind::kDynamic) {
    dispatch.CmdBeginRendering(command_buffer, rendering_);
  } else if (contents_) {
    dispatch.CmdBeginRenderPass(command_buffer, render_pass_, *contents_);
  } else {
    dispatch.CmdBeginRenderPass2(command_buffer, render_pass_, &subpass_);
  }
  if (locations_) dispatch.CmdSetRenderingAttachmentLocations(command_buffer, locations_);
  if (input_indices_) dispatch.CmdSetRenderingInputAttachmentIndices(command_buffer, input_indices_);
}

}  // namespace trellis
