// SPDX-License-Identifier: Apache-2.0
// Warnings for what a whole workgroup has to execute together, and may not.
#pragma once

#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/rules/check_rules.h"

namespace trellis::spirv {

// Returns one warning (RuleViolation::tolerated) for each allocation for the workgroup, enqueue of such payloads and
// OpFinishWritingNodePayloadAMDX in control flow that may differ between the invocations of a workgroup, and for counts
// and node indices of such allocations that may. In the order of the module, by entry point.
//
// Not a proof in either direction. Memory that invocations share is taken to hold one value at one address, and what is
// the same in a subgroup is taken to be the same in the workgroup if that may be one subgroup. A value that happens to
// be the same, such as GlobalInvocationId / WorkgroupSize, is taken to differ if its operands do.
//
// `module` comes from ReadModule. Pure, bounded, safe to call from many threads.
[[nodiscard]] std::vector<RuleViolation> CheckUniformity(const Module& module);

}  // namespace trellis::spirv
