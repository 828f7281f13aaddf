// SPDX-License-Identifier: Apache-2.0
// Records the pieces that a graph dispatch is made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/replay/placing/dispatch_plan.h"
#include "layer/replay/reports/report.h"
#include "meta_shaders/kernels.h"

namespace trellis {

class GraphTimer;

// What a barrier separates. All are global memory barriers, because everything is accessed through addresses; the
// application's own memory is ordered between levels by the same ones.
enum class GraphBarrier : uint8_t {
  kEnter,      // an earlier graph of the recording from this one: the scratch and the ring may be the same
  kWork,       // compute work from compute work
  kStep,       // a step of bounded mode, and its draws, from the next one
  kArguments,  // compute work from dispatches whose indirect arguments it wrote
  kRelease,    // draws from kernels that give their rings back
  // The recording's graphs from those of later ones on the queue; and from the host, which reads reports.
  kLeave,
  kLeaveWithReports,
};

void RecordBarrier(const CommandBuffer& command_buffer, GraphBarrier barrier);

// Gives back the rings that graphs of the recording have drawn from. Outside of render pass instances.
void RecordReleases(CommandBuffer& command_buffer);

// Suspends the application's conditional rendering.
class [[nodiscard]] ScopedUnconditional {
 public:
  explicit ScopedUnconditional(const CommandBuffer& command_buffer)
      : ScopedUnconditional(command_buffer, command_buffer.conditional_rendering.has_value()) {}
  ScopedUnconditional(const CommandBuffer& command_buffer, bool is_active);
  ~ScopedUnconditional();
  ScopedUnconditional(const ScopedUnconditional&) = delete;
  ScopedUnconditional& operator=(const ScopedUnconditional&) = delete;

 private:
  const CommandBuffer& command_buffer_;
  const bool is_active_;
};

// All that nodes find in push constants. The address of the launch block changes.
class PushedConstants {
 public:
  // `application`: its push constants, as `stages` see them. `copy`: for plans with a copy_offset.
  PushedConstants(const CommandBuffer& command_buffer, VkPipelineLayout layout, VkShaderStageFlags stages,
                  const NodePushConstants& plan, std::span<const uint8_t> application, VkDeviceAddress copy = 0);

  void Push(VkDeviceAddress block);
  // An internal kernel's push constants lie in the same place.
  void Forget() { all_pushed_ = false; }

 private:
  const CommandBuffer& command_buffer_;
  const VkPipelineLayout layout_;
  const VkShaderStageFlags stages_;
  const uint32_t launch_offset_;
  std::vector<uint8_t> bytes_;
  bool all_pushed_ = false;
};

// Leaves the command buffer's compute state disturbed; see ScopedComputeState. Conditional rendering that the
// application began applies to the nodes alone: a predicate that a node changes must not keep the ring from being given
// back. Threading: that of the command buffer.
class Recorder {
 public:
  // `scratch`: where the scratch address is. `push_constant_copy`: for layouts with a copy_offset.
  Recorder(const CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, BufferPlace scratch,
           VkDeviceAddress push_constant_copy);

  // From now on every phase and node is timed. Null: none is.
  void TimeWith(GraphTimer* timer) { timer_ = timer; }
  // What was recorded since the last mark is `phase` of `level`, or without one of the graph; launches mark themselves.
  void Mark(const char* phase, uint32_t level = TimedPlace::kNone);

  void Barrier(GraphBarrier barrier) {
    RecordBarrier(command_buffer_, barrier);
    ++recorded_.barriers;
  }
  void Run(Kernel kernel, const KernelCall& call);
  // `arguments`: offset of the VkDispatchIndirectCommand from the scratch address.
  void RunIndirect(Kernel kernel, VkDeviceAddress plan, VkDeviceSize arguments);
  // Binds the sets that the nodes see: to be called once, before the first launch.
  void BindNodeSets();
  void Launch(const NodeLaunch& launch, uint32_t level);

  // So far, internal kernels included.
  [[nodiscard]] const Recorded& recorded() const { return recorded_; }

 private:
  void Bind(VkPipeline pipeline);
  void BindKernel(Kernel kernel, VkDeviceAddress plan);

  const CommandBuffer& command_buffer_;
  const DeviceDispatch& dispatch_;
  const ExecutionGraphPipeline& pipeline_;
  const BufferPlace scratch_;
  PushedConstants push_constants_;
  GraphTimer* timer_ = nullptr;
  VkPipeline bound_ = VK_NULL_HANDLE;
  Recorded recorded_;
};

// Puts the application's compute state back at the end of its life.
class [[nodiscard]] ScopedComputeState {
 public:
  explicit ScopedComputeState(CommandBuffer& command_buffer) : command_buffer_(command_buffer) {}
  ScopedComputeState(const ScopedComputeState&) = delete;
  ScopedComputeState& operator=(const ScopedComputeState&) = delete;
  ~ScopedComputeState();

 private:
  CommandBuffer& command_buffer_;
};

}  // namespace trellis
