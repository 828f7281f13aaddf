// SPDX-License-Identifier: Apache-2.0
// Inputs, and members of records.
#include "tests/corpus/rows.h"

namespace trellis::test {
namespace {

CorpusRow InputCount() {
  CorpusRow row{.module = "input_count", .nodes = Entries({"count"}), .validator_says = kPointerParameter};
  std::vector<uint32_t> values;
  for (uint32_t i = 1; i <= 100; ++i) values.push_back(i);
  row.inputs = {Payloads("count", 1, values)};
  row.expected = {100, 100 * 101 / 2};
  return row;
}

CorpusRow InputCopy() {
  CorpusRow row{.module = "input_copy", .nodes = Entries({"count"})};
  std::vector<uint32_t> values;
  for (uint32_t i = 1; i <= 40; ++i) values.push_back(i);
  row.inputs = {Payloads("count", 1, values)};
  row.expected = {40, 3 * (40 * 41 / 2)};
  return row;
}

// "stress", 3 workgroups, sends one record each, which launches 2 workgroups of 4 invocations.
CorpusRow RecordInFunction() {
  CorpusRow row{
      .module = "record_in_function", .nodes = Entries({"stress", "child"}), .validator_says = kPointerParameter};
  std::vector<uint32_t> record(32);
  record[0] = 5;
  record[29] = 3;
  record[30] = record[31] = 1;
  row.inputs = {Payloads("stress", 32, record)};
  row.expected = {3 * 4 * (5 + 61), 3 * 4 * (5 + 61)};
  return row;
}

// {half, float, double at 8, uint at 16, ushort at 20, int at 24, long at 32, ulong at 40}; 8 invocations add each.
CorpusRow ReadTypes() {
  CorpusRow row{
      .module = "read_types",
      .nodes = Entries({"read_h", "read_f", "read_d", "read_b", "read_i16", "read_i", "read_i64", "read_u64"}),
      .validator_says = kPointerParameter,
      .narrow_and_wide_types = true};
  constexpr uint32_t kHalf3 = 0x4200, kDouble7High = 0x401C0000, kTrue = 4, kUlongLow = 705032726;
  const std::vector<uint32_t> record = {kHalf3, FloatBits(5), 0,   kDouble7High, kTrue, 65533, 0u - 17,
                                        0,      0u - 19,      ~0u, kUlongLow,    1};
  for (const CorpusNode& node : row.nodes) row.inputs.push_back(Payloads(node.entry, 12, record));
  for (const uint32_t value : {3u, 5u, 7u, 1u, 65533u, 0u - 17, 0u - 19, kUlongLow}) row.expected.push_back(8 * value);
  return row;
}

// One record from each of 3 workgroups.
CorpusRow WriteTypes() {
  CorpusRow row{.module = "write_types",
                .nodes = Entries({"write", "inspect"}),
                .inputs = {Launches("write", 1)},
                .narrow_and_wide_types = true};
  constexpr int64_t kLong = -123456789012;
  constexpr uint64_t kUlong = 5000000000;
  const int64_t values[] = {5,
                            -6,
                            33,
                            1,
                            -11,
                            65533,
                            -17,
                            static_cast<int32_t>(kLong),
                            kLong >> 32,
                            static_cast<uint32_t>(kUlong),
                            kUlong >> 32,
                            24,
                            30};
  for (const int64_t value : values) row.expected.push_back(static_cast<uint32_t>(3 * value));
  return row;
}

CorpusRow ReadRecords() {
  CorpusRow row{
      .module = "read_records",
      .nodes = Entries({"read_dispatch", "read_rw_dispatch", "read_group", "read_rw_group", "read_thread_out",
                        "read_thread_out_at", "read_group_out", "discarded"}),
      .inputs = {Payloads("read_dispatch", 3, {1, 2, 3}), Payloads("read_rw_dispatch", 3, {1, 2, 3}),
                 Launches("read_thread_out", 1), Launches("read_thread_out_at", 1), Launches("read_group_out", 1)},
      .expected = {64 * 1, 64 * 2, 55, 21, 40, 41, 42},
      .validator_says = kPointerParameter};
  std::vector<uint32_t> records;
  for (uint32_t i = 1; i <= 10; ++i) records.insert(records.end(), {0, 0, i});
  row.inputs.push_back(Payloads("read_group", 3, records));
  records.resize(6 * 3);
  row.inputs.push_back(Payloads("read_rw_group", 3, records));
  return row;
}

CorpusRow WriteRecords() {
  CorpusRow row{.module = "write_records",
                .nodes = Entries({"write_dispatch", "write_group", "write_thread_out", "write_group_out", "arrive"}),
                .inputs = {Payloads("write_dispatch", 2, {0, 0}), Launches("write_thread_out", 2),
                           Launches("write_group_out", 1)},
                .expected = {16 * 5, 6 * 9, 6 * 10, 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18, 0, 0, 0, 0},
                .validator_says = kPointerParameter};
  // The second record of a workgroup is told by its member b, wherever it came from: each adds 1 to word 8 + a.
  std::vector<uint32_t> records;
  for (uint32_t a = 0; a < 9; ++a) {
    records.insert(records.end(), {a, 3});
    row.expected.push_back(1);
  }
  row.inputs.push_back(Payloads("write_group", 2, records));
  return row;
}

CorpusRow MatrixMembers() {
  CorpusRow row{.module = "matrix_members",
                .nodes = Entries({"turn", "turn_group", "stamp_thread", "stamp_group", "inspect"}),
                .inputs = {Launches("stamp_thread", 1), Launches("stamp_group", 1)},
                .expected = {111, 111, 111, 111, 1, 2, 3, 4},
                .validator_says = kPointerParameter};
  std::vector<uint32_t> record(12);
  for (uint32_t i = 0; i < 4; ++i) record[i] = FloatBits(static_cast<float>(i + 1));
  row.inputs.push_back(Payloads("turn", 12, record));
  std::vector<uint32_t> records;
  for (int i = 0; i < 3; ++i) records.insert(records.end(), record.begin(), record.end());
  row.inputs.push_back(Payloads("turn_group", 12, records));
  row.expected.insert(row.expected.end(), {3 * 1, 3 * 2, 3 * 3, 3 * 4});
  // Words 16 to 27: the memory of what both stamps send. The last matrix is stored by rows.
  row.expected.resize(16);
  for (const uint32_t value : {111, 111, 111, 111, 221, 222, 223, 224, 221, 223, 222, 224})
    row.expected.push_back(2 * value);
  return row;
}

}  // namespace

std::vector<CorpusRow> RecordRows() {
  return {
      {.module = "empty_input_count",
       .nodes = Entries({"count"}),
       .inputs = {Launches("count", 7)},
       .expected = {7, 7},
       .validator_says = kPointerParameter},
      InputCount(),
      InputCopy(),
      {.module = "finish_writing",
       .nodes = Entries({"start", "gather"}),
       .inputs = {Launches("start", 3)},
       .expected = {3, 3 * 8 * 9},  // one of 8 workgroups is the last
       .validator_says = kPointerParameter},
      RecordInFunction(),
      ReadTypes(),
      WriteTypes(),
      ReadRecords(),
      WriteRecords(),
      MatrixMembers(),
      {.module = "whole_record",
       .nodes = Entries({"forward", "receive"}),
       .inputs = {Payloads("forward", 5, {0, 0, FloatBits(2), FloatBits(5), 3, 0, 0, FloatBits(10), FloatBits(1), 4})},
       .expected = At({{3, 2 + 5}, {4, 10 + 1}, {9, 2 + 5 + 10 + 1}})},
      {.module = "atomic_records",
       .nodes = Entries({"total", "take"}),
       .inputs = {Payloads("total", 1, {5, 6, 7})},
       .expected = {5 + 6 + 7 + 3 * 64, 3 * (64 * 65 / 2)},
       .validator_says = "storage class"},
      {.module = "share_input",
       .nodes = {Entry("first"), {.entry = "first", .index = 3}, Entry("second"), Entry("third")},
       .inputs = {Payloads("first", 1, {5}), {.node = "first", .index = 3, .payloads = Bytes({9}), .stride = 4}},
       .expected = At({{0, 14}, {1, 14}, {8, 5}, {9, 5}, {16, 9}, {17, 9}})}};
}

}  // namespace trellis::test
