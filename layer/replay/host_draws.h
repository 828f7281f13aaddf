// SPDX-License-Identifier: Apache-2.0
// Launches of mesh nodes whose records the host brings: as many draws as the device's limits ask for.
#pragma once

#include <vector>

#include "layer/replay/host_roots.h"
#include "layer/replay/launch_size.h"

namespace trellis {

// What each draw of the launch reads, one behind the other, in the order of workgroups.
[[nodiscard]] std::vector<shared::LaunchInput> SplitIntoDraws(const RootLaunch& launch, const LargestDraw& largest);

// Of the draw that reads `input`.
[[nodiscard]] DispatchSize SizeOfDraw(const shared::LaunchInput& input, const LargestDraw& largest);

}  // namespace trellis
