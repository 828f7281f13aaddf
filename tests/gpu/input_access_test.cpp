// SPDX-License-Identifier: Apache-2.0
// Inputs that nodes write to, alignment of application payloads, inputs smaller than outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using InputAccess = GpuTest;

// A node may write its input; the application's bytes stay as they were, also when the command buffer runs again.
TEST_F(InputAccess, WrittenInputIsPristineInEveryExecution) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  m.BeginNode({.name = "Writer", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id before = m.Get(m.NodeInput(), 0, 1);
  m.Set(m.NodeInput(), 0, 1, m.Mul(before, 10));
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context(), {.dispatches = 2, .submits = 3});
  run.Nodes(m.Text(), {"Writer"});
  run.Input({.node = "Writer", .count = 3, .payloads = Bytes({0, 1, 1, 2, 2, 3}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({60, 120, 180}));
}

// All records are one and the same in memory; each launch that writes has a copy of its own.
TEST_F(InputAccess, WrittenInputWithStrideZero) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  m.BeginNode({.name = "Writer", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id before = m.Get(m.NodeInput(), 0, 1);
  m.Set(m.NodeInput(), 0, 1, m.Add(before, 1));
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Writer"});
  run.Input({.node = "Writer", .count = 50, .payloads = Bytes({4, 7}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 0, 400}));
}

// 64-bit members in application payloads at a stride of 13.
TEST_F(InputAccess, UnalignedWideMembers) {
  if (!context().features.int64) GTEST_SKIP() << "no shaderInt64";
  NodeAsm m;
  m.Capability("Int64");
  const Id wide = m.Type("OpTypeInt 64 0");
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{wide, 0}, {m.Uint(), 8}});
  m.BeginNode({.name = "Reader", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id value = m.Load(wide, m.Field(m.NodeInput(), wide, 0, {0}));
  const Id index = m.Mul(m.Get(m.NodeInput(), 0, 1), 2);
  m.AddWord(words, index, m.Op("OpUConvert", m.Uint(), value));
  m.AddWord(words, m.Add(index, 1), m.Op("OpUConvert", m.Uint(), m.Op("OpShiftRightLogical", wide, value, 32)));
  m.EndNode();
  std::vector<uint8_t> payloads(13 * 40, 0xEE);
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 40; ++i) {
    const std::vector<uint8_t> bytes = Bytes({i * 77, i * 99 + 1, i});
    std::copy(bytes.begin(), bytes.end(), payloads.begin() + i * 13);
    expected.insert(expected.end(), {i * 77, i * 99 + 1});
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Reader"});
  run.Input({.node = "Reader", .count = 40, .payloads = payloads, .stride = 13});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// A dynamic grid out of application payloads at an odd stride.
TEST_F(InputAccess, UnalignedGrids) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 2), 4, true}});
  m.BeginNode({.name = "Grid", .grid = {8, 8, 1}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), 1);
  m.EndNode();
  std::vector<uint8_t> payloads(15 * 30, 0xEE);
  std::vector<uint32_t> expected(30);
  for (uint32_t i = 0; i < 30; ++i) {
    const std::vector<uint8_t> bytes = Bytes({i, i % 5, i % 3});
    std::copy(bytes.begin(), bytes.end(), payloads.begin() + i * 15);
    expected[i] = i % 5 * (i % 3);
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Grid"});
  run.Input({.node = "Grid", .count = 30, .payloads = payloads, .stride = 15});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// The producer's record is longer than what the consumer declares: the consumer reads its first bytes.
TEST_F(InputAccess, ConsumerDeclaresAPrefix) {
  context().messages.Expect("PayloadNodeNameAMDX-09139");  // with the setting `validate`: prefixes work, but break it
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id longer = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Array(m.Uint(), 5, 4), 8}});
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", longer, {.max_payloads = 10});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 10);
  m.For(10, [&](const Id& i) {
    SetLeaf(m, records, i, i, m.Add(i, 5));
    m.For(5, [&](const Id& k) { m.Store(m.Field(records, m.Uint(), i, {2, k}), m.Constant(0xEEEEEEEE)); });
  });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
}

// Records of 32 KiB, the size that the limit has to allow.
TEST_F(InputAccess, LargeRecord) {
  constexpr uint32_t kWords = 8192;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Array(m.Uint(), kWords, 4), 0}});
  const Payload to = m.Output("Leaf", record);
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {64, 1, 1}, .grid = {3, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 1);
  const Id lane = m.LocalIndex();
  m.For(static_cast<int>(kWords / 64), [&](const Id& i) {
    const Id word = m.Add(m.Mul(i, 64), lane);
    m.Store(m.Field(records, m.Uint(), 0, {0, word}), m.Mul(word, 3));
  });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {static_cast<int>(kWords / 64), 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id word = m.GlobalId(0);
  m.AddWord(words, word, m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {0, word})));
  m.EndNode();
  GraphRun run(context(), {.words = kWords});
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < kWords; ++i) expected.push_back(9 * i);
  EXPECT_TRUE(run.Matches(expected));
}

}  // namespace
}  // namespace trellis::test
