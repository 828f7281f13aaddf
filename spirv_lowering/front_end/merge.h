// SPDX-License-Identifier: Apache-2.0
// Several modules -> one module with the entry points of all.
#pragma once

#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Types and constants that SPIR-V wants unique are shared, and specialisation constants of one SpecId, type and
// default; all else stays as it was, with new ids. Error: two entry points of one name and model, different memory
// models, or a workgroup size by specialisation constant before SPIR-V 1.6. `modules` must not be empty.
[[nodiscard]] Expected<Module> MergeModules(std::vector<Module> modules);

}  // namespace trellis::spirv
