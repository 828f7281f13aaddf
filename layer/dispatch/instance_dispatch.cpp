// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/instance_dispatch.h"

namespace trellis {

const char* InstanceDispatch::Load(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
  GetInstanceProcAddr = next;
  const char* missing = nullptr;
#define TRELLIS_LOAD(name) name = reinterpret_cast<PFN_vk##name>(next(instance, "vk" #name));
#define TRELLIS_LOAD_REQUIRED(name) \
  TRELLIS_LOAD(name)                \
  if (!name && !missing) missing = "vk" #name;
#define TRELLIS_LOAD_ALIAS(name, alias) \
  TRELLIS_LOAD(name)                    \
  if (!name) name = reinterpret_cast<PFN_vk##name>(next(instance, "vk" #alias));
  TRELLIS_INSTANCE_FUNCTIONS(TRELLIS_LOAD_REQUIRED, TRELLIS_LOAD, TRELLIS_LOAD_ALIAS)
#undef TRELLIS_LOAD
#undef TRELLIS_LOAD_REQUIRED
#undef TRELLIS_LOAD_ALIAS
  return missing;
}

}  // namespace trellis
