// SPDX-License-Identifier: Apache-2.0
// Runs a workload in both forms.
#pragma once

#include "bench/framework/rates.h"
#include "bench/framework/stopwatch.h"
#include "bench/framework/workload.h"

namespace trellis::bench {

struct Comparison {
  Times ours;  // of the fastest form
  Times theirs;
  std::vector<double> our_forms;  // medians, by which the fastest was chosen; empty if both have but one
  std::vector<double> their_forms;
  std::optional<double> baseline_share;  // of what bounds it; nothing if no measured rate does
  std::string mistake;                   // empty if both results are right

  [[nodiscard]] double Ratio() const { return ours.median / theirs.median; }
};

// `quick`: nobody waits for a GPU to leave resting clocks, and rates are measured with small sizes.
Comparison Compare(const Gpu& gpu, const Workload& workload, uint32_t repetitions, bool quick);

}  // namespace trellis::bench
