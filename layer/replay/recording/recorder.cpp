// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/recorder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
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
  // Kernels beside draws do not read the ring.
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

// Suspends the application's conditional rendering.
class [[nodiscard]] ScopedUnconditional {
 public:
  explicit ScopedUnconditional(const CommandBuffer& command_buffer) : command_buffer_(command_buffer) {
    if (command_buffer_.conditional_rendering)
      command_buffer_.device.dispatch.CmdEndConditionalRenderingEXT(command_buffer_.handle);
  }
  ~ScopedUnconditional() {
    if (command_buffer_.conditional_rendering)
      command_buffer_.device.dispatch.CmdBeginConditionalRenderingEXT(command_buffer_.handle,
                                                                      &*command_buffer_.conditional_rendering);
  }
  ScopedUnconditional(const ScopedUnconditional&) = delete;
  ScopedUnconditional& operator=(const ScopedUnconditional&) = delete;

 private:
  const CommandBuffer& command_buffer_;
};

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

Recorder::Recorder(const CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, BufferPlace scratch)
    : command_buffer_(command_buffer),
      dispatch_(command_buffer.device.dispatch),
      pipeline_(pipeline),
      layout_(*pipeline.layout),
      scratch_(scratch) {}

void Recorder::Mark(const char* phase) {
  if (timer_ != nullptr) timer_->Mark(phase);
}

void Recorder::Mark(const char* phase, uint32_t level) {
  if (timer_ != nullptr) timer_->Mark(phase, level);
}

void Recorder::MarkLaunch(const NodeLaunch& launch, uint32_t level) {
  if (timer_ != nullptr) timer_->MarkLaunch(LaunchLabel(pipeline_.graph, launch.launch), level, launch.launch.slot);
}

void Recorder::Run(Kernel kernel, const KernelCall& call) {
  BindKernel(kernel, call.plan);
  const ScopedUnconditional unconditional(command_buffer_);
  dispatch_.CmdDispatch(command_buffer_.handle, call.x, call.y, 1);
  ++dispatches_;
}

void Recorder::RunIndirect(Kernel kernel, VkDeviceAddress plan, VkDeviceSize arguments) {
  BindKernel(kernel, plan);
  const ScopedUnconditional unconditional(command_buffer_);
  dispatch_.CmdDispatchIndirect(command_buffer_.handle, scratch_.buffer, scratch_.offset + arguments);
  ++dispatches_;
}

void Recorder::BindKernel(Kernel kernel, VkDeviceAddress plan) {
  const VkPipeline pipeline = pipeline_.kernels.of(kernel);
  assert(pipeline && "NeededKernels has it for every graph that records it");
  Bind(pipeline);
  dispatch_.CmdPushConstants(command_buffer_.handle, pipeline_.kernels.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             sizeof(plan), &plan);
  node_bytes_pushed_ = false;
}

void Recorder::BindNodeState(VkDeviceAddress push_constant_copy) {
  BindGraphSets(command_buffer_, layout_);
  node_bytes_.assign(layout_.node_push_constant_size, 0);
  node_bytes_pushed_ = false;
  if (layout_.copy_offset) {
    std::memcpy(node_bytes_.data() + *layout_.copy_offset, &push_constant_copy, sizeof(push_constant_copy));
    return;
  }
  const std::vector<uint8_t>& application = command_buffer_.push_constants.ComputeBytes();
  std::copy_n(application.begin(), std::min<size_t>(layout_.push_constant_end, application.size()),
              node_bytes_.begin());
}

void Recorder::Launch(const NodeLaunch& launch, uint32_t level) {
  const ScopedLabel label(command_buffer_.device, command_buffer_.handle, *launch.label);
  BindNode(launch);
  if (launch.arguments) {
    const BufferPlace arguments = launch.ArgumentsIn(scratch_);
    dispatch_.CmdDispatchIndirect(command_buffer_.handle, arguments.buffer, arguments.offset);
  } else {
    dispatch_.CmdDispatch(command_buffer_.handle, launch.size.x, launch.size.y, launch.size.z);
  }
  ++dispatches_;
  MarkLaunch(launch, level);
}

void Recorder::Bind(VkPipeline pipeline) {
  if (bound_ == pipeline) return;
  dispatch_.CmdBindPipeline(command_buffer_.handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  bound_ = pipeline;
  ++binds_;
}

void Recorder::BindNode(const NodeLaunch& launch) {
  Bind(pipeline_.nodes[launch.node].pipeline->handle());
  PushLaunch(launch.block);
}

void Recorder::PushLaunch(VkDeviceAddress block) {
  std::memcpy(node_bytes_.data() + layout_.launch_offset, &block, sizeof(block));
  const uint32_t first = node_bytes_pushed_ ? layout_.launch_offset : 0;
  const auto size = node_bytes_pushed_ ? static_cast<uint32_t>(sizeof(block)) : layout_.node_push_constant_size;
  dispatch_.CmdPushConstants(command_buffer_.handle, layout_.node_layout, VK_SHADER_STAGE_COMPUTE_BIT, first, size,
                             node_bytes_.data() + first);
  node_bytes_pushed_ = true;
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
