// SPDX-License-Identifier: Apache-2.0
// Launch kinds, grids, barriers and constants.
#include "tests/corpus/rows.h"

namespace trellis::test {
namespace {

CorpusRow BarrierObject() {
  CorpusRow row{.module = "barrier_object",
                .nodes = Entries({"weigh", "tally", "mark", "recast", "send_thread", "send_group", "flush"}),
                .inputs = {Payloads("weigh", 1, {10, 20}), Payloads("recast", 1, {1, 2, 3, 4, 5}),
                           Launches("send_thread", 1), Launches("send_group", 3), Launches("flush", 1)},
                .validator_says = kPointerParameter};
  const uint32_t weighed = 3 * (10 + 20), tallied = 3 * (1 + 2 + 3 + 4), recast = 3 * (1 + 2 + 3 + 4 + 5);
  const uint32_t marked = 64 * 63 / 2 + 64 * 100;
  row.expected = {weighed, tallied, marked, 4 * 32, recast};
  return row;
}

CorpusRow BarrierMemory() {
  CorpusRow row{.module = "barrier_memory",
                .nodes = Entries({"relay"}),
                .inputs = {Launches("relay", 2)},
                .validator_says = kNeedsMemoryModel};
  for (uint32_t i = 0; i < 16; ++i) row.expected.push_back(2 * (3 * i + 1));
  return row;
}

// Two records: grids of 3 and 2 workgroups of 5 invocations.
CorpusRow BarrierCompute() {
  CorpusRow row{.module = "barrier_compute",
                .nodes = Entries({"plain"}),
                .inputs = {Payloads("plain", 3, {3, 1, 1, 2, 1, 1})},
                .expected = std::vector<uint32_t>(10, 2)};
  row.expected.resize(15, 1);
  return row;
}

CorpusRow NoInput() {
  CorpusRow row{.module = "no_input", .nodes = Entries({"sweep"}), .inputs = {Launches("sweep", 2)}};
  AddPerWorkgroup(row.expected, 0, {3, 4, 5}, 3, 4, 2 * 6 * 7);
  return row;
}

CorpusRow StaticGrid() {
  CorpusRow row{.module = "static_grid",
                .nodes = Entries({"tile"}),
                .inputs = {Payloads("tile", 1, {3, 4})},
                .validator_says = kPointerParameter};
  AddPerWorkgroup(row.expected, 0, {2, 3, 2}, 2, 3, 16 * (3 + 4));
  return row;
}

CorpusRow MaxGrid() {
  CorpusRow row{.module = "max_grid", .nodes = Entries({"tile"}), .validator_says = kPointerParameter};
  const GridSize grids[] = {{2, 1, 1}, {1, 3, 4}, {0, 3, 4}, {2, 3, 4}};
  std::vector<uint32_t> records;
  for (uint32_t texture = 0; texture < 4; ++texture) {
    const GridSize& grid = grids[texture];
    records.insert(records.end(), {grid.x, grid.y, grid.z, texture});
    AddPerWorkgroup(row.expected, 32 * texture, grid, 2, 3, 4);
  }
  row.inputs = {Payloads("tile", 4, records)};
  return row;
}

CorpusRow GridArray() {
  CorpusRow row{.module = "grid_array",
                .nodes = Entries({"stash", "tile"}),
                .inputs = {Payloads("stash", 6, {7, 8, 9, 0, 0, 0, 1, 2, 3, 0, 0, 0}),
                           Payloads("tile", 6, {3, 2, 1, 5, 0, 0, 4, 4, 2, 1, 0, 0})},
                .expected = {7 + 1, 8 + 2, 9 + 3},
                .validator_says = kPointerParameter};
  AddPerWorkgroup(row.expected, 64, {3, 2, 1}, 4, 4, 2 * 5);
  AddPerWorkgroup(row.expected, 64, {4, 4, 2}, 4, 4, 2 * 1);
  return row;
}

CorpusRow GridNested() {
  CorpusRow row{.module = "grid_nested",
                .nodes = Entries({"peek", "tile"}),
                .inputs = {Payloads("peek", 5, {1, 2, 7, 8, 9, 3, 4, 30, 0, 0}),
                           Payloads("tile", 5, {5, 0, 2, 1, 3, 6, 0, 1, 4, 1})},
                .expected = {7 + 30},
                .validator_says = kPointerParameter};
  AddPerWorkgroup(row.expected, 64, {2, 1, 3}, 4, 4, 2 * 5);
  AddPerWorkgroup(row.expected, 64, {1, 4, 1}, 4, 4, 2 * 6);
  return row;
}

CorpusRow Grid16Bit() {
  CorpusRow row{.module = "grid_16bit", .nodes = Entries({"tile"}), .int16 = true};
  const GridSize grids[] = {{4, 1, 2}, {1, 4, 4}, {3, 0, 1}};
  std::vector<uint32_t> records;
  for (uint32_t slot = 0; slot < 3; ++slot) {
    const GridSize& grid = grids[slot];
    records.insert(records.end(), {slot | grid.x << 16, grid.y | grid.z << 16});
    AddPerWorkgroup(row.expected, 64 * slot, grid, 4, 4, 2);
  }
  row.inputs = {Payloads("tile", 2, records)};
  return row;
}

// "levels" never recurses: all of its 32 invocations have 4 levels left. "descend" runs at 3, 2, 1 and 0.
CorpusRow RecursionLevels() {
  return {.module = "recursion_levels",
          .nodes = Entries({"levels", "descend"}),
          .inputs = {Launches("levels", 1), Payloads("descend", 1, {0, 0})},
          .expected = At({{4, 32}, {16, 2}, {17, 2}, {18, 2}, {19, 2}, {32, 2}, {33, 2}, {34, 2}, {35, 2}})};
}

// 3 workgroups of 32 invocations; the grid in the payload, 7, is overridden and only read.
CorpusRow SpecConstants() {
  CorpusRow row{.module = "spec_constants",
                .nodes = {Entry("source"), Entry("sink")},
                .inputs = {Payloads("source", 1, {7})},
                .expected = {3 * 32, 3 * (32 * 31 / 2 + 32 * 7)},
                .validator_says = kPointerParameter};
  row.nodes[0].specialization = {Spec(0, 32), Spec(1, 3), Spec(2, 5), Spec(3, 32)};
  row.nodes[1].index = 5;
  return row;
}

CorpusRow SpecConstantsGrid() {
  CorpusRow row{.module = "spec_constants_grid",
                .nodes = Entries({"tile"}),
                .inputs = {{.node = "tile", .index = 4, .count = 2, .payloads = Bytes({5, 2}), .stride = 4}},
                .expected = {4 * (5 + 2), 4 * (5 + 2), 4 * 5, 4 * 5, 4 * 5}};
  row.nodes[0].specialization = {Spec(0, 5), Spec(1, 4)};
  return row;
}

// 2 x 3 x 2 workgroups of 4 x 2 invocations, each of which has a word.
CorpusRow SystemValues() {
  CorpusRow row{.module = "system_values", .nodes = Entries({"show"}), .inputs = {Launches("show", 1)}};
  for (uint32_t workgroup = 0; workgroup < 12; ++workgroup) {
    for (uint32_t invocation = 0; invocation < 8; ++invocation) {
      const uint32_t thread_x = invocation % 4, thread_y = invocation / 4;
      const uint32_t x = workgroup % 2 * 4 + thread_x, y = workgroup / 2 % 3 * 2 + thread_y, z = workgroup / 6;
      row.expected.push_back(x + 16 * y + 256 * z + 4096 * thread_x + 65536 * thread_y);
    }
  }
  return row;
}

CorpusRow UnusedInput() {
  CorpusRow row{
      .module = "unused_input", .nodes = Entries({"tile"}), .inputs = {Payloads("tile", 3, {9, 4, 2, 9, 1, 3})}};
  AddPerWorkgroup(row.expected, 0, {4, 2, 1}, 4, 4, 4);
  AddPerWorkgroup(row.expected, 0, {1, 3, 1}, 4, 4, 4);
  return row;
}

}  // namespace

std::vector<CorpusRow> LaunchRows() {
  return {
      BarrierObject(),
      BarrierMemory(),
      BarrierCompute(),
      {.module = "groupshared",
       .nodes = Entries({"fill"}),
       .inputs = {Payloads("fill", 1, {4, 9, 60})},
       .expected = At({{4, 2 * 11}, {9, 2 * 16}, {60, 2 * 67}}),
       .validator_says = kPointerParameter},
      {.module = "groupshared_barrier",
       .nodes = Entries({"tell"}),
       .inputs = {Launches("tell", 1)},
       .expected = std::vector<uint32_t>(32, 5),
       .validator_says = kNeedsMemoryModel},
      {.module = "coalescing_local_size",
       .nodes = Entries({"gather"}),
       .inputs = {Launches("gather", 3)},
       .expected = std::vector<uint32_t>(128, 3)},
      {.module = "thread_local_size", .nodes = Entries({"single"}), .inputs = {Launches("single", 5)}, .expected = {5}},
      {.module = "thread_default_local_size",
       .nodes = Entries({"single"}),
       .inputs = {Launches("single", 9)},
       .expected = {9}},
      NoInput(),
      StaticGrid(),
      MaxGrid(),
      GridArray(),
      GridNested(),
      Grid16Bit(),
      RecursionLevels(),
      {.module = "wave_size",
       .nodes = Entries({"spread", "single"}),
       .validator_says = "when Kernel capability is used",
       .refused_with = "OpCapability SubgroupDispatch"},
      SpecConstants(),
      SpecConstantsGrid(),
      SystemValues(),
      UnusedInput()};
}

}  // namespace trellis::test
