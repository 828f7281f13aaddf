// SPDX-License-Identifier: Apache-2.0
// Function bodies: physical storage buffer pointers of handles -> payload arrays in the shape that other compilers of
// the extension emit.
#pragma once

#include "spirv_lowering/front_end/payload_arrays.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/rules/source_lines.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// A handle is a value of the payload array type, kept in Function or Private variables; payloads are reached by access
// chains into such a variable, into an allocation, or into the input. Errors name the source line.
[[nodiscard]] Expected<void> RewriteHandleCode(Module& module, Types& types, const PayloadArrays& arrays,
                                               const SourceLines& lines);

}  // namespace trellis::spirv
