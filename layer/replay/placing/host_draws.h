// SPDX-License-Identifier: Apache-2.0
// Launches of mesh nodes whose records the host brings: as many draws as the device's limits ask for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layer/replay/placing/host_roots.h"
#include "layer/replay/planning/launch_size.h"

namespace trellis {

// What the draws of a launch read, one after the other, in the order of workgroups.
class DrawSplit {
 public:
  DrawSplit(const RootLaunch& launch, const LargestDraw& largest)
      : input_(launch.input), end_(launch.size.workgroups), largest_(largest.workgroups) {}

  // Valid until the next call; null behind the last one.
  [[nodiscard]] const shared::LaunchInput* Next() {
    if (next_ >= end_) return nullptr;
    input_.first_workgroup = static_cast<uint32_t>(next_);
    next_ = std::min(next_ + largest_, end_);
    input_.workgroup_count = static_cast<uint32_t>(next_);
    return &input_;
  }

 private:
  shared::LaunchInput input_;
  uint64_t next_ = 0;
  const uint64_t end_;
  const uint32_t largest_;
};

// Returns the size of the draw that reads `input`.
[[nodiscard]] inline DispatchSize SizeOfDraw(const shared::LaunchInput& input, const LargestDraw& largest) {
  return SplitIntoRows(input.workgroup_count - input.first_workgroup, largest.x);
}

}  // namespace trellis
