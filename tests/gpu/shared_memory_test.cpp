// SPDX-License-Identifier: Apache-2.0
// Workgroup memory of nodes that allocate for the workgroup, which takes a few words of it.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using SharedMemory = ShapedGpuTest;

constexpr uint32_t kSharingLanes = 32;
constexpr uint32_t kSharingWorkgroups = 4;

// What invocations write to each shared word, before the workgroup allocates.
Id Pattern(NodeAsm& m, const Id& index) { return m.Add(m.Mul(index, 2654435761u), m.GroupId(0)); }

// "Root": fills `count` shared words, allocates for the workgroup, sends 32 records to "Leaf" and looks whether the
// words are still there; words[lane] += 1 for each workgroup, words[kSharingLanes] += damaged words. `word` gives the
// pointer to a shared word.
void AddRoot(NodeAsm& m, const Id& words, uint32_t count, const std::function<Id(const Id& index)>& word) {
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = static_cast<int>(kSharingLanes)});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {static_cast<int>(kSharingLanes), 1, 1},
               .grid = {static_cast<int>(kSharingWorkgroups), 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  const auto for_my_words = [&](const std::function<void(const Id&)>& body) {
    m.For(Value((count + kSharingLanes - 1) / kSharingLanes), [&](const Id& i) {
      const Id index = m.Add(m.Mul(i, static_cast<int>(kSharingLanes)), lane);
      m.If(m.Less(index, Value(count)), [&] { body(index); });
    });
  };
  for_my_words([&](const Id& index) { m.Store(word(index), Pattern(m, index)); });
  m.WorkgroupBarrier();
  const Records records = m.Allocate(to, Scope::kWorkgroup, static_cast<int>(kSharingLanes));
  SetLeaf(m, records, lane, lane, 1);
  m.Enqueue(records);
  m.WorkgroupBarrier();
  for_my_words([&](const Id& index) {
    m.If(m.NotEqual(m.Load(m.Uint(), word(index)), Pattern(m, index)), [&] { m.AddWord(words, kSharingLanes, 1); });
  });
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
}

testing::AssertionResult RunRoot(Context& context, const std::string& text) {
  GraphRun run(context);
  run.Nodes(text, {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  if (testing::AssertionResult done = run.Execute(); !done) return done;
  return run.Matches(std::vector<uint32_t>(kSharingLanes, kSharingWorkgroups));
}

// All that the device says it has: the layer has put its own words aside.
TEST_P(SharedMemory, AllOfIt) {
  const uint32_t count = context().properties.limits.maxComputeSharedMemorySize / 4;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id shared = m.SharedWords(count);
  AddRoot(m, words, count, [&](const Id& index) { return m.SharedPointer(shared, index); });
  EXPECT_TRUE(RunRoot(context(), m.Text()));
}

// VK_KHR_workgroup_memory_explicit_layout: two blocks that share their memory, `count` words at byte 8.
std::string BlocksModule(Shape shape, uint32_t count) {
  NodeAsm m(shape);
  m.Capability("WorkgroupMemoryExplicitLayoutKHR");
  const Id words = m.StorageBuffer(0);
  const auto block = [&](const Id& type, uint32_t offset) {
    const Id structure = m.Struct({{type, offset}});
    m.Decorate("OpDecorate " + structure + " Block");
    const Id variable = m.Global("Workgroup", structure);
    m.Decorate("OpDecorate " + variable + " Aliased");
    return variable;
  };
  const Id array = block(m.Array(m.Uint(), count, 4), 8);
  // The same word as the array's first, as a float.
  const Id number = block(m.Float(), 8);
  AddRoot(m, words, count, [&](const Id& index) { return m.Chain("Workgroup", m.Uint(), array, {0, index}); });
  const Id record = m.Struct({});
  m.BeginNode({.name = "Alias", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.Store(m.Chain("Workgroup", m.Uint(), array, {0, 0}), m.Constant(0x40490fdb));
  const Id value = m.Load(m.Float(), m.Chain("Workgroup", m.Float(), number, {0}));
  m.AddWord(words, 100, m.Op("OpBitcast", m.Uint(), value));
  m.EndNode();
  const std::string text = m.Text();
  const std::string extension = "OpExtension \"SPV_AMDX_shader_enqueue\"\n";
  const size_t place = text.find(extension);
  return text.substr(0, place) + "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n" + text.substr(place);
}

TEST_P(SharedMemory, BlocksWithAnExplicitLayout) {
  if (!context().features.workgroup_memory_explicit_layout)
    GTEST_SKIP() << "no VK_KHR_workgroup_memory_explicit_layout";
  EXPECT_TRUE(RunRoot(context(), BlocksModule(shape(), 301)));
}

TEST_P(SharedMemory, BlocksThatTakeAllOfIt) {
  if (!context().features.workgroup_memory_explicit_layout)
    GTEST_SKIP() << "no VK_KHR_workgroup_memory_explicit_layout";
  EXPECT_TRUE(
      RunRoot(context(), BlocksModule(shape(), context().properties.limits.maxComputeSharedMemorySize / 4 - 2)));
}

TEST_P(SharedMemory, BlocksStayAliased) {
  if (!context().features.workgroup_memory_explicit_layout)
    GTEST_SKIP() << "no VK_KHR_workgroup_memory_explicit_layout";
  GraphRun run(context());
  run.Nodes(BlocksModule(shape(), 4), {"Alias"});
  run.Input({.node = "Alias", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(101);
  expected[100] = 0x40490fdb;
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(SharedMemory);

}  // namespace
}  // namespace trellis::test
