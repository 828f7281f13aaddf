// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/recorder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "layer/diagnostics/exception.h"
#include "layer/diagnostics/label.h"
#include "layer/dispatch/struct_type.h"
#include "layer/graph/describe.h"
#include "layer/objects/bound_state_replay.h"
#include "layer/objects/device.h"
#include "layer/replay/recording/timing.h"

namespace trellis {
namespace {

struct BarrierScope {
  VkPipelineStageFlags destination_stages;
  VkAccessFlags destination_access;
};

// A source scope also covers the earlier stages of the same commands, and with them the reads of indirect arguments.
// Mesh shaders write nothing of the graph's that is read afterwards.
VkPipelineStageFlags SourceOf(GraphBarrier barrier, bool have_drawn) {
  const bool is_inside = barrier == GraphBarrier::kWork || barrier == GraphBarrier::kArguments;
  if (!have_drawn || is_inside) return VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  // Kernels concurrent with draws do not read the ring.
  if (barrier == GraphBarrier::kRelease) return VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
  // The application orders what fragment shaders do to its memory, except within a graph.
  const bool is_step = barrier == GraphBarrier::kStep;
  return VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT |
         (is_step ? VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT : 0);
}

BarrierScope ScopeOf(GraphBarrier barrier) {
  constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  switch (barrier) {
    case GraphBarrier::kEnter:
    case GraphBarrier::kWork:
    case GraphBarrier::kStep:
    case GraphBarrier::kRelease:
    case GraphBarrier::kLeave:
      break;
    case GraphBarrier::kArguments:
      return {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
              kShader | VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    case GraphBarrier::kLeaveWithReports:
      return {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, kShader | VK_ACCESS_HOST_READ_BIT};
  }
  return {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kShader};
}

}  // namespace

void RecordBarrier(const CommandBuffer& command_buffer, GraphBarrier barrier) {
  const BarrierScope scope = ScopeOf(barrier);
  auto memory = MakeStruct<VkMemoryBarrier>();
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  memory.dstAccessMask = scope.destination_access;
  command_buffer.device.dispatch.CmdPipelineBarrier(command_buffer.handle,
                                                    SourceOf(barrier, command_buffer.graphs.have_drawn),
                                                    scope.destination_stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void RecordReleases(CommandBuffer& command_buffer) {
  const std::vector<PendingRelease> releases = std::exchange(command_buffer.graphs.releases, {});
  if (releases.empty()) return;
  const DeviceDispatch& dispatch = command_buffer.device.dispatch;
  const ScopedLabel label(command_buffer.device, command_buffer.handle, "trellis end");
  const ScopedComputeState state(command_buffer);
  RecordBarrier(command_buffer, GraphBarrier::kRelease);
  command_buffer.graphs.have_drawn = false;
  const ScopedUnconditional unconditional(command_buffer);
  dispatch.CmdBindPipeline(command_buffer.handle, VK_PIPELINE_BIND_POINT_COMPUTE, releases.front().kernel);
  for (const PendingRelease& release : releases) {
    dispatch.CmdPushConstants(command_buffer.handle, release.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              sizeof(release.plan), &release.plan);
    dispatch.CmdDispatch(command_buffer.handle, 1, 1, 1);
  }
}

ScopedUnconditional::ScopedUnconditional(const CommandBuffer& command_buffer, bool is_active)
    : command_buffer_(command_buffer), is_active_(is_active) {
  if (is_active_) command_buffer_.device.dispatch.CmdEndConditionalRenderingEXT(command_buffer_.handle);
}

ScopedUnconditional::~ScopedUnconditional() {
  if (is_active_)
    command_buffer_.device.dispatch.CmdBeginConditionalRenderingEXT(command_buffer_.handle,
                                                                    &*command_buffer_.conditional_rendering);
}

PushedConstants::PushedConstants(const CommandBuffer& command_buffer, VkPipelineLayout layout,
                                 VkShaderStageFlags stages, const NodePushConstants& plan,
                                 std::span<const uint8_t> application, VkDeviceAddress copy)
    : command_buffer_(command_buffer),
      layout_(layout),
      stages_(stages),
      launch_offset_(plan.launch_offset),
      bytes_(plan.node_push_constant_size) {
  if (plan.copy_offset)
    std::memcpy(bytes_.data() + *plan.copy_offset, &copy, sizeof(copy));
  else
    std::copy_n(application.begin(), std::min<size_t>(plan.push_constant_end, application.size()), bytes_.begin());
}

void PushedConstants::Push(VkDeviceAddress block) {
  std::memcpy(bytes_.data() + launch_offset_, &block, sizeof(block));
  const uint32_t first = all_pushed_ ? launch_offset_ : 0;
  const size_t size = all_pushed_ ? sizeof(block) : bytes_.size();
  command_buffer_.device.dispatch.CmdPushConstants(command_buffer_.handle, layout_, stages_, first,
                                                   static_cast<uint32_t>(size), bytes_.data() + first);
  all_pushed_ = true;
}

Recorder::Recorder(const CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, BufferPlace scratch,
                   VkDeviceAddress push_constant_copy)
    : command_buffer_(command_buffer),
      dispatch_(command_buffer.device.dispatch),
      pipeline_(pipeline),
      scratch_(scratch),
      push_constants_(command_buffer, pipeline.layout->node_layout, VK_SHADER_STAGE_COMPUTE_BIT, *pipeline.layout,
                      command_buffer.push_constants.ComputeBytes(), push_constant_copy) {}

void Recorder::Mark(const char* phase, uint32_t level) {
  if (timer_ != nullptr) timer_->Mark({phase, level});
}

void Recorder::Run(Kernel kernel, const KernelCall& call) {
  BindKernel(kernel, call.plan);
  const ScopedUnconditional unconditional(command_buffer_);
  dispatch_.CmdDispatch(command_buffer_.handle, call.x, call.y, 1);
  ++recorded_.dispatches;
}

void Recorder::RunIndirect(Kernel kernel, VkDeviceAddress plan, VkDeviceSize arguments) {
  BindKernel(kernel, plan);
  const ScopedUnconditional unconditional(command_buffer_);
  dispatch_.CmdDispatchIndirect(command_buffer_.handle, scratch_.buffer, scratch_.offset + arguments);
  ++recorded_.dispatches;
}

void Recorder::BindKernel(Kernel kernel, VkDeviceAddress plan) {
  const VkPipeline pipeline = pipeline_.kernels.of(kernel);
  assert(pipeline && "NeededKernels has it for every graph that records it");
  Bind(pipeline);
  dispatch_.CmdPushConstants(command_buffer_.handle, pipeline_.kernels.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             sizeof(plan), &plan);
  push_constants_.Forget();
}

void Recorder::BindNodeSets() { BindGraphSets(command_buffer_, *pipeline_.layout); }

void Recorder::Launch(const NodeLaunch& launch, uint32_t level) {
  const ScopedLabel label(command_buffer_.device, command_buffer_.handle, *launch.label);
  Bind(pipeline_.nodes[launch.node].pipeline->handle());
  push_constants_.Push(launch.block);
  if (launch.arguments) {
    const BufferPlace arguments = launch.ArgumentsIn(scratch_);
    dispatch_.CmdDispatchIndirect(command_buffer_.handle, arguments.buffer, arguments.offset);
  } else {
    dispatch_.CmdDispatch(command_buffer_.handle, launch.size.x, launch.size.y, launch.size.z);
  }
  ++recorded_.dispatches;
  if (timer_ != nullptr) timer_->Mark({LaunchLabel(pipeline_.graph, launch.launch), level, launch.launch.slot});
}

void Recorder::Bind(VkPipeline pipeline) {
  if (bound_ == pipeline) return;
  dispatch_.CmdBindPipeline(command_buffer_.handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  bound_ = pipeline;
  ++recorded_.binds;
}

// A destructor that throws terminates the application, so no exception may leave this one.
ScopedComputeState::~ScopedComputeState() {
  try {
    RestoreComputeState(command_buffer_);
  } catch (...) {
    command_buffer_.RememberError(
        HandleException(command_buffer_.device.diagnostics, "compute state that follows a graph"));
  }
}

}  // namespace trellis
