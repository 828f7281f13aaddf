// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/recording/draws.h"

#include <string>

#include "layer/diagnostics/exception.h"
#include "layer/diagnostics/label.h"
#include "layer/graph/describe.h"
#include "layer/objects/bound_state_replay.h"
#include "layer/objects/device.h"

namespace trellis {
namespace {

// Binds nodes, and puts the application's graphics state back at the end of its life.
class [[nodiscard]] ScopedGraphicsState {
 public:
  explicit ScopedGraphicsState(CommandBuffer& command_buffer) : command_buffer_(command_buffer) {}
  ScopedGraphicsState(const ScopedGraphicsState&) = delete;
  ScopedGraphicsState& operator=(const ScopedGraphicsState&) = delete;
  // A destructor that throws terminates the application, so no exception may leave this one.
  ~ScopedGraphicsState() {
    try {
      if (bound_) Restore();
    } catch (...) {
      command_buffer_.RememberError(
          HandleException(command_buffer_.device.diagnostics, "graphics state that follows a graph"));
    }
  }

  // What it has dynamically is as the application set it, though another node overwrote it.
  void Bind(const NodePipeline& node) {
    if (bound_ == node.handle()) return;
    if (const CapturedStates missing = node.dynamic_states() & overwritten_; !missing.IsEmpty()) {
      SetDynamicStatesAgain(command_buffer_, DynamicStatePart::kAll,
                            [missing](VkDynamicState state) { return missing.Has(state); });
      overwritten_ = overwritten_ - missing;
    }
    command_buffer_.device.dispatch.CmdBindPipeline(command_buffer_.handle, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                                    node.handle());
    bound_ = node.handle();
    overwritten_ = overwritten_ | (CapturedStates::All() - node.dynamic_states());
  }

 private:
  // In the application's order. Its pipeline overwrites the states that it holds itself, and no command for those may
  // follow it that did not follow it before (VUID-vkCmdDraw-None-08608). States that are not captured are overwritten
  // by every node.
  void Restore() {
    const bool has_pipeline = command_buffer_.graphics.pipeline != VK_NULL_HANDLE;
    SetDynamicStatesAgain(
        command_buffer_, has_pipeline ? DynamicStatePart::kBeforePipeline : DynamicStatePart::kAll,
        [this](VkDynamicState state) { return !CapturedStates::IsCaptured(state) || overwritten_.Has(state); });
    RestoreGraphicsState(command_buffer_);
    if (has_pipeline)
      SetDynamicStatesAgain(command_buffer_, DynamicStatePart::kBehindPipeline, [](VkDynamicState) { return true; });
  }

  CommandBuffer& command_buffer_;
  VkPipeline bound_ = VK_NULL_HANDLE;
  CapturedStates overwritten_;
};

class DrawRecorder {
 public:
  DrawRecorder(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const BufferPlace& scratch)
      : state_(command_buffer),
        command_buffer_(command_buffer),
        pipeline_(pipeline),
        scratch_(scratch),
        push_constants_(command_buffer, pipeline.layout->draw_layout, kDrawStages, pipeline.layout->draw,
                        command_buffer.push_constants.DrawBytes()),
        has_labels_(LabelsEnabled(command_buffer.device)) {
    BindGraphSets(command_buffer, *pipeline.layout, VK_PIPELINE_BIND_POINT_GRAPHICS);
  }

  void Record(const NodeLaunch& draw) {
    const DeviceDispatch& dispatch = command_buffer_.device.dispatch;
    std::string made;
    const ScopedLabel label(command_buffer_.device, command_buffer_.handle, LabelOf(draw, made));
    state_.Bind(*pipeline_.nodes[draw.node].pipeline);
    push_constants_.Push(draw.block);
    if (draw.arguments) {
      const BufferPlace arguments = draw.ArgumentsIn(scratch_);
      dispatch.CmdDrawMeshTasksIndirectEXT(command_buffer_.handle, arguments.buffer, arguments.offset, 1, 0);
    } else {
      dispatch.CmdDrawMeshTasksEXT(command_buffer_.handle, draw.size.x, draw.size.y, draw.size.z);
    }
  }

 private:
  // `made` keeps one that stands nowhere. Mesh nodes have one slot each.
  [[nodiscard]] const std::string& LabelOf(const NodeLaunch& draw, std::string& made) const {
    if (!has_labels_) return made;
    if (draw.label != nullptr) return *draw.label;
    if (draw.launch.slot == draw.launch.input) return pipeline_.nodes[draw.node].root_label;
    return made = DispatchLabel(LaunchLabel(pipeline_.graph, draw.launch), 0);
  }

  ScopedGraphicsState state_;
  const CommandBuffer& command_buffer_;
  const ExecutionGraphPipeline& pipeline_;
  const BufferPlace scratch_;
  PushedConstants push_constants_;
  const bool has_labels_;
};

}  // namespace

void RecordDraws(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const BufferPlace& scratch,
                 std::initializer_list<std::span<const NodeLaunch>> draws, const std::string& label) {
  const ScopedLabel graph_label(command_buffer.device, command_buffer.handle, label);
  DrawRecorder recorder(command_buffer, pipeline, scratch);
  for (const std::span<const NodeLaunch> part : draws)
    for (const NodeLaunch& draw : part) recorder.Record(draw);
}

}  // namespace trellis
