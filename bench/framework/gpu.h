// SPDX-License-Identifier: Apache-2.0
// The device that everything runs on: one, with one queue, for the extension and for its baselines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/framework/vulkan.h"

namespace trellis::bench {

// Always from vkGetDeviceProcAddr: some loaders know these commands by older signatures.
struct GraphCommands {
  PFN_vkCreateExecutionGraphPipelinesAMDX CreateExecutionGraphPipelines = nullptr;
  PFN_vkGetExecutionGraphPipelineScratchSizeAMDX GetExecutionGraphPipelineScratchSize = nullptr;
  PFN_vkGetExecutionGraphPipelineNodeIndexAMDX GetExecutionGraphPipelineNodeIndex = nullptr;
  PFN_vkCmdInitializeGraphScratchMemoryAMDX CmdInitializeGraphScratchMemory = nullptr;
  PFN_vkCmdDispatchGraphAMDX CmdDispatchGraph = nullptr;
  PFN_vkCmdDispatchGraphIndirectCountAMDX CmdDispatchGraphIndirectCount = nullptr;
};

// Bytes of push constants that every pipeline layout here has.
inline constexpr uint32_t kPushConstantBytes = 64;

class Gpu {
 public:
  // `choice`: number of the device or a part of its name; empty: the first discrete one that offers the extension, else
  // the first that does.
  // `mesh_nodes`: with shaderMeshEnqueue, mesh shaders and dynamic rendering, where the device has them.
  explicit Gpu(const std::string& choice, bool mesh_nodes = false);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] VkInstance instance() const { return instance_; }
  [[nodiscard]] VkPhysicalDevice physical_device() const { return physical_device_; }
  [[nodiscard]] VkDevice device() const { return device_; }
  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] const GraphCommands& graph() const { return graph_; }
  [[nodiscard]] const VkPhysicalDeviceProperties& properties() const { return properties_; }
  [[nodiscard]] bool is_cpu() const { return properties_.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  [[nodiscard]] const VkPhysicalDeviceLimits& limits() const { return properties_.limits; }
  [[nodiscard]] bool has_pipeline_statistics() const { return has_pipeline_statistics_; }
  [[nodiscard]] bool has_mesh_nodes() const { return has_mesh_nodes_; }
  // 0: the queue has no timestamps.
  [[nodiscard]] uint32_t timestamp_bits() const { return timestamp_bits_; }
  // Of most pipelines: push constants of COMPUTE and nothing else; buffers are known by address.
  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }

  // Returns a layout of the same push constants and at most one descriptor set. The caller destroys it.
  [[nodiscard]] VkPipelineLayout CreateLayout(VkDescriptorSetLayout set = VK_NULL_HANDLE) const;
  [[nodiscard]] uint32_t MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const;
  [[nodiscard]] VkCommandBuffer AllocateCommandBuffer() const;
  void FreeCommandBuffer(VkCommandBuffer commands) const;
  // Waits until all is done.
  void Submit(const std::vector<VkCommandBuffer>& commands) const;
  // Records, submits, waits.
  void RunOnce(const std::function<void(VkCommandBuffer)>& record) const;

  template <typename T>
  void Push(VkCommandBuffer commands, const T& constants) const {
    static_assert(sizeof(T) <= kPushConstantBytes);
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(T), &constants);
  }

 private:
  void FindMeshNodes();
  void CreateDevice();
  void LoadCommands();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_ = {};
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  uint32_t timestamp_bits_ = 0;
  bool has_pipeline_statistics_ = false;
  bool has_mesh_nodes_ = false;
  GraphCommands graph_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

VkCommandBuffer Begin(VkCommandBuffer commands);
// What comes before is done, and visible to all that comes after it: compute, copies, indirect arguments, the host.
void FullBarrier(VkCommandBuffer commands);
// The barrier between two steps of hand-written compute: shader writes to shader accesses and indirect arguments.
void StepBarrier(VkCommandBuffer commands);

}  // namespace trellis::bench
