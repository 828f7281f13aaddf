// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/bound_state.h"
#include "layer/objects/components.h"
#include "layer/objects/durations.h"
#include "layer/objects/dynamic_states.h"
#include "layer/objects/render_pass_instance.h"

namespace trellis {

struct ChainedLayout;
struct Device;

// vkCmdInitializeGraphScratchMemoryAMDX as it was recorded.
struct InitializedScratch {
  VkPipeline graph = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;
  VkDeviceSize size = 0;
};

// A kernel that gives a ring back, whose draws have been recorded.
struct PendingRelease {
  VkPipeline kernel = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDeviceAddress plan = 0;  // pushed
};

// What the graphs that a recording holds so far leave to be done at its end.
struct RecordedGraphs {
  bool need_leaving = false;  // they use scratch, and the ring
  bool may_report = false;    // to the host
  bool have_drawn = false;    // their last work are draws, which may read scratch and the ring
  // To be recorded at the next place outside of render pass instances.
  std::vector<PendingRelease> releases = {};
};

// What is bound and recorded in a command buffer of the application. Threading: externally synchronised, as the command
// buffer itself is; vkQueueSubmit* reads `holds_graph` and `ring_bytes` when recording is over.
struct CommandBuffer {
  CommandBuffer(Device& owner, VkCommandBuffer own_handle) : device(owner), handle(own_handle) {}

  Device& device;
  const VkCommandBuffer handle;
  uint32_t queue_family = 0;
  bool is_protected = false;
  VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;

  // Recording state, forgotten by BeginRecording and Discard.
  bool is_recording = false;
  VkCommandBufferUsageFlags usage = 0;
  BindPointState compute;
  BindPointState graphics;         // where shaderMeshEnqueue is enabled
  BindPointState execution_graph;  // binds at VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, which are not passed down
  PushConstantState push_constants;
  DynamicStates dynamic_states;  // where shaderMeshEnqueue is enabled
  uint64_t bind_sequence = 0;
  // Layouts that binds so far carried as create infos; see FindBindLayout.
  std::vector<std::shared_ptr<ChainedLayout>> chained_layouts;
  // The active conditional rendering, without its pNext chain.
  std::optional<VkConditionalRenderingBeginInfoEXT> conditional_rendering;
  RenderPassInstance render_pass;
  bool holds_graph = false;
  RecordedGraphs graphs;
  VkDeviceSize ring_bytes = 0;                          // the largest ring that a graph in here needs
  VkResult recorded_error = VK_SUCCESS;                 // the first error of a vkCmd*: returned by vkEndCommandBuffer
  std::vector<std::shared_ptr<const void>> keep_alive;  // what the recorded commands use: pipelines, arenas, plans
  std::vector<std::shared_ptr<SharedDurations>> submissions;  // setting `report`: each submission adds to all
  std::vector<InitializedScratch> initialized_scratch;        // setting `validate` only; oldest first

  // State of other directories that is worth keeping between recordings, such as what a dispatch needs of the device.
  // Lives until the command buffer is freed.
  Components components;

  void BeginRecording(VkCommandBufferUsageFlags begin_usage) {
    Discard();
    is_recording = true;
    usage = begin_usage;
  }

  // Reset, free or begin: nothing recorded so far will execute again.
  void Discard();

  // After vkCmdExecuteCommands bound state, push constants and dynamic state are undefined.
  void ForgetBoundState();

  void RememberError(VkResult error) {
    if (recorded_error == VK_SUCCESS) recorded_error = error;
  }
  // Refuses a vkCmd* that cannot be done: reports `why` as an error with the message `id`, and remembers what
  // vkEndCommandBuffer is to return.
  void Refuse(const char* id, const std::string& why, VkResult error);

  // The state that a bind point names; null for bind points that graphs do not touch.
  [[nodiscard]] BindPointState* StateOf(VkPipelineBindPoint bind_point);
};

}  // namespace trellis
