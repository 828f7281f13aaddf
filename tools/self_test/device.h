// SPDX-License-Identifier: Apache-2.0
// A logical device with graphs, and buffers that the host and shaders see.
#pragma once

#include <cstdint>

#include "tools/self_test/vulkan.h"

namespace trellis::self_test {

struct GraphCommands {
  PFN_vkCreateExecutionGraphPipelinesAMDX CreateExecutionGraphPipelines = nullptr;
  PFN_vkGetExecutionGraphPipelineScratchSizeAMDX GetExecutionGraphPipelineScratchSize = nullptr;
  PFN_vkGetExecutionGraphPipelineNodeIndexAMDX GetExecutionGraphPipelineNodeIndex = nullptr;
  PFN_vkCmdInitializeGraphScratchMemoryAMDX CmdInitializeGraphScratchMemory = nullptr;
  PFN_vkCmdDispatchGraphAMDX CmdDispatchGraph = nullptr;
  PFN_vkCmdDispatchGraphIndirectAMDX CmdDispatchGraphIndirect = nullptr;
  PFN_vkCmdDispatchGraphIndirectCountAMDX CmdDispatchGraphIndirectCount = nullptr;
};

class Device {
 public:
  explicit Device(VkPhysicalDevice physical);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] VkDevice handle() const { return handle_; }
  [[nodiscard]] VkCommandPool pool() const { return pool_; }
  [[nodiscard]] const GraphCommands& graph() const { return graph_; }
  [[nodiscard]] uint32_t MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const;
  // Submits and waits. Throws Failure if the device does not finish within a minute.
  void Run(VkCommandBuffer commands) const;

 private:
  void LoadCommands();

  VkPhysicalDevice physical_;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  GraphCommands graph_;
};

class Buffer {
 public:
  Buffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags memory);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] VkBuffer handle() const { return handle_; }
  [[nodiscard]] VkDeviceAddress address() const { return address_; }
  // Null if the memory is not visible to the host.
  [[nodiscard]] void* mapped() const { return mapped_; }

 private:
  void Release();

  const Device& device_;
  VkBuffer handle_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  void* mapped_ = nullptr;
};

}  // namespace trellis::self_test
