// SPDX-License-Identifier: Apache-2.0
// How long a large graph takes to create, and how much of it is ours. A measurement, so it is off by default:
// --gtest_also_run_disabled_tests --gtest_filter='CreationSpeed.*'.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "tests/support/gpu_test.h"
#include "tests/support/graph.h"

namespace trellis::test {
namespace {

using CreationSpeed = GpuTest;

constexpr uint32_t kNodes = 1023;
constexpr uint32_t kIndexConstant = 1;
constexpr uint32_t kCodeConstant = 2;

// A node with some code to compile: a loop with arithmetic and an atomic per payload, and an output.
std::string NodeText() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  const Payload out = m.Output("out", record, {.max_payloads = 4});
  m.BeginNode({.name = "main",
               .launch = Launch::kCoalescing,
               .local_size = {32, 1, 1},
               .shader_index = m.SpecConstant(kIndexConstant, 0),
               .input = m.Input(record, 32)});
  const Id code = m.SpecConstant(kCodeConstant, 0);
  m.For(m.Length(m.NodeInput()), [&](const Id& i) {
    const Id key = m.Get(m.NodeInput(), i, 0u);
    const Id mixed = m.Xor(m.Mul(m.Add(key, code), 0x9e3779b9u), m.Shift(m.Get(m.NodeInput(), i, 1u), 3u));
    m.If(m.Less(m.Mod(mixed, 16u), m.Add(code, 3u)), [&] { m.AddWord(words, m.Mod(mixed, 64u), m.And(mixed, 255u)); });
  });
  const Records records = m.Allocate(out, Scope::kWorkgroup, 1);
  m.Set(records, 0, 0u, code);
  m.Set(records, 0, 1u, m.ShaderIndex());
  m.Enqueue(records);
  m.EndNode();
  return m.Text();
}

TEST_F(CreationSpeed, DISABLED_OneModuleManySpecialisations) {
  const std::string text = NodeText();
  std::vector<GraphNode> nodes;
  for (uint32_t i = 0; i < kNodes; ++i)
    nodes.push_back(
        {.text = text, .entry = "main", .specialization = {Spec(kIndexConstant, i), Spec(kCodeConstant, i)}});
  const auto begin = std::chrono::steady_clock::now();
  const Graph graph(context(), nodes);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(graph.error().empty()) << graph.error();
  ASSERT_EQ(graph.result(), VK_SUCCESS);
  const std::vector<Message> created = context().messages.Find("TRELLIS-graph-created");
  ASSERT_FALSE(created.empty());
  std::cout << seconds.count() << " s; " << created.back().text << "\n";
}

}  // namespace
}  // namespace trellis::test
