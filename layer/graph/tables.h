// The pipeline's constant tables: NodeOutput[] for each slot and the slot arrays that they point to; and what a launch
// looks like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer/graph/graph.h"
#include "meta_shaders/shared/graph_data.h"

namespace trellis {

// Offsets are bytes from the table's start, which must be aligned to 16.
struct TableLayout {
  uint64_t size = 0;                  // multiple of 16; never 0
  std::vector<uint64_t> outputs;      // by slot: its NodeOutput[]
  std::vector<uint64_t> slot_arrays;  // by (slot, output), in order: its slot array. Equal arrays share one place
};

[[nodiscard]] TableLayout LayoutTables(const Graph& graph);
// The bytes of the tables for device address `base`; layout.size of them.
[[nodiscard]] std::vector<std::byte> WriteTables(const Graph& graph, const TableLayout& layout, uint64_t base);

// The launch without notes_before. `outputs_address`: NodeOutput[] of launch.slot. `max_grid` is
// maxExecutionGraphWorkgroupCount: the bound of the components that have none.
[[nodiscard]] shared::LaunchPlan DescribeLaunch(const Graph& graph, Launch launch, uint64_t outputs_address,
                                                const std::array<uint32_t, 3>& max_grid);

}  // namespace trellis
