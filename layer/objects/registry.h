// SPDX-License-Identifier: Apache-2.0
// Process-wide tables of dispatchable objects: the only globals of the layer.
#pragma once

#include <memory>

#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/objects/handle_table.h"
#include "layer/objects/instance.h"
#include "layer/objects/physical_device.h"
#include "layer/objects/queue.h"

namespace trellis {

// The loader's dispatch pointer: the same for an instance and its physical devices, and for a device, its queues and
// its command buffers.
using DispatchKey = const void*;

template <typename DispatchableHandle>
[[nodiscard]] inline DispatchKey DispatchKeyOf(DispatchableHandle handle) {
  return *reinterpret_cast<const void* const*>(handle);
}

[[nodiscard]] HandleTable<DispatchKey, Instance>& Instances();
[[nodiscard]] HandleTable<DispatchKey, Device>& Devices();
[[nodiscard]] HandleTable<VkCommandBuffer, CommandBuffer>& CommandBuffers();
[[nodiscard]] HandleTable<VkQueue, Queue>& Queues();

// Null for an object that the layer does not know. Any dispatchable object of the instance or device will do.
template <typename DispatchableHandle>
[[nodiscard]] inline std::shared_ptr<Instance> FindInstance(DispatchableHandle handle) {
  return Instances().Find(DispatchKeyOf(handle));
}
template <typename DispatchableHandle>
[[nodiscard]] inline std::shared_ptr<Device> FindDevice(DispatchableHandle handle) {
  return Devices().Find(DispatchKeyOf(handle));
}

// The command buffer that a vkCmd* records into. Never null on a device whose commands are hooked:
// vkAllocateCommandBuffers is hooked there too.
[[nodiscard]] inline std::shared_ptr<CommandBuffer> FindCommandBuffer(VkCommandBuffer handle) {
  return CommandBuffers().Find(handle);
}

// The object of a physical device; made, with all its queries, when it is first asked for. Null when the instance is
// not known.
[[nodiscard]] std::shared_ptr<PhysicalDevice> FindPhysicalDevice(VkPhysicalDevice handle);

}  // namespace trellis
