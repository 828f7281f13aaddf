// A texture that shaders read at set 0, binding 0, with the pipeline layout that this takes.
#pragma once

#include <vector>

#include "bench/framework/gpu.h"

namespace trellis::bench {

class Texture {
 public:
  // `texels`: side * side words, row by row.
  Texture(const Gpu& gpu, uint32_t side, const std::vector<uint32_t>& texels);
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  // Push constants as in Gpu::layout(), and the texture.
  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }
  void Bind(VkCommandBuffer commands, VkPipelineBindPoint bind_point) const;

 private:
  void CreateImage(uint32_t side);
  void Upload(uint32_t side, const std::vector<uint32_t>& texels) const;
  void CreateSet();

  const Gpu& gpu_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace trellis::bench
