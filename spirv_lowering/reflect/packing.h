// SPDX-License-Identifier: Apache-2.0
// Packing: several small workgroups of a node run as one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/node_info.h"

namespace trellis::spirv {

// Workgroups of so many invocations are large enough: what they reserve together is worth more than what packing saves.
inline constexpr uint32_t kLargeWorkgroup = 64;

// What packed workgroups send is at most this, in bytes: memory has to have room for all that one workgroup of a
// dispatch can send.
inline constexpr uint64_t kMaxPackedBytes = 256 * 1024;

// Max invocations of a packed workgroup, which every device allows. Devices start a limited number of workgroups per
// second, whatever is in them.
inline constexpr uint32_t kPackedInvocations = 128;

// The same where bounds are launched (NodeInfo::launches_bounds), if all that several records may have fits.
inline constexpr uint32_t kPackedBounds = 256;

// Why workgroups of a node cannot run as one; nothing if they can because no instruction could tell. What is not known
// to be harmless is an obstacle. `module` is that of the node alone (reflect/node_module.h), `types` and `constants` of
// it, `invocations` those of a workgroup.
[[nodiscard]] std::optional<std::string> FindPackingObstacle(const Module& module, const Types& types,
                                                             const ConstantEvaluator& constants, uint32_t invocations);

// Workgroups that may run as one of at most kPackedInvocations, 1 if that is none but itself. In static grids, a
// multiple of a record's workgroups or a divisor of them. Where bounds are launched, all that several records may
// have, in at most kPackedBounds invocations. `max_invocations`: of a workgroup of the device, at least
// kPackedInvocations.
[[nodiscard]] uint32_t WorkgroupsToPack(const NodeInfo& info, uint32_t max_invocations = kPackedBounds);

// Whether workgroups of a dispatch are to go through a launch that has more of them, in strides or in runs. On GPUs,
// packed ones that send nothing and need not search: what invocations of a subgroup do together costs registers in a
// loop. Not grids whose regions count records instead of workgroups.
[[nodiscard]] bool Strides(const NodeInfo& info, bool for_cpu);

}  // namespace trellis::spirv
