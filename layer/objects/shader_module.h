// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// A shader module of the application. Read-only after creation; shared, so words outlive vkDestroyShaderModule while
// someone holds the object. Plain modules are kept too: a compute shader without the capability may be a node.
struct ShaderModule {
  // The driver's handle; null when the module declares capability ShaderEnqueueAMDX: no driver gets to see those, and
  // the application's handle is this object's address (HandleFromObject).
  VkShaderModule driver_handle = VK_NULL_HANDLE;
  bool declares_shader_enqueue = false;
  std::vector<uint32_t> words;
};

// The words of a VkShaderModuleCreateInfo in the stage's chain (maintenance5, graphics pipeline library), which stand
// in for a module; empty without one. They belong to the application.
[[nodiscard]] std::span<const uint32_t> ChainedWords(const VkPipelineShaderStageCreateInfo& stage);

// The capabilities that SPIR-V declares. Words that are not SPIR-V of this machine's endianness declare nothing.
[[nodiscard]] std::vector<uint32_t> DeclaredCapabilities(std::span<const uint32_t> words);

// True for SPIR-V that declares capability ShaderEnqueueAMDX (5067).
[[nodiscard]] bool DeclaresShaderEnqueue(std::span<const uint32_t> words);

}  // namespace trellis
