// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/specialization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

using testing::ElementsAre;

TEST(Specialization, NothingGivenIsNothing) {
  EXPECT_TRUE(ReadSpecialization(nullptr).empty());
  Arena arena;
  EXPECT_EQ(KeepSpecialization(nullptr, {}, arena), nullptr);
}

TEST(Specialization, BytesAreFoundByConstant) {
  const uint8_t data[] = {1, 2, 3, 4, 'a', 'b', 0};
  const VkSpecializationMapEntry entries[] = {{7, 0, 4}, {9, 4, 3}, {8, 1, 2}};
  const VkSpecializationInfo info = {3, entries, sizeof(data), data};
  const spirv::Specialization read = ReadSpecialization(&info);
  EXPECT_THAT(read.at(7), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read.at(9), ElementsAre('a', 'b', 0));
  EXPECT_THAT(read.at(8), ElementsAre(2, 3));
}

TEST(Specialization, EntriesThatLeaveTheDataAreLeftOut) {
  const uint8_t data[4] = {};
  const VkSpecializationMapEntry entries[] = {{1, 2, 4}, {2, 0xffffffffu, 1}, {3, 0, ~size_t{0}}, {4, 3, 1}};
  const VkSpecializationInfo info = {4, entries, sizeof(data), data};
  const spirv::Specialization read = ReadSpecialization(&info);
  EXPECT_EQ(read.size(), 1u);
  EXPECT_EQ(read.count(4), 1u);
}

using SpecializedGraph = GraphCreation;

// A driver's cache compares the whole structure: bytes of constants that are gone must be gone too.
TEST_F(SpecializedGraph, WhatIsKeptHoldsNothingElse) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "main", .launch = Launch::kCoalescing});
  m.AddWord(words, m.SpecConstant(2, 5), m.SpecConstant(5, 1));
  m.EndNode();
  const std::vector<uint32_t> module = Assemble(m.Text());
  const VkSpecializationMapEntry entries[] = {{1, 0, 4}, {5, 4, 4}, {3, 8, 4}, {2, 12, 4}};
  const uint32_t data[] = {11, 22, 33, 44};
  const VkSpecializationInfo info = {4, entries, sizeof(data), data};
  Arena arena;
  const VkSpecializationInfo* kept =
      KeepSpecialization(&info, DecorationLiterals(module, spv::Decoration::SpecId), arena);
  ASSERT_NE(kept, nullptr);
  ASSERT_EQ(kept->dataSize, 8u);
  EXPECT_THAT(std::span(static_cast<const uint32_t*>(kept->pData), 2), ElementsAre(22, 44));
  ASSERT_EQ(kept->mapEntryCount, 2u);
  EXPECT_EQ(kept->pMapEntries[0].constantID, 5u);
  EXPECT_EQ(kept->pMapEntries[1].constantID, 2u);
  EXPECT_EQ(kept->pMapEntries[1].offset, 4u);
}

// One constant for a static grid, one for the code, and the target's name: the driver may only see the second one.
TEST_F(SpecializedGraph, TheDriverGetsTheConstantsThatAreLeft) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Payload to = m.Output("", m.Struct({{m.Uint(), 0}}), {.name = m.SpecString(3, "somewhere")});
  m.BeginNode(
      {.name = "main", .launch = Launch::kStaticGrid, .grid = {m.SpecConstant(1, 4), 1, 1}, .shader_index = Value(0)});
  m.AddWord(words, m.SpecConstant(2, 5), 1);
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, Value(0), 1);
  m.Enqueue(records);
  m.EndNode();
  const uint32_t data[] = {2, 9, 0x00656d61};
  const VkSpecializationMapEntry entries[] = {{1, 0, 4}, {3, 8, 4}, {2, 4, 4}, {77, 0, 4}};
  const VkSpecializationInfo info = {4, entries, sizeof(data), data};
  VkPipelineShaderStageCreateInfo stage = Stage(MakeModule(Assemble(m.Text())), "main");
  stage.pSpecializationInfo = &info;
  ASSERT_EQ(Create({GraphInfo({stage}, MakeLayout())}), VK_SUCCESS);
  EXPECT_THAT(requests_[0].specialized_ids, ElementsAre(2));
}

// VkSpecializationMapEntry::size of a string may be anything: the name ends at the size or at the first NUL. The data
// of the next constant lies right behind.
TEST_F(SpecializedGraph, SizesOfStrings) {
  NodeAsm m;
  const Payload to = m.Output("", m.Struct({{m.Uint(), 0}}), {.sparse = true, .name = m.SpecString(3, "default")});
  m.BeginNode({.name = "main", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, Value(0), 1);
  m.Enqueue(records);
  m.EndNode();
  const VkShaderModule module = MakeModule(Assemble(m.Text()));
  const VkPipelineLayout layout = MakeLayout();
  const std::string data("leaf\0of many nodes\0", 19);
  const struct {
    uint32_t offset;
    size_t size;
    const char* name;
  } cases[] = {{0, 4, "leaf"}, {0, 5, "leaf"}, {0, 8, "leaf"},     {0, 19, "leaf"},          {0, 3, "lea"},
               {1, 2, "ea"},   {5, 2, "of"},   {5, 7, "of many"},  {5, 13, "of many nodes"}, {5, 14, "of many nodes"},
               {4, 1, ""},     {0, 0, ""},     {5, 15, "default"}, {20, 1, "default"}};
  for (const auto& [offset, size, name] : cases) {
    const VkSpecializationMapEntry entry = {3, offset, size};
    const VkSpecializationInfo info = {1, &entry, data.size(), data.data()};
    VkPipelineShaderStageCreateInfo stage = Stage(module, "main");
    stage.pSpecializationInfo = &info;
    const VkPipeline graph = Make(GraphInfo({stage}, layout));
    const auto& nodes = FindDevice(device_.handle())->execution_graphs.Find(graph)->graph.nodes;
    ASSERT_EQ(nodes.size(), 1u);
    ASSERT_EQ(nodes[0].info.outputs.size(), 1u);
    EXPECT_EQ(nodes[0].info.outputs[0].target_name, name) << size << " bytes from " << offset;
  }
}

}  // namespace
}  // namespace trellis::test
