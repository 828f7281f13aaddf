// SPDX-License-Identifier: Apache-2.0
// What goes into the graph and what must come out of it.
#pragma once

#include <array>
#include <cstdint>

namespace hello {

inline constexpr uint32_t kEntryRecords = 4;
inline constexpr uint32_t kResultWords = 2 * kEntryRecords;

// The record of firstNode, as hello_graph.spvasm declares it.
struct EntryRecord {
  uint32_t grid_size;  // workgroups that this record launches
  uint32_t record_index;
};

using EntryRecords = std::array<EntryRecord, kEntryRecords>;
using ResultWords = std::array<uint32_t, kResultWords>;

EntryRecords MakeEntryRecords();

// Runs the three nodes on the CPU, one record after another.
ResultWords ComputeExpectedWords(const EntryRecords& records);

}  // namespace hello
