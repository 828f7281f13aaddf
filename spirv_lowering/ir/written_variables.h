// Which variables keep their initial values.
#pragma once

#include <unordered_set>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Those of `variables` that some instruction may write: pointers to them, or into them, that go anywhere but into
// loads, copies from them, access chains, and debug information.
[[nodiscard]] std::unordered_set<Id> FindWritten(const Module& module, const std::unordered_set<Id>& variables);

}  // namespace trellis::spirv
