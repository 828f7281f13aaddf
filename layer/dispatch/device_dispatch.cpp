#include "layer/dispatch/device_dispatch.h"

namespace trellis {

const char* DeviceDispatch::Load(VkDevice device, PFN_vkGetDeviceProcAddr next) {
  GetDeviceProcAddr = next;
  const char* missing = nullptr;
#define TRELLIS_LOAD(name) name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #name));
#define TRELLIS_LOAD_REQUIRED(name) \
  TRELLIS_LOAD(name)                \
  if (!name && !missing) missing = "vk" #name;
  // The extension's name exists where the application has enabled it, and what is below us then knows it. The core name
  // may be younger than a layer that is there: it would be passed by, handles of its own and all.
#define TRELLIS_LOAD_ALIAS(name, alias)                             \
  name = reinterpret_cast<PFN_vk##name>(next(device, "vk" #alias)); \
  if (!name) TRELLIS_LOAD(name)
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
