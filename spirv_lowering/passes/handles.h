// SPDX-License-Identifier: Apache-2.0
// Payload arrays and the instructions on them: allocation, enqueue, element access, length, validity.
#pragma once

#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// After it, no NodePayloadAMDX pointer, payload array or instruction of the extension is left in live code.
[[nodiscard]] Expected<void> LowerHandles(Lowering& lowering);

}  // namespace trellis::spirv
