// SPDX-License-Identifier: Apache-2.0
// Whether a node looks at records that it sends.
#pragma once

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/passes/handle_types.h"

namespace trellis::spirv {

// True if the functions may read records of payload arrays other than the input: what comes from a parameter may be of
// any. `type_of`: result types as they are before lowering. `input` may be kNoId.
[[nodiscard]] bool ReadsOutputs(const DefUse& def_use, const HandleTypes& handle_types,
                                const std::unordered_map<Id, Id>& type_of, Id input);

}  // namespace trellis::spirv
