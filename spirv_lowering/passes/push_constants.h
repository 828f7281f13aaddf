// SPDX-License-Identifier: Apache-2.0
// The launch address in push constants.
#pragma once

#include <vector>

#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

struct LaunchMember {
  Id variable;  // the entry point's one PushConstant variable
  uint32_t member;
};

// A variable with a new push constant block: addresses, as uvec2, at these byte offsets.
[[nodiscard]] Id DeclareAddressBlock(Module& module, Types& types, const std::vector<uint32_t>& offsets);

// Appends a uvec2 at byte `offset` to the node's push constant block, or makes a block for it.
[[nodiscard]] Expected<LaunchMember> AddLaunchMember(Module& module, Types& types, uint32_t offset);

}  // namespace trellis::spirv
