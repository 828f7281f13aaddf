// SPDX-License-Identifier: Apache-2.0
// Payloads and handles that go through functions, as compilers leave them without optimisation.
#include <gtest/gtest.h>

#include <bit>

#include "tests/gpu/root_and_leaf.h"

namespace trellis::test {
namespace {

using CallShapes = GpuTest;
using CallShapesOfBoth = ShapedGpuTest;

// void f(uint* pointer, uint value): *pointer = value.
NodeAsm::Callee AddSetter(NodeAsm& m, const Id& pointer_type) {
  const NodeAsm::Callee set = m.BeginFunction(m.Type("OpTypeVoid"), {pointer_type, m.Uint()});
  m.Store(set.parameters[0], set.parameters[1]);
  m.EndFunction();
  return set;
}

// The same function for members of payloads and for variables.
TEST_F(CallShapes, PointersToMembersAndToVariables) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 8});
  const NodeAsm::Callee set = AddSetter(m, m.Pointer("Function", m.Uint()));
  p.Begin(8, 2);
  const Id variable = m.Local(m.Uint());
  const Records records = m.Allocate(to, Scope::kWorkgroup, 8);
  const Id lane = m.LocalIndex();
  m.Call(set, {variable, m.GlobalId(0)});
  m.Call(set, {m.Field(records, m.Uint(), lane, {0}), m.Load(m.Uint(), variable)});
  m.Call(set, {m.Field(records, m.Uint(), lane, {1}), m.Add(lane, 10)});
  m.Call(set, {variable, 99});
  m.AddWord(p.words, 20, m.Load(m.Uint(), variable));
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(21);
  for (uint32_t i = 0; i < 16; ++i) expected[i] = i % 8 + 10;
  expected[20] = 16 * 99;
  EXPECT_TRUE(run.Matches(expected));
}

// *a += *b; then b is set: through an inner function, for each combination of payloads and variables.
TEST_F(CallShapes, CombinationsThroughTwoFunctions) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 4});
  const Id pointer = m.Pointer("Function", m.Uint());
  const NodeAsm::Callee set = AddSetter(m, pointer);
  const NodeAsm::Callee add = m.BeginFunction(m.Type("OpTypeVoid"), {pointer, pointer});
  const Id a = add.parameters[0], b = add.parameters[1];
  m.Call(set, {a, m.Add(m.Load(m.Uint(), a), m.Load(m.Uint(), b))});
  m.Call(set, {b, 3});
  m.EndFunction();
  p.Begin(1, 5);
  const Id x = m.Local(m.Uint()), y = m.Local(m.Uint());
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  SetLeaf(m, records, 0, m.GlobalId(0), 100);
  SetLeaf(m, records, 1, m.Add(m.GlobalId(0), 10), 1000);
  m.Store(x, m.Constant(10));
  m.Store(y, m.Constant(20));
  const Id first = m.Field(records, m.Uint(), 0, {1});
  const Id second = m.Field(records, m.Uint(), 1, {1});
  m.Call(add, {x, y});           // x 30, y 3
  m.Call(add, {x, first});       // x 130, first 3
  m.Call(add, {second, x});      // second 1130, x 3
  m.Call(add, {second, first});  // second 1133, first 3
  m.Call(add, {first, x});       // first 6, x 3
  m.AddWord(p.words, 20, m.Add(m.Load(m.Uint(), x), m.Load(m.Uint(), y)));
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(21);
  for (uint32_t i = 0; i < 5; ++i) {
    expected[i] = 6;
    expected[10 + i] = 1133;
  }
  expected[20] = 5 * 6;
  EXPECT_TRUE(run.Matches(expected));
}

// A record's own pointer, with the allocation's class or the variable's.
TEST_P(CallShapesOfBoth, PointerToARecord) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 16});
  const std::string storage = shape() == Shape::kDxc ? "Function" : "NodePayloadAMDX";
  const NodeAsm::Callee fill = m.BeginFunction(m.Uint(), {m.Pointer(storage, p.record), m.Uint()});
  m.Store(m.Chain(storage, m.Uint(), fill.parameters[0], {0}), fill.parameters[1]);
  m.Store(m.Chain(storage, m.Uint(), fill.parameters[0], {1}), m.Mul(fill.parameters[1], 3));
  const Id read = m.Load(p.record, fill.parameters[0]);
  m.EndFunction(m.Op("OpCompositeExtract", m.Uint(), read, Id("1")));
  p.Begin(4, 3);
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  m.For(2, [&](const Id& i) {
    const Id index = m.Add(m.Mul(m.GlobalId(0), 2), i);
    m.AddWord(p.words, 50, m.Call(fill, {m.Chain(storage, p.record, records.pointer, {i}), index}));
  });
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(51);
  for (uint32_t i = 0; i < 24; ++i) {
    expected[i] = 3 * i;
    expected[50] += 3 * i;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// A row-major matrix with a stride of 16, and one of its columns. The leaf reads words.
TEST_F(CallShapes, MatrixAndColumn) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id column = m.Vector(m.Float(), 2);
  const Id matrix = m.Type("OpTypeMatrix " + column + " 3");
  const Id record = m.Struct({{matrix, 0, false, "RowMajor;MatrixStride 16"}});
  const Payload to = m.Output("Leaf", record);
  const auto number = [&](int value) { return m.Constant(m.Float(), std::to_string(value)); };
  const NodeAsm::Callee set_matrix = m.BeginFunction(m.Type("OpTypeVoid"), {m.Pointer("Function", matrix)});
  const Id first = m.Op("OpCompositeConstruct", column, number(1), number(2));
  const Id second = m.Op("OpCompositeConstruct", column, number(3), number(4));
  m.Store(set_matrix.parameters[0], m.Op("OpCompositeConstruct", matrix, first, second, first));
  m.EndFunction();
  const NodeAsm::Callee set_column = m.BeginFunction(m.Type("OpTypeVoid"), {m.Pointer("Function", column)});
  m.Store(set_column.parameters[0], m.Op("OpCompositeConstruct", column, number(5), number(6)));
  m.EndFunction();
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Call(set_matrix, {m.Field(records, matrix, 0, {0})});
  m.Call(set_column, {m.Field(records, column, 0, {0, 2})});
  m.Enqueue(records);
  m.EndNode();
  const Id rows = m.Struct({{m.Array(m.Uint(), 7, 4), 0}});
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(rows)});
  for (int word : {0, 1, 2, 4, 5, 6})
    m.StoreWord(words, word, m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {0, word})));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  EXPECT_TRUE(run.Matches({bits(1), bits(3), bits(5), 0, bits(2), bits(4), bits(6)}));
}

// Handles as variables, as values and as the allocation's pointer; functions that allocate and that enqueue.
TEST_F(CallShapes, HandlesInEveryForm) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 64});
  const Id void_type = m.Type("OpTypeVoid");
  const Id allocation = m.Pointer("NodePayloadAMDX", to.array);
  const Id variable = m.Pointer("Function", to.array);

  const NodeAsm::Callee make = m.BeginFunction(to.array, {m.Uint()});
  m.EndFunction(m.Load(to.array, m.Op("OpAllocateNodePayloadsAMDX", allocation, 4, make.parameters[0], 0)));
  const NodeAsm::Callee fill = m.BeginFunction(void_type, {variable, m.Uint()});
  m.For(m.Length({fill.parameters[0], "Function"}), [&](const Id& i) {
    SetLeaf(m, {fill.parameters[0], "Function"}, i, fill.parameters[1], m.Add(i, 1));
  });
  m.EndFunction();
  const NodeAsm::Callee send = m.BeginFunction(void_type, {variable});
  m.Enqueue({send.parameters[0], "Function"});
  m.EndFunction();
  const NodeAsm::Callee send_value = m.BeginFunction(void_type, {to.array});
  m.Do("OpEnqueueNodePayloadsAMDX " + send_value.parameters[0]);
  m.EndFunction();
  const NodeAsm::Callee fill_pointer = m.BeginFunction(void_type, {allocation, m.Uint()});
  SetLeaf(m, {fill_pointer.parameters[0], "NodePayloadAMDX"}, 0, fill_pointer.parameters[1], 100);
  m.Enqueue({fill_pointer.parameters[0], "NodePayloadAMDX"});
  m.EndFunction();

  p.Begin(4, 3);
  const Id lane = m.GlobalId(0);
  const Id first = m.Local(to.array), second = m.Local(to.array);
  m.Store(first, m.Call(make, {3}));
  m.For(2, [&](const Id& i) {
    m.Store(second, m.Call(make, {m.Add(i, 1)}));
    m.Call(fill, {second, m.Add(lane, 20)});
    m.Call(send_value, {m.Load(to.array, second)});
  });
  m.Call(fill, {first, lane});
  m.Call(send, {first});
  m.Call(fill_pointer, {m.Op("OpAllocateNodePayloadsAMDX", allocation, 4, 1, 0), m.Add(lane, 40)});
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(52);
  for (uint32_t i = 0; i < 12; ++i) {
    expected[i] = 1 + 2 + 3;
    expected[20 + i] = 1 + (1 + 2);
    expected[40 + i] = 100;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Workgroup-scope allocation in a function that is called several times, some of them in a loop.
TEST_F(CallShapes, AllocationInACalledFunction) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 40});
  const NodeAsm::Callee send = m.BeginFunction(m.Type("OpTypeVoid"), {m.Uint()});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 8);
  SetLeaf(m, records, m.LocalIndex(), m.Add(m.Mul(send.parameters[0], 8), m.LocalIndex()), 1);
  m.Enqueue(records);
  m.EndFunction();
  p.Begin(8, 6);
  m.Call(send, {0});
  m.For(3, [&](const Id& i) { m.Call(send, {m.Add(i, 1)}); });
  m.Call(send, {4});
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(40, 6)));
}

// The input's own pointer and those to its elements, for each kind of launch. `count`: what its length must be.
void ExpectInputThroughCalls(Context& context, const NodeOptions& options, uint32_t per_workgroup,
                             const std::vector<uint32_t>& expected) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, true}});
  const Payload input = m.Input(record, per_workgroup);
  const Id pointer = m.Pointer("NodePayloadAMDX", input.array);
  const Id element = m.Pointer("NodePayloadAMDX", record);
  const NodeAsm::Callee value_of = m.BeginFunction(m.Uint(), {element});
  m.EndFunction(m.Load(m.Uint(), m.Chain("NodePayloadAMDX", m.Uint(), value_of.parameters[0], {0})));
  const NodeAsm::Callee sum = m.BeginFunction(m.Uint(), {pointer});
  const Id total = m.Local(m.Uint());
  m.Store(total, m.Constant(0));
  const Id length = m.Length({sum.parameters[0], "NodePayloadAMDX"});
  m.For(length, [&](const Id& i) {
    const Id at = m.Chain("NodePayloadAMDX", record, sum.parameters[0], {i});
    m.Store(total, m.Add(m.Load(m.Uint(), total), m.Call(value_of, {at})));
  });
  m.AddWord(words, 1, length);
  m.EndFunction(m.Load(m.Uint(), total));
  NodeOptions node = options;
  node.shader_index = 0;
  node.input = input;
  m.BeginNode(node);
  m.AddWord(words, 0, m.Call(sum, {m.NodeInput().pointer}));
  m.AddWord(words, 2, m.Length(m.NodeInput()));
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Node"});
  run.Input({.node = "Node", .count = 5, .payloads = Bytes({10, 2, 20, 2, 30, 2, 40, 2, 50, 2}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(CallShapes, InputOfAStaticGrid) {
  ExpectInputThroughCalls(context(), {.name = "Node", .launch = Launch::kStaticGrid, .grid = {3, 1, 1}}, 1,
                          {450, 15, 15});
}
TEST_F(CallShapes, InputOfADynamicGrid) {
  ExpectInputThroughCalls(context(), {.name = "Node", .launch = Launch::kDynamicGrid, .grid = {2, 1, 1}}, 1,
                          {300, 10, 10});
}
TEST_F(CallShapes, InputOfACoalescingNode) {
  ExpectInputThroughCalls(context(), {.name = "Node", .launch = Launch::kCoalescing}, 4, {150, 5, 5});
}

TRELLIS_BOTH_SHAPES(CallShapesOfBoth);

}  // namespace
}  // namespace trellis::test
