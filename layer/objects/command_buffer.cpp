#include "layer/objects/command_buffer.h"

namespace trellis {

void CommandBuffer::Discard() {
  ForgetBoundState();
  is_recording = false;
  chained_layouts.clear();
  conditional_rendering.reset();
  usage = 0;
  render_pass.End();
  holds_graph = false;
  graphs = {};
  ring_bytes = 0;
  recorded_error = VK_SUCCESS;
  keep_alive.clear();
  initialized_scratch.clear();
  ++recording;
}

void CommandBuffer::ForgetBoundState() {
  compute = {};
  graphics = {};
  execution_graph = {};
  push_constants = {};
  bind_sequence = 0;
}

}  // namespace trellis
