// SPDX-License-Identifier: Apache-2.0
// An instance and a device with VK_AMDX_shader_enqueue, as an application would make them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/messages.h"
#include "tests/support/optional_extensions.h"
#include "tests/support/requested_features.h"
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

// What application a context is made for.
struct ContextOptions {
  std::vector<EnvironmentSetting> settings = {};  // in the environment while instance and device are created
  uint32_t api_version = VK_API_VERSION_1_3;      // of the application
  FeatureForm features = FeatureForm::kCore;
  bool device_group = false;                 // the device is a group of itself
  std::vector<const char*> extensions = {};  // besides OptionalExtensions; the device must have them
  void* feature_chain = nullptr;             // the structures of their features
  bool robust_buffer_access = false;         // the feature, which every device has
  bool one_queue = false;                    // the device has one queue, instead of all with compute
};

[[nodiscard]] bool HasExtension(VkPhysicalDevice device, const char* name);

// Threading: one thread creates and destroys it; any thread may use what it holds.
class Context {
 public:
  // Null with a message in `error`.
  static std::unique_ptr<Context> Create(std::string& error, const ContextOptions& options = {});
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
  bool has_graphics = false;         // the queue can draw, with commands of Vulkan 1.3
  // The device has no other queue of the queue's family.
  [[nodiscard]] bool HasOneQueue() const;
  GraphCommands graph;
  OptionalCommands optional;
  VkPhysicalDeviceProperties properties = {};
  VkPhysicalDeviceShaderEnqueuePropertiesAMDX enqueue_properties = {};
  VkPhysicalDeviceSubgroupProperties subgroup = {};
  ShaderFeatures features;
  MessageLog messages;
  std::string driver;  // name and version, as the driver gives them
  bool has_validation = false;
  bool leaves_out_validation = false;      // on purpose: TRELLIS_TEST_NO_VALIDATION=1
  uint32_t validation_version = 0;         // of the layer, whether it is enabled or not; 0 if there is none
  std::vector<Message> creation_messages;  // unexpected ones from vkCreateInstance to vkCreateDevice

 private:
  Context() = default;
  bool CreateInstance(const ContextOptions& options, std::string& error);
  bool ChooseDevice(std::string& error);
  void FindFeatures(const OptionalExtensions& extra);
  bool CreateDevice(const ContextOptions& options, std::string& error);
  bool LoadCommands(std::string& error);

  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

// One for the whole process, made on first use; null if there is no device (SharedContextError says why).
Context* SharedContext();
const std::string& SharedContextError();
// Gives the unexpected messages of vkDestroyDevice.
std::vector<Message> DestroySharedContext();

}  // namespace trellis::test
