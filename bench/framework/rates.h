// SPDX-License-Identifier: Apache-2.0
// What the device can do at most, measured after the workload in question: the yardstick for baselines.
#pragma once

#include "bench/framework/gpu.h"
#include "bench/framework/workload.h"

namespace trellis::bench {

struct Rates {
  double bytes_per_nanosecond = 0;        // of a large copy, read and written
  double workgroups_per_nanosecond = 0;   // empty ones
  double invocations_per_nanosecond = 0;  // of empty workgroups
  double nanoseconds_per_step = 0;        // an indirect dispatch of one workgroup and a barrier, in a chain of 32
};

Rates MeasureRates(const Gpu& gpu, bool quick);

// The share of what bounds it that a baseline reaches in `nanoseconds`.
double ShareOfBound(const Rates& rates, const Needs& needs, double nanoseconds);
// Baselines below this share are no baselines.
inline constexpr double kBaselineShare = 0.7;

}  // namespace trellis::bench
