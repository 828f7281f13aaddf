// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pipelines.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/accepted_words.h"
#include "tests/support/graph.h"

namespace trellis::test {
namespace {

constexpr VkFormat kColorFormat = VK_FORMAT_R32_UINT;

}  // namespace

TriangleInput::TriangleInput(uint32_t stride, VkFormat position, uint32_t value_offset)
    : binding{0, stride, VK_VERTEX_INPUT_RATE_VERTEX},
      attributes{{{0, 0, position, 0}, {1, 0, VK_FORMAT_R32_UINT, value_offset}}},
      input(MakeStruct<VkPipelineVertexInputStateCreateInfo>()),
      assembly(MakeStruct<VkPipelineInputAssemblyStateCreateInfo>()) {
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = attributes.size();
  input.pVertexAttributeDescriptions = attributes.data();
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

ColorState::ColorState()
    : info(MakeStruct<VkGraphicsPipelineCreateInfo>(&rendering)),
      viewport(MakeStruct<VkPipelineViewportStateCreateInfo>()),
      raster(MakeStruct<VkPipelineRasterizationStateCreateInfo>()),
      samples(MakeStruct<VkPipelineMultisampleStateCreateInfo>()),
      blend(MakeStruct<VkPipelineColorBlendStateCreateInfo>()),
      dynamic(MakeStruct<VkPipelineDynamicStateCreateInfo>()),
      rendering(MakeStruct<VkPipelineRenderingCreateInfo>()) {
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  raster.lineWidth = 1.0f;
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  attachment.colorWriteMask = VK_COLOR_COMPONENT_R_BIT;
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  SetDynamic(dynamic_states);
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &kColorFormat;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
}

void ColorState::SetDynamic(const std::vector<VkDynamicState>& states) {
  dynamic_states = states;
  dynamic.dynamicStateCount = static_cast<uint32_t>(dynamic_states.size());
  dynamic.pDynamicStates = dynamic_states.data();
}

StageModule::StageModule(const Context& context, std::span<const uint32_t> words) : context_(context) {
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  const std::vector<uint32_t> accepted = AcceptedWords(context, words);
  info.codeSize = accepted.size() * 4;
  info.pCode = accepted.data();
  EXPECT_EQ(vkCreateShaderModule(context.device, &info, nullptr, &handle_), VK_SUCCESS);
}

StageModule::~StageModule() { vkDestroyShaderModule(context_.device, handle_, nullptr); }

VkPipelineShaderStageCreateInfo StageModule::Stage(VkShaderStageFlagBits stage) const {
  auto info = MakeStruct<VkPipelineShaderStageCreateInfo>();
  info.stage = stage;
  info.module = handle_;
  info.pName = "main";
  return info;
}

void Pipeline::MakeCompute(std::span<const uint32_t> words, VkPipelineLayout layout, VkPipelineCache cache) {
  const StageModule module(context_, words);
  auto info = MakeStruct<VkComputePipelineCreateInfo>();
  info.stage = module.Stage(VK_SHADER_STAGE_COMPUTE_BIT);
  info.layout = layout;
  EXPECT_EQ(vkCreateComputePipelines(context_.device, cache, 1, &info, nullptr, &handle_), VK_SUCCESS);
}

void Pipeline::MakeCompute(const std::string& text, VkPipelineLayout layout, VkPipelineCache cache) {
  std::string error;
  const std::vector<uint32_t> words = AssembleModule(text, error);
  ASSERT_EQ(error, "");
  MakeCompute(words, layout, cache);
}

void Pipeline::MakeGraphics(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment,
                            VkPipelineLayout layout, const std::function<void(ColorState&)>& edit) {
  const StageModule vertex_module(context_, vertex);
  const StageModule fragment_module(context_, fragment);
  const std::array stages = {vertex_module.Stage(VK_SHADER_STAGE_VERTEX_BIT),
                             fragment_module.Stage(VK_SHADER_STAGE_FRAGMENT_BIT)};
  const TriangleInput triangles(sizeof(Vertex), VK_FORMAT_R32G32_SFLOAT, offsetof(Vertex, value));
  ColorState state;
  VkGraphicsPipelineCreateInfo& info = state.info;
  info.stageCount = stages.size();
  info.pStages = stages.data();
  triangles.AddTo(info);
  info.layout = layout;
  if (edit) edit(state);
  EXPECT_EQ(vkCreateGraphicsPipelines(context_.device, VK_NULL_HANDLE, 1, &info, nullptr, &handle_), VK_SUCCESS);
}

ColorImage::ColorImage(const Context& context, VkExtent2D extent, uint32_t layers)
    : context_(context), extent_(extent), whole_{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers} {
  auto info = MakeStruct<VkImageCreateInfo>();
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = kColorFormat;
  info.extent = {extent.width, extent.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = whole_.layerCount;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  EXPECT_EQ(vkCreateImage(context.device, &info, nullptr, &image_), VK_SUCCESS);
  VkMemoryRequirements requirements = {};
  vkGetImageMemoryRequirements(context.device, image_, &requirements);
  auto allocation = MakeStruct<VkMemoryAllocateInfo>();
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = context.MemoryType(requirements.memoryTypeBits, 0);
  EXPECT_EQ(vkAllocateMemory(context.device, &allocation, nullptr, &memory_), VK_SUCCESS);
  EXPECT_EQ(vkBindImageMemory(context.device, image_, memory_, 0), VK_SUCCESS);
  auto view = MakeStruct<VkImageViewCreateInfo>();
  view.image = image_;
  view.viewType = whole_.layerCount == 1 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  view.format = kColorFormat;
  view.subresourceRange = whole_;
  EXPECT_EQ(vkCreateImageView(context.device, &view, nullptr, &view_), VK_SUCCESS);
}

ColorImage::~ColorImage() {
  vkDestroyImageView(context_.device, view_, nullptr);
  vkDestroyImage(context_.device, image_, nullptr);
  vkFreeMemory(context_.device, memory_, nullptr);
}

void ColorImage::BeginRendering(VkCommandBuffer command_buffer, uint32_t view_mask) {
  auto barrier = MakeStruct<VkImageMemoryBarrier>();
  barrier.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  barrier.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  barrier.image = image_;
  barrier.subresourceRange = whole_;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                       0, 0, nullptr, 0, nullptr, 1, &barrier);
  auto attachment = MakeStruct<VkRenderingAttachmentInfo>();
  attachment.imageView = view_;
  attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  auto info = MakeStruct<VkRenderingInfo>();
  info.renderArea.extent = extent_;
  info.layerCount = whole_.layerCount;
  info.viewMask = view_mask;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &attachment;
  vkCmdBeginRendering(command_buffer, &info);
}

void ColorImage::EndRendering(VkCommandBuffer command_buffer) { vkCmdEndRendering(command_buffer); }

void ColorImage::CopyTo(VkCommandBuffer command_buffer, VkBuffer buffer) {
  auto barrier = MakeStruct<VkImageMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  barrier.image = image_;
  barrier.subresourceRange = whole_;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                       0, nullptr, 0, nullptr, 1, &barrier);
  VkBufferImageCopy region = {};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, whole_.layerCount};
  region.imageExtent = {extent_.width, extent_.height, 1};
  vkCmdCopyImageToBuffer(command_buffer, image_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &region);
  auto memory = MakeStruct<VkMemoryBarrier>();
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                       nullptr, 0, nullptr);
}

}  // namespace trellis::test
