// SPDX-License-Identifier: Apache-2.0
// The table and the JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/framework/compare.h"

namespace trellis::bench {

struct ReportRow {
  std::string id;  // of the target, or the workload's name
  std::string name;
  std::string size;
  Comparison comparison;
  std::optional<Target> target;
};

// A figure that is no comparison of two times on the device.
struct Figure {
  std::string id;
  std::string name;
  std::string unit;
  double value = 0;
  std::optional<double> target;
  std::string note;  // how it came about
};

void PrintHeading(const Gpu& gpu, const Rates& rates);
void PrintRow(const ReportRow& row);
void PrintFigure(const Figure& figure);
std::string Json(const std::string& device, const std::vector<ReportRow>& rows, const std::vector<Figure>& figures);

}  // namespace trellis::bench
