// SPDX-License-Identifier: Apache-2.0
// Names and indices of nodes: defaults, overrides, several nodes from one module, node index queries.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Naming = GpuTest;

// "main", thread, no record: words[constant 0] += 1.
std::string CounterModule() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "main", .launch = Launch::kCoalescing});
  m.AddWord(words, m.SpecConstant(0, 0), 1);
  m.EndNode();
  return m.Text();
}

// The name is the entry point's unless the application gives one; the index is ShaderIndexAMDX's, else 0.
TEST_F(Naming, Defaults) {
  NodeAsm indexed;
  const Id words = indexed.StorageBuffer(0);
  indexed.BeginNode({.name = "main", .launch = Launch::kCoalescing, .shader_index = 3});
  indexed.AddWord(words, 10, 1);
  indexed.EndNode();
  GraphRun run(context());
  run.Node({.text = CounterModule(), .entry = "main"});
  run.Node({.text = indexed.Text(), .entry = "main"});
  run.Input({.node = "main", .index = 0, .count = 1});
  run.Input({.node = "main", .index = 3, .count = 2});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(11);
  expected[0] = 1;
  expected[10] = 2;
  EXPECT_TRUE(run.Matches(expected));
}

// A node structure with the index left out, or the name left out.
TEST_F(Naming, PartialOverrides) {
  GraphRun run(context());
  run.Node({.text = CounterModule(), .entry = "main", .name = "named", .specialization = {Spec(0, 1)}});
  run.Node({.text = CounterModule(), .entry = "main", .index = 7, .specialization = {Spec(0, 2)}});
  run.Node({.text = CounterModule(), .entry = "main", .name = "both", .index = 9, .specialization = {Spec(0, 3)}});
  run.Input({.node = "named", .index = 0, .count = 10});
  run.Input({.node = "main", .index = 7, .count = 20});
  run.Input({.node = "both", .index = 9, .count = 30});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 10, 20, 30}));
}

// Records find their target by its final name, not by its entry point: both nodes here come from entry points named
// "main".
TEST_F(Naming, LinksUseFinalNames) {
  NodeAsm leaf;
  const Id words = leaf.StorageBuffer(0);
  const Id record = LeafRecord(leaf);
  AddThreadLeaf(leaf, "main", words, record);
  NodeAsm root;
  const Id root_record = LeafRecord(root);
  const Payload to = root.Output("main", root_record);
  root.BeginNode({.name = "main", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = root.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(root, records, 0, 6, 4);
  root.Enqueue(records);
  root.EndNode();
  GraphRun run(context());
  run.Node({.text = root.Text(), .entry = "main", .name = "entry"});
  run.Node({.text = leaf.Text(), .entry = "main"});
  run.Input({.node = "entry", .count = 2});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 0, 0, 0, 8}));
}

TEST_F(Naming, NodeIndicesAreUniqueAndUnknownNodesAreRefused) {
  GraphRun run(context());
  for (uint32_t i = 0; i < 5; ++i)
    run.Node({.text = CounterModule(), .entry = "main", .name = i < 3 ? "first" : "second", .index = i * 11});
  run.Input({.node = "first", .index = 0, .count = 1});
  ASSERT_TRUE(run.Execute());
  std::set<uint32_t> indices;
  for (uint32_t i = 0; i < 5; ++i) indices.insert(run.graph().NodeIndex(i < 3 ? "first" : "second", i * 11));
  EXPECT_EQ(indices.size(), 5u);
  EXPECT_EQ(indices.count(~0u), 0u);
  context().messages.Expect("TRELLIS-");
  EXPECT_EQ(run.graph().NodeIndex("first", 33), ~0u);
  EXPECT_EQ(run.graph().NodeIndex("third", 0), ~0u);
}

// Nodes that may not be launched by the application can still be reached.
TEST_F(Naming, NotAnApiEntry) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Inner", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .is_api_entry = true});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 2, 3);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Inner",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .is_api_entry = false,
               .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, index, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Inner"});
  run.Input({.node = "Root", .count = 4});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 12}));
}

// IsApiEntryAMDX from a specialisation constant: not an entry as the module has it, one as the application wants it.
TEST_F(Naming, ApiEntryFromASpecialisationConstant) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id is_entry = m.Type("OpSpecConstantFalse " + m.Bool());
  m.Decorate("OpDecorate " + is_entry + " SpecId 3");
  m.BeginNode({.name = "Node", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.Mode("OpExecutionModeId " + m.CurrentFunction() + " IsApiEntryAMDX " + is_entry);
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, index, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Node", .specialization = {Spec(3, 1)}});
  run.Input({.node = "Node", .count = 2, .payloads = Bytes({1, 5, 2, 6}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 5, 6}));

  // As the module has it, the application may not launch it; the layer says so.
  GraphRun not_an_entry(context(), {.command = DispatchCommand::kHost});
  not_an_entry.Node({.text = m.Text(), .entry = "Node"});
  not_an_entry.Input({.node = "Node", .count = 1, .payloads = Bytes({1, 5}), .stride = 8});
  context().messages.Expect("TRELLIS-");
  ASSERT_TRUE(not_an_entry.Execute());
  const std::vector<Message> said = context().messages.Find("TRELLIS-");
  EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const Message& message) {
    return message.text.find("IsApiEntryAMDX is false") != std::string::npos;
  }));
}

// An output whose target does not exist and that is sparse: a legal graph, payloads are swallowed.
TEST_F(Naming, AbsentSparseTarget) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Nowhere", record, {.sparse = true});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  m.AddWord(words, 0, m.Select(m.IsValid(to, 0), 1, 2));
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 2, 3);
  m.Enqueue(records);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  run.Input({.node = "Root", .count = 4});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({8}));
}

}  // namespace
}  // namespace trellis::test
