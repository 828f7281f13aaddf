// SPDX-License-Identifier: Apache-2.0
// Records the pieces that a graph dispatch is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/replay/placing/dispatch_plan.h"
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

// Leaves the command buffer's compute state disturbed; see ScopedComputeState. Conditional rendering that the
// application began applies to the nodes alone: a predicate that a node changes must not keep the ring from being given
// back. Threading: that of the command buffer.
class Recorder {
 public:
  // `scratch`: where the scratch address is.
  Recorder(const CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, BufferPlace scratch);

  // From now on every phase and node is timed. Null: none is.
  void TimeWith(GraphTimer* timer) { timer_ = timer; }
  // What was recorded since the last mark is `phase` of the graph, or of a level; launches mark themselves.
  void Mark(const char* phase);
  void Mark(const char* phase, uint32_t level);

  void Barrier(GraphBarrier barrier) {
    RecordBarrier(command_buffer_, barrier);
    ++barriers_;
  }
  void Run(Kernel kernel, const KernelCall& call);
  // `arguments`: offset of the VkDispatchIndirectCommand from the scratch address.
  void RunIndirect(Kernel kernel, VkDeviceAddress plan, VkDeviceSize arguments);
  // Binds what the nodes see: to be called once, before the first launch. `push_constant_copy`: for layouts with a
  // copy_offset.
  void BindNodeState(VkDeviceAddress push_constant_copy);
  void Launch(const NodeLaunch& launch, uint32_t level);

  // Recorded so far, internal kernels included.
  [[nodiscard]] uint32_t dispatches() const { return dispatches_; }
  // Pipelines bound for them.
  [[nodiscard]] uint32_t binds() const { return binds_; }
  [[nodiscard]] uint32_t barriers() const { return barriers_; }

 private:
  void Bind(VkPipeline pipeline);
  void BindKernel(Kernel kernel, VkDeviceAddress plan);
  void BindNode(const NodeLaunch& launch);
  void PushLaunch(VkDeviceAddress block);
  void MarkLaunch(const NodeLaunch& launch, uint32_t level);

  const CommandBuffer& command_buffer_;
  const DeviceDispatch& dispatch_;
  const ExecutionGraphPipeline& pipeline_;
  const PipelineLayout& layout_;
  const BufferPlace scratch_;
  GraphTimer* timer_ = nullptr;
  VkPipeline bound_ = VK_NULL_HANDLE;
  uint32_t dispatches_ = 0;
  uint32_t binds_ = 0;
  uint32_t barriers_ = 0;
  std::vector<uint8_t> node_bytes_;  // all that nodes find in push constants; the launch's address changes
  // False after an internal kernel, whose push constants lie where the nodes' do.
  bool node_bytes_pushed_ = false;
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
