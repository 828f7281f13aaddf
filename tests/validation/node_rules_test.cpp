// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX: rules about the nodes of a graph.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/node_asm.h"
#include "tests/validation/world.h"

namespace trellis::test {
namespace {

constexpr const char* kInputSizes = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09135";
constexpr const char* kPayloadSizes = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-PayloadNodeNameAMDX-09139";
constexpr const char* kTargets = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184";
constexpr const char* kPushConstants = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-10069";

Id WordsRecord(NodeAsm& m, uint32_t words) {
  std::vector<Member> members;
  for (uint32_t i = 0; i < words; ++i) members.push_back({m.Uint(), 4 * i});
  return m.Struct(members);
}

struct Sending {
  uint32_t words = 1;
  OutputOptions output = {};
  uint32_t node_index = 0;
};

// "Sender" sends to "Receiver"; leaves are "OneWord", "TwoWords" and, without a declared input, "Bare".
std::string Nodes(const Sending& sending = {}) {
  NodeAsm m(Shape::kDirect);
  const Id buffer = m.StorageBuffer(0);
  const Payload output = m.Output("Receiver", WordsRecord(m, sending.words), sending.output);
  m.BeginNode({.name = "Sender", .launch = Launch::kCoalescing});
  const Records sent = m.Allocate(output, Scope::kInvocation, 1, sending.node_index);
  m.Set(sent, 0, 0, 5);
  m.Enqueue(sent);
  m.EndNode();
  for (const auto& [name, words] : {std::pair{"OneWord", 1u}, std::pair{"TwoWords", 2u}}) {
    m.BeginNode({.name = name, .launch = Launch::kCoalescing, .input = m.Input(WordsRecord(m, words))});
    m.AddWord(buffer, m.Get(m.NodeInput(), 0, words - 1), 1);
    m.EndNode();
  }
  m.BeginNode({.name = "Bare", .launch = Launch::kCoalescing});
  m.AddWord(buffer, 0, 1);
  m.EndNode();
  return m.Text();
}

Program Graph(const std::string& text, const std::vector<NodeEntry>& nodes, VkPipelineCreateFlags flags = 0) {
  return [=](World& world) { world.GraphOf(text, nodes, flags); };
}

TEST(NodeRules, InputsOfOneNameHaveOneSize) {
  ExpectFinding(kInputSizes, Graph(Nodes(), {{"OneWord", "Receiver", 0}, {"TwoWords", "Receiver", 1}}));
  ExpectFinding(kInputSizes,
                Graph(Nodes(), {{"OneWord", "Receiver", 0}, {"Bare", "Receiver", 1}, {"TwoWords", "Receiver", 2}}));
  ExpectNoFinding(Graph(Nodes(), {{"OneWord", "Receiver", 0}, {"OneWord", "Receiver", 1}}));
  ExpectNoFinding(Graph(Nodes(), {{"OneWord", "Receiver", 0}, {"Bare", "Receiver", 1}}));
  ExpectNoFinding(Graph(Nodes(), {{"OneWord"}, {"TwoWords"}}));
}

TEST(NodeRules, InputSizesAreComparedInLibrariesToo) {
  ExpectFinding(kInputSizes, Graph(Nodes(), {{"OneWord", "Receiver", 0}, {"TwoWords", "Receiver", 1}},
                                   VK_PIPELINE_CREATE_LIBRARY_BIT_KHR));
  ExpectNoFinding(
      Graph(Nodes(), {{"OneWord", "Receiver", 0}, {"OneWord", "Receiver", 1}}, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR));
}

TEST(NodeRules, PayloadsHaveTheSizeOfTheInput) {
  ExpectFinding(kPayloadSizes, Graph(Nodes({.words = 1}), {{"Sender"}, {"TwoWords", "Receiver"}}));
  ExpectFinding(kPayloadSizes, Graph(Nodes({.words = 2}), {{"Sender"}, {"OneWord", "Receiver"}}));
  ExpectNoFinding(Graph(Nodes({.words = 1}), {{"Sender"}, {"OneWord", "Receiver"}}));
  ExpectNoFinding(Graph(Nodes({.words = 2}), {{"Sender"}, {"TwoWords", "Receiver"}}));
  ExpectNoFinding(Graph(Nodes({.words = 2}), {{"Sender"}, {"Bare", "Receiver"}}));
}

TEST(NodeRules, ArraysThatAreNotSparseHaveAllNodes) {
  const std::vector<NodeEntry> first = {{"Sender"}, {"OneWord", "Receiver", 0}};
  const std::vector<NodeEntry> both = {{"Sender"}, {"OneWord", "Receiver", 0}, {"OneWord", "Receiver", 1}};
  const std::vector<NodeEntry> second = {{"Sender"}, {"OneWord", "Receiver", 1}};
  const auto array = [](uint32_t base, std::optional<Value> size, bool sparse = false, uint32_t node_index = 0) {
    Sending sending;
    sending.output.base_index = base;
    sending.output.array_size = std::move(size);
    sending.output.sparse = sparse;
    sending.node_index = node_index;
    return Nodes(sending);
  };
  ExpectFinding(kTargets, Graph(array(0, 2), first));
  ExpectNoFinding(Graph(array(0, 2), both));
  ExpectNoFinding(Graph(array(0, 2, true), first));
  ExpectNoFinding(Graph(array(0, 2), first, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR));
  // Without a size only what is named for certain counts.
  ExpectNoFinding(Graph(array(0, {}), first));
  ExpectFinding(kTargets, Graph(array(0, {}, false, 1), first));
  ExpectFinding(kTargets, Graph(array(0, {}), {{"Sender"}}));
  // Two readings of the size of an array that begins at 1: {1, 2} and {0, 1}.
  ExpectNoFinding(Graph(array(1, 2), second));
  ExpectFinding(kTargets, Graph(array(1, 2), first));
}

// "Pushed" has a push constant block of 16 bytes.
std::string PushedNode() {
  NodeAsm m(Shape::kDirect);
  const Id buffer = m.StorageBuffer(0);
  const Id block = m.PushConstants(4);
  m.BeginNode({.name = "Pushed", .launch = Launch::kCoalescing});
  m.AddWord(buffer, 0, m.PushWord(block, 3));
  m.EndNode();
  return m.Text();
}

TEST(NodeRules, PushConstantBlocksLieInTheRange) {
  const auto program = [](uint32_t bytes) {
    return [bytes](World& world) { world.GraphOf(PushedNode(), {{"Pushed"}}, 0, bytes); };
  };
  ExpectFinding(kPushConstants, program(12));
  ExpectNoFinding(program(16));
}

// Whatever the setting.
TEST(NodeRules, PushConstantsWithoutARangeAreRefused) {
  for (const bool validate : {false, true}) {
    World world(validate, {});
    const VkPipelineShaderStageCreateInfo stage = World::Stage(world.Module(PushedNode()), "Pushed");
    auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = world.Layout(0);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(world.device(), CreateExecutionGraphPipelinesAMDX)(world.device().handle(), VK_NULL_HANDLE,
                                                                              1, &info, nullptr, &pipeline),
              VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_TRUE(world.vuids.empty());
  }
}

}  // namespace
}  // namespace trellis::test
