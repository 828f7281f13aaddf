// SPDX-License-Identifier: Apache-2.0
// Push constant blocks that are used as a whole, next to the layer's own bytes.
#include <gtest/gtest.h>

#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using PushConstantBlocks = ShapedGpuTest;

constexpr uint32_t kWords = 5;
const std::vector<uint32_t> kValues = {11, 22, 33, 44, 55};

// A block {uint[3]; uvec2 at 16}, so that the words lie at 0, 4, 8, 16 and 20.
struct Block {
  explicit Block(NodeAsm& m) : pair(m.Vector(m.Uint(), 2)) {
    type = m.Struct({{m.Array(m.Uint(), 3, 4), 0}, {pair, 16}});
    m.Decorate("OpDecorate " + type + " Block");
    variable = m.Global("PushConstant", type);
  }
  [[nodiscard]] std::vector<Value> Path(uint32_t word) const {
    return word < 3 ? std::vector<Value>{0, word} : std::vector<Value>{1, word - 3};
  }
  Id pair, type, variable;
};

testing::AssertionResult RunNode(Context& context, GraphNode node, const std::vector<uint32_t>& expected = kValues) {
  GraphRun run(context, {.layout = {.push_constant_bytes = 24}, .push_constants = {11, 22, 33, 0, 44, 55}});
  run.Node(std::move(node));
  run.Input({.node = "Node", .count = 1});
  if (testing::AssertionResult done = run.Execute(); !done) return done;
  return run.Matches(expected);
}

// To a storage buffer of the same type.
TEST_P(PushConstantBlocks, Copied) {
  NodeAsm m(shape());
  const Block block(m);
  const Id buffer = m.Global("StorageBuffer", block.type);
  m.Decorate("OpDecorate " + buffer + " DescriptorSet 0\nOpDecorate " + buffer + " Binding 0");
  m.BeginNode({.name = "Node", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  m.Do("OpCopyMemory " + buffer + " " + block.variable);
  m.EndNode();
  EXPECT_TRUE(RunNode(context(), {.text = m.Text(), .entry = "Node"}, {11, 22, 33, 0, 44, 55}));
}

TEST_P(PushConstantBlocks, LoadedThroughACopyOfThePointer) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Block block(m);
  m.BeginNode({.name = "Node", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  const Id pointer = m.Op("OpCopyObject", m.Pointer("PushConstant", block.type), block.variable);
  const Id whole = m.Load(block.type, pointer);
  const std::vector<Id> places = {"0 0", "0 1", "0 2", "1 0", "1 1"};
  for (uint32_t i = 0; i < kWords; ++i) m.AddWord(words, i, m.Op("OpCompositeExtract", m.Uint(), whole, places[i]));
  m.EndNode();
  EXPECT_TRUE(RunNode(context(), {.text = m.Text(), .entry = "Node"}));
}

// As compilers leave it behind without optimisation; spirv-val wants no such parameters.
TEST_P(PushConstantBlocks, PassedToAFunction) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Block block(m);
  const Id pointer = m.Pointer("PushConstant", block.type);
  const Id word_pointer = m.Pointer("PushConstant", m.Uint());
  const Id function_type = m.Type("OpTypeFunction " + m.Uint() + " " + m.Uint() + " " + pointer + " " + m.Uint());
  const Id first = m.Constant(0);
  const Id function = m.NewId(), factor = m.NewId(), given = m.NewId(), index = m.NewId();
  const Id begin = m.NewId(), place = m.NewId(), word = m.NewId(), product = m.NewId();
  m.BeginNode({.name = "Node", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  for (uint32_t i = 0; i < 3; ++i)
    m.AddWord(words, i, m.Op("OpFunctionCall", m.Uint(), function, 1, block.variable, i));
  for (uint32_t i = 3; i < kWords; ++i)
    m.AddWord(words, i, m.Load(m.Uint(), m.Chain("PushConstant", m.Uint(), block.variable, block.Path(i))));
  m.EndNode();
  std::string text = m.Text();
  const auto line = [&](const Id& result, const std::string& rest) { text += result + " = " + rest + "\n"; };
  line(function, "OpFunction " + m.Uint() + " None " + function_type);
  line(factor, "OpFunctionParameter " + m.Uint());
  line(given, "OpFunctionParameter " + pointer);
  line(index, "OpFunctionParameter " + m.Uint());
  line(begin, "OpLabel");
  line(place, "OpAccessChain " + word_pointer + " " + given + " " + first + " " + index);
  line(word, "OpLoad " + m.Uint() + " " + place);
  line(product, "OpIMul " + m.Uint() + " " + word + " " + factor);
  text += "OpReturnValue " + product + "\nOpFunctionEnd\n";
  std::string error;
  const std::vector<uint32_t> module = AssembleModule(text, error, false);
  ASSERT_EQ(error, "");
  EXPECT_TRUE(RunNode(context(), {.text = "", .entry = "Node", .words = module}));
}

TRELLIS_BOTH_SHAPES(PushConstantBlocks);

}  // namespace
}  // namespace trellis::test
