// SPDX-License-Identifier: Apache-2.0
// Dynamic grids of very different sizes.
#pragma once

#include <memory>

#include "bench/framework/workload.h"

namespace trellis::bench {

std::unique_ptr<Workload> MakeSkewed(const Gpu& gpu, uint32_t records);
// Invocations of all nodes of that workload.
uint64_t SkewedInvocations(uint32_t records);

}  // namespace trellis::bench
