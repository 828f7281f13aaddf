// SPDX-License-Identifier: Apache-2.0
// A logical device with one compute queue and the extension's commands, and buffers that are known by address.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "samples/hello_graph/vulkan.h"

namespace hello {

// The commands of VK_AMDX_shader_enqueue. Always from vkGetDeviceProcAddr: some loaders know these commands by older
// signatures.
struct GraphCommands {
  PFN_vkCreateExecutionGraphPipelinesAMDX CreateExecutionGraphPipelines = nullptr;
  PFN_vkGetExecutionGraphPipelineScratchSizeAMDX GetExecutionGraphPipelineScratchSize = nullptr;
  PFN_vkGetExecutionGraphPipelineNodeIndexAMDX GetExecutionGraphPipelineNodeIndex = nullptr;
  PFN_vkCmdInitializeGraphScratchMemoryAMDX CmdInitializeGraphScratchMemory = nullptr;
  PFN_vkCmdDispatchGraphAMDX CmdDispatchGraph = nullptr;
};

// What a sample needs beyond compute nodes.
struct GpuNeeds {
  VkQueueFlags queue = VK_QUEUE_COMPUTE_BIT;
  VkSurfaceKHR surface = VK_NULL_HANDLE;  // the queue presents to it, unless null
  VkBool32 mesh_nodes = VK_FALSE;
  std::vector<const char*> extensions;
  void* features = nullptr;  // chain of feature structures
};

// Returns the first family whose queues have all of `wanted` and present to `surface`, unless that is null.
std::optional<uint32_t> FindQueueFamily(VkPhysicalDevice device, VkQueueFlags wanted, VkSurfaceKHR surface);

class Gpu {
 public:
  explicit Gpu(VkPhysicalDevice physical_device, const GpuNeeds& needs = {});
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] VkPhysicalDevice physical_device() const { return physical_device_; }
  [[nodiscard]] VkDevice device() const { return device_; }
  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] const GraphCommands& graph() const { return graph_; }

  // Index of a memory type among `types` with all of `wanted`; fails if there is none.
  [[nodiscard]] uint32_t MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const;

 private:
  VkPhysicalDevice physical_device_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  GraphCommands graph_;
};

class Buffer {
 public:
  Buffer(const Gpu& gpu, VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags memory);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] VkDeviceAddress Address() const;  // needs the usage SHADER_DEVICE_ADDRESS
  [[nodiscard]] void* Map() const;                // needs host-visible memory; mapped until the buffer is destroyed

 private:
  const Gpu& gpu_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

}  // namespace hello
