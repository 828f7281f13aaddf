// Which ids of a function point into payload memory.
#pragma once

#include <unordered_map>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/passes/handle_types.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Result id -> original pointee type, for every pointer into a payload: those of class NodePayloadAMDX (the
// bare-structure input among them), and those that compilers derive from a handle variable and give the variable's
// class (Function). Refuses the latter where they meet ordinary pointers or leave the function.
using PayloadPointers = std::unordered_map<Id, Id>;
[[nodiscard]] Expected<PayloadPointers> FindPayloadPointers(const Function& function, const HandleTypes& handle_types,
                                                            const Types& types,
                                                            const std::unordered_map<Id, Id>& type_of, Id input);

// True if the function may read records that it is given through `pointers`, other than the input's: not every use only
// writes.
[[nodiscard]] bool ReadsOutputs(const Function& function, const PayloadPointers& pointers, Id input);

}  // namespace trellis::spirv
