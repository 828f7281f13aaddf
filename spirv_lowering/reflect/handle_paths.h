// SPDX-License-Identifier: Apache-2.0
// Paths through aggregates that hold payload arrays.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Splits access chains, OpCompositeExtract and OpCompositeInsert that go through a structure or an array into a payload
// array, and on into a payload: afterwards each path ends at a payload array or begins at one. Access chains to payload
// arrays without indices become copies.
void SplitHandlePaths(Module& module);

}  // namespace trellis::spirv
