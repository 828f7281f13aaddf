// SPDX-License-Identifier: Apache-2.0
// Taking out what no entry point needs.
#pragma once

#include <string_view>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Keeps one entry point and drops the others with their execution modes (functions that two entry points share keep
// theirs). Functions and globals stay: EliminateDead removes them. Error: there is no such entry point.
[[nodiscard]] Expected<void> KeepEntryPoint(Module& module, std::string_view name, spv::ExecutionModel model);

// Removes what cannot be reached from entry points, execution modes of their functions and a constant decorated BuiltIn
// WorkgroupSize: functions, types, constants, variables, execution modes, and all names and decorations of ids that are
// not defined (any more). Interface lists lose the variables that no live function names, but keep outputs: the next
// stage is matched against them. Instructions inside live functions stay, whether their results are used or not.
//
// Non-semantic instructions keep plain constants and the void type alive, nothing else; those that name an id that is
// gone go too, and so on. Unused imports of non-semantic sets go, and OpLine between globals. Linear in the module; no
// recursion. The global `keep`, if given, stays with what it needs.
void EliminateDead(Module& module, Id keep = kNoId);

}  // namespace trellis::spirv
