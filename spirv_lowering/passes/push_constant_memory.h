// SPDX-License-Identifier: Apache-2.0
// The application's push constants in memory, for pipeline layouts that leave no byte of push constants to the layer.
#pragma once

#include "spirv_lowering/passes/push_constants.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Replaces the node's push constant variable by a pointer to a copy of the application's bytes, and makes a new block
// of two addresses: that of the launch at byte `launch_offset`, that of the copy at byte `copy_offset`. The copy must
// be aligned as its largest scalar is. Edits types in place: to be run before anybody indexes the module.
[[nodiscard]] Expected<LaunchMember> MovePushConstantsToMemory(Module& module, uint32_t launch_offset,
                                                               uint32_t copy_offset);

}  // namespace trellis::spirv
