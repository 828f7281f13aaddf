// SPDX-License-Identifier: Apache-2.0
// A module as SPIRV-Tools' validator can take it.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// spirv-val (2025.1) refuses three things that the extension allows: the type operand of OpIsNodePayloadValidAMDX
// ("cannot be a type"), atomics on payloads ("storage class forbidden"), and SpecId on OpSpecConstantStringAMDX ("must
// be a scalar specialization constant"). In the result the first has an undefined value of that type as operand,
// atomics on payloads are plain stores and loads, and such strings have no SpecId. Everything else is as it was, so a
// verdict on the result is one on the module.
[[nodiscard]] Module ForValidator(Module module);

}  // namespace trellis::spirv
