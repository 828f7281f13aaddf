// SPDX-License-Identifier: Apache-2.0
// Thread and coalescing nodes that the application launches.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using ThreadInput = GpuTest;
using CoalescingInput = GpuTest;

TEST_F(ThreadInput, Records) {
  std::vector<uint32_t> records, expected(1024);
  for (uint32_t i = 0; i < 256; ++i) {
    records.insert(records.end(), {(i ^ 7) * 3, i ^ 0xabcd});
    expected[(i ^ 7) * 3] = i ^ 0xabcd;
  }
  GraphRun run(context());
  run.Nodes(ThreadModule(Shape::kDxc), {"ThreadNode"});
  run.Input({.node = "ThreadNode", .count = 256, .payloads = Bytes(records), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(ThreadInput, NumbersOfRecordsAroundWorkgroupSizes) {
  for (const uint32_t count : {1u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 129u}) {
    std::vector<uint32_t> records;
    for (uint32_t i = 0; i < count; ++i) records.insert(records.end(), {i, i + 1});
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < count; ++i) expected.push_back(i + 1);
    GraphRun run(context());
    run.Nodes(ThreadModule(Shape::kDxc), {"ThreadNode"});
    run.Input({.node = "ThreadNode", .count = count, .payloads = Bytes(records), .stride = 8});
    ASSERT_TRUE(run.Execute()) << count;
    EXPECT_TRUE(run.Matches(expected)) << count;
  }
}

TEST_F(ThreadInput, WithoutRecord) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Thread", .launch = Launch::kCoalescing, .shader_index = 0});
  m.AddWord(words, 3, 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Thread"});
  run.Input({.node = "Thread", .count = 100});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 100}));
}

// Strides that leave records unaligned; the layer has to gather them.
TEST_F(ThreadInput, OddStride) {
  std::vector<uint8_t> payloads(13 * 100, 0xEE);
  std::vector<uint32_t> expected(200);
  for (uint32_t i = 0; i < 100; ++i) {
    const std::vector<uint8_t> record = Bytes({i * 2, i * 1000003});
    std::copy(record.begin(), record.end(), payloads.begin() + i * 13);
    expected[i * 2] = i * 1000003;
  }
  GraphRun run(context());
  run.Nodes(ThreadModule(Shape::kDxc), {"ThreadNode"});
  run.Input({.node = "ThreadNode", .count = 100, .payloads = payloads, .stride = 13});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// Overlapping records: a stride below the record's size. The setting `validate` tells of them.
TEST_F(ThreadInput, StrideBelowSize) {
  context().messages.Expect("pCountInfo-09149");
  GraphRun run(context());
  run.Nodes(ThreadModule(Shape::kDxc), {"ThreadNode"});
  run.Input({.node = "ThreadNode", .count = 3, .payloads = Bytes({5, 6, 7, 8}), .stride = 4});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 0, 0, 6, 7, 8}));
}

TEST_F(CoalescingInput, Records) {
  const std::vector<uint32_t> records = {100, 50, 150, 40, 200, 79, 300, 40, 400, 30, 490, 20, 530, 10, 32, 32};
  std::vector<uint32_t> expected(1024);
  for (size_t r = 0; r < records.size(); r += 2) {
    for (uint32_t thread = 0; thread < 24; ++thread) expected[records[r] + thread] += records[r + 1];
  }
  GraphRun run(context());
  run.Nodes(CoalescingModule(Shape::kDxc), {"CoalescingNode"});
  run.Input({.node = "CoalescingNode", .count = 8, .payloads = Bytes(records), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// Each workgroup counts itself under the number of records that it got; together they got all.
TEST_F(CoalescingInput, LengthIsBetweenOneAndMaximum) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = "Coalesce",
               .launch = Launch::kCoalescing,
               .local_size = {4, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, 5)});
  const Id lane = m.LocalIndex();
  m.If(m.Equal(lane, 0), [&] {
    const Id length = m.Length(m.NodeInput());
    m.AddWord(words, length, 1);
    m.AddWord(words, 100, length);
  });
  m.EndNode();
  for (const uint32_t count : {1u, 4u, 5u, 6u, 23u, 1000u}) {
    GraphRun run(context());
    run.Nodes(m.Text(), {"Coalesce"});
    run.Input({.node = "Coalesce", .count = count, .payloads = Bytes(std::vector<uint32_t>(count)), .stride = 4});
    ASSERT_TRUE(run.Execute()) << count;
    const auto words_read = run.Words();
    EXPECT_EQ(words_read[0], 0u) << count;
    EXPECT_EQ(words_read[100], count);
    uint32_t sum = 0;
    for (uint32_t length = 1; length <= 5; ++length) sum += length * words_read[length];
    EXPECT_EQ(sum, count);
    for (uint32_t length = 6; length < 100; ++length) EXPECT_EQ(words_read[length], 0u) << length;
  }
}

TEST_F(CoalescingInput, WithoutRecordOneWorkgroupEach) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Coalesce", .launch = Launch::kCoalescing, .local_size = {4, 1, 1}, .shader_index = 0});
  m.AddWord(words, m.LocalIndex(), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Coalesce"});
  run.Input({.node = "Coalesce", .count = 9});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({9, 9, 9, 9}));
}

// EmptyNodeInput: an empty structure, but a count.
TEST_F(CoalescingInput, EmptyRecordsAreCounted) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({});
  m.BeginNode({.name = "Coalesce",
               .launch = Launch::kCoalescing,
               .local_size = {4, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, 6)});
  const Id lane = m.LocalIndex();
  m.If(m.Equal(lane, 0), [&] { m.AddWord(words, 0, m.Length(m.NodeInput())); });
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Coalesce"});
  run.Input({.node = "Coalesce", .count = 20});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({20}));
}

// Workgroup memory and barriers in a coalescing node: no workgroup sees another's.
TEST_F(CoalescingInput, SharedMemoryOfEachWorkgroupIsItsOwn) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id shared = m.SharedWords(8);
  const Id record = LeafRecord(m);
  m.BeginNode({.name = "Coalesce",
               .launch = Launch::kCoalescing,
               .local_size = {8, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, 8)});
  const Id lane = m.LocalIndex();
  const Id mine = m.Less(lane, m.Length(m.NodeInput()));
  m.Store(m.SharedPointer(shared, lane), m.Constant(0));
  m.WorkgroupBarrier();
  m.If(mine, [&] {
    const Id other = m.Sub(m.Sub(m.Length(m.NodeInput()), 1), lane);
    m.Store(m.SharedPointer(shared, other), m.Get(m.NodeInput(), lane, 1));
  });
  m.WorkgroupBarrier();
  m.If(mine, [&] {
    const Id value = m.Load(m.Uint(), m.SharedPointer(shared, lane));
    m.AddWord(words, m.Get(m.NodeInput(), lane, 0), value);
    // Another workgroup's memory would have another value here.
    const Id opposite = m.Sub(m.Sub(m.Length(m.NodeInput()), 1), lane);
    m.If(m.NotEqual(value, m.Get(m.NodeInput(), opposite, 1)), [&] { m.AddWord(words, 1001, 1); });
  });
  m.WorkgroupBarrier();
  // What is beyond the records stayed 0.
  m.If(m.Equal(lane, 0),
       [&] { m.For(8, [&](const Id& i) { m.AddWord(words, 1000, m.Load(m.Uint(), m.SharedPointer(shared, i))); }); });
  m.EndNode();
  std::vector<uint32_t> records;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 203; ++i) {
    records.insert(records.end(), {i, i * i + 1});
    sum += i * i + 1;
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Coalesce"});
  run.Input({.node = "Coalesce", .count = 203, .payloads = Bytes(records), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(run.Words().begin(), run.Words().begin() + 203);
  EXPECT_EQ(std::accumulate(expected.begin(), expected.end(), 0u), sum);
  expected.resize(1001);
  expected[1000] = sum;
  EXPECT_TRUE(run.Matches(expected));
}

}  // namespace
}  // namespace trellis::test
