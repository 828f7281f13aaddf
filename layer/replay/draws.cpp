#include "layer/replay/draws.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "layer/diagnostics/exception.h"
#include "layer/diagnostics/label.h"
#include "layer/graph/describe.h"
#include "layer/objects/bound_state_replay.h"
#include "layer/objects/device.h"

namespace trellis {
namespace {

// Puts the application's graphics state back at the end of its life.
class [[nodiscard]] ScopedGraphicsState {
 public:
  explicit ScopedGraphicsState(CommandBuffer& command_buffer) : command_buffer_(command_buffer) {}
  ScopedGraphicsState(const ScopedGraphicsState&) = delete;
  ScopedGraphicsState& operator=(const ScopedGraphicsState&) = delete;
  // A destructor that throws terminates the application, so no exception may leave this one.
  ~ScopedGraphicsState() {
    try {
      RestoreGraphicsState(command_buffer_);
    } catch (...) {
      command_buffer_.RememberError(
          HandleException(command_buffer_.device.diagnostics, "graphics state that follows a graph"));
    }
  }

 private:
  CommandBuffer& command_buffer_;
};

// All that mesh nodes find in push constants. The address of the launch block changes.
class DrawPushConstants {
 public:
  DrawPushConstants(const CommandBuffer& command_buffer, const PipelineLayout& layout)
      : command_buffer_(command_buffer), layout_(layout), bytes_(layout.draw.node_push_constant_size) {
    const std::vector<uint8_t>& application = command_buffer.push_constants.DrawBytes();
    std::copy_n(application.begin(), std::min<size_t>(layout.draw.push_constant_end, application.size()),
                bytes_.begin());
  }

  void Push(VkDeviceAddress block) {
    std::memcpy(bytes_.data() + layout_.draw.launch_offset, &block, sizeof(block));
    const uint32_t first = all_pushed_ ? layout_.draw.launch_offset : 0;
    command_buffer_.device.dispatch.CmdPushConstants(command_buffer_.handle, layout_.draw_layout, kDrawStages, first,
                                                     layout_.draw.node_push_constant_size - first,
                                                     bytes_.data() + first);
    all_pushed_ = true;
  }

 private:
  const CommandBuffer& command_buffer_;
  const PipelineLayout& layout_;
  std::vector<uint8_t> bytes_;
  bool all_pushed_ = false;
};

}  // namespace

void RecordDraws(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const DrawPlan& plan,
                 const std::string& label) {
  const Device& device = command_buffer.device;
  const ScopedLabel graph_label(device, command_buffer.handle, label);
  const ScopedGraphicsState state(command_buffer);
  const PipelineLayout& layout = *pipeline.layout;
  BindGraphSets(command_buffer, layout, VK_PIPELINE_BIND_POINT_GRAPHICS);
  DrawPushConstants push_constants(command_buffer, layout);
  VkPipeline bound = VK_NULL_HANDLE;
  for (const Draw& draw : plan.draws) {
    const ScopedLabel draw_label(
        device, command_buffer.handle,
        LabelsEnabled(device) ? DispatchLabel(LaunchLabel(pipeline.graph, draw.launch), 0) : std::string());
    const VkPipeline node = pipeline.nodes[draw.node].pipeline->handle();
    if (node != bound) device.dispatch.CmdBindPipeline(command_buffer.handle, VK_PIPELINE_BIND_POINT_GRAPHICS, node);
    bound = node;
    push_constants.Push(draw.block);
    device.dispatch.CmdDrawMeshTasksEXT(command_buffer.handle, draw.size.x, draw.size.y, draw.size.z);
  }
}

}  // namespace trellis
