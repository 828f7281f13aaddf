// Whether a function looks at records that it sends.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/passes/handle_types.h"

namespace trellis::spirv {

// True if the function may read records through payload pointers other than the input's: not every use only writes.
// `type_of`: result types as they are before lowering.
[[nodiscard]] bool ReadsOutputs(const Function& function, const HandleTypes& handle_types,
                                const std::unordered_map<Id, Id>& type_of, Id input);

}  // namespace trellis::spirv
