// SPDX-License-Identifier: Apache-2.0
// The layer around poison.h. Render passes with several subpasses, and instances that are suspended or resumed, pass
// through as they are.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "layer/dispatch/loader_chain.h"
#include "layer/dispatch/struct_type.h"
#include "tests/poison_layer/poison.h"
#include "tests/support/layer_hooks.h"

namespace trellis::test {
namespace {

#define TRELLIS_POISON_FUNCTIONS(F) \
  F(DestroyDevice)                  \
  F(CreateRenderPass)               \
  F(CreateRenderPass2)              \
  F(DestroyRenderPass)              \
  F(CmdPipelineBarrier)             \
  F(CmdBeginRenderPass)             \
  F(CmdBeginRenderPass2)            \
  F(CmdEndRenderPass)               \
  F(CmdEndRenderPass2)              \
  F(CmdBeginRendering)              \
  F(CmdEndRendering)

struct PoisonedRenderPass {
  VkRenderPass loads = VK_NULL_HANDLE, stores = VK_NULL_HANDLE;
  std::vector<PoisonedAttachment> attachments;
};

// The instance that is open in a command buffer, and what poisons its attachments afterwards.
struct OpenInstance {
  const VkRenderingInfo* rendering = nullptr;
  const VkRenderPassBeginInfo* render_pass = nullptr;
  Arena arena;
};

struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  PFN_vkGetDeviceProcAddr get = nullptr;
#define TRELLIS_MEMBER(name) PFN_vk##name name = nullptr;
  TRELLIS_POISON_FUNCTIONS(TRELLIS_MEMBER)
#undef TRELLIS_MEMBER
  std::mutex mutex;  // guards what follows
  std::map<VkRenderPass, PoisonedRenderPass> render_passes;
  std::map<VkCommandBuffer, std::unique_ptr<OpenInstance>> instances;

  OpenInstance& Open(VkCommandBuffer command_buffer) {
    const std::lock_guard lock(mutex);
    std::unique_ptr<OpenInstance>& instance = instances[command_buffer];
    instance = std::make_unique<OpenInstance>();
    return *instance;
  }
  std::unique_ptr<OpenInstance> Close(VkCommandBuffer command_buffer) {
    const std::lock_guard lock(mutex);
    const auto found = instances.find(command_buffer);
    if (found == instances.end()) return nullptr;
    std::unique_ptr<OpenInstance> instance = std::move(found->second);
    instances.erase(found);
    return instance;
  }
};

struct Registry {
  std::mutex mutex;
  std::map<const void*, PFN_vkGetInstanceProcAddr> instances;
  std::map<const void*, std::unique_ptr<Device>> devices;
};
Registry& TheRegistry() {
  static Registry& registry = *new Registry();  // outlives every thread
  return registry;
}

const void* Key(const void* handle) { return *static_cast<const void* const*>(handle); }

Device& DeviceOf(const void* handle) {
  const std::lock_guard lock(TheRegistry().mutex);
  return *TheRegistry().devices.at(Key(handle));
}

PFN_vkGetInstanceProcAddr NextOf(VkInstance handle) {
  const std::lock_guard lock(TheRegistry().mutex);
  return TheRegistry().instances.at(Key(handle));
}

// Instances and devices

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* handle) {
  Arena arena;
  VkInstanceCreateInfo edited = *info;
  const VkLayerInstanceLink* const link = TakeInstanceLink(edited, arena);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->pfnNextGetInstanceProcAddr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(&edited, allocator, handle);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().instances[Key(*handle)] = next;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(NextOf(handle)(handle, "vkDestroyInstance"));
  {
    const std::lock_guard lock(TheRegistry().mutex);
    TheRegistry().instances.erase(Key(handle));
  }
  destroy(handle, allocator);
}

// Tries the core name, then the one of an extension.
template <typename Function>
void LoadFunction(const Device& device, const std::string& name, Function& function) {
  for (const char* suffix : {"", "KHR"})
    if (function == nullptr) function = reinterpret_cast<Function>(device.get(device.handle, (name + suffix).c_str()));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* handle) {
  Arena arena;
  VkDeviceCreateInfo edited = *info;
  const VkLayerDeviceLink* const link = TakeDeviceLink(edited, arena);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto create =
      reinterpret_cast<PFN_vkCreateDevice>(link->pfnNextGetInstanceProcAddr(VK_NULL_HANDLE, "vkCreateDevice"));
  const auto device_functions = link->pfnNextGetDeviceProcAddr;
  const VkResult result = create(physical_device, &edited, allocator, handle);
  if (result != VK_SUCCESS) return result;
  auto device = std::make_unique<Device>();
  device->handle = *handle;
  device->get = device_functions;
#define TRELLIS_LOAD(name) LoadFunction(*device, "vk" #name, device->name);
  TRELLIS_POISON_FUNCTIONS(TRELLIS_LOAD)
#undef TRELLIS_LOAD
  const std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().devices[Key(*handle)] = std::move(device);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  std::unique_ptr<Device> device;
  {
    const std::lock_guard lock(TheRegistry().mutex);
    device = std::move(TheRegistry().devices.extract(Key(handle)).mapped());
  }
  device->DestroyDevice(handle, allocator);
}

// Render passes

template <typename CreateInfo, typename Create>
VkResult CreateWithPoison(Device& device, Create create, const CreateInfo& info, const VkAllocationCallbacks* allocator,
                          VkRenderPass* render_pass) {
  VkResult result = create(device.handle, &info, allocator, render_pass);
  if (result != VK_SUCCESS || info.subpassCount != 1) return result;
  Arena arena;
  PoisonedRenderPass poisoned;
  poisoned.attachments = FindPoisoned(info);
  const CreateInfo loads = PoisonLoads(info, arena);
  const CreateInfo stores = PoisonStores(info, arena);
  result = create(device.handle, &loads, nullptr, &poisoned.loads);
  if (result == VK_SUCCESS) result = create(device.handle, &stores, nullptr, &poisoned.stores);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(device.mutex);
  device.render_passes[*render_pass] = std::move(poisoned);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass(VkDevice handle, const VkRenderPassCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkRenderPass* render_pass) {
  Device& device = DeviceOf(handle);
  return CreateWithPoison(device, device.CreateRenderPass, *info, allocator, render_pass);
}
VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass2(VkDevice handle, const VkRenderPassCreateInfo2* info,
                                                 const VkAllocationCallbacks* allocator, VkRenderPass* render_pass) {
  Device& device = DeviceOf(handle);
  return CreateWithPoison(device, device.CreateRenderPass2, *info, allocator, render_pass);
}

VKAPI_ATTR void VKAPI_CALL DestroyRenderPass(VkDevice handle, VkRenderPass render_pass,
                                             const VkAllocationCallbacks* allocator) {
  Device& device = DeviceOf(handle);
  PoisonedRenderPass poisoned;
  {
    const std::lock_guard lock(device.mutex);
    if (auto found = device.render_passes.extract(render_pass)) poisoned = std::move(found.mapped());
  }
  device.DestroyRenderPass(handle, poisoned.loads, nullptr);
  device.DestroyRenderPass(handle, poisoned.stores, nullptr);
  device.DestroyRenderPass(handle, render_pass, allocator);
}

// Instances in command buffers

void OrderEverything(const Device& device, VkCommandBuffer command_buffer) {
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  device.CmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                            1, &barrier, 0, nullptr, 0, nullptr);
}

void PoisonAfter(const Device& device, VkCommandBuffer command_buffer, const OpenInstance* instance) {
  if (instance == nullptr) return;
  OrderEverything(device, command_buffer);
  if (instance->rendering != nullptr) {
    device.CmdBeginRendering(command_buffer, instance->rendering);
    device.CmdEndRendering(command_buffer);
  } else if (instance->render_pass != nullptr) {
    device.CmdBeginRenderPass(command_buffer, instance->render_pass, VK_SUBPASS_CONTENTS_INLINE);
    device.CmdEndRenderPass(command_buffer);
  }
  OrderEverything(device, command_buffer);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo* info) {
  Device& device = DeviceOf(handle);
  if (info->flags & (VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT))
    return device.CmdBeginRendering(handle, info);
  OpenInstance& instance = device.Open(handle);
  instance.rendering = PoisonStores(*info, instance.arena);
  device.CmdBeginRendering(handle, PoisonLoads(*info, instance.arena));
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer handle) {
  Device& device = DeviceOf(handle);
  device.CmdEndRendering(handle);
  PoisonAfter(device, handle, device.Close(handle).get());
}

// Of the instance: the application's value where the application clears.
VkClearValue LoadedValue(const PoisonedAttachment& attachment, const VkClearValue& given) {
  VkClearValue value = given;
  if (attachment.is_color) return attachment.loads ? PoisonColor() : value;
  if (attachment.loads) value.depthStencil.depth = kPoisonDepth.depth;
  if (attachment.stencil_loads) value.depthStencil.stencil = kPoisonDepth.stencil;
  return value;
}

void SetClearValues(VkRenderPassBeginInfo& info, const std::vector<VkClearValue>& values, Arena& arena) {
  info.clearValueCount = static_cast<uint32_t>(values.size());
  info.pClearValues = arena.CopyArray(values.data(), values.size());
}

// The begin with clears instead of DONT_CARE loads. What is not stored is remembered for the end.
VkRenderPassBeginInfo PoisonBegin(Device& device, VkCommandBuffer command_buffer, const VkRenderPassBeginInfo& info) {
  PoisonedRenderPass poisoned;
  {
    const std::lock_guard lock(device.mutex);
    const auto found = device.render_passes.find(info.renderPass);
    if (found == device.render_passes.end()) return info;
    poisoned = found->second;
  }
  OpenInstance& instance = device.Open(command_buffer);
  std::vector<VkClearValue> values;
  std::vector<VkClearValue> poison;
  bool loses = false;
  for (size_t i = 0; i < poisoned.attachments.size(); ++i) {
    const PoisonedAttachment& attachment = poisoned.attachments[i];
    values.push_back(LoadedValue(attachment, i < info.clearValueCount ? info.pClearValues[i] : VkClearValue{}));
    poison.push_back(LoadedValue({attachment.is_color, true, true, false}, {}));
    loses = loses || attachment.stores;
  }
  VkRenderPassBeginInfo begin = info;
  begin.renderPass = poisoned.loads;
  SetClearValues(begin, values, instance.arena);
  if (!loses) return begin;
  auto* const after = instance.arena.Copy(info);
  after->pNext = nullptr;  // the tests have no imageless framebuffers
  after->renderPass = poisoned.stores;
  SetClearValues(*after, poison, instance.arena);
  instance.render_pass = after;
  return begin;
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass(VkCommandBuffer handle, const VkRenderPassBeginInfo* info,
                                              VkSubpassContents contents) {
  Device& device = DeviceOf(handle);
  const VkRenderPassBeginInfo begin = PoisonBegin(device, handle, *info);
  device.CmdBeginRenderPass(handle, &begin, contents);
}
VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass2(VkCommandBuffer handle, const VkRenderPassBeginInfo* info,
                                               const VkSubpassBeginInfo* subpass) {
  Device& device = DeviceOf(handle);
  const VkRenderPassBeginInfo begin = PoisonBegin(device, handle, *info);
  device.CmdBeginRenderPass2(handle, &begin, subpass);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass(VkCommandBuffer handle) {
  Device& device = DeviceOf(handle);
  device.CmdEndRenderPass(handle);
  PoisonAfter(device, handle, device.Close(handle).get());
}
VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass2(VkCommandBuffer handle, const VkSubpassEndInfo* info) {
  Device& device = DeviceOf(handle);
  device.CmdEndRenderPass2(handle, info);
  PoisonAfter(device, handle, device.Close(handle).get());
}

const Hook kInstanceHooks[] = {TRELLIS_HOOK(CreateInstance), TRELLIS_HOOK(DestroyInstance), TRELLIS_HOOK(CreateDevice)};
const Hook kDeviceHooks[] = {
    TRELLIS_HOOK(DestroyDevice),
    TRELLIS_HOOK(CreateRenderPass),
    TRELLIS_ALIASED_HOOK(CreateRenderPass2, KHR),
    TRELLIS_HOOK(DestroyRenderPass),
    TRELLIS_HOOK(CmdBeginRenderPass),
    TRELLIS_ALIASED_HOOK(CmdBeginRenderPass2, KHR),
    TRELLIS_HOOK(CmdEndRenderPass),
    TRELLIS_ALIASED_HOOK(CmdEndRenderPass2, KHR),
    TRELLIS_ALIASED_HOOK(CmdBeginRendering, KHR),
    TRELLIS_ALIASED_HOOK(CmdEndRendering, KHR),
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice handle, const char* name) {
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  const PFN_vkVoidFunction below = DeviceOf(handle).get(handle, name);
  const PFN_vkVoidFunction hook = below != nullptr ? FindHook(kDeviceHooks, name) : nullptr;
  return hook != nullptr ? hook : below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance handle, const char* name) {
  if (std::string_view(name) == "vkGetInstanceProcAddr")
    return reinterpret_cast<PFN_vkVoidFunction>(GetInstanceProcAddr);
  if (std::string_view(name) == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  if (const PFN_vkVoidFunction hook = FindHook(kInstanceHooks, name)) return hook;
  if (handle == VK_NULL_HANDLE) return nullptr;
  return NextOf(handle)(handle, name);
}

}  // namespace
}  // namespace trellis::test

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiate) {
  return trellis::test::Negotiate(*negotiate, trellis::test::GetInstanceProcAddr, trellis::test::GetDeviceProcAddr);
}
