// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/entry/split_fixture.h"

#include <set>

#include "layer/objects/handle_table.h"

namespace trellis::test {
namespace {

VkRenderingAttachmentInfo Attachment(uint64_t view, VkImageLayout layout) {
  auto info = MakeStruct<VkRenderingAttachmentInfo>();
  info.imageView = HandleFromU64<VkImageView>(view);
  info.imageLayout = layout;
  info.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  info.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  return info;
}

bool BelongsToGraph(const DriverCall& call) {
  static const std::set<std::string> kCommands = {"CmdBindPipeline", "CmdPushConstants", "CmdDispatch",
                                                  "CmdDispatchIndirect", "CmdBindDescriptorSets"};
  return kCommands.count(call.name) != 0 ||
         (call.name == "CmdPipelineBarrier" && call.dynamic_offsets[0] == VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
}

}  // namespace

DynamicInstance::DynamicInstance()
    : color(Attachment(16, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL)),
      depth(Attachment(32, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL)),
      stencil(Attachment(48, VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL)) {
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = &depth;
  info.pStencilAttachment = &stencil;
}

void DynamicInstance::StoreAll() { color.storeOp = depth.storeOp = stencil.storeOp = VK_ATTACHMENT_STORE_OP_STORE; }

template <>
void ObjectInfo1::Name() {
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
}
template <>
void ObjectInfo2::Name() {
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  for (VkAttachmentDescription2& attachment : attachments)
    attachment.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2;
  for (VkSubpassDescription2& subpass : subpasses) subpass.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
}

void SplitTest::Start(const char* split_render_passes, std::vector<const char*> extensions, const void* chain) {
  const VkLayerSettingEXT value = {kLayerName, "split_render_passes", VK_LAYER_SETTING_TYPE_STRING_EXT, 1,
                                   &split_render_passes};
  const VkLayerSettingsCreateInfoEXT settings = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &value};
  instance_ =
      std::make_unique<TestInstance>(driver_, std::vector<const char*>{VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &settings);
  messenger_ = std::make_unique<Messenger>(*instance_, CollectIn(messages_));
  device_ = std::make_unique<TestDevice>(*instance_, extensions, chain);
  parts_ = std::make_unique<GraphParts>(*device_);
  scratch_ = std::make_unique<Scratch>(*device_);
  const VkExecutionGraphPipelineCreateInfoAMDX info = parts_->GraphInfo();
  ASSERT_EQ(
      TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(device_->handle(), {}, 1, &info, nullptr, &graph_),
      VK_SUCCESS);
  command_buffer_ = device_->Begin();
  driver_.ForgetCalls();
}

void SplitTest::TearDown() {
  scratch_.reset();
  parts_.reset();
  device_.reset();
  messenger_.reset();
  instance_.reset();
}

VkRenderPass SplitTest::MakeRenderPass(const VkRenderPassCreateInfo& info) {
  VkRenderPass render_pass = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(*device_, CreateRenderPass)(device_->handle(), &info, nullptr, &render_pass), VK_SUCCESS);
  return render_pass;
}

VkRenderPass SplitTest::MakeRenderPass(const VkRenderPassCreateInfo2& info) {
  VkRenderPass render_pass = VK_NULL_HANDLE;
  const auto create = Get<PFN_vkCreateRenderPass2>("vkCreateRenderPass2");
  EXPECT_EQ(create(device_->handle(), &info, nullptr, &render_pass), VK_SUCCESS);
  return render_pass;
}

void SplitTest::BeginObject(VkRenderPass render_pass, VkSubpassContents contents, const void* chain) {
  const VkClearValue clears[2] = {};
  auto info = MakeStruct<VkRenderPassBeginInfo>(chain);
  info.renderPass = render_pass;
  info.framebuffer = HandleFromU64<VkFramebuffer>(0x70);
  info.clearValueCount = 2;
  info.pClearValues = clears;
  TRELLIS_CALL(*device_, CmdBeginRenderPass)(command_buffer_, &info, contents);
}

void SplitTest::BeginObject2(VkRenderPass render_pass, const void* subpass_chain) {
  auto info = MakeStruct<VkRenderPassBeginInfo>();
  info.renderPass = render_pass;
  info.framebuffer = HandleFromU64<VkFramebuffer>(0x70);
  const VkSubpassBeginInfo subpass = {VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, subpass_chain, VK_SUBPASS_CONTENTS_INLINE};
  TRELLIS_CALL(*device_, CmdBeginRenderPass2)(command_buffer_, &info, &subpass);
}

void SplitTest::BeginConditionalRendering() {
  auto info = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
  info.buffer = HandleFromU64<VkBuffer>(7);
  TRELLIS_CALL(*device_, CmdBeginConditionalRenderingEXT)(command_buffer_, &info);
}

void SplitTest::Dispatch() {
  const OnePayload payload;
  TRELLIS_CALL(*device_, CmdBindPipeline)(command_buffer_, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_);
  TRELLIS_CALL(*device_, CmdDispatchGraphAMDX)(command_buffer_, scratch_->address(), Scratch::kBytes, &payload.counts);
}

std::vector<std::string> SplitTest::TakeCommands() {
  std::vector<std::string> names;
  for (const DriverCall& call : driver_.calls()) {
    if (!call.name.starts_with("Cmd") || call.name.ends_with("LabelEXT")) continue;
    const std::string name = BelongsToGraph(call) ? "graph" : call.name;
    if (name != "graph" || names.empty() || names.back() != name) names.push_back(name);
  }
  driver_.ForgetCalls();
  return names;
}

VkResult SplitTest::EndRecording() {
  const VkResult result = TRELLIS_CALL(*device_, EndCommandBuffer)(command_buffer_);
  const VkCommandBufferBeginInfo begin = {};
  TRELLIS_CALL(*device_, BeginCommandBuffer)(command_buffer_, &begin);
  return result;
}

}  // namespace trellis::test
