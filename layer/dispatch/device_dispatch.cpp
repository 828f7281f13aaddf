// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/device_dispatch.h"

#include "layer/dispatch/command_aliases.h"

namespace trellis {

const char* DeviceDispatch::Load(VkDevice device, PFN_vkGetDeviceProcAddr next,
                                 std::span<const char* const> extensions) {
  GetDeviceProcAddr = next;
  const char* missing = nullptr;
  const auto ask = [device, next](const char* name) { return next(device, name); };
#define TRELLIS_LOAD(name) name = reinterpret_cast<PFN_vk##name>(LoadByAnyName("vk" #name, extensions, ask));
#define TRELLIS_LOAD_REQUIRED(name) \
  TRELLIS_LOAD(name)                \
  if (!name && !missing) missing = "vk" #name;
  TRELLIS_DEVICE_FUNCTIONS(TRELLIS_LOAD_REQUIRED, TRELLIS_LOAD)
#undef TRELLIS_LOAD
#undef TRELLIS_LOAD_REQUIRED
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
