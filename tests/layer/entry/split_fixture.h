// SPDX-License-Identifier: Apache-2.0
// Graph dispatches inside render pass instances, on a driver that records.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/faults/graph_parts.h"
#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {

// A VkRenderingInfo with one colour, one depth and one stencil attachment, which are cleared and not stored.
struct DynamicInstance {
  DynamicInstance();
  DynamicInstance(const DynamicInstance&) = delete;
  DynamicInstance& operator=(const DynamicInstance&) = delete;

  void StoreAll();

  VkRenderingAttachmentInfo color = {}, depth = {}, stencil = {};
  VkRenderingInfo info = MakeStruct<VkRenderingInfo>();
};

// A VkRenderPassCreateInfo or VkRenderPassCreateInfo2, with a colour attachment and one for depth and stencil, which
// are cleared and not stored.
template <typename CreateInfo, typename Attachment, typename Subpass, typename Reference>
struct ObjectInfo {
  ObjectInfo() {
    Name();
    color_reference = {};
    depth_reference = {};
    color_reference.attachment = 0;
    color_reference.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    depth_reference.attachment = 1;
    depth_reference.layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    attachments[0].format = VK_FORMAT_R8G8B8A8_UNORM;
    attachments[0].finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    attachments[1].format = VK_FORMAT_D24_UNORM_S8_UINT;
    attachments[1].finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    for (Attachment& attachment : attachments) {
      attachment.loadOp = attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      attachment.storeOp = attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    }
    subpasses[0].colorAttachmentCount = 1;
    subpasses[0].pColorAttachments = &color_reference;
    subpasses[0].pDepthStencilAttachment = &depth_reference;
    info.attachmentCount = 2;
    info.pAttachments = attachments;
    info.subpassCount = 1;
    info.pSubpasses = subpasses;
  }
  ObjectInfo(const ObjectInfo&) = delete;
  ObjectInfo& operator=(const ObjectInfo&) = delete;

  void StoreAll() {
    for (Attachment& attachment : attachments)
      attachment.storeOp = attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
  }

  Attachment attachments[2] = {};
  Reference color_reference, depth_reference;
  Subpass subpasses[2] = {};
  CreateInfo info = {};

 private:
  void Name();
};
using ObjectInfo1 =
    ObjectInfo<VkRenderPassCreateInfo, VkAttachmentDescription, VkSubpassDescription, VkAttachmentReference>;
using ObjectInfo2 =
    ObjectInfo<VkRenderPassCreateInfo2, VkAttachmentDescription2, VkSubpassDescription2, VkAttachmentReference2>;

class SplitTest : public ::testing::Test {
 protected:
  // Makes a device with this value of split_render_passes, and begins to record.
  void Start(const char* split_render_passes = "on", std::vector<const char*> extensions = kGraphExtensions,
             const void* chain = nullptr);

  [[nodiscard]] VkRenderPass MakeRenderPass(const VkRenderPassCreateInfo& info);
  [[nodiscard]] VkRenderPass MakeRenderPass(const VkRenderPassCreateInfo2& info);
  void BeginObject(VkRenderPass render_pass, VkSubpassContents contents = VK_SUBPASS_CONTENTS_INLINE,
                   const void* chain = nullptr);
  void BeginObject2(VkRenderPass render_pass, const void* subpass_chain = nullptr);
  void BeginConditionalRendering();
  // Binds the graph and dispatches one payload.
  void Dispatch();

  // What has gone down since the last call, without labels. What a graph records is one "graph".
  [[nodiscard]] std::vector<std::string> TakeCommands();
  // The last call of that name.
  [[nodiscard]] DriverCall Last(const std::string& name) const { return driver_.CallsOf(name).back(); }
  // What vkEndCommandBuffer returns; begins another recording.
  [[nodiscard]] VkResult EndRecording();

  template <typename Function>
  [[nodiscard]] Function Get(const char* name) const {
    return device_->Get<Function>(name);
  }

  FakeDriver driver_{WithMeshShaders()};
  std::vector<std::string> messages_;
  std::unique_ptr<TestInstance> instance_;
  std::unique_ptr<Messenger> messenger_;
  std::unique_ptr<TestDevice> device_;
  std::unique_ptr<GraphParts> parts_;
  std::unique_ptr<Scratch> scratch_;
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffer_ = VK_NULL_HANDLE;

  void TearDown() override;
};

}  // namespace trellis::test
