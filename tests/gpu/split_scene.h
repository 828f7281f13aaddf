// SPDX-License-Identifier: Apache-2.0
// A picture of rectangles, drawn in render pass instances of each kind, and the same picture painted by the CPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/buffer.h"
#include "tests/support/context.h"
#include "tests/support/pipelines.h"

namespace trellis::test {

// Of whole pixels. Drawn where its depth is less than that of the pixel and fewer than two rectangles were drawn
// before.
struct Rectangle {
  uint32_t x, y, width, height;
  uint32_t eighths;  // of depth
  uint32_t color;    // R8G8B8A8
};

enum class InstanceKind : uint8_t { kDynamic, kObject, kObject2 };

struct SceneOptions {
  InstanceKind kind = InstanceKind::kDynamic;
  bool multisampled = false;  // four samples, resolved at the end
  bool stores_all = false;    // otherwise only the picture is stored: neither depth and stencil nor samples
  bool clears_picture = true, stores_picture = true;
  bool imageless = false;  // the framebuffer, of render pass objects
};

// Images, render pass and pipeline. Depth is cleared to 1, stencil to 0, colour to kCleared.
class SplitScene {
 public:
  static constexpr uint32_t kSize = 32;
  static constexpr uint32_t kCleared = 0xFF402010;

  SplitScene(const Context& context, const SceneOptions& options, const std::vector<Rectangle>& rectangles);
  ~SplitScene();
  SplitScene(const SplitScene&) = delete;
  SplitScene& operator=(const SplitScene&) = delete;

  void Begin(VkCommandBuffer command_buffer);
  // Binds everything and draws rectangles, between Begin and End.
  void Draw(VkCommandBuffer command_buffer, uint32_t first, uint32_t count);
  // Draws more of them with what is bound.
  void DrawMore(VkCommandBuffer command_buffer, uint32_t first, uint32_t count);
  void End(VkCommandBuffer command_buffer);
  // All state of its pipeline but shaders, vertices and layout. Lives as long as the scene.
  void EditState(ColorState& state) const;
  // After End; for Pixels.
  void Copy(VkCommandBuffer command_buffer);
  [[nodiscard]] std::span<const uint32_t> Pixels() const { return pixels_.words(); }

 private:
  struct Image {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageAspectFlags aspects = 0;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    VkImageUsageFlags usage = 0;
  };

  void MakeImage(Image& image, VkImageUsageFlags usage);
  void MakeRenderPass();
  template <typename Attachment, typename Reference, typename Subpass, typename CreateInfo, typename Create>
  void MakeRenderPassWith(CreateInfo info, Create create);
  void MakeFramebuffer();
  void MakePipeline();
  void Transition(VkCommandBuffer command_buffer, const Image& image, VkImageLayout from, VkImageLayout to) const;
  void BeginDynamic(VkCommandBuffer command_buffer) const;
  [[nodiscard]] std::vector<Image*> Images();
  [[nodiscard]] std::vector<VkImageView> Views();
  // What is stored and copied.
  [[nodiscard]] const Image& Picture() const { return options_.multisampled ? resolved_ : color_; }

  const Context& context_;
  const SceneOptions options_;
  Image color_, depth_, resolved_;
  VkRenderPass render_pass_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  Buffer vertices_;
  Buffer pixels_;
};

// What the rectangles look like, drawn in this order after a clear.
[[nodiscard]] std::vector<uint32_t> Paint(const std::vector<Rectangle>& rectangles);

}  // namespace trellis::test
