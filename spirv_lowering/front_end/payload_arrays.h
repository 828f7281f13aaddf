// SPDX-License-Identifier: Apache-2.0
// From blocks to payload arrays: types, decorations and execution modes.
#pragma once

#include <unordered_map>

#include "spirv_lowering/front_end/stand_ins.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// What the functions have to be rewritten for. A GLSL handle is a physical storage buffer pointer to the block; that
// pointer's id now declares the payload array itself, so variables, parameters and results of the pointer type have
// become ones of payload arrays.
struct PayloadArrays {
  std::unordered_map<Id, bool> outputs;  // OpTypeNodePayloadArrayAMDX -> its payload is empty
  Id input = kNoId;                      // the variable, in NodePayloadAMDX
  bool input_many = false;
  bool input_empty = false;
  std::unordered_map<Id, SourceLine> declared;  // payload array types and the input variable
};

// `types` indexes `module` and stays right; nothing is removed from the globals. Blocks become dead.
[[nodiscard]] Expected<PayloadArrays> MakePayloadArrays(Module& module, Types& types, const StandIns& stand_ins);

// SharesInputWithAMDX, from its stand-in.
void AddSharedInputMode(Module& module, Types& types, const SharedInputStandIn& shared_input);

// Puts constants and payload array types in front of what they decorate: newer validators want operands of OpDecorateId
// declared before the target.
void OrderDecorationOperands(Module& module);

}  // namespace trellis::spirv
