// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "layer/device/device_traits.h"
#include "layer/diagnostics/diagnostics.h"
#include "layer/dispatch/device_dispatch.h"
#include "layer/objects/buffer.h"
#include "layer/objects/components.h"
#include "layer/objects/descriptor_set_layout.h"
#include "layer/objects/handle_table.h"
#include "layer/objects/private_data.h"
#include "layer/settings/settings.h"

namespace trellis {

struct CommandPool;
struct ExecutionGraphPipeline;  // layer/pipeline
struct Instance;
struct NodeLibrary;  // layer/pipeline
struct PhysicalDevice;
struct PipelineLayout;
struct Queue;
struct RenderPass;
struct ShaderModule;

// A pipeline cache with VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT: one thread at a time may use it. Other
// caches are not tracked. There is nothing else to know about it.
struct ExternallySynchronizedCache {};

// A logical device. Members above the tables are read-only after vkCreateDevice; the tables and attachments lock
// themselves. Where `emulates_graphs` and `emulates_maintenance5` are both false, none of the device's commands but
// vkDestroyDevice is hooked and the tables stay empty.
struct Device {
  Device(std::shared_ptr<Instance> owner, std::shared_ptr<PhysicalDevice> physical);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::shared_ptr<Instance> instance;
  const std::shared_ptr<PhysicalDevice> physical_device;
  const Settings& settings;
  Diagnostics& diagnostics;

  VkDevice handle = VK_NULL_HANDLE;
  DeviceDispatch dispatch;
  // By row of layer/objects/dynamic_state_table.h; empty without shaderMeshEnqueue.
  std::vector<PFN_vkVoidFunction> dynamic_state_commands;
  DeviceTraits traits;  // feature flags: what is enabled
  bool emulates_graphs = false;
  bool shader_enqueue_enabled = false;       // the feature; applications may forget it
  bool shader_mesh_enqueue_enabled = false;  // the feature
  bool emulates_maintenance5 = false;
  // SPIR-V capabilities, sorted, whose Vulkan features the application did not enable. The layer may have.
  std::vector<uint32_t> disabled_capabilities;
  bool provides_buffer_device_address = false;  // VK_KHR_buffer_device_address, under the names of Vulkan 1.2
  bool may_have_unknown_commands = false;       // see MayHaveUnknownCommands
  std::atomic<bool> told_of_unknown_command = false;
  // The application has got hold of a vkCmdEnd* that the layer does not follow: it may end a render pass instance.
  std::atomic<bool> may_miss_ends = false;
  std::vector<VkQueueFamilyProperties> queue_families;
  std::vector<uint32_t> queue_counts;  // by family: queues that the device was created with
  VkPhysicalDeviceMemoryProperties memory_properties = {};

  BufferTable scratch_buffers;   // those with VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX
  BufferTable indirect_buffers;  // those with VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, with the setting `validate`
  HandleTable<VkCommandPool, CommandPool> command_pools;
  HandleTable<VkDescriptorSetLayout, DescriptorSetLayout> descriptor_set_layouts;
  HandleTable<VkDescriptorUpdateTemplate, DescriptorUpdateTemplate> push_templates;
  HandleTable<VkPipeline, ExecutionGraphPipeline> execution_graphs;  // by the handle that the application sees
  HandleTable<VkPipelineCache, ExternallySynchronizedCache> externally_synchronized_caches;
  HandleTable<VkPipeline, NodeLibrary> node_libraries;  // by the handle that the application sees
  HandleTable<VkPipelineLayout, PipelineLayout> pipeline_layouts;
  HandleTable<VkRenderPass, RenderPass> render_passes;
  HandleTable<VkShaderModule, ShaderModule> shader_modules;  // by the handle that the application sees

  PrivateData private_data;  // of the layer's own pipelines and node shader modules

  // State of pipeline, replay and memory, e.g. `device.components.GetOrCreate<RingPool>(...)`. Destroyed first in
  // vkDestroyDevice.
  Components components;

  // No other queue of the family runs at the same time.
  [[nodiscard]] bool HasOneQueue(uint32_t family) const {
    return family < queue_counts.size() && queue_counts[family] == 1;
  }

  // Attachments are stored at the end of render pass instances whatever the application says, so that an instance can
  // be ended in the middle and begun again.
  [[nodiscard]] bool StoresAttachments() const {
    return settings.split_render_passes == SplitRenderPasses::kDefault
               ? shader_mesh_enqueue_enabled
               : settings.split_render_passes == SplitRenderPasses::kOn;
  }

  // The handle is that of an execution graph or of a library of nodes: no driver knows it.
  [[nodiscard]] bool IsOwnPipeline(VkPipeline pipeline) const;

  // Index of a memory type in `type_bits` that has all of `required`, preferring one that has `preferred` too;
  // UINT32_MAX if there is none. Never of protected memory, nor of AMD's device-coherent memory.
  [[nodiscard]] uint32_t FindMemoryType(uint32_t type_bits, VkMemoryPropertyFlags required,
                                        VkMemoryPropertyFlags preferred = 0) const;

  std::mutex queue_mutex;              // guards queues
  std::unordered_set<VkQueue> queues;  // those in Queues() that belong to this device
};

}  // namespace trellis
