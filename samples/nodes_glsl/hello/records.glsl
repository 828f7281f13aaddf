// SPDX-License-Identifier: Apache-2.0
// What the three nodes of hello_graph (D3D12HelloWorkGraphs) send each other.
struct EntryRecord {
  NODE_GRID uint grid_size;  // workgroups that this record launches
  uint record_index;
};
struct Increment {
  uint entry_record_index;
  uint value;
};
struct Count {
  uint entry_record_index;
};
