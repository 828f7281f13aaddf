// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "layer/device/device_create_info.h"
#include "layer/device/spirv_capabilities.h"
#include "layer/dispatch/loader_chain.h"
#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/memory/ring_pool.h"
#include "layer/objects/command_pool.h"
#include "layer/objects/dynamic_states.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/objects/registry.h"
#include "layer/replay/replay.h"

namespace trellis::entry {

namespace {

// Scratch, rings and plans are filled by one device and read through addresses of one device.
VkResult RefuseGroup(const PhysicalDevice& physical_device) {
  physical_device.instance->diagnostics.Error(
      "TRELLIS-device-group", "vkCreateDevice: VK_AMDX_shader_enqueue is not there for a group of several devices (" +
                                  physical_device.capabilities.device_name + ")");
  return VK_ERROR_EXTENSION_NOT_PRESENT;
}

// `loader_device`: what *pDevice holds when the application's call arrives. The loader's end of the chain expects to
// find its own pointer there. `extensions`: set to those that are enabled below; the names belong to the application or
// are constants.
VkResult CreateBelow(const VkDeviceCreateInfo& info, const RequestedEmulation& requested,
                     const VkAllocationCallbacks* allocator, VkDevice loader_device, Device& created,
                     std::vector<const char*>& extensions) {
  const PhysicalDevice& physical_device = *created.physical_device;
  if (requested.graphs && IsForSeveralDevices(info)) return RefuseGroup(physical_device);
  Arena arena;
  VkDeviceCreateInfo* edited = EditDeviceCreateInfo(info, requested, physical_device.capabilities.traits, arena);
  const VkLayerDeviceLink* link = TakeDeviceLink(*edited, arena);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  created.dispatch.GetDeviceProcAddr = link->pfnNextGetDeviceProcAddr;
  created.handle = loader_device;
  extensions.assign(edited->ppEnabledExtensionNames, edited->ppEnabledExtensionNames + edited->enabledExtensionCount);
  created.traits = EnabledTraits(*edited, physical_device.capabilities.traits);
  created.disabled_capabilities = DisabledCapabilities(info, created.traits.api_version);
  return created.instance->dispatch.CreateDevice(physical_device.handle, edited, allocator, &created.handle);
}

void DestroyBelow(const Device& device, const VkAllocationCallbacks* allocator) {
  const PFN_vkVoidFunction destroy = device.dispatch.GetDeviceProcAddr(device.handle, "vkDestroyDevice");
  if (destroy) reinterpret_cast<PFN_vkDestroyDevice>(destroy)(device.handle, allocator);
}

// The driver said that it implements the extension. Only with a device can that be checked; if its commands are
// missing, the layer implements the extension after all.
bool ClaimIsFalse(const Device& device, const VkDeviceCreateInfo& info) {
  return device.physical_device->decision.emulation == Emulation::kNative && EnablesShaderEnqueue(info) &&
         !HasShaderEnqueueEntryPoints(device.handle, device.dispatch.GetDeviceProcAddr);
}

void QueryProperties(Device& device, const VkDeviceCreateInfo& info) {
  const InstanceDispatch& dispatch = device.instance->dispatch;
  const VkPhysicalDevice physical_device = device.physical_device->handle;
  dispatch.GetPhysicalDeviceMemoryProperties(physical_device, &device.memory_properties);
  uint32_t count = 0;
  dispatch.GetPhysicalDeviceQueueFamilyProperties(physical_device, &count, nullptr);
  device.queue_families.resize(count);
  dispatch.GetPhysicalDeviceQueueFamilyProperties(physical_device, &count, device.queue_families.data());
  for (uint32_t family = 0; family < count; ++family) device.queue_counts.push_back(CountQueues(info, family));
}

void ForgetRecordings(Device& device) {
  device.command_pools.TakeAll([](const std::shared_ptr<CommandPool>& pool) {
    for (VkCommandBuffer command_buffer : pool->command_buffers) CommandBuffers().Take(command_buffer);
  });
  std::lock_guard lock(device.queue_mutex);
  for (VkQueue queue : device.queues) Queues().Take(queue);
}

// What holds objects of the driver has to go before the device does; the application may have leaked the rest.
void ReleaseDriverObjects(Device& device) {
  ForgetRecordings(device);
  device.execution_graphs.TakeAll();
  device.node_libraries.TakeAll();
  device.pipeline_layouts.TakeAll();
  device.render_passes.TakeAll();
  device.components.Clear();
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* device) {
  const std::shared_ptr<Instance> instance = FindInstance(physical_device);
  const std::shared_ptr<PhysicalDevice> physical = FindPhysicalDevice(physical_device);
  if (!instance || !physical) return VK_ERROR_INITIALIZATION_FAILED;

  EmulationDecision decision = physical->decision;
  RequestedEmulation requested = FindRequestedEmulation(*info, decision);
  auto object = std::make_shared<Device>(instance, physical);
  std::vector<const char*> extensions;
  VkResult result = CreateBelow(*info, requested, allocator, *device, *object, extensions);
  if (result == VK_SUCCESS && ClaimIsFalse(*object, *info)) {
    DestroyBelow(*object, allocator);
    decision = DecideEmulation(physical->capabilities, false, instance->settings);
    instance->diagnostics.Warning("TRELLIS-false-claim", physical->capabilities.device_name +
                                                             ": the driver reports shaderEnqueue but lacks commands of "
                                                             "VK_AMDX_shader_enqueue; " +
                                                             decision.reason);
    if (!decision.Emulates()) return VK_ERROR_EXTENSION_NOT_PRESENT;
    requested = FindRequestedEmulation(*info, decision);
    result = CreateBelow(*info, requested, allocator, *device, *object, extensions);
  }
  if (result != VK_SUCCESS) return result;

  ScopedUndo undo([&] { DestroyBelow(*object, allocator); });
  object->emulates_graphs = requested.graphs;
  object->shader_enqueue_enabled = requested.shader_enqueue;
  object->shader_mesh_enqueue_enabled = requested.shader_mesh_enqueue;
  object->emulates_maintenance5 = requested.maintenance5;
  object->provides_buffer_device_address = requested.buffer_device_address;
  object->may_have_unknown_commands = MayHaveUnknownCommands(*info, object->traits.api_version);
  const char* missing = object->dispatch.Load(object->handle, object->dispatch.GetDeviceProcAddr, extensions);
  if (missing && (requested.graphs || requested.maintenance5)) {
    instance->diagnostics.Error("TRELLIS-missing-command", std::string("the layer below has no ") + missing);
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  if (requested.shader_mesh_enqueue)
    object->dynamic_state_commands =
        LoadDynamicStateCommands(object->handle, object->dispatch.GetDeviceProcAddr, extensions);
  QueryProperties(*object, *info);
  if (requested.graphs) ReportCutRingBudget(*object);
  Devices().Insert(DispatchKeyOf(object->handle), object);
  ++instance->DeviceCount(object->emulates_graphs);
  undo.Keep();
  *device = object->handle;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (!device) return;
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!object) return;
  PollReports(*object);  // the application's callbacks may still use the device
  if (object->emulates_graphs) WriteReport(*object, "end");
  Devices().Take(DispatchKeyOf(device));
  --object->instance->DeviceCount(object->emulates_graphs);
  ReleaseDriverObjects(*object);
  object->dispatch.DestroyDevice(device, allocator);
}

}  // namespace trellis::entry
