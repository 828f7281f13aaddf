// SPDX-License-Identifier: Apache-2.0
// How times grow with the number of records, levels and nodes.
#pragma once

#include <string>
#include <vector>

#include "bench/framework/gpu.h"

namespace trellis::bench {

struct GrowthPoint {
  std::string series;  // what grows
  uint32_t x = 0;
  double ours = 0;  // medians, nanoseconds
  double theirs = 0;
  bool is_correct = false;
};

std::vector<GrowthPoint> MeasureGrowth(const Gpu& gpu, bool quick);
// [{series, x, device, ours_ns, theirs_ns}]
std::string GrowthJson(const std::string& device, const std::vector<GrowthPoint>& points);

}  // namespace trellis::bench
