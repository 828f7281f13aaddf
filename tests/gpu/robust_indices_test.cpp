// SPDX-License-Identifier: Apache-2.0
// Indices past the end of an array inside a payload, where the application asked for robust access.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/own_device.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kLength = 4;       // of the array
constexpr uint32_t kOutputWords = 8;  // of each record that arrives
constexpr uint32_t kWritten = 77, kAfter = 99;
// The word behind the array, words of the next record, and far away: addresses wrap at 2^30.
constexpr uint32_t kIndices[] = {0, 3, 4, 5, 6, 11, 0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xffffffff};

// {number, uint[4], what stands behind it, index}
Id RecordWithArray(NodeAsm& m) {
  return m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), kLength, 4), 4}, {m.Uint(), 20}, {m.Uint(), 24}});
}

// "Root" makes two records of each {number, index}, and writes to the array of the first one at that index.
void AddRoot(NodeAsm& m, const Id& record) {
  const Id pair = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 2});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(pair)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  const Id index = m.Get(m.NodeInput(), 0, 1);
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  m.For(2, [&](const Id& r) {
    m.Set(records, r, 0, m.Add(m.Mul(number, 2), r));
    m.For(kLength, [&](const Id& i) { m.Store(m.Field(records, m.Uint(), r, {1, i}), m.Add(i, 10)); });
    m.Set(records, r, 2, kAfter);
    m.Set(records, r, 3, index);
  });
  m.Store(m.Field(records, m.Uint(), 0, {1, index}), m.Constant(kWritten));
  m.Enqueue(records);
  m.EndNode();
}

// "Leaf" copies its record, and what it reads at the index in it.
void AddLeaf(NodeAsm& m, const Id& words, const Id& record) {
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id begin = m.Mul(m.Get(m.NodeInput(), 0, 0), kOutputWords);
  m.For(kLength, [&](const Id& i) {
    m.StoreWord(words, m.Add(begin, i), m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, i})));
  });
  const Id index = m.Get(m.NodeInput(), 0, 3);
  m.StoreWord(words, m.Add(begin, 4), m.Get(m.NodeInput(), 0, 2));
  m.StoreWord(words, m.Add(begin, 5), index);
  m.StoreWord(words, m.Add(begin, 6), m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, index})));
  m.AddWord(words, m.Add(begin, 7), 1);
  m.EndNode();
}

std::vector<uint32_t> ExpectedWords() {
  std::vector<uint32_t> words;
  for (const uint32_t index : kIndices)
    for (uint32_t r = 0; r < 2; ++r) {
      std::vector<uint32_t> record = {10, 11, 12, 13};
      const uint32_t reached = std::min(index, kLength - 1);
      if (r == 0) record[reached] = kWritten;
      record.insert(record.end(), {kAfter, index, record[reached], 1});
      words.insert(words.end(), record.begin(), record.end());
    }
  return words;
}

// `chain`: of each stage.
void ExpectIndicesToStayInside(Context& context, Shape shape, const void* chain) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = RecordWithArray(m);
  AddRoot(m, record);
  AddLeaf(m, words, record);
  GraphRun run(context);
  for (const char* node : {"Root", "Leaf"}) run.Node({.text = m.Text(), .entry = node, .chain = chain});
  std::vector<uint32_t> payloads;
  for (uint32_t i = 0; i < std::size(kIndices); ++i) payloads.insert(payloads.end(), {i, kIndices[i]});
  run.Input({.node = "Root", .count = uint32_t(std::size(kIndices)), .payloads = Bytes(payloads), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ExpectedWords()));
}

class RobustDevice : public OwnDeviceTest {
 protected:
  [[nodiscard]] ContextOptions Options() const override { return {.robust_buffer_access = true}; }
};

TEST_F(RobustDevice, IndicesInPayloadsStayInside) {
  for (const Shape shape : {Shape::kDxc, Shape::kDirect}) ExpectIndicesToStayInside(context(), shape, nullptr);
}

using RobustIndices = ShapedGpuTest;

TEST_P(RobustIndices, WhereTheStageAsksForIt) {
  if (!context().features.robust_buffer_access2) GTEST_SKIP() << "no pipelineRobustness or no robustBufferAccess2";
  auto robustness = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  robustness.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
  ExpectIndicesToStayInside(context(), shape(), &robustness);
}

TRELLIS_BOTH_SHAPES(RobustIndices);

}  // namespace
}  // namespace trellis::test
