// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/registry.h"

#include <string>

#include "layer/dispatch/struct_chain.h"
#include "layer/objects/never_destroyed.h"

namespace trellis {

// The only one of its type.
template <typename Handle, typename Object>
static HandleTable<Handle, Object>& Table() {
  static const NeverDestroyed<HandleTable<Handle, Object>> table;
  return *table;
}

HandleTable<DispatchKey, Instance>& Instances() { return Table<DispatchKey, Instance>(); }
HandleTable<DispatchKey, Device>& Devices() { return Table<DispatchKey, Device>(); }
HandleTable<VkCommandBuffer, CommandBuffer>& CommandBuffers() { return Table<VkCommandBuffer, CommandBuffer>(); }
HandleTable<VkQueue, Queue>& Queues() { return Table<VkQueue, Queue>(); }

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

void ReportCutStruct(VkStructureType type) {
  Instances().ForEach([type](const std::shared_ptr<Instance>& instance) {
    if (instance->told_of_cut_struct.exchange(true)) return;
    instance->diagnostics.Warning(
        "TRELLIS-unknown-structure",
        "the structure of sType " + std::to_string(type) +
            " in a pNext chain is not known to this build of Trellis and lies at the border of a page. Trellis could "
            "not find out with a pipe whether the next page is readable, and passed 0 for what lies there. Allow the "
            "process to open pipes, or use a newer Trellis. This is reported once per instance");
  });
}

}  // namespace trellis
