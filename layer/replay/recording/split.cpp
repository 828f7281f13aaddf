// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/split.h"

#include <utility>

#include "layer/dispatch/struct_type.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/replay/recording/recorder.h"

namespace trellis {
namespace {

// A command that the layer does not follow may have ended the instance.
bool IsInside(const CommandBuffer& command_buffer) {
  return command_buffer.render_pass.is_open() && !command_buffer.device.may_miss_ends;
}

// The first part of the instance before the second. The application's own barriers inside the first part do not reach
// commands of the second one, so this one does what they do: all stages that they may name have their part in it. The
// layout transitions of a render pass object come behind all attachment stages, and its external dependencies may begin
// with any stage.
// With draws, what was computed before them, too; and before kernels that run concurrently with the draws.
void RecordBarrierBetweenParts(const CommandBuffer& command_buffer, SecondPart second) {
  constexpr VkPipelineStageFlags kFramebufferStages =
      VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
      VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr VkAccessFlags kWrites =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INPUT_ATTACHMENT_READ_BIT |
                                   VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  constexpr VkPipelineStageFlags kAllStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  constexpr VkAccessFlags kAllWrites = VK_ACCESS_MEMORY_WRITE_BIT;
  const bool is_dynamic = command_buffer.render_pass.is_dynamic();
  VkPipelineStageFlags source = is_dynamic ? kFramebufferStages : kAllStages;
  VkPipelineStageFlags destination = source;
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = is_dynamic ? kWrites : kAllWrites;
  barrier.dstAccessMask = is_dynamic ? kWrites | kReads : kAllWrites | VK_ACCESS_MEMORY_READ_BIT;
  if (is_dynamic && second == SecondPart::kWithDraws) {
    source |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    destination |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT |
                   VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
    barrier.dstAccessMask |= VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT;
  }
  command_buffer.device.dispatch.CmdPipelineBarrier(command_buffer.handle, source, destination, 0, 1, &barrier, 0,
                                                    nullptr, 0, nullptr);
}

}  // namespace

std::string WhyNotSplit(const CommandBuffer& command_buffer, SecondPart second) {
  if (!IsInside(command_buffer))
    return second == SecondPart::kWithDraws
               ? "the application has asked for a command that the layer does not know, which may have ended it"
               : std::string();
  const SplitObstacle obstacle = command_buffer.render_pass.FindObstacle();
  return obstacle ? obstacle.Describe() : std::string();
}

// What begins inside of an instance ends inside of it, and outside likewise.
ScopedSplit::ScopedSplit(const CommandBuffer& command_buffer, SecondPart second)
    : command_buffer_(command_buffer),
      second_(second),
      is_inside_(IsInside(command_buffer)),
      needs_barrier_(is_inside_) {
  if (!is_inside_) return;
  const RenderPassInstance& instance = command_buffer_.render_pass;
  const ScopedUnconditional unconditional(command_buffer_, instance.has_conditional_rendering());
  instance.RecordEnd(command_buffer_.device.dispatch, command_buffer_.handle);
}

void ScopedSplit::RecordBarrier() {
  if (std::exchange(needs_barrier_, false)) RecordBarrierBetweenParts(command_buffer_, second_);
}

ScopedSplit::~ScopedSplit() {
  if (!is_inside_) return;
  const RenderPassInstance& instance = command_buffer_.render_pass;
  const ScopedUnconditional unconditional(command_buffer_, instance.has_conditional_rendering());
  RecordBarrier();
  instance.RecordSecondPart(command_buffer_.device.dispatch, command_buffer_.handle);
}

}  // namespace trellis
