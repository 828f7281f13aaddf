// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/device_dispatch.h"

#include "layer/dispatch/extension_names.h"

namespace trellis {

const char* DeviceDispatch::Load(VkDevice device, PFN_vkGetDeviceProcAddr next,
                                 std::span<const char* const> extensions) {
  GetDeviceProcAddr = next;
  const char* missing = nullptr;
#define TRELLIS_LOAD(name) name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #name));
#define TRELLIS_LOAD_REQUIRED(name) \
  TRELLIS_LOAD(name)                \
  if (!name && !missing) missing = "vk" #name;
  // A layer below that knows an enabled extension may be older than the core name: that would pass it by, handles of
  // its own and all. Without the extension its name is the last resort: what drivers answer then may lead nowhere.
#define TRELLIS_LOAD_ALIAS(name, alias, extension)                                                      \
  if (IsNamed(extensions, extension)) name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #alias)); \
  if (!name) TRELLIS_LOAD(name)                                                                         \
  if (!name) name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #alias));
  TRELLIS_DEVICE_FUNCTIONS(TRELLIS_LOAD_REQUIRED, TRELLIS_LOAD, TRELLIS_LOAD_ALIAS)
#undef TRELLIS_LOAD
#undef TRELLIS_LOAD_REQUIRED
#undef TRELLIS_LOAD_ALIAS
  // The oldest form of the command: the same signature and meaning.
  if (!GetBufferDeviceAddress) GetBufferDeviceAddress = GetBufferDeviceAddressEXT;
  return missing;
}

bool HasShaderEnqueueEntryPoints(VkDevice device, PFN_vkGetDeviceProcAddr next) {
#define TRELLIS_ASK(name) \
  if (!next(device, "vk" #name)) return false;
  TRELLIS_SHADER_ENQUEUE_FUNCTIONS(TRELLIS_ASK)
#undef TRELLIS_ASK
  return true;
}

}  // namespace trellis
