// SPDX-License-Identifier: Apache-2.0
// Payloads and push constant blocks with arrays whose length is a specialisation constant.
#include <gtest/gtest.h>

#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using SpecializedLayouts = ShapedGpuTest;

// uint[length], stride 4; `length` is an id.
Id WordArray(NodeAsm& m, const Id& length) {
  const Id array = m.Type("OpTypeArray " + m.Uint() + " " + length);
  m.Decorate("OpDecorate " + array + " ArrayStride 4");
  return array;
}

// "Root", thread, input {uint first; uint[2 n] values}: sends two records of the same type to "Leaf", thread, with all
// values one and two larger. Leaf: words[first * 32 + i] += values[i].
std::string ArrayModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id n = m.SpecConstant(0, 1);
  const Id length = m.Type("OpSpecConstantOp " + m.Uint() + " IMul " + n + " " + m.Constant(2));
  const Id record = m.Struct({{m.Uint(), 0}, {WordArray(m, length), 4}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 2});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  m.For(2, [&](const Id& k) {
    m.Store(m.Field(records, record, k, {}), m.Load(record, m.Field(m.NodeInput(), record, 0, {})));
    m.Set(records, k, 0, m.Add(m.Get(records, k, 0), k));
    m.For(length, [&](const Id& i) {
      const Id value = m.Field(records, m.Uint(), k, {1, i});
      m.Store(value, m.Add(m.Load(m.Uint(), value), m.Add(k, 1)));
    });
  });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id base = m.Mul(m.Get(m.NodeInput(), 0, 0), 32);
  m.For(length, [&](const Id& i) {
    m.AddWord(words, m.Add(base, i), m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, i})));
  });
  m.EndNode();
  return m.Text();
}

TEST_P(SpecializedLayouts, PayloadArrays) {
  for (const uint32_t n : {1u, 7u}) {
    GraphRun run(context());
    for (const char* name : {"Root", "Leaf"})
      run.Node({.text = ArrayModule(shape()), .entry = name, .specialization = {Spec(0, n)}});
    std::vector<uint32_t> payloads, expected(5 * 32);
    for (uint32_t record = 0; record < 2; ++record) {
      payloads.push_back(record * 3);
      for (uint32_t i = 0; i < 2 * n; ++i) {
        const uint32_t value = 100 * record + i;
        payloads.push_back(value);
        for (uint32_t k = 0; k < 2; ++k) expected[(record * 3 + k) * 32 + i] += value + k + 1;
      }
    }
    run.Input({.node = "Root", .count = 2, .payloads = Bytes(payloads), .stride = 4 + 8 * n});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(expected)) << n;
  }
}

// Two lengths of one type in one graph: a region's stride fits its own node.
TEST_P(SpecializedLayouts, LengthsDifferBetweenNodes) {
  GraphRun run(context());
  for (const uint32_t n : {2u, 16u}) {
    const std::string name = "Leaf" + std::to_string(n);
    run.Node({.text = ArrayModule(shape()), .entry = "Leaf", .name = name, .specialization = {Spec(0, n)}});
    std::vector<uint32_t> payload = {n == 2 ? 0u : 1u};
    for (uint32_t i = 0; i < 2 * n; ++i) payload.push_back(n + i);
    run.Input({.node = name, .count = 1, .payloads = Bytes(payload)});
  }
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 4; ++i) expected[i] = 2 + i;
  for (uint32_t i = 0; i < 32; ++i) expected[32 + i] = 16 + i;
  EXPECT_TRUE(run.Matches(expected));
}

// A block {uint; uint[n]} of which n words lie in the layout's range, next to the layer's own.
TEST_P(SpecializedLayouts, PushConstants) {
  constexpr uint32_t kLength = 9;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id length = m.SpecConstant(4, 1);
  const Id block = m.Struct({{m.Uint(), 0}, {WordArray(m, length), 4}});
  m.Decorate("OpDecorate " + block + " Block");
  const Id push = m.Global("PushConstant", block);
  m.BeginNode({.name = "Node", .launch = Launch::kStaticGrid, .grid = {3, 1, 1}, .shader_index = 0});
  m.For(length, [&](const Id& i) {
    m.AddWord(words, m.Add(i, 1), m.Load(m.Uint(), m.Chain("PushConstant", m.Uint(), push, {1, i})));
  });
  m.AddWord(words, 0, m.PushWord(push, 0));
  m.EndNode();
  std::vector<uint32_t> values, expected;
  for (uint32_t i = 0; i <= kLength; ++i) {
    values.push_back(1000 + i);
    expected.push_back(3 * (1000 + i));
  }
  GraphRun run(context(), {.layout = {.push_constant_bytes = 4 * (kLength + 1)}, .push_constants = values});
  run.Node({.text = m.Text(), .entry = "Node", .specialization = {Spec(4, kLength)}});
  run.Input({.node = "Node", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(SpecializedLayouts);

}  // namespace
}  // namespace trellis::test
