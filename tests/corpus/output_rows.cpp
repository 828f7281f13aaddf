// SPDX-License-Identifier: Apache-2.0
// Outputs: allocation, completion, empty records, validity, node arrays; two whole examples.
#include "tests/corpus/rows.h"

namespace trellis::test {
namespace {

// "pair": 2 workgroups, one record 0 and one each of 1 to 4. "swap": 16 invocations, 8 to 12, then 16 through the copy.
CorpusRow TwoOutputs() {
  CorpusRow row{.module = "two_outputs",
                .nodes = Entries({"pair", "swap", "place"}),
                .inputs = {Launches("pair", 1), Launches("swap", 1)}};
  row.expected.resize(64);
  for (const uint32_t number : {0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 16}) {
    const uint32_t count = number < 8 ? 2 : 16;
    row.expected[number] = count;
    row.expected[32 + number] = count * (number + 100);
  }
  return row;
}

CorpusRow SparseNodes() {
  return {.module = "sparse_nodes",
          .nodes = {Entry("send_array"),
                    Entry("send_open_array"),
                    Entry("send_single"),
                    Entry("send_empty_array"),
                    Entry("send_empty_open_array"),
                    Entry("send_empty_single"),
                    {.entry = "take", .name = "array", .index = 1},
                    {.entry = "take", .name = "open_array", .index = 1},
                    {.entry = "take", .name = "single"},
                    {.entry = "count", .name = "empty_array", .index = 1},
                    {.entry = "count", .name = "empty_open_array", .index = 1},
                    {.entry = "count", .name = "empty_single"}},
          .inputs = {Launches("send_array", 1), Launches("send_open_array", 1), Launches("send_single", 1),
                     Launches("send_empty_array", 1), Launches("send_empty_open_array", 1),
                     Launches("send_empty_single", 1)},
          .expected = At({{0, 10 + 11}, {1, 11 + 12}, {2, 12 + 13}, {8, 13 + 14 + 15}})};
}

// 2 workgroups of each. "loop" sends 100 + k to bin k, "scatter" the invocation's number to bin number % 3.
CorpusRow NodeArray() {
  CorpusRow row{.module = "node_array",
                .nodes = {Entry("loop"), Entry("scatter")},
                .inputs = {Launches("loop", 1), Launches("scatter", 1)}};
  for (const char* bin : {"bin_0", "bin_1", "bin_2"}) row.nodes.push_back({.entry = bin, .name = "bin"});
  row.expected.resize(11);
  const auto send = [&](uint32_t bin, uint32_t value) {
    row.expected[bin] += 2 * value;
    row.expected[8 + bin] += 2;
  };
  for (uint32_t bin = 0; bin < 3; ++bin) send(bin, 100 + bin);
  for (uint32_t invocation = 0; invocation < 32; ++invocation) send(invocation % 3, invocation);
  return row;
}

CorpusRow IncrementArray() {
  CorpusRow row{.module = "increment_array",
                .nodes = Entries({"scatter"}),
                .inputs = {Launches("scatter", 1)},
                .expected = At({{2, 0}})};
  for (const char* bin : {"bin_0", "bin_1", "bin_2"}) row.nodes.push_back({.entry = bin, .name = "bin"});
  for (uint32_t invocation = 0; invocation < 32; ++invocation) row.expected[invocation % 3] += 2 * (invocation % 2);
  return row;
}

// "D3D12HelloWorkGraphs": record r launches r + 1 workgroups of 2 invocations; sums in words 0 to 3, counts in 4 to 7.
CorpusRow HelloWorkGraphs() {
  CorpusRow row{.module = "hello_work_graphs",
                .nodes = Entries({"firstNode", "secondNode", "thirdNode"}),
                .expected = std::vector<uint32_t>(8)};
  std::vector<uint32_t> records;
  for (uint32_t record = 0; record < 4; ++record) {
    records.insert(records.end(), {record + 1, record});
    for (uint32_t invocation = 0; invocation < 2 * (record + 1); ++invocation) {
      row.expected[record] += invocation * 2 + invocation % 2 + 1;
      row.expected[4 + record] += 1;
    }
  }
  row.inputs = {Payloads("firstNode", 2, records)};
  return row;
}

CorpusRow HelloWorkGraphsWithoutBarriers() {
  CorpusRow row = HelloWorkGraphs();
  row.first_racing_word = row.racing_words = 4;
  return row;
}

CorpusRow HelloWorkGraphsWithBarriers() {
  CorpusRow row = HelloWorkGraphs();
  row.module = "hello_graph";
  row.folder = "samples/hello_graph";
  return row;
}

}  // namespace

std::vector<CorpusRow> OutputRows() {
  return {{.module = "output_complete",
           .nodes = Entries({"produce", "collect"}),
           .inputs = {Launches("produce", 1)},
           .expected = {192 * 191 / 2, 192}},
          TwoOutputs(),
          {.module = "increment_group",
           .nodes = Entries({"beat", "tick"}),
           .inputs = {Launches("beat", 6)},
           .expected = {6}},
          {.module = "increment_thread",
           .nodes = Entries({"beat", "tick"}),
           .inputs = {Launches("beat", 5)},
           .expected = {3 * 5}},
          {.module = "is_valid_output",
           .nodes = Entries({"probe", "present"}),
           .inputs = {Launches("probe", 1)},
           .expected = {4 * 1, 4 * 2}},
          {.module = "is_valid_empty",
           .nodes = Entries({"probe", "present"}),
           .inputs = {Launches("probe", 1)},
           .expected = {4 * 1, 4 * 2}},
          {.module = "is_valid_base_index",
           .nodes = Entries({"probe", "sink"}),
           .inputs = {Launches("probe", 1)},
           .expected = {1, 17}},
          {.module = "is_valid_parameter",
           .nodes = Entries({"probe", "present"}),
           .inputs = {Launches("probe", 1)},
           .expected = {4 * 1, 4 * 2}},
          IncrementArray(),
          {.module = "renamed_node",
           .nodes = {{.entry = "old_name_of_source", .name = "new name of source"},
                     {.entry = "old_name_of_sink", .name = "new name of sink", .index = 2}},
           .inputs = {Launches("new name of source", 2)},
           .expected = {2 * 23}},
          SparseNodes(),
          {.module = "shared_limits",
           .nodes = Entries({"split", "left", "right"}),
           .inputs = {Payloads("split", 2, {10, FloatBits(3), 20, FloatBits(4)})},
           .expected = {2 * (11 + 21), 3 * (11 + 21), 2 * (3 + 4), 3 * (3 + 4)}},
          NodeArray(),
          {.module = "hello_world",
           .nodes = Entries({"MyGraphRoot", "MyChildNode"}),
           .inputs = {Launches("MyGraphRoot", 1)},
           .expected = std::vector<uint32_t>(64, 123456)},
          HelloWorkGraphsWithoutBarriers(),
          HelloWorkGraphsWithBarriers()};
}

}  // namespace trellis::test
