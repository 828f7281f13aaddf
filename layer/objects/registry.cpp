#include "layer/objects/registry.h"

namespace trellis {

// Never destroyed: an application may call Vulkan from its own static destructors.
HandleTable<DispatchKey, Instance>& Instances() {
  static auto& table = *new HandleTable<DispatchKey, Instance>;
  return table;
}

HandleTable<DispatchKey, Device>& Devices() {
  static auto& table = *new HandleTable<DispatchKey, Device>;
  return table;
}

HandleTable<VkCommandBuffer, CommandBuffer>& CommandBuffers() {
  static auto& table = *new HandleTable<VkCommandBuffer, CommandBuffer>;
  return table;
}

HandleTable<VkQueue, Queue>& Queues() {
  static auto& table = *new HandleTable<VkQueue, Queue>;
  return table;
}

std::shared_ptr<PhysicalDevice> FindPhysicalDevice(VkPhysicalDevice handle) {
  const std::shared_ptr<Instance> instance = FindInstance(handle);
  if (!instance) return nullptr;
  if (std::shared_ptr<PhysicalDevice> known = instance->physical_devices.Find(handle)) return known;

  auto made = std::make_shared<PhysicalDevice>();
  made->handle = handle;
  made->instance = instance.get();
  made->capabilities = QueryCapabilities(instance->dispatch, handle, instance->api_version);
  made->decision = DecideEmulation(made->capabilities, std::nullopt, instance->settings);
  std::shared_ptr<PhysicalDevice> kept = instance->physical_devices.InsertIfAbsent(handle, made);
  if (kept == made) {
    const LogLevel level = made->decision.emulation == Emulation::kImpossible ? LogLevel::kWarning : LogLevel::kInfo;
    instance->diagnostics.Report(level, "TRELLIS-emulation-decision",
                                 made->capabilities.device_name + ": " + made->decision.reason);
  }
  return kept;
}

}  // namespace trellis
