// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/split_scene.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/rectangles_frag_spv.h"
#include "tests/rectangles_vert_spv.h"

namespace trellis::test {
namespace {

constexpr uint32_t kDrawsPerPixel = 2;
constexpr VkExtent2D kExtent = {SplitScene::kSize, SplitScene::kSize};
constexpr VkImageLayout kColorLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
constexpr VkImageLayout kDepthLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
constexpr VkImageLayout kCopyLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr uint32_t kVertices = 6;  // of a rectangle

struct SceneVertex {
  float x, y, z;
  uint32_t color;
};

// Exact: positions are multiples of 1/16, depths of 1/8.
void AppendVertices(const Rectangle& rectangle, std::vector<SceneVertex>& vertices) {
  const auto at = [&rectangle](uint32_t x, uint32_t y) {
    constexpr float kHalf = SplitScene::kSize / 2.0f;
    return SceneVertex{static_cast<float>(x) / kHalf - 1.0f, static_cast<float>(y) / kHalf - 1.0f,
                       static_cast<float>(rectangle.eighths) / 8.0f, rectangle.color};
  };
  const uint32_t right = rectangle.x + rectangle.width;
  const uint32_t bottom = rectangle.y + rectangle.height;
  for (const SceneVertex& vertex : {at(rectangle.x, rectangle.y), at(right, rectangle.y), at(right, bottom),
                                    at(rectangle.x, rectangle.y), at(right, bottom), at(rectangle.x, bottom)})
    vertices.push_back(vertex);
}

VkClearValue ClearColor() {
  VkClearValue clear = {};
  for (uint32_t i = 0; i < 4; ++i)
    clear.color.float32[i] = static_cast<float>(SplitScene::kCleared >> (8 * i) & 0xFF) / 255.0f;
  return clear;
}

VkClearValue ClearDepth() {
  VkClearValue clear = {};
  clear.depthStencil = {1.0f, 0};
  return clear;
}

void OrderEverything(VkCommandBuffer command_buffer, const VkImageMemoryBarrier* image) {
  auto memory = MakeStruct<VkMemoryBarrier>();
  memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                       &memory, 0, nullptr, image ? 1 : 0, image);
}

void Name(VkAttachmentDescription&) {}
void Name(VkAttachmentDescription2& info) { info.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2; }
void Name(VkAttachmentReference&) {}
void Name(VkAttachmentReference2& info) { info.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2; }
void Name(VkSubpassDescription&) {}
void Name(VkSubpassDescription2& info) { info.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2; }

VkAttachmentLoadOp ClearIf(bool clears) {
  return clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
}
VkAttachmentStoreOp StoreIf(bool stores) {
  return stores ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
}

}  // namespace

SplitScene::SplitScene(const Context& context, const SceneOptions& options, const std::vector<Rectangle>& rectangles)
    : context_(context), options_(options) {
  const VkSampleCountFlagBits samples = options.multisampled ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
  color_.format = resolved_.format = VK_FORMAT_R8G8B8A8_UNORM;
  color_.aspects = resolved_.aspects = VK_IMAGE_ASPECT_COLOR_BIT;
  color_.samples = depth_.samples = samples;
  depth_.format = VK_FORMAT_D32_SFLOAT_S8_UINT;
  depth_.aspects = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  MakeImage(color_, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  MakeImage(depth_, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  if (options.multisampled) MakeImage(resolved_, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  if (options.kind != InstanceKind::kDynamic) {
    MakeRenderPass();
    MakeFramebuffer();
  }
  MakePipeline();
  std::vector<SceneVertex> vertices;
  for (const Rectangle& rectangle : rectangles) AppendVertices(rectangle, vertices);
  const size_t bytes = vertices.size() * sizeof(SceneVertex);
  vertices_ = Buffer(context, bytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(vertices_.bytes().data(), vertices.data(), bytes);
  pixels_ = Buffer(context, kSize * kSize * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

SplitScene::~SplitScene() {
  vkDestroyPipeline(context_.device, pipeline_, nullptr);
  vkDestroyPipelineLayout(context_.device, layout_, nullptr);
  vkDestroyFramebuffer(context_.device, framebuffer_, nullptr);
  vkDestroyRenderPass(context_.device, render_pass_, nullptr);
  for (const Image& image : {color_, depth_, resolved_}) {
    vkDestroyImageView(context_.device, image.view, nullptr);
    vkDestroyImage(context_.device, image.image, nullptr);
    vkFreeMemory(context_.device, image.memory, nullptr);
  }
}

std::vector<SplitScene::Image*> SplitScene::Images() {
  std::vector<Image*> images = {&color_, &depth_};
  if (options_.multisampled) images.push_back(&resolved_);
  return images;
}

void SplitScene::MakeImage(Image& image, VkImageUsageFlags usage) {
  auto info = MakeStruct<VkImageCreateInfo>();
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = image.format;
  info.extent = {kSize, kSize, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = image.samples;
  info.usage = usage;
  image.usage = usage;
  EXPECT_EQ(vkCreateImage(context_.device, &info, nullptr, &image.image), VK_SUCCESS);
  VkMemoryRequirements requirements = {};
  vkGetImageMemoryRequirements(context_.device, image.image, &requirements);
  auto allocation = MakeStruct<VkMemoryAllocateInfo>();
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = context_.MemoryType(requirements.memoryTypeBits, 0);
  EXPECT_EQ(vkAllocateMemory(context_.device, &allocation, nullptr, &image.memory), VK_SUCCESS);
  EXPECT_EQ(vkBindImageMemory(context_.device, image.image, image.memory, 0), VK_SUCCESS);
  auto view = MakeStruct<VkImageViewCreateInfo>();
  view.image = image.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = image.format;
  view.subresourceRange = {image.aspects, 0, 1, 0, 1};
  EXPECT_EQ(vkCreateImageView(context_.device, &view, nullptr, &image.view), VK_SUCCESS);
}

template <typename Attachment, typename Reference, typename Subpass, typename CreateInfo, typename Create>
void SplitScene::MakeRenderPassWith(CreateInfo info, Create create) {
  std::vector<Attachment> attachments;
  for (const Image* image : Images()) {
    Attachment& attachment = attachments.emplace_back();
    Name(attachment);
    attachment.format = image->format;
    attachment.samples = image->samples;
    attachment.loadOp = attachment.stencilLoadOp =
        image == &resolved_ ? VK_ATTACHMENT_LOAD_OP_DONT_CARE : ClearIf(image != &color_ || options_.clears_picture);
    attachment.storeOp = attachment.stencilStoreOp =
        StoreIf(options_.stores_all || (image == &Picture() && options_.stores_picture));
    attachment.finalLayout = image == &Picture() ? kCopyLayout : image == &depth_ ? kDepthLayout : kColorLayout;
  }
  Reference references[3] = {};
  const VkImageLayout layouts[] = {kColorLayout, kDepthLayout, kColorLayout};
  for (uint32_t i = 0; i < 3; ++i) {
    Name(references[i]);
    references[i].attachment = i;
    references[i].layout = layouts[i];
  }
  if constexpr (requires { references[0].aspectMask; }) references[0].aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
  Subpass subpass = {};
  Name(subpass);
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &references[0];
  subpass.pDepthStencilAttachment = &references[1];
  subpass.pResolveAttachments = options_.multisampled ? &references[2] : nullptr;
  info.attachmentCount = static_cast<uint32_t>(attachments.size());
  info.pAttachments = attachments.data();
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  EXPECT_EQ(create(context_.device, &info, nullptr, &render_pass_), VK_SUCCESS);
}

void SplitScene::MakeRenderPass() {
  if (options_.kind == InstanceKind::kObject) {
    MakeRenderPassWith<VkAttachmentDescription, VkAttachmentReference, VkSubpassDescription>(
        MakeStruct<VkRenderPassCreateInfo>(), vkCreateRenderPass);
  } else {
    MakeRenderPassWith<VkAttachmentDescription2, VkAttachmentReference2, VkSubpassDescription2>(
        MakeStruct<VkRenderPassCreateInfo2>(), vkCreateRenderPass2);
  }
}

std::vector<VkImageView> SplitScene::Views() {
  std::vector<VkImageView> views;
  for (const Image* image : Images()) views.push_back(image->view);
  return views;
}

void SplitScene::MakeFramebuffer() {
  const std::vector<VkImageView> views = Views();
  std::vector<VkFramebufferAttachmentImageInfo> images;
  for (const Image* image : Images()) {
    auto& attachment = images.emplace_back(MakeStruct<VkFramebufferAttachmentImageInfo>());
    attachment.usage = image->usage;
    attachment.width = attachment.height = kSize;
    attachment.layerCount = 1;
    attachment.viewFormatCount = 1;
    attachment.pViewFormats = &image->format;
  }
  auto attachments = MakeStruct<VkFramebufferAttachmentsCreateInfo>();
  attachments.attachmentImageInfoCount = static_cast<uint32_t>(images.size());
  attachments.pAttachmentImageInfos = images.data();
  auto info = MakeStruct<VkFramebufferCreateInfo>();
  info.renderPass = render_pass_;
  info.attachmentCount = static_cast<uint32_t>(views.size());
  info.pAttachments = views.data();
  info.width = info.height = kSize;
  info.layers = 1;
  if (options_.imageless) {
    info.pNext = &attachments;
    info.flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
  }
  EXPECT_EQ(vkCreateFramebuffer(context_.device, &info, nullptr, &framebuffer_), VK_SUCCESS);
}

void SplitScene::EditState(ColorState& state) const {
  static constexpr VkViewport kArea = {0, 0, kSize, kSize, 0, 1};
  static constexpr VkRect2D kScissor = {{0, 0}, kExtent};
  static constexpr VkStencilOpState kStencil = {
      VK_STENCIL_OP_KEEP, VK_STENCIL_OP_INCREMENT_AND_CLAMP, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_GREATER, 0xFF, 0xFF,
      kDrawsPerPixel};
  static const VkPipelineDepthStencilStateCreateInfo kDepth = [] {
    auto depth = MakeStruct<VkPipelineDepthStencilStateCreateInfo>();
    depth.depthTestEnable = depth.depthWriteEnable = depth.stencilTestEnable = VK_TRUE;
    depth.depthCompareOp = VK_COMPARE_OP_LESS;
    depth.front = depth.back = kStencil;
    return depth;
  }();
  state.viewport.pViewports = &kArea;
  state.viewport.pScissors = &kScissor;
  state.samples.rasterizationSamples = color_.samples;
  state.attachment.colorWriteMask = 0xF;
  state.rendering.pColorAttachmentFormats = &color_.format;
  state.rendering.depthAttachmentFormat = state.rendering.stencilAttachmentFormat = depth_.format;
  state.info.renderPass = render_pass_;
  state.info.pDepthStencilState = &kDepth;
  state.info.pDynamicState = nullptr;
}

void SplitScene::MakePipeline() {
  const auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
  EXPECT_EQ(vkCreatePipelineLayout(context_.device, &layout_info, nullptr, &layout_), VK_SUCCESS);
  const StageModule vertex(context_, kRectanglesVertSpv);
  const StageModule fragment(context_, kRectanglesFragSpv);
  const std::array stages = {vertex.Stage(VK_SHADER_STAGE_VERTEX_BIT), fragment.Stage(VK_SHADER_STAGE_FRAGMENT_BIT)};
  const TriangleInput triangles(sizeof(SceneVertex), VK_FORMAT_R32G32B32_SFLOAT, offsetof(SceneVertex, color));
  ColorState state;
  EditState(state);
  VkGraphicsPipelineCreateInfo& info = state.info;
  if (options_.kind != InstanceKind::kDynamic) info.pNext = nullptr;
  info.stageCount = stages.size();
  info.pStages = stages.data();
  triangles.AddTo(info);
  info.layout = layout_;
  EXPECT_EQ(vkCreateGraphicsPipelines(context_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_), VK_SUCCESS);
}

void SplitScene::Transition(VkCommandBuffer command_buffer, const Image& image, VkImageLayout from,
                            VkImageLayout to) const {
  auto barrier = MakeStruct<VkImageMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.image = image.image;
  barrier.subresourceRange = {image.aspects, 0, 1, 0, 1};
  OrderEverything(command_buffer, &barrier);
}

void SplitScene::BeginDynamic(VkCommandBuffer command_buffer) const {
  auto color = MakeStruct<VkRenderingAttachmentInfo>();
  color.imageView = color_.view;
  color.imageLayout = kColorLayout;
  color.loadOp = ClearIf(options_.clears_picture);
  color.storeOp = StoreIf(options_.stores_all || (!options_.multisampled && options_.stores_picture));
  color.clearValue = ClearColor();
  if (options_.multisampled) {
    color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    color.resolveImageView = resolved_.view;
    color.resolveImageLayout = kColorLayout;
  }
  auto depth = MakeStruct<VkRenderingAttachmentInfo>();
  depth.imageView = depth_.view;
  depth.imageLayout = kDepthLayout;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.storeOp = StoreIf(options_.stores_all);
  depth.clearValue = ClearDepth();
  auto info = MakeStruct<VkRenderingInfo>();
  info.renderArea.extent = kExtent;
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = &depth;
  info.pStencilAttachment = &depth;
  vkCmdBeginRendering(command_buffer, &info);
}

void SplitScene::Begin(VkCommandBuffer command_buffer) {
  if (options_.kind == InstanceKind::kDynamic) {
    for (const Image* image : Images())
      Transition(command_buffer, *image, VK_IMAGE_LAYOUT_UNDEFINED, image == &depth_ ? kDepthLayout : kColorLayout);
    return BeginDynamic(command_buffer);
  }
  OrderEverything(command_buffer, nullptr);
  const std::array clears = {ClearColor(), ClearDepth()};
  auto info = MakeStruct<VkRenderPassBeginInfo>();
  info.renderPass = render_pass_;
  info.framebuffer = framebuffer_;
  info.renderArea.extent = kExtent;
  info.clearValueCount = clears.size();
  info.pClearValues = clears.data();
  const std::vector<VkImageView> views = Views();
  auto attachments = MakeStruct<VkRenderPassAttachmentBeginInfo>();
  attachments.attachmentCount = static_cast<uint32_t>(views.size());
  attachments.pAttachments = views.data();
  if (options_.imageless) info.pNext = &attachments;
  if (options_.kind == InstanceKind::kObject)
    return vkCmdBeginRenderPass(command_buffer, &info, VK_SUBPASS_CONTENTS_INLINE);
  auto subpass = MakeStruct<VkSubpassBeginInfo>();
  subpass.contents = VK_SUBPASS_CONTENTS_INLINE;
  vkCmdBeginRenderPass2(command_buffer, &info, &subpass);
}

void SplitScene::Draw(VkCommandBuffer command_buffer, uint32_t first, uint32_t count) {
  const VkBuffer vertices = vertices_.handle();
  const VkDeviceSize offset = 0;
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
  vkCmdBindVertexBuffers(command_buffer, 0, 1, &vertices, &offset);
  DrawMore(command_buffer, first, count);
}

void SplitScene::DrawMore(VkCommandBuffer command_buffer, uint32_t first, uint32_t count) {
  vkCmdDraw(command_buffer, count * kVertices, 1, first * kVertices, 0);
}

void SplitScene::End(VkCommandBuffer command_buffer) {
  if (options_.kind == InstanceKind::kDynamic) {
    vkCmdEndRendering(command_buffer);
    return Transition(command_buffer, Picture(), kColorLayout, kCopyLayout);
  }
  if (options_.kind == InstanceKind::kObject) {
    vkCmdEndRenderPass(command_buffer);
  } else {
    const auto end = MakeStruct<VkSubpassEndInfo>();
    vkCmdEndRenderPass2(command_buffer, &end);
  }
  OrderEverything(command_buffer, nullptr);
}

void SplitScene::Copy(VkCommandBuffer command_buffer) {
  VkBufferImageCopy region = {};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {kSize, kSize, 1};
  vkCmdCopyImageToBuffer(command_buffer, Picture().image, kCopyLayout, pixels_.handle(), 1, &region);
  auto memory = MakeStruct<VkMemoryBarrier>();
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                       nullptr, 0, nullptr);
}

std::vector<uint32_t> Paint(const std::vector<Rectangle>& rectangles) {
  constexpr size_t kPixels = SplitScene::kSize * SplitScene::kSize;
  std::vector<uint32_t> colors(kPixels, SplitScene::kCleared);
  std::vector<uint32_t> depths(kPixels, 8);
  std::vector<uint32_t> draws(kPixels, 0);
  for (const Rectangle& rectangle : rectangles)
    for (uint32_t y = rectangle.y; y < rectangle.y + rectangle.height; ++y)
      for (uint32_t x = rectangle.x; x < rectangle.x + rectangle.width; ++x) {
        const size_t pixel = y * SplitScene::kSize + x;
        if (draws[pixel] >= kDrawsPerPixel || rectangle.eighths >= depths[pixel]) continue;
        ++draws[pixel];
        colors[pixel] = rectangle.color;
        depths[pixel] = rectangle.eighths;
      }
  return colors;
}

}  // namespace trellis::test
