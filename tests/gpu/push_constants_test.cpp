// SPDX-License-Identifier: Apache-2.0
// Push constants of the application in nodes: pushed next to the layer's own, or copied where it uses all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "tests/gpu/binding_nodes.h"
#include "tests/gpu/recent_extension_test.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr LayoutOptions kBindings = {.sets = 2, .buffers_per_set = 2};

LayoutOptions WithPushConstants(uint32_t words) {
  LayoutOptions options = kBindings;
  options.push_constant_bytes = words * 4;
  return options;
}

std::vector<uint32_t> Words(uint32_t count, uint32_t first = 1) {
  std::vector<uint32_t> words(count);
  for (uint32_t i = 0; i < count; ++i) words[i] = i * 3 + first;
  return words;
}

void ExpectBindings(const GraphRun& run, const std::vector<uint32_t>& push) {
  const std::vector<uint32_t> values = {push[0], push[1], push[2], push.back()};
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, values[i]), i));
}

// How many bytes the application uses decides how it is done.
enum class Amount { kFew, kUpToTheLayersOwn, kAll };

class PushConstants : public GpuTest, public testing::WithParamInterface<Amount> {
 protected:
  // 120 bytes leave the layer its eight within the least that devices offer.
  [[nodiscard]] uint32_t Count() const {
    if (GetParam() == Amount::kFew) return 4;
    return GetParam() == Amount::kUpToTheLayersOwn ? 30 : context().properties.limits.maxPushConstantsSize / 4;
  }
};

TEST_P(PushConstants, ReachEveryNode) {
  const std::vector<uint32_t> push = Words(Count());
  GraphRun run(context(), {.layout = WithPushConstants(Count()), .push_constants = push});
  run.Nodes(BindingsModule(Count()), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  ExpectBindings(run, push);
}

TEST_P(PushConstants, OfSeveralStages) {
  const std::vector<uint32_t> push = Words(Count());
  LayoutOptions layout = WithPushConstants(Count());
  layout.push_constant_stages |= VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  GraphRun run(context(), {.layout = layout, .push_constants = push});
  run.Nodes(BindingsModule(Count()), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  ExpectBindings(run, push);
}

// Some before the pipeline is bound, some after it, some between two dispatches.
TEST_P(PushConstants, InPieces) {
  GraphRun run(context(), {.layout = WithPushConstants(Count()), .dispatches = 0});
  run.Nodes(BindingsModule(Count()), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Prepare());
  const std::vector<uint32_t> first = Words(Count());
  std::vector<uint32_t> second = first;
  second[1] = 5000;
  second.back() = 6000;
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  const auto push = [&](const std::vector<uint32_t>& words, uint32_t begin, uint32_t end) {
    vkCmdPushConstants(command_buffer, run.layout().handle(), VK_SHADER_STAGE_COMPUTE_BIT, begin * 4, (end - begin) * 4,
                       words.data() + begin);
  };
  push(second, 1, 2);  // overwritten
  push(first, 0, 2);
  run.RecordGraph(command_buffer);
  push(first, 2, Count() - 1);
  push(first, Count() - 1, Count());
  run.DispatchGraph(command_buffer);
  push(second, 1, 2);
  push(second, Count() - 1, Count());
  run.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  ASSERT_TRUE(run.GuardsIntact());
  std::vector<uint32_t> sums(Count());
  std::transform(first.begin(), first.end(), second.begin(), sums.begin(), std::plus<>());
  ExpectBindings(run, sums);
}

// A command buffer remembers what was pushed when it was recorded, however often it runs.
TEST_P(PushConstants, OfAResubmittedCommandBuffer) {
  const std::vector<uint32_t> push = Words(Count());
  GraphRun run(context(), {.layout = WithPushConstants(Count()), .push_constants = push, .submits = 3});
  run.Nodes(BindingsModule(Count()), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> sums = push;
  for (uint32_t& word : sums) word *= 3;
  ExpectBindings(run, sums);
}

// Members of every shape, read by themselves, with a variable index, and with the whole block.
TEST_P(PushConstants, OfEveryShape) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id vector = m.Vector(m.Uint(), 3);
  const Id array = m.Array(m.Uint(), 3, 4);
  const Id inner = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 2), 8}});
  const Id matrix = m.Type("OpTypeMatrix " + m.Vector(m.Float(), 2) + " 2");
  const Id block =
      m.Struct({{vector, 0}, {m.Uint(), 12}, {array, 16}, {inner, 32}, {matrix, 48, false, "ColMajor;MatrixStride 8"}});
  m.Decorate("OpDecorate " + block + " Block");
  const Id push = m.Global("PushConstant", block);
  m.BeginNode(
      {.name = "Read", .launch = Launch::kStaticGrid, .local_size = {3, 1, 1}, .grid = {1, 1, 1}, .shader_index = 0});
  const Id lane = m.LocalIndex();
  const auto member = [&](const Id& type, const std::vector<Value>& path) {
    return m.Load(type, m.Chain("PushConstant", type, push, path));
  };
  m.AddWord(words, lane, member(m.Uint(), {0, lane}));
  m.AddWord(words, m.Add(lane, 10), member(m.Uint(), {2, lane}));
  m.AddWord(words, m.Add(lane, 20), m.Op("OpCompositeExtract", m.Uint(), member(inner, {3}) + " 1 1"));
  m.AddWord(words, m.Add(lane, 30), m.Op("OpConvertFToU", m.Uint(), member(m.Float(), {4, 1, 0})));
  const Id whole = m.Load(block, push);
  m.AddWord(words, m.Add(lane, 40), m.Op("OpCompositeExtract", m.Uint(), whole + " 1"));
  m.AddWord(words, m.Add(lane, 50), m.Op("OpCompositeExtract", m.Uint(), whole + " 3 0"));
  m.EndNode();

  std::vector<uint32_t> pushed = {11, 12, 13, 14, 21, 22, 23, 0, 31, 0, 32, 33, 0, 0, 0, 0};
  const float floats[] = {1.0f, 2.0f, 77.0f, 4.0f};
  std::memcpy(pushed.data() + 12, floats, sizeof(floats));
  const uint32_t range = std::max(Count(), 16u);
  pushed.resize(range);
  GraphRun run(context(), {.layout = {.push_constant_bytes = range * 4}, .push_constants = pushed});
  run.Nodes(m.Text(), {"Read"});
  run.Input({.node = "Read", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(53);
  for (uint32_t i = 0; i < 3; ++i) {
    expected[i] = 11 + i;
    expected[10 + i] = 21 + i;
    expected[20 + i] = 33;
    expected[30 + i] = 77;
    expected[40 + i] = 14;
    expected[50 + i] = 31;
  }
  EXPECT_TRUE(run.Matches(expected));
}

std::string NameOf(const testing::TestParamInfo<Amount>& info) {
  if (info.param == Amount::kFew) return "few";
  return info.param == Amount::kAll ? "all" : "up_to_the_layers_own";
}

INSTANTIATE_TEST_SUITE_P(Amounts, PushConstants, testing::Values(Amount::kFew, Amount::kUpToTheLayersOwn, Amount::kAll),
                         NameOf);

using PushConstantForms = GpuTest;

// Graphs of both kinds in one command buffer, by turns.
TEST_F(PushConstantForms, ByTurns) {
  const uint32_t all = context().properties.limits.maxPushConstantsSize / 4;
  GraphRun few_run(context(), {.layout = WithPushConstants(4), .push_constants = Words(4, 100)});
  few_run.Nodes(BindingsModule(4), {"Root", "Leaf"});
  few_run.Input({.node = "Root", .count = 1});
  GraphRun all_run(context(), {.layout = WithPushConstants(all), .push_constants = Words(all, 7)});
  all_run.Nodes(BindingsModule(all), {"Root", "Leaf"});
  all_run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(few_run.Prepare());
  ASSERT_TRUE(all_run.Prepare());
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  for (int turn = 0; turn < 3; ++turn) {
    few_run.RecordGraph(command_buffer);
    all_run.RecordGraph(command_buffer);
  }
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  for (GraphRun* run : {&few_run, &all_run}) {
    ASSERT_TRUE(run->GuardsIntact());
    std::vector<uint32_t> sums = run == &few_run ? Words(4, 100) : Words(all, 7);
    for (uint32_t& word : sums) word *= 3;
    ExpectBindings(*run, sums);
  }
}

using PushConstantsByStructure = Maintenance6Test;

// vkCmdPushConstants2.
TEST_F(PushConstantsByStructure, ReachTheGraph) {
  if (!IsOffered()) GTEST_SKIP() << "no VK_KHR_maintenance6";
  for (const uint32_t count : {4u, context().properties.limits.maxPushConstantsSize / 4}) {
    const std::vector<uint32_t> push = Words(count);
    GraphRun run(context(), {.layout = WithPushConstants(count), .dispatches = 0});
    run.Nodes(BindingsModule(count), {"Root", "Leaf"});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Prepare());
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    run.RecordGraph(command_buffer);
    auto info = MakeStruct<VkPushConstantsInfoKHR>();
    info.layout = run.layout().handle();
    info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    info.size = count * 4;
    info.pValues = push.data();
    context().optional.CmdPushConstants2(command_buffer, &info);
    run.DispatchGraph(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    ExpectBindings(run, push);
  }
}

}  // namespace
}  // namespace trellis::test
