// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/reconvergence.h"

#include <algorithm>

namespace trellis::spirv {

void DemandReconvergence(Module& module) {
  constexpr auto kMode = static_cast<uint32_t>(spv::ExecutionMode::MaximallyReconvergesKHR);
  const bool has_it = std::any_of(module.execution_modes.begin(), module.execution_modes.end(),
                                  [](const Instruction& mode) { return mode.operands[1] == kMode; });
  if (has_it) return;
  module.extensions.emplace_back(spv::Op::OpExtension, kNoId, kNoId, EncodeString("SPV_KHR_maximal_reconvergence"));
  module.execution_modes.emplace_back(spv::Op::OpExecutionMode, kNoId, kNoId,
                                      std::vector<uint32_t>{module.entry_points.front().operands[1], kMode});
}

}  // namespace trellis::spirv
