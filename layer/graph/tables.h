// SPDX-License-Identifier: Apache-2.0
// The pipeline's constant tables: slot arrays; the NodeOutputs that refer to them; and what a launch looks like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer/graph/graph.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

// Offsets are bytes from the table's start, which must be aligned to 16.
struct TableLayout {
  uint64_t size = 0;  // multiple of 16; never 0
  // By (slot, output), in order: its slot array, if it has several targets. Equal arrays share one place.
  std::vector<uint64_t> slot_arrays;
};

[[nodiscard]] TableLayout LayoutTables(const Graph& graph);
// The bytes of the tables; layout.size of them.
[[nodiscard]] std::vector<std::byte> WriteTables(const Graph& graph, const TableLayout& layout);
// By slot: its outputs in order, with tables at device address `base`.
[[nodiscard]] std::vector<std::vector<shared::NodeOutput>> DescribeOutputs(const Graph& graph,
                                                                           const TableLayout& layout, uint64_t base);

// The launch without state_words_before and position. `max_grid` is maxExecutionGraphWorkgroupCount: the bound
// of the components that have none.
[[nodiscard]] shared::LaunchPlan DescribeLaunch(const Graph& graph, Launch launch,
                                                const std::array<uint32_t, 3>& max_grid);

// The same launch where it launches bounds: records that share a workgroup are counted as those that coalesce.
void DescribeBounds(const spirv::NodeInfo& info, shared::LaunchPlan& plan);

}  // namespace trellis
