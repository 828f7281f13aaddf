// SPDX-License-Identifier: Apache-2.0
// What a command buffer of the recording driver holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis::test {

struct Command {
  enum class Kind : uint8_t {
    kBindPipeline,
    kBindSets,
    kPushConstants,
    kDispatch,
    kDispatchIndirect,
    kDraw,  // of mesh shaders
    kDrawIndirect,
    kBarrier,
    kBeginConditional,
    kEndConditional,
    kBeginInstance,  // a render pass instance
    kEndInstance,
    kBeginLabel,
    kEndLabel
  };

  Kind kind;
  VkPipeline pipeline = VK_NULL_HANDLE;                            // kBindPipeline
  VkPipelineLayout layout = VK_NULL_HANDLE;                        // kBindSets, kPushConstants
  VkShaderStageFlags stages = 0;                                   // kPushConstants
  uint32_t first = 0;                                              // first set; first byte
  std::vector<VkDescriptorSet> sets;                               // kBindSets
  std::vector<uint32_t> dynamic_offsets;                           // kBindSets
  std::vector<uint8_t> bytes;                                      // kPushConstants
  uint32_t x = 0, y = 0, z = 0;                                    // kDispatch, kDraw
  VkBuffer buffer = VK_NULL_HANDLE;                                // those with indirect arguments, kBeginConditional
  VkDeviceSize offset = 0;                                         // likewise
  VkFlags flags = 0;                                               // kBeginConditional
  VkPipelineStageFlags source_stages = 0, destination_stages = 0;  // kBarrier, with the next two
  VkAccessFlags source_access = 0, destination_access = 0;
  std::string label;        // kBeginLabel
  bool is_dynamic = false;  // kBeginInstance: without a render pass object
};

using CommandStream = std::vector<Command>;

// The stream without the command at `index`.
[[nodiscard]] CommandStream Without(const CommandStream& stream, size_t index);
// Positions of the commands of one kind.
[[nodiscard]] std::vector<size_t> PositionsOf(const CommandStream& stream, Command::Kind kind);
// One line a command, for failure messages.
[[nodiscard]] std::string Describe(const CommandStream& stream);

}  // namespace trellis::test
