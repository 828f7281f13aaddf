// SPDX-License-Identifier: Apache-2.0
// OpDecorationGroup and its users, which SPIR-V deprecates, turned into plain decorations.
#pragma once

#include <cstddef>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Replaces each OpGroupDecorate and OpGroupMemberDecorate by the group's decorations on every target, in place, and
// drops the groups with their names. `max_added_words` bounds what that may add: groups of n decorations on n targets
// grow quadratically. Error: the bound was reached, or a group is no OpDecorationGroup.
[[nodiscard]] Expected<void> FlattenDecorationGroups(Module& module, size_t max_added_words);

}  // namespace trellis::spirv
