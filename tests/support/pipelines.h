// SPDX-License-Identifier: Apache-2.0
// Ordinary pipelines, for what runs next to graphs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/context.h"

namespace trellis::test {

// Triangles of vertices that begin with a position and hold a uint32_t. Attributes 0 and 1.
struct TriangleInput {
  TriangleInput(uint32_t stride, VkFormat position, uint32_t value_offset);
  TriangleInput(const TriangleInput&) = delete;
  TriangleInput& operator=(const TriangleInput&) = delete;

  void AddTo(VkGraphicsPipelineCreateInfo& info) const {
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
  }

  VkVertexInputBindingDescription binding;
  std::array<VkVertexInputAttributeDescription, 2> attributes;
  VkPipelineVertexInputStateCreateInfo input;
  VkPipelineInputAssemblyStateCreateInfo assembly;
};

// Everything that a graphics pipeline is made of besides its shaders and what a vertex shader reads: triangles, drawn
// with dynamic rendering into one R32_UINT image; viewport and scissor are dynamic.
struct ColorState {
  ColorState();
  ColorState(const ColorState&) = delete;
  ColorState& operator=(const ColorState&) = delete;

  void SetDynamic(const std::vector<VkDynamicState>& states);

  VkGraphicsPipelineCreateInfo info;  // points to the rest
  VkPipelineViewportStateCreateInfo viewport;
  VkPipelineRasterizationStateCreateInfo raster;
  VkPipelineMultisampleStateCreateInfo samples;
  VkPipelineColorBlendAttachmentState attachment = {};
  VkPipelineColorBlendStateCreateInfo blend;
  std::vector<VkDynamicState> dynamic_states = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic;
  VkPipelineRenderingCreateInfo rendering;
};

// A module with an entry point "main", for the creation of a pipeline.
class StageModule {
 public:
  StageModule(const Context& context, std::span<const uint32_t> words);
  ~StageModule();
  StageModule(const StageModule&) = delete;
  StageModule& operator=(const StageModule&) = delete;

  [[nodiscard]] VkPipelineShaderStageCreateInfo Stage(VkShaderStageFlagBits stage) const;

 private:
  const Context& context_;
  VkShaderModule handle_ = VK_NULL_HANDLE;
};

// Null pipelines after a failure of the driver, which fails the test.
class Pipeline {
 public:
  explicit Pipeline(const Context& context) : context_(context) {}
  ~Pipeline() { vkDestroyPipeline(context_.device, handle_, nullptr); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Entry point "main".
  void MakeCompute(std::span<const uint32_t> words, VkPipelineLayout layout, VkPipelineCache cache = VK_NULL_HANDLE);
  void MakeCompute(const std::string& text, VkPipelineLayout layout, VkPipelineCache cache = VK_NULL_HANDLE);
  // ColorState, with triangles from {vec2, uint} a vertex. `edit` may change what vkCreateGraphicsPipelines gets.
  void MakeGraphics(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment, VkPipelineLayout layout,
                    const std::function<void(ColorState&)>& edit = {});

  [[nodiscard]] VkPipeline handle() const { return handle_; }

 private:
  const Context& context_;
  VkPipeline handle_ = VK_NULL_HANDLE;
};

struct Vertex {
  float x, y;
  uint32_t value;
};

// An R32_UINT image that can be drawn into and copied.
class ColorImage {
 public:
  ColorImage(const Context& context, VkExtent2D extent, uint32_t layers = 1);
  ~ColorImage();
  ColorImage(const ColorImage&) = delete;
  ColorImage& operator=(const ColorImage&) = delete;

  // Between the two everything is drawn into the image, which begins with zeros.
  void BeginRendering(VkCommandBuffer command_buffer, uint32_t view_mask = 0);
  void EndRendering(VkCommandBuffer command_buffer);
  // To be recorded after EndRendering; layer by layer, row by row, visible to the host.
  void CopyTo(VkCommandBuffer command_buffer, VkBuffer buffer);
  [[nodiscard]] VkImageView view() const { return view_; }

 private:
  const Context& context_;
  const VkExtent2D extent_;
  const VkImageSubresourceRange whole_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
};

}  // namespace trellis::test
