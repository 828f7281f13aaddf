// SPDX-License-Identifier: Apache-2.0
// Hooks of the commands that set dynamic state, one for each row of the table. Devices with shaderMeshEnqueue only.
#pragma once

#include "layer/objects/device.h"
#include "layer/objects/dynamic_state_table.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

template <uint32_t kRow, typename Command = typename DynamicStateTraits<kRow>::Command>
struct DynamicStateHook;

template <uint32_t kRow, typename... Arguments>
struct DynamicStateHook<kRow, void(VKAPI_PTR*)(VkCommandBuffer, Arguments...)> {
  static VKAPI_ATTR void VKAPI_CALL Call(VkCommandBuffer command_buffer, Arguments... arguments) {
    const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
    KeepDynamicState<kRow>(object->dynamic_states, arguments...);
    const auto below =
        reinterpret_cast<typename DynamicStateTraits<kRow>::Command>(object->device.dynamic_state_commands[kRow]);
    below(command_buffer, arguments...);
  }
};

}  // namespace trellis::entry
