// SPDX-License-Identifier: Apache-2.0
// Execution graph pipelines: what vkCreateExecutionGraphPipelinesAMDX makes, and what the replay reads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"
#include "layer/graph/levels.h"
#include "layer/memory/device_buffer.h"
#include "layer/memory/scratch_layout.h"
#include "layer/objects/components.h"
#include "layer/objects/device.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/pipeline/kernel_pipelines.h"
#include "layer/pipeline/node_pipeline.h"

namespace trellis {

// One graph, or a library with a part of one. Immutable once its handle is in Device::execution_graphs, except for the
// schedule cache, the name and the attachments, which lock themselves; so any thread may read it. Ownership: shared by
// the table and by command buffers that recorded it. vkDestroyPipeline lets go of the nodes' pipelines at once, and of
// the rest (tables) with the last reference.
struct ExecutionGraphPipeline {
  struct CompiledNode {
    std::shared_ptr<NodePipeline> pipeline;
    std::string label;       // "name[index]"
    std::string root_label;  // of its dispatch or draw in level 0
  };

  explicit ExecutionGraphPipeline(Device& owner) : device(owner) {}
  ExecutionGraphPipeline(const ExecutionGraphPipeline&) = delete;
  ExecutionGraphPipeline& operator=(const ExecutionGraphPipeline&) = delete;

  Device& device;
  uint32_t id = 0;  // unique in the process; ReportOrigin::graph
  Graph graph;
  bool is_library = false;                 // may be linked, not bound: no tables
  bool allows_derivatives = false;         // VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT
  std::shared_ptr<PipelineLayout> layout;  // the nodes' own are compatible with it and have the same launch_offset
  std::vector<CompiledNode> nodes;         // by node index, like graph.nodes
  DeviceBuffer tables;                     // layer/graph/tables.h
  std::vector<std::vector<shared::NodeOutput>> outputs;  // by slot: what its launch blocks end with
  KernelPipelines kernels;                               // all that a dispatch may record (needed_kernels.h)
  mutable Components components;                         // what other directories remember of it

  // The next of `nodes`.
  void AddNode(std::shared_ptr<NodePipeline> pipeline, std::string label);

  [[nodiscard]] ScratchLayout scratch_layout() const;

  // The levels from these roots (slots, sorted, no duplicates). Cached: an application uses few root sets.
  [[nodiscard]] std::shared_ptr<const LevelSchedule> ScheduleFor(std::span<const uint32_t> roots) const;

  // What the application calls it (VK_EXT_debug_utils, VK_EXT_debug_marker); empty if it does not.
  void SetName(const char* name);
  [[nodiscard]] std::string Name() const;

 private:
  struct CachedSchedule {
    std::vector<uint32_t> roots;
    std::shared_ptr<const LevelSchedule> schedule;
  };
  mutable std::mutex name_mutex_;  // guards name_: messages about lost records come from any thread
  std::string name_;
  mutable std::mutex schedules_mutex_;             // guards schedules_
  mutable std::vector<CachedSchedule> schedules_;  // most recently made last
};

// The commands, with the results that they return. Every failure is also reported through device.diagnostics.
//
// Results, from the few that the command may return: VK_ERROR_OUT_OF_HOST_MEMORY and _DEVICE_MEMORY;
// VK_PIPELINE_COMPILE_REQUIRED as the driver says; VK_ERROR_VALIDATION_FAILED for graphs that break the extension's
// rules or use what is not implemented; VK_ERROR_UNKNOWN for what the driver reports otherwise. As for the other
// vkCreate*Pipelines commands the result is that of the first failed element; `pipelines` must be null to begin with,
// and failed elements stay it.
[[nodiscard]] VkResult CreateExecutionGraphPipelines(Device& device, VkPipelineCache cache,
                                                     std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos,
                                                     const VkAllocationCallbacks* allocator, VkPipeline* pipelines);
[[nodiscard]] VkResult GetExecutionGraphPipelineScratchSize(Device& device, VkPipeline pipeline,
                                                            VkExecutionGraphPipelineScratchSizeAMDX& size);
// VK_ERROR_UNKNOWN and VK_SHADER_INDEX_UNUSED_AMDX if there is no such node.
[[nodiscard]] VkResult GetExecutionGraphPipelineNodeIndex(Device& device, VkPipeline pipeline,
                                                          const VkPipelineShaderStageNodeCreateInfoAMDX& node,
                                                          uint32_t& index);
// The driver's pipelines that a handle with Device::IsOwnPipeline stands for, each once, in the order of nodes.
[[nodiscard]] std::vector<VkPipeline> DriverPipelines(const Device& device, VkPipeline pipeline);
// For execution graphs and libraries of nodes: handles with Device::IsOwnPipeline. Graphs that were linked of a library
// live on. `allocator` must be compatible with the one that the pipeline was made with.
void DestroyOwnPipeline(Device& device, VkPipeline pipeline, const VkAllocationCallbacks* allocator);

}  // namespace trellis
