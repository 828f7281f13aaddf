// SPDX-License-Identifier: Apache-2.0
// Specialisation constants: in execution modes, in decorations, in names, and in the code as ever.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using SpecConstants = ShapedGpuTest;

TEST_P(SpecConstants, StaticGrid) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id x = m.SpecConstant(10, 2), y = m.SpecConstant(11, 3), z = m.SpecConstant(12, 1);
  m.BeginNode({.name = "Grid", .launch = Launch::kStaticGrid, .grid = {x, y, z}, .shader_index = 0});
  m.AddWord(words, m.Add(m.GroupId(0), m.Add(m.Mul(m.GroupId(1), 10), m.Mul(m.GroupId(2), 100))), 1);
  m.EndNode();
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Grid"});
  run.Node({.text = m.Text(), .entry = "Grid", .name = "Other", .specialization = {Spec(10, 4), Spec(12, 2)}});
  run.Input({.node = "Grid", .count = 1});
  run.Input({.node = "Other", .count = 10});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  const auto add = [&](uint32_t gx, uint32_t gy, uint32_t gz, uint32_t value) {
    for (uint32_t k = 0; k < gz; ++k) {
      for (uint32_t j = 0; j < gy; ++j) {
        for (uint32_t i = 0; i < gx; ++i) expected[k * 100 + j * 10 + i] += value;
      }
    }
  };
  add(2, 3, 1, 1);
  add(4, 3, 2, 10);
  EXPECT_TRUE(run.Matches(expected));
}

// An operation over a specialisation constant as shader index.
TEST_P(SpecConstants, ShaderIndexOperation) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id base = m.SpecConstant(3, 1);
  const Id index = m.Type("OpSpecConstantOp " + m.Uint() + " IMul " + base + " " + m.Constant(2));
  m.BeginNode({.name = "Node", .launch = Launch::kCoalescing, .shader_index = index});
  m.AddWord(words, m.Add(m.Mul(m.ShaderIndex(), 10), base), 1);
  m.EndNode();
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Node"});
  run.Node({.text = m.Text(), .entry = "Node", .specialization = {Spec(3, 4)}});
  run.Input({.node = "Node", .index = 2, .count = 3});
  run.Input({.node = "Node", .index = 8, .count = 5});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(85);
  expected[21] = 3;
  expected[84] = 5;
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(SpecConstants, MaximumOfCoalescingInput) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id max = m.SpecConstant(1, 1);
  const Id record = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = "Coalesce",
               .launch = Launch::kCoalescing,
               .local_size = {4, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, max)});
  const Id lane = m.LocalIndex();
  m.If(m.Equal(lane, 0), [&] {
    const Id length = m.Length(m.NodeInput());
    m.AddWord(words, 0, length);
    m.If(m.Less(max, length), [&] { m.AddWord(words, 1, 1); });
  });
  m.EndNode();
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Coalesce", .specialization = {Spec(1, 7)}});
  run.Input({.node = "Coalesce", .count = 100, .payloads = Bytes(std::vector<uint32_t>(100)), .stride = 4});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({100, 0}));
}

// The grid's bound, an output's maximum, base index and array size.
TEST_P(SpecConstants, BoundsAndBaseIndex) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}});
  const Id max = m.SpecConstant(1, 1), base = m.SpecConstant(2, 0), size = m.SpecConstant(4, 1),
           bound = m.SpecConstant(5, 1);
  const Payload to = m.Output("T", record, {.max_payloads = max, .base_index = base, .array_size = Value(size)});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  m.For(3, [&](const Id& i) {
    const Records records = m.Allocate(to, Scope::kInvocation, 2, i);
    m.For(2, [&](const Id& k) {
      m.Set(records, k, 0, m.Add(i, 1));
      m.Set(records, k, 1, 1);
    });
    m.Enqueue(records);
  });
  m.EndNode();
  m.BeginNode({.name = "T", .grid = {bound, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.ShaderIndex(), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Root", .specialization = {Spec(1, 6), Spec(2, 4), Spec(4, 3)}});
  for (uint32_t i = 4; i < 7; ++i)
    run.Node({.text = m.Text(), .entry = "T", .index = i, .specialization = {Spec(5, 8)}});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 0, 2, 4, 6}));
}

// The target's name is a constant string that can be specialised; one module twice, to two targets.
TEST_P(SpecConstants, TargetName) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id name = m.SpecString(8, "Nobody");
  const Payload to = m.Output("", record, {.name = name});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 0, 1);
  m.Enqueue(records);
  m.EndNode();
  for (int i = 0; i < 2; ++i) {
    m.BeginNode({.name = "Leaf" + std::to_string(i),
                 .launch = Launch::kCoalescing,
                 .shader_index = 0,
                 .input = m.Input(record)});
    m.AddWord(words, i, m.Get(m.NodeInput(), 0, 1));
    m.EndNode();
  }
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Root", .name = "A", .specialization = {Spec(8, "Leaf0")}});
  run.Node({.text = m.Text(), .entry = "Root", .name = "B", .specialization = {Spec(8, "Leaf1")}});
  run.Nodes(m.Text(), {"Leaf0", "Leaf1"});
  run.Input({.node = "A", .count = 3});
  run.Input({.node = "B", .count = 5});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({3, 5}));
}

// VkSpecializationMapEntry::size of a string is no size of a type: with the NUL or without it, with bytes behind it,
// shorter and longer than the default, at offsets of any kind.
TEST_P(SpecConstants, SizesOfTargetNames) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("", record, {.name = m.SpecString(8, "Default")});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 0, 1);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.SpecConstant(9, 0), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  const std::vector<std::string> leaves = {"Default", "L", "Leaf", "Leafs", "ALongerNameThanTheDefault"};
  const std::vector<std::pair<std::string, uint32_t>> cases = {
      {"L", 1},     {{"L\0", 2}, 1},          {{"L\0eaf", 5}, 1},        {"Leaf", 2},   {{"Leaf\0", 5}, 2},
      {"Leafs", 3}, {{"Leaf\0\0\0\0", 8}, 2}, {{"Leafs\0sfaeL", 11}, 3}, {leaves[4], 4}};
  GraphRun run(context());
  for (uint32_t i = 0; i < leaves.size(); ++i)
    run.Node({.text = m.Text(), .entry = "Leaf", .name = leaves[i], .specialization = {Spec(9, i)}});
  std::vector<uint32_t> expected(leaves.size());
  uint32_t roots = 0;
  const auto add_root = [&](uint32_t leaf, std::vector<Specialization> specialization) {
    const uint32_t number = roots++;
    const std::string name = "Root" + std::to_string(number);
    run.Node({.text = m.Text(), .entry = "Root", .name = name, .specialization = std::move(specialization)});
    run.Input({.node = name, .count = 1u << number});
    expected[leaf] += 1u << number;
  };
  add_root(0, {});
  for (const auto& [bytes, leaf] : cases) add_root(leaf, {{8, std::vector<uint8_t>(bytes.begin(), bytes.end())}});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// Ordinary code keeps its constants, workgroup size included.
TEST_P(SpecConstants, OrdinaryCodeAndWorkgroupSize) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id factor = m.SpecConstant(20, 1);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 16});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {16, 1, 1}, .grid = {2, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, m.GlobalId(0), m.Mul(factor, m.Add(m.LocalIndex(), 1)));
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Root", .specialization = {Spec(20, 100)}});
  run.Node({.text = m.Text(), .entry = "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 32; ++i) expected.push_back(100 * (i % 16 + 1));
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(SpecConstants);

}  // namespace
}  // namespace trellis::test
