// SPDX-License-Identifier: Apache-2.0
// Declarations of all hooks. Each looks its object up, delegates, and calls down.
#pragma once

#include <type_traits>

#include "layer/dispatch/vulkan.h"
#include "layer/entry/hook_lists.h"

namespace trellis::entry {

// Declared with the very type of the command, so that a hook whose signature is wrong does not link.
#define TRELLIS_DECLARE(name) VKAPI_ATTR std::remove_pointer_t<PFN_vk##name> name;
TRELLIS_DECLARE(CreateInstance)
TRELLIS_DECLARE(DestroyDevice)
TRELLIS_INSTANCE_HOOKS(TRELLIS_DECLARE)
TRELLIS_DEVICE_HOOKS(TRELLIS_DECLARE, TRELLIS_DECLARE)
TRELLIS_PROVIDED_GRAPH_HOOKS(TRELLIS_DECLARE)
TRELLIS_PROVIDED_MAINTENANCE5_HOOKS(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

}  // namespace trellis::entry
