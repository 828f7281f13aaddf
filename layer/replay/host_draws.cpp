// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/host_draws.h"

#include <algorithm>
#include <cstdint>

namespace trellis {

std::vector<shared::LaunchInput> SplitIntoDraws(const RootLaunch& launch, const LargestDraw& largest) {
  std::vector<shared::LaunchInput> inputs;
  const uint64_t end = launch.size.workgroups;
  for (uint64_t first = 0; first < end; first += largest.workgroups) {
    shared::LaunchInput& input = inputs.emplace_back(launch.input);
    input.first_workgroup = static_cast<uint32_t>(first);
    input.workgroup_count = static_cast<uint32_t>(std::min(first + largest.workgroups, end));
  }
  return inputs;
}

DispatchSize SizeOfDraw(const shared::LaunchInput& input, const LargestDraw& largest) {
  return SplitIntoRows(input.workgroup_count - input.first_workgroup, largest.x);
}

}  // namespace trellis
