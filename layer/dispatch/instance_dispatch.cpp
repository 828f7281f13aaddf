// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/instance_dispatch.h"

#include "layer/dispatch/command_aliases.h"

namespace trellis {

const char* InstanceDispatch::Load(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
  GetInstanceProcAddr = next;
  const char* missing = nullptr;
  const auto ask = [instance, next](const char* name) { return next(instance, name); };
#define TRELLIS_LOAD(name) name = reinterpret_cast<PFN_vk##name>(LoadByAnyName("vk" #name, {}, ask));
#define TRELLIS_LOAD_REQUIRED(name) \
  TRELLIS_LOAD(name)                \
  if (!name && !missing) missing = "vk" #name;
  TRELLIS_INSTANCE_FUNCTIONS(TRELLIS_LOAD_REQUIRED, TRELLIS_LOAD)
#undef TRELLIS_LOAD
#undef TRELLIS_LOAD_REQUIRED
  return missing;
}

}  // namespace trellis
