// SPDX-License-Identifier: Apache-2.0
#include "layer/proc_addr.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "layer/dispatch/command_aliases.h"
#include "layer/entry/dynamic_state_hooks.h"
#include "layer/entry/guard.h"
#include "layer/entry/hooks.h"
#include "layer/entry/neutral_commands.h"
#include "layer/objects/registry.h"

namespace trellis {

namespace {

// On which devices a device command is hooked.
constexpr uint8_t kOnGraphs = 1;
constexpr uint8_t kOnMaintenance5 = 2;
constexpr uint8_t kOnMeshNodes = 4;

struct Hook {
  std::string_view name;
  PFN_vkVoidFunction function = nullptr;
  uint8_t devices = 0;    // device commands: kOn…
  bool provided = false;  // device commands: needs nothing of that name below
};

// All that goes out to loader and application passes through here: functions that no exception leaves.
template <typename Command, typename Result, typename... Arguments>
PFN_vkVoidFunction GiveOut(Result(VKAPI_PTR* function)(Arguments...) noexcept) {
  return reinterpret_cast<PFN_vkVoidFunction>(static_cast<Command>(function));
}

#define TRELLIS_FUNCTION(command, hook) GiveOut<PFN_vk##command>(&entry::Guarded<&entry::hook, "vk" #hook>::Call)

// Tables are plain data, sorted by name, so that an unloaded layer leaves nothing behind.
template <size_t count>
std::array<Hook, count> SortedByName(std::array<Hook, count> hooks) {
  std::sort(hooks.begin(), hooks.end(), [](const Hook& a, const Hook& b) { return a.name < b.name; });
  return hooks;
}

std::span<const Hook> InstanceHooks() {
#define TRELLIS_HOOK(name) {"vk" #name, TRELLIS_FUNCTION(name, name)},
#define TRELLIS_OF_DEVICES(name) {"vk" #name, TRELLIS_FUNCTION(name, name), kOnGraphs},
  static const auto table = SortedByName(
      std::to_array<Hook>({TRELLIS_INSTANCE_HOOKS(TRELLIS_HOOK) TRELLIS_INSTANCE_EXTENSION_HOOKS(TRELLIS_OF_DEVICES)}));
#undef TRELLIS_HOOK
#undef TRELLIS_OF_DEVICES
  return table;
}

std::span<const Hook> DeviceHooks() {
#define TRELLIS_GRAPHS(name) {"vk" #name, TRELLIS_FUNCTION(name, name), kOnGraphs},
#define TRELLIS_BOTH(name) {"vk" #name, TRELLIS_FUNCTION(name, name), kOnGraphs | kOnMaintenance5},
#define TRELLIS_PROVIDED_GRAPHS(name) {"vk" #name, TRELLIS_FUNCTION(name, name), kOnGraphs, true},
#define TRELLIS_PROVIDED_MAINTENANCE5(name) {"vk" #name, TRELLIS_FUNCTION(name, name), kOnMaintenance5, true},
#define DYNAMIC_STATE(command, ...)                                                                     \
  {"vk" #command,                                                                                       \
   GiveOut<PFN_vk##command>(                                                                            \
       &entry::Guarded<&entry::DynamicStateHook<DynamicStateRow::command>::Call, "vk" #command>::Call), \
   kOnMeshNodes},
  static const auto table = SortedByName(std::to_array<Hook>({
#include "layer/dispatch/dynamic_states.inc"
      TRELLIS_DEVICE_HOOKS(TRELLIS_GRAPHS, TRELLIS_BOTH) TRELLIS_PROVIDED_GRAPH_HOOKS(TRELLIS_PROVIDED_GRAPHS)
          TRELLIS_PROVIDED_MAINTENANCE5_HOOKS(TRELLIS_PROVIDED_MAINTENANCE5)}));
#undef DYNAMIC_STATE
#undef TRELLIS_GRAPHS
#undef TRELLIS_BOTH
#undef TRELLIS_PROVIDED_GRAPHS
#undef TRELLIS_PROVIDED_MAINTENANCE5
  return table;
}

// Returns the hook of a command or of an alias. Commands that the layer provides itself have none under their aliases.
const Hook* FindHook(std::span<const Hook> table, std::string_view name) {
  const auto find = [table](std::string_view wanted) {
    const auto found = std::lower_bound(table.begin(), table.end(), wanted,
                                        [](const Hook& hook, std::string_view value) { return hook.name < value; });
    return found == table.end() || found->name != wanted ? nullptr : &*found;
  };
  if (const Hook* hook = find(name)) return hook;
  const CommandAlias* alias = FindAlias(name);
  const Hook* hook = alias ? find(alias->command) : nullptr;
  return hook && !hook->provided ? hook : nullptr;
}

// Commands that exist on every instance and device, whatever is emulated.
PFN_vkVoidFunction FindAlwaysHooked(const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return GiveOut<PFN_vkGetDeviceProcAddr>(&entry::Guarded<&GetDeviceProcAddr, "vkGetDeviceProcAddr">::Call);
  if (std::strcmp(name, "vkDestroyDevice") == 0) return TRELLIS_FUNCTION(DestroyDevice, DestroyDevice);
  return nullptr;
}

// The layer may have enabled VK_EXT_debug_utils below; to an application that did not, its commands do not exist.
bool IsHiddenDebugUtils(const Instance& instance, const char* name) {
  return instance.debug_utils_added && std::strstr(name, "DebugUtils");
}

// Loaders ask for device commands of an instance extension when they have created a device: an instance none of whose
// devices has graphs does without their hooks.
bool IsNeeded(const Hook& hook, const Instance& instance) {
  return hook.devices == 0 || instance.graph_devices != 0 || instance.other_devices == 0;
}

// The commands of VK_KHR_buffer_device_address as Vulkan 1.2 calls them; null for others.
const char* CoreNameOfAddressCommand(std::string_view name) {
  const CommandAlias* alias = FindAlias(name);
  return alias && alias->extension == VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME ? alias->command.data() : nullptr;
}

// A command that the layer does not follow may bind something, or end a render pass instance. Loaders ask for all names
// at once, so a name tells nothing about what the application records: only names of ends count as ends.
void NoteCommand(Device& device, std::string_view name) {
  if (!device.may_have_unknown_commands || !name.starts_with("vkCmd") || entry::IsNeutralCommand(name)) return;
  if (name.starts_with("vkCmdEnd")) device.may_miss_ends = true;
  if (device.told_of_unknown_command.exchange(true)) return;
  device.diagnostics.Warning(
      "TRELLIS-unknown-command",
      std::string(name) +
          " is not followed by this build of Trellis, and other commands may not be either: if one binds something for "
          "compute or pushes data, do that again after graph dispatches. This is reported once per device",
      {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
}

}  // namespace

void FindInstanceHooksBelow(Instance& instance) {
  const auto note = [&instance](std::string_view name) {
    if (instance.dispatch.GetInstanceProcAddr(instance.handle, name.data())) instance.hooks_below.insert(name);
  };
  for (const Hook& hook : InstanceHooks()) note(hook.name);
  for (const CommandAlias& alias : CommandAliases())
    if (FindHook(InstanceHooks(), alias.name)) note(alias.name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return GiveOut<PFN_vkGetInstanceProcAddr>(&entry::Guarded<&GetInstanceProcAddr, "vkGetInstanceProcAddr">::Call);
  if (std::strcmp(name, "vkCreateInstance") == 0) return TRELLIS_FUNCTION(CreateInstance, CreateInstance);
  if (!instance) return nullptr;

  const std::shared_ptr<Instance> object = FindInstance(instance);
  if (!object || IsHiddenDebugUtils(*object, name)) return nullptr;
  if (const PFN_vkVoidFunction function = FindAlwaysHooked(name)) return function;
  if (const Hook* hook = FindHook(InstanceHooks(), name); hook && IsNeeded(*hook, *object))
    return object->hooks_below.count(name) ? hook->function : nullptr;
  // Old loaders ask here whether anyone knows a device command that they do not know.
  if (const Hook* hook = FindHook(DeviceHooks(), name); hook && hook->provided) return hook->function;
  return object->dispatch.GetInstanceProcAddr(instance, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!object || IsHiddenDebugUtils(*object->instance, name)) return nullptr;
  if (const PFN_vkVoidFunction function = FindAlwaysHooked(name)) return function;

  const int devices = (object->emulates_graphs ? kOnGraphs : 0) |
                      (object->emulates_maintenance5 ? kOnMaintenance5 : 0) |
                      (object->shader_mesh_enqueue_enabled ? kOnMeshNodes : 0);
  const Hook* hook = devices ? FindHook(DeviceHooks(), name) : nullptr;
  const bool hooked = hook && (hook->devices & devices);
  if (hooked && hook->provided) return hook->function;
  // The extension is not enabled below: what a driver answers under its names may lead nowhere.
  const char* core = object->provides_buffer_device_address ? CoreNameOfAddressCommand(name) : nullptr;
  const PFN_vkVoidFunction below = object->dispatch.GetDeviceProcAddr(device, core ? core : name);
  if (hooked && below) return hook->function;
  if (below && object->emulates_graphs) NoteCommand(*object, name);
  return below;
}

}  // namespace trellis
