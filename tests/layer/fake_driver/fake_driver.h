// SPDX-License-Identifier: Apache-2.0
// A driver in plain C++ that executes nothing and records everything, for tests that drive the layer through its
// exported functions. Buffers live in host memory, and their device addresses are host pointers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "tests/support/zeroed_memory.h"

namespace trellis::test {

// One call that reached the driver. Only the members that the command has mean anything.
struct DriverCall {
  std::string name;  // without "vk"
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  VkPipelineBindPoint bind_point = VK_PIPELINE_BIND_POINT_MAX_ENUM;
  uint64_t object = 0;  // pipeline, buffer, module: what the command is mostly about
  uint64_t layout = 0;
  uint32_t first = 0;  // first set
  std::vector<uint64_t> objects;
  std::vector<uint32_t> dynamic_offsets;
  std::vector<VkWriteDescriptorSet> writes;
  VkShaderStageFlags stages = 0;
  uint32_t offset = 0;
  std::vector<uint8_t> bytes;
  uint64_t flags = 0;                  // usage, pipeline flags, object type
  std::string text;                    // label, object name
  std::vector<VkStructureType> chain;  // sTypes of pNext
};

// What the driver claims to be. The defaults are a Vulkan 1.3 device with everything that the layer needs and without
// VK_AMDX_shader_enqueue and VK_KHR_maintenance5.
struct DriverOptions {
  uint32_t api_version = VK_API_VERSION_1_3;
  std::vector<std::string> extensions = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  bool buffer_device_address = true;
  bool scalar_block_layout = true;
  bool storage_8bit = true;
  bool storage_16bit = true;
  bool synchronization2 = true;
  bool extended_dynamic_state = true;
  bool maintenance4 = false;
  bool shader_int64 = false;
  bool shader_int16 = false;
  bool mesh_shader = false;                        // the feature; its extension is one of `extensions`
  bool maximal_reconvergence = false;              // the feature; its extension is one of `extensions`
  VkSubgroupFeatureFlags subgroup_operations = 0;  // in compute
  bool shader_enqueue_feature = false;
  bool shader_enqueue_commands = false;
  bool debug_utils = true;  // VK_EXT_debug_utils can be enabled
  uint32_t max_push_constants_size = 128;
  VkDeviceSize buffer_alignment = 256;  // what it says that buffers need
  // 0: it says nothing.
  VkDeviceSize max_buffer_size = 0;
  VkDeviceSize max_memory_allocation_size = 0;
  VkQueueFlags queue_flags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  uint32_t queue_count = 2;                     // of the only family
  std::set<std::string> missing_commands = {};  // with "vk"
  // Device commands, with "vk", that are answered instead of the driver's own: what drivers do under names of
  // extensions that are not enabled.
  std::map<std::string, PFN_vkVoidFunction> stray_commands = {};
};

// The same with mesh shaders.
[[nodiscard]] DriverOptions WithMeshShaders();

// Threading: any thread may call the driver's functions; what the driver recorded is looked at when none does.
class FakeDriver {
 public:
  explicit FakeDriver(DriverOptions options = {});
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  // What stands at the end of the loader's chain. This thread's next vkCreateInstance that gets there makes an instance
  // of this driver.
  [[nodiscard]] PFN_vkGetInstanceProcAddr MakeCurrent();

  // What the loader does: calls of commands that no layer hooks come here directly.
  [[nodiscard]] PFN_vkVoidFunction DeviceFunction(const char* name) const;

  [[nodiscard]] const std::deque<DriverCall>& calls() const { return calls_; }
  [[nodiscard]] std::vector<DriverCall> CallsOf(const std::string& name) const;
  [[nodiscard]] size_t CountOf(const std::string& name) const { return CallsOf(name).size(); }
  void ForgetCalls() { calls_.clear(); }
  // Of what was made since ForgetCalls, what is still there: instances, devices, other objects, memory. Command buffers
  // do not count.
  [[nodiscard]] size_t LiveObjects() const;

  DriverOptions options;
  std::vector<std::string> instance_extensions;                      // of the last vkCreateInstance
  std::vector<std::string> device_extensions;                        // of the last vkCreateDevice
  std::vector<VkStructureType> device_chain;                         // of the last vkCreateDevice, without the loader's
  std::map<VkStructureType, std::vector<VkBool32>> device_features;  // their members
  std::optional<VkPhysicalDeviceFeatures> enabled_features;          // pEnabledFeatures
  // Called with the chains of vkCreateInstance and vkCreateDevice.
  std::function<void(const void*chain)> see_instance_chain, see_device_chain;
  // Called with the size of each vkAllocateMemory, on one thread at a time; returns the command's result.
  std::function<VkResult(VkDeviceSize bytes)> see_allocation;
  std::atomic<VkResult> next_result = VK_SUCCESS;  // what the next vkCreateShaderModule or vkCreateBuffer returns

  // What submissions, waits and status queries return.
  std::atomic<VkResult> queue_result = VK_SUCCESS;

  // For the driver's functions.
  struct Object {
    const void* loader_table;  // the loader writes and reads this
    FakeDriver* driver;
  };
  // With a loader table of its own, or with that of another object.
  void* MakeDispatchable(const void* parent = nullptr);
  // The same queue for the same family and index of a device.
  [[nodiscard]] VkQueue QueueOf(VkDevice device, uint32_t family, uint32_t index);
  [[nodiscard]] uint64_t MakeHandle() { return next_handle_ += 16; }
  DriverCall& Record(const char* name) {
    const std::lock_guard lock(calls_mutex_);
    DriverCall& call = calls_.emplace_back();
    call.name = name;
    return call;
  }
  VkResult TakeNextResult() { return next_result.exchange(VK_SUCCESS); }

  std::mutex memory_mutex;  // guards what follows
  static constexpr size_t kMemoryAlignment = 256;
  std::map<uint64_t, ZeroedMemory> memories;
  uint32_t allocations = 0;  // calls of vkAllocateMemory that succeeded
  std::map<uint64_t, VkDeviceSize> buffer_sizes;
  std::map<uint64_t, std::byte*> buffer_addresses;

 private:
  std::mutex objects_mutex_;  // guards objects_ and loader_tables_
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<std::unique_ptr<char>> loader_tables_;
  std::mutex queues_mutex_;  // guards queues_
  std::map<std::tuple<VkDevice, uint32_t, uint32_t>, VkQueue> queues_;
  std::mutex calls_mutex_;        // guards calls_ while calls are made
  std::deque<DriverCall> calls_;  // what Record returned stays where it is
  std::atomic<uint64_t> next_handle_ = 0x10000;
};

template <typename Dispatchable>
[[nodiscard]] FakeDriver& DriverOf(Dispatchable handle) {
  return *reinterpret_cast<FakeDriver::Object*>(handle)->driver;
}

inline DriverCall& Record(VkCommandBuffer command_buffer, const char* name) {
  DriverCall& call = DriverOf(command_buffer).Record(name);
  call.command_buffer = command_buffer;
  return call;
}

// Of the structures of a pNext chain.
[[nodiscard]] inline std::vector<VkStructureType> TypesIn(const void* chain) {
  std::vector<VkStructureType> types;
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) types.push_back(at->sType);
  return types;
}

// The tables of functions, by name with "vk". Null when the driver does not know the command.
[[nodiscard]] PFN_vkVoidFunction FakeInstanceFunction(const char* name);
[[nodiscard]] PFN_vkVoidFunction FakeDeviceFunction(const char* name);
[[nodiscard]] PFN_vkVoidFunction FakeCommandFunction(const char* name);
[[nodiscard]] PFN_vkVoidFunction FakeDynamicStateFunction(const char* name);
[[nodiscard]] PFN_vkVoidFunction FakeRenderPassFunction(const char* name);

}  // namespace trellis::test
