// SPDX-License-Identifier: Apache-2.0
// A texture that shaders read at set 0, binding 0, with the pipeline layout that this takes.
#pragma once

#include <vector>

#include "bench/framework/gpu.h"
#include "bench/framework/image.h"

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
  void Upload(uint32_t side, const std::vector<uint32_t>& texels) const;
  void CreateSet();

  const Gpu& gpu_;
  const Image image_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace trellis::bench
