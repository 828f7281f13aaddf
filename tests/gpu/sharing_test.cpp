// SPDX-License-Identifier: Apache-2.0
// Nodes that share the input of another one (SharesInputWithAMDX): they run whenever it runs, on the same records.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Sharing = ShapedGpuTest;

// {first grid, second grid, slot}; `grid_member` 0 or 1 says which of the two a node with this type goes by.
Id TaskRecord(NodeAsm& m, uint32_t grid_member, const std::string& decorations = {}) {
  return m.Struct({{m.Uint(), 0, grid_member == 0, decorations},
                   {m.Uint(), 4, grid_member == 1, decorations},
                   {m.Uint(), 8, false, decorations}});
}

constexpr uint32_t kSlots = 64;

// Grids of the i-th task, which goes to slot i % kSlots.
uint32_t FirstGrid(uint32_t i) { return i % 3; }
uint32_t SecondGrid(uint32_t i) { return i % 5; }

// "Entry", static grid of 1: sends tasks 0 to `count` - 1 to "Base", eight at a time.
void AddTaskSource(NodeAsm& m, uint32_t count) {
  const Payload to = m.Output("Base", TaskRecord(m, 0), {.max_payloads = Value(count)});
  m.BeginNode({.name = "Entry", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  m.For(count / 8, [&](const Id& batch) {
    const Records records = m.Allocate(to, Scope::kInvocation, 8);
    m.For(8, [&](const Id& i) {
      const Id task = m.Add(m.Mul(batch, 8), i);
      m.Set(records, i, 0, m.Mod(task, 3));
      m.Set(records, i, 1, m.Mod(task, 5));
      m.Set(records, i, 2, m.Mod(task, kSlots));
    });
    m.Enqueue(records);
  });
  m.EndNode();
}

std::vector<uint8_t> Tasks(uint32_t count) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < count; ++i) words.insert(words.end(), {FirstGrid(i), SecondGrid(i), i % kSlots});
  return Bytes(words);
}

// A node without lanes, of any kind but wide coalescing: words[first + slot] += 1 + x of its workgroup.
void AddCounter(NodeAsm& m, const Id& words, uint32_t first, NodeOptions options, uint32_t grid_member = 0) {
  options.shader_index = 0;
  // The extension asks for NonWritable where an input is shared; compilers leave it out, as other tests here do.
  options.input = m.Input(TaskRecord(m, grid_member, options.shares_input ? "NonWritable" : ""));
  m.BeginNode(options);
  const Id slot = m.Get(m.NodeInput(), 0, 2);
  m.AddWord(words, m.Add(slot, first), m.Add(m.GroupId(0), 1));
  m.EndNode();
}

// "Base" (dynamic, by the first grid, or static 2x1x1), and sharers of every kind, each with its own grid.
void AddBaseAndSharers(NodeAsm& m, bool dynamic_base) {
  const Id words = m.StorageBuffer(0);
  const SharedInput base = {m.String("Base")};
  AddCounter(m, words, 0,
             dynamic_base ? NodeOptions{.name = "Base"}
                          : NodeOptions{.name = "Base", .launch = Launch::kStaticGrid, .grid = {2, 1, 1}});
  AddCounter(m, words, 1 * kSlots,
             {.name = "Fixed", .launch = Launch::kStaticGrid, .grid = {3, 1, 1}, .shares_input = base});
  AddCounter(m, words, 2 * kSlots, {.name = "Second", .grid = {7, 1, 1}, .shares_input = base}, 1);
  AddCounter(m, words, 3 * kSlots, {.name = "First", .shares_input = base}, 0);
  AddCounter(m, words, 4 * kSlots, {.name = "Thread", .launch = Launch::kCoalescing, .shares_input = base});
  m.BeginNode({.name = "Wide",
               .launch = Launch::kCoalescing,
               .local_size = {16, 1, 1},
               .shader_index = 0,
               .shares_input = base,
               .input = m.Input(TaskRecord(m, 0), 16)});
  m.If(m.Less(m.LocalIndex(), m.Length(m.NodeInput())), [&] {
    const Id slot = m.Get(m.NodeInput(), m.LocalIndex(), 2);
    m.AddWord(words, m.Add(slot, 5 * kSlots), 1);
  });
  m.EndNode();
}

const auto kBaseAndSharers = {"Base", "Fixed", "Second", "First", "Thread", "Wide"};

// 1 + 2 + … + grid.
uint32_t Triangle(uint32_t grid) { return grid * (grid + 1) / 2; }

std::vector<uint32_t> ExpectedCounts(uint32_t count, bool dynamic_base) {
  std::vector<uint32_t> expected(6 * kSlots);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = i % kSlots;
    expected[slot] += Triangle(dynamic_base ? FirstGrid(i) : 2);
    expected[1 * kSlots + slot] += Triangle(3);
    expected[2 * kSlots + slot] += Triangle(SecondGrid(i));
    expected[3 * kSlots + slot] += Triangle(FirstGrid(i));
    expected[4 * kSlots + slot] += 1;
    expected[5 * kSlots + slot] += 1;
  }
  return expected;
}

TEST_P(Sharing, EveryKindOfADynamicGridNode) {
  NodeAsm m(shape());
  AddTaskSource(m, 2400);
  AddBaseAndSharers(m, true);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry"}).Nodes(m.Text(), kBaseAndSharers);
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ExpectedCounts(2400, true)));
}

TEST_P(Sharing, EveryKindOfAStaticGridNode) {
  NodeAsm m(shape());
  AddTaskSource(m, 80);
  AddBaseAndSharers(m, false);
  GraphRun run(context(), {.dispatches = 2});
  run.Nodes(m.Text(), {"Entry"}).Nodes(m.Text(), kBaseAndSharers);
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = ExpectedCounts(80, false);
  for (uint32_t& word : expected) word *= 2;
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Sharing, EveryKindLaunchedByTheApplication) {
  for (bool dynamic_base : {false, true}) {
    NodeAsm m(shape());
    AddBaseAndSharers(m, dynamic_base);
    GraphRun run(context());
    run.Nodes(m.Text(), kBaseAndSharers);
    run.Input({.node = "Base", .count = 1000, .payloads = Tasks(1000), .stride = 12});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ExpectedCounts(1000, dynamic_base)));
  }
}

// Every record asks for a grid of 0: only the sharers with other grids run, at level 0 and below.
TEST_P(Sharing, RunsWhereTheNodeItselfHasNoWorkgroups) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  AddCounter(m, words, 0, {.name = "Base"});
  AddCounter(m, words, kSlots, {.name = "Second", .shares_input = SharedInput{m.String("Base")}}, 1);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Base", "Second"});
  run.Input({.node = "Base", .count = 3, .payloads = Bytes({0, 2, 9}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kSlots + 10);
  expected[kSlots + 9] = 3 * Triangle(2);
  EXPECT_TRUE(run.Matches(expected));
}

// "Base" sends {slot, 1} to "Leaf", its sharer "Twice" {slot + 100, 1} from each of two workgroups, and "Deep" {slot +
// 200, 1} through "Middle". Of the three only "Twice" goes through the heap.
TEST_P(Sharing, SharersWithOutputs) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id leaf_record = LeafRecord(m);
  const SharedInput base = {m.String("Base")};
  AddTaskSource(m, 200);
  const auto add_sender = [&](NodeOptions options, const std::string& target, uint32_t first, bool on_some_paths) {
    const Payload to = m.Output(target, leaf_record);
    options.shader_index = 0;
    options.input = m.Input(TaskRecord(m, 0));
    m.BeginNode(options);
    const Records records = m.Allocate(to, Scope::kInvocation, 1);
    SetLeaf(m, records, 0, m.Add(m.Get(m.NodeInput(), 0, 2), first), 1);
    if (on_some_paths) {
      m.If(m.Less(m.GroupId(0), 2), [&] { m.Enqueue(records); });
    } else {
      m.Enqueue(records);
    }
    m.EndNode();
  };
  add_sender({.name = "Base", .launch = Launch::kCoalescing}, "Leaf", 0, false);
  add_sender({.name = "Twice", .launch = Launch::kStaticGrid, .grid = {2, 1, 1}, .shares_input = base}, "Leaf", 100,
             true);
  add_sender({.name = "Deep", .launch = Launch::kCoalescing, .shares_input = base}, "Middle", 200, false);
  const Payload on = m.Output("Leaf", leaf_record);
  m.BeginNode({.name = "Middle", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(leaf_record)});
  const Records copy = m.Allocate(on, Scope::kInvocation, 1);
  SetLeaf(m, copy, 0, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.Enqueue(copy);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf_record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Base", "Twice", "Deep", "Middle", "Leaf"});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(300);
  for (uint32_t i = 0; i < 200; ++i) {
    expected[i % kSlots] += 1;
    expected[100 + i % kSlots] += 2;
    expected[200 + i % kSlots] += 1;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// "Base", thread, `depth` times: words[offset] += remaining + 1, then offset + 1 twice.
void AddRecursiveBase(NodeAsm& m, const Id& words, const Id& record, uint32_t depth) {
  const Payload self = m.Output("Base", record, {.max_payloads = 2});
  m.BeginNode({.name = "Base",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(depth),
               .input = m.Input(record)});
  const Id offset = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, offset, m.Add(m.RemainingRecursion(), 1));
  m.If(m.IsValid(self, 0), [&] {
    const Records records = m.Allocate(self, Scope::kInvocation, 2);
    m.For(2, [&](const Id& i) { m.Set(records, i, 0, m.Add(offset, 1)); });
    m.Enqueue(records);
  });
  m.EndNode();
}

// The sharer runs at each of the four levels; what it has left itself is always 2.
TEST_P(Sharing, OfARecursiveNode) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  AddRecursiveBase(m, words, record, 3);
  m.BeginNode({.name = "Sharer",
               .launch = Launch::kStaticGrid,
               .grid = {2, 1, 1},
               .shader_index = 0,
               .recursion = Value(2),
               .shares_input = SharedInput{m.String("Base")},
               .input = m.Input(record)});
  m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), 100), m.Add(m.Mul(m.GroupId(0), 100), m.RemainingRecursion()));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Base", "Sharer"});
  run.Input({.node = "Base", .count = 5, .payloads = Bytes({7}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(111);
  for (uint32_t level = 0; level <= 3; ++level) {
    const uint32_t activations = 5u << level;
    expected[7 + level] = activations * (3 - level + 1);
    expected[107 + level] = activations * (2 + 102);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Each activation of "Base" starts a chain of "Sharer": offset, offset + 10, offset + 20, with 2, 1 and 0 levels left.
TEST_P(Sharing, ASharerThatRecurses) {
  for (uint32_t base_depth : {0u, 3u}) {
    NodeAsm m(shape());
    const Id words = m.StorageBuffer(0);
    const Id record = m.Struct({{m.Uint(), 0}});
    if (base_depth == 0) {
      m.BeginNode({.name = "Base", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
      const Id offset = m.Get(m.NodeInput(), 0, 0);
      m.AddWord(words, offset, 1);
      m.EndNode();
    } else {
      AddRecursiveBase(m, words, record, base_depth);
    }
    const Payload self = m.Output("Sharer", record);
    m.BeginNode({.name = "Sharer",
                 .launch = Launch::kCoalescing,
                 .shader_index = 0,
                 .recursion = Value(2),
                 .shares_input = SharedInput{m.String("Base")},
                 .input = m.Input(record)});
    const Id offset = m.Get(m.NodeInput(), 0, 0);
    m.AddWord(words, m.Add(offset, 100), m.Add(m.Mul(m.RemainingRecursion(), 1000), 1));
    m.If(m.NotEqual(m.RemainingRecursion(), 0), [&] {
      const Records next = m.Allocate(self, Scope::kInvocation, 1);
      m.Set(next, 0, 0, m.Add(offset, 10));
      m.Enqueue(next);
    });
    m.EndNode();
    GraphRun run(context());
    run.Nodes(m.Text(), {"Base", "Sharer"});
    run.Input({.node = "Base", .count = 3, .payloads = Bytes({2}), .stride = 0});
    ASSERT_TRUE(run.Execute());
    std::vector<uint32_t> expected(200);
    for (uint32_t level = 0; level <= base_depth; ++level) {
      const uint32_t activations = 3u << level;
      expected[2 + level] = activations * (base_depth - level + 1);
      for (uint32_t left = 0; left <= 2; ++left)
        expected[102 + level + 10 * (2 - left)] = activations * (left * 1000 + 1);
    }
    EXPECT_TRUE(run.Matches(expected)) << "base depth " << base_depth;
  }
}

// "Entry" sends task i to "Base" and another record to its sharer: the sharer sees both, at one level.
TEST_P(Sharing, ASharerThatIsAlsoEnqueuedDirectly) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Payload to_base = m.Output("Base", TaskRecord(m, 0));
  const Payload to_sharer = m.Output("Sharer", TaskRecord(m, 0));
  m.BeginNode({.name = "Entry", .launch = Launch::kStaticGrid, .grid = {10, 1, 1}, .shader_index = 0});
  uint32_t first = 0;
  for (const Payload* to : {&to_base, &to_sharer}) {
    const Records records = m.Allocate(*to, Scope::kInvocation, 1);
    m.Set(records, 0, 0, 1);
    m.Set(records, 0, 1, 2);
    m.Set(records, 0, 2, m.Add(m.GroupId(0), first));
    m.Enqueue(records);
    first += 10;
  }
  m.EndNode();
  AddCounter(m, words, 0, {.name = "Base"}, 0);
  AddCounter(m, words, kSlots, {.name = "Sharer", .shares_input = SharedInput{m.String("Base")}}, 1);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Base", "Sharer"});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kSlots + 20);
  std::fill_n(expected.begin(), 10, 1);
  std::fill_n(expected.begin() + kSlots, 20, Triangle(2));
  EXPECT_TRUE(run.Matches(expected));
}

// "Base" 0 to 2, "Watch" 4 and 900: the latter share the inputs of Base[2] and Base[0].
TEST_P(Sharing, NodeArrays) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Base", record);
  m.BeginNode({.name = "Entry", .launch = Launch::kStaticGrid, .grid = {30, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1, m.Mod(m.GroupId(0), 3));
  m.Set(records, 0, 0, m.GroupId(0));
  m.Enqueue(records);
  m.EndNode();
  const auto add_node = [&](const std::string& entry, uint32_t index, std::optional<SharedInput> sharing,
                            uint32_t first) {
    m.BeginNode({.name = entry,
                 .launch = Launch::kCoalescing,
                 .shader_index = Value(index),
                 .shares_input = sharing,
                 .input = m.Input(record)});
    m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), first), m.Add(m.ShaderIndex(), 1));
    m.EndNode();
  };
  for (uint32_t index = 0; index < 3; ++index) add_node("base" + std::to_string(index), index, {}, 0);
  add_node("watch4", 4, SharedInput{m.String("Base"), 2}, 100);
  add_node("watch900", 900, SharedInput{m.String("Base"), 0}, 200);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry"});
  for (const char* entry : {"base0", "base1", "base2"}) run.Node({.text = m.Text(), .entry = entry, .name = "Base"});
  for (const char* entry : {"watch4", "watch900"}) run.Node({.text = m.Text(), .entry = entry, .name = "Watch"});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(300);
  for (uint32_t group = 0; group < 30; ++group) {
    expected[group] = group % 3 + 1;
    if (group % 3 == 2) expected[100 + group] = 5;
    if (group % 3 == 0) expected[200 + group] = 901;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// The name and index to share with come from specialisation constants, those of the target from the API; entry points
// with these names do not count.
TEST_P(Sharing, FinalNamesCount) {
  const auto leaf = [this](uint32_t word, bool shares) {
    NodeAsm m(shape());
    const Id words = m.StorageBuffer(0);
    NodeOptions options = {.name = "main", .launch = Launch::kCoalescing, .shader_index = 0};
    if (shares) options.shares_input = SharedInput{m.SpecString(0, "main"), m.SpecConstant(1, 0)};
    m.BeginNode(options);
    m.AddWord(words, word, 1);
    m.EndNode();
    return m.Text();
  };
  GraphRun run(context());
  run.Node({.text = leaf(0, false), .entry = "main", .name = "Base", .index = 7});
  run.Node({.text = leaf(1, false), .entry = "main"});
  run.Node({.text = leaf(2, true), .entry = "main", .name = "Sharer", .specialization = {Spec(0, "Base"), Spec(1, 7)}});
  run.Node({.text = leaf(3, true), .entry = "main", .name = "Sharer", .index = 1});
  run.Input({.node = "Base", .index = 7, .count = 10});
  run.Input({.node = "main", .count = 3});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({10, 3, 10, 3}));
}

TEST_P(Sharing, WithAMissingNodeIsIgnored) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const SharedInput nobody = {m.String("Base"), 1};
  AddTaskSource(m, 8);
  AddCounter(m, words, 0, {.name = "Base", .launch = Launch::kCoalescing});
  AddCounter(m, words, kSlots, {.name = "Sharer", .launch = Launch::kCoalescing, .shares_input = nobody});
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Base", "Sharer"});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({1, 1, 1, 1, 1, 1, 1, 1}));
}

// As many as there may be, with empty payloads.
TEST_P(Sharing, TwoHundredAndFiftySixNodesOnOneInput) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Payload to = m.Output("Base", m.Struct({}));
  m.BeginNode({.name = "Entry", .launch = Launch::kStaticGrid, .grid = {3, 1, 1}, .shader_index = 0});
  m.Increment(to, Scope::kInvocation, 1);
  m.EndNode();
  m.BeginNode({.name = "Base", .launch = Launch::kCoalescing, .shader_index = 0});
  m.AddWord(words, 255, 1);
  m.EndNode();
  m.BeginNode({.name = "Sharer",
               .launch = Launch::kStaticGrid,
               .grid = {2, 1, 1},
               .shares_input = SharedInput{m.String("Base")}});
  m.AddWord(words, m.ShaderIndex(), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Base"});
  for (uint32_t index = 0; index < 255; ++index) run.Node({.text = m.Text(), .entry = "Sharer", .index = index});
  run.Input({.node = "Entry", .count = 1});
  run.Input({.node = "Base", .count = 10});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(255, 2 * 13);
  expected.push_back(13);
  EXPECT_TRUE(run.Matches(expected));
}

// "Base" doubles the last word of its record and adds it up; its sharer reads the others. Every execution must find the
// application's values.
TEST_P(Sharing, AnInputOfTheApplicationThatIsWritten) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}, {m.Uint(), 8}});
  const Id leaf_record = LeafRecord(m);
  const Payload to_leaf = m.Output("Leaf", leaf_record);
  m.BeginNode({.name = "Base", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.Set(m.NodeInput(), 0, 2, m.Mul(m.Get(m.NodeInput(), 0, 2), 2));
  m.AddWord(words, m.Get(m.NodeInput(), 0, 1), m.Get(m.NodeInput(), 0, 2));
  m.EndNode();
  m.BeginNode(
      {.name = "Sharer", .shader_index = 0, .shares_input = SharedInput{m.String("Base")}, .input = m.Input(record)});
  const Records leaf = m.Allocate(to_leaf, Scope::kInvocation, 1);
  SetLeaf(m, leaf, 0, m.Add(m.Get(m.NodeInput(), 0, 1), 100), m.Add(m.GroupId(0), 1));
  m.Enqueue(leaf);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf_record);
  GraphRun run(context(), {.dispatches = 2, .submits = 3});
  run.Nodes(m.Text(), {"Base", "Sharer", "Leaf"});
  std::vector<uint32_t> payloads;
  for (uint32_t i = 0; i < 100; ++i) payloads.insert(payloads.end(), {i % 4, i, 1000 + i});
  run.Input({.node = "Base", .count = 100, .payloads = Bytes(payloads), .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(200);
  for (uint32_t i = 0; i < 100; ++i) {
    expected[i] = 6 * 2 * (1000 + i);
    expected[100 + i] = 6 * Triangle(i % 4);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// What the sharer declares is longer than what the node itself does, with its grid at the end.
TEST_P(Sharing, ASharerThatReadsMoreOfThePayload) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id prefix = m.Struct({{m.Uint(), 0}});
  const Id whole = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Vector(m.Uint(), 3), 8, true}});
  m.BeginNode({.name = "Base", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(prefix)});
  m.AddWord(words, 0, m.Get(m.NodeInput(), 0, 0));
  m.EndNode();
  m.BeginNode(
      {.name = "Sharer", .shader_index = 0, .shares_input = SharedInput{m.String("Base")}, .input = m.Input(whole)});
  m.AddWord(words, 1, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Base", "Sharer"});
  run.Input({.node = "Base", .count = 2, .payloads = Bytes({1, 10, 2, 3, 4, 5, 100, 1, 1, 2}), .stride = 20});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({6, 24 * 10 + 2 * 100}));
}

// Not allowed, but harmless: reported, and it runs alone.
TEST_P(Sharing, ADispatchOfTheSharerIsReported) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  AddCounter(m, words, 0, {.name = "Base", .launch = Launch::kCoalescing});
  AddCounter(m, words, kSlots,
             {.name = "Sharer", .launch = Launch::kCoalescing, .shares_input = SharedInput{m.String("Base")}});
  GraphRun run(context(), {.command = DispatchCommand::kHost});
  run.Nodes(m.Text(), {"Base", "Sharer"});
  run.Input({.node = "Sharer", .count = 8, .payloads = Tasks(8), .stride = 12});
  context().messages.Expect("TRELLIS-graph-dispatch-input");
  ASSERT_TRUE(run.Execute());
  EXPECT_EQ(context().messages.Find("TRELLIS-graph-dispatch-input").size(), 1u);
  std::vector<uint32_t> expected(kSlots + 8);
  std::fill_n(expected.begin() + kSlots, 8, 1);
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(Sharing);

}  // namespace
}  // namespace trellis::test
