// An instance and a device with VK_AMDX_shader_enqueue, as an application would make them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/messages.h"
#include "tests/support/optional_extensions.h"
#include "tests/support/vulkan.h"

namespace trellis::test {

// The extension's commands, from vkGetDeviceProcAddr.
struct GraphCommands {
  PFN_vkCreateExecutionGraphPipelinesAMDX CreateExecutionGraphPipelines = nullptr;
  PFN_vkGetExecutionGraphPipelineScratchSizeAMDX GetExecutionGraphPipelineScratchSize = nullptr;
  PFN_vkGetExecutionGraphPipelineNodeIndexAMDX GetExecutionGraphPipelineNodeIndex = nullptr;
  PFN_vkCmdInitializeGraphScratchMemoryAMDX CmdInitializeGraphScratchMemory = nullptr;
  PFN_vkCmdDispatchGraphAMDX CmdDispatchGraph = nullptr;
  PFN_vkCmdDispatchGraphIndirectAMDX CmdDispatchGraphIndirect = nullptr;
  PFN_vkCmdDispatchGraphIndirectCountAMDX CmdDispatchGraphIndirectCount = nullptr;
};

// Optional shader features; enabled on the device where they exist. What Trellis itself needs (buffer addresses, 16-bit
// storage, …) is left out on purpose: the layer has to add it.
struct ShaderFeatures {
  bool int8 = false, int16 = false, int64 = false, int64_atomics = false, float16 = false, float64 = false;
  bool vulkan_memory_model = false;
  bool pipeline_statistics = false;  // queries
  // Of extensions (OptionalExtensions).
  bool robust_buffer_access2 = false, derivative_quads = false, derivative_linear = false;
  bool workgroup_memory_explicit_layout = false;
};

// A queue that graphs can run on.
struct ComputeQueue {
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t family = 0;
};

// A layer setting for one context, as an environment variable.
struct EnvironmentSetting {
  std::string name;
  std::string value;
};

// Threading: one thread creates and destroys it; any thread may use what it holds.
class Context {
 public:
  // Null with a message in `error`. `settings` are in the environment while instance and device are created.
  static std::unique_ptr<Context> Create(std::string& error, const std::vector<EnvironmentSetting>& settings = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Before the messages are judged: the validation layer tells of leaked objects here.
  void DestroyDevice();

  // Index of a memory type among `types` with all of `wanted`, ~0u if there is none.
  [[nodiscard]] uint32_t MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const;

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  std::vector<ComputeQueue> queues;  // every queue of every family with compute; the first is `queue`
  bool has_graphics = false;         // of the queue
  GraphCommands graph;
  OptionalCommands optional;
  VkPhysicalDeviceProperties properties = {};
  VkPhysicalDeviceShaderEnqueuePropertiesAMDX enqueue_properties = {};
  VkPhysicalDeviceSubgroupProperties subgroup = {};
  ShaderFeatures features;
  MessageLog messages;
  bool has_validation = false;
  uint32_t validation_version = 0;         // of the layer, whether it is enabled or not; 0 if there is none
  std::vector<Message> creation_messages;  // unexpected ones from vkCreateInstance to vkCreateDevice

 private:
  Context() = default;
  bool CreateInstance(std::string& error);
  bool ChooseDevice(std::string& error);
  bool CreateDevice(std::string& error);

  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

// One for the whole process, made on first use; null if there is no device (SharedContextError says why).
Context* SharedContext();
const std::string& SharedContextError();
// Gives the unexpected messages of vkDestroyDevice.
std::vector<Message> DestroySharedContext();

}  // namespace trellis::test
