// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/host_draws.h"

#include <algorithm>
#include <cstdint>

namespace trellis {

const shared::LaunchInput* DrawSplit::Next() {
  if (next_ >= end_) return nullptr;
  input_.first_workgroup = static_cast<uint32_t>(next_);
  next_ = std::min(next_ + largest_, end_);
  input_.workgroup_count = static_cast<uint32_t>(next_);
  return &input_;
}

DispatchSize SizeOfDraw(const shared::LaunchInput& input, const LargestDraw& largest) {
  return SplitIntoRows(input.workgroup_count - input.first_workgroup, largest.x);
}

}  // namespace trellis
