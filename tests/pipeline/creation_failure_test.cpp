// SPDX-License-Identifier: Apache-2.0
// Graphs that cannot be made, and what is left of them: nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/dispatch/pipeline_flags.h"
#include "layer/objects/handle_table.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/basic_modules.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class GraphFailure : public GraphCreation {
 protected:
  VkShaderModule Chain() { return MakeModule(Assemble(ChainModule(Shape::kDxc))); }
  std::vector<VkPipelineShaderStageCreateInfo> ChainStages(VkShaderModule module) {
    return {Stage(module, "Source"), Stage(module, "Grid"), Stage(module, "Sum")};
  }
  // Before a driver sees anything, with one message.
  void ExpectRefused(const std::vector<VkPipelineShaderStageCreateInfo>& stages, const char* why) {
    const HeardTexts heard(instance_);
    EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_TRUE(requests_.empty());
    EXPECT_THAT(heard.texts(), ElementsAre(HasSubstr(why)));
  }
};

TEST_F(GraphFailure, ADriverThatFailsOnTheLastNodeLeavesNoneBehind) {
  const auto stages = ChainStages(Chain());
  answers_[2] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_TRUE(live_.empty());
}

TEST_F(GraphFailure, TheDriversResultIsNamed) {
  answers_[1] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const HeardTexts heard(instance_);
  EXPECT_EQ(Create({GraphInfo(ChainStages(Chain()), MakeLayout())}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_THAT(heard.texts(),
              ElementsAre(HasSubstr("vkCreateComputePipelines failed with VK_ERROR_OUT_OF_DEVICE_MEMORY")));
}

TEST_F(GraphFailure, WhatIsLeftIsDestroyedWithTheApplicationsAllocator) {
  const auto stages = ChainStages(Chain());
  VkAllocationCallbacks allocator = {};
  answers_[1] = VK_ERROR_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}, &allocator), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_TRUE(live_.empty());
}

TEST_F(GraphFailure, ResultsThatTheCommandMayNotReturnBecomeUnknown) {
  const auto stages = ChainStages(Chain());
  answers_[0] = VK_ERROR_INITIALIZATION_FAILED;
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}), VK_ERROR_UNKNOWN);
}

TEST_F(GraphFailure, CompileRequiredIsPassedOnAndIsWeakerThanAnError) {
  const auto stages = ChainStages(Chain());
  const VkPipelineLayout layout = MakeLayout();
  answers_[1] = VK_PIPELINE_COMPILE_REQUIRED;
  auto info = GraphInfo(stages, layout);
  info.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  EXPECT_EQ(Create({info, info}), VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(requests_[0].flags, VkPipelineCreateFlags{VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT});
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_NE(pipelines_[1], VkPipeline{VK_NULL_HANDLE});

  const size_t next = requests_.size();
  answers_[next] = VK_PIPELINE_COMPILE_REQUIRED;
  answers_[next + 1] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(Create({info, info}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST_F(GraphFailure, EarlyReturnLeavesTheRestOut) {
  const auto stages = ChainStages(Chain());
  auto good = GraphInfo(stages, MakeLayout());
  auto bad = good;
  bad.layout = VK_NULL_HANDLE;
  good.flags = bad.flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  EXPECT_EQ(Create({good, bad, good}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_NE(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(pipelines_[1], VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(pipelines_[2], VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(requests_[0].flags, 0u) << "it is about the graphs, not about their nodes";
}

TEST_F(GraphFailure, OneBadGraphDoesNotSpoilTheOthers) {
  const VkShaderModule module = Chain();
  const auto stages = ChainStages(module);
  const std::vector<VkPipelineShaderStageCreateInfo> twice = {Stage(module, "Sum"), Stage(module, "Sum")};
  const VkPipelineLayout layout = MakeLayout();
  EXPECT_EQ(Create({GraphInfo(twice, layout), GraphInfo(stages, layout)}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_NE(pipelines_[1], VkPipeline{VK_NULL_HANDLE});
}

TEST_F(GraphFailure, WhatIsNotImplementedIsRefusedBeforeTheDriverSeesAnything) {
  const auto stages = ChainStages(Chain());
  const VkPipelineLayout layout = MakeLayout();
  auto mesh_stages = stages;
  mesh_stages[0].stage = VK_SHADER_STAGE_MESH_BIT_EXT;
  std::vector<std::string> heard;
  const Messenger messenger(instance_,
                            [&heard](const HeardMessage& message) { heard.emplace_back(message.data.pMessage); });
  EXPECT_EQ(Create({GraphInfo(mesh_stages, layout)}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_THAT(heard, ElementsAre(AllOf(HasSubstr("stage is not COMPUTE"), HasSubstr("09128"))));
  // A graphics pipeline is unknown here, since none that could be a library was made.
  heard.clear();
  const std::vector<VkPipeline> graphics = {HandleFromU64<VkPipeline>(0x5000)};
  const VkPipelineLibraryCreateInfoKHR libraries = LibraryList(graphics);
  auto linked = GraphInfo({}, layout);
  linked.pLibraryInfo = &libraries;
  EXPECT_EQ(Create({linked}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_THAT(heard, ElementsAre(AllOf(HasSubstr("it is no pipeline that was made as a node"), HasSubstr("09133"))));
  EXPECT_TRUE(requests_.empty());
}

// With a layout or without; graphs and libraries, so that no two can differ in it.
TEST_F(GraphFailure, DescriptorHeapsAreRefused) {
  const auto stages = ChainStages(Chain());
  auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  for (const VkPipelineLayout layout : {MakeLayout(), VkPipelineLayout{VK_NULL_HANDLE}}) {
    for (const VkPipelineCreateFlags2 library : {VkPipelineCreateFlags2{0}, VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR}) {
      flags.flags = kDescriptorHeapFlag | library;
      EXPECT_EQ(Create({GraphInfo(stages, layout, &flags)}), VK_ERROR_VALIDATION_FAILED_EXT);
      EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
      EXPECT_TRUE(requests_.empty());
    }
  }
  flags.flags = 0;
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout(), &flags)}), VK_SUCCESS);
}

TEST_F(GraphFailure, BrokenModulesAndUnknownEntryPointsAreRefused) {
  const VkPipelineLayout layout = MakeLayout();
  std::vector<uint32_t> words = Assemble(ThreadModule(Shape::kDxc));
  EXPECT_EQ(Create({GraphInfo({Stage(MakeModule(words), "NoSuchNode")}, layout)}), VK_ERROR_VALIDATION_FAILED_EXT);
  words.resize(words.size() - 3);
  EXPECT_EQ(Create({GraphInfo({Stage(MakeModule(words), "ThreadNode")}, layout)}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(Create({GraphInfo({Stage(VK_NULL_HANDLE, "ThreadNode")}, layout)}), VK_ERROR_VALIDATION_FAILED_EXT);
}

// Such a module was refused without a message, with VK_ERROR_OUT_OF_HOST_MEMORY.
TEST_F(GraphFailure, RecursiveFunctionsAreRefusedByName) {
  NodeAsm m;
  const Payload input = m.Input(m.Struct({{m.Uint(), 0}}));
  const Id word = m.Pointer("NodePayloadAMDX", m.Uint());
  const NodeAsm::Callee callee = m.BeginFunction(m.Type("OpTypeVoid"), {word});
  m.Call(callee, {callee.parameters[0]});
  m.EndFunction();
  m.BeginNode({.name = "main", .launch = Launch::kCoalescing, .shader_index = 0, .input = input});
  m.Call(callee, {m.Field(m.NodeInput(), m.Uint(), 0, {0})});
  m.EndNode();
  const auto stages = std::vector{Stage(MakeModule(Assemble(m.Text())), "main")};
  ExpectRefused(stages, "calls itself, directly or through other functions");
}

// A driver's compiler may crash on them. What is there, and only not enabled, works.
TEST_F(GraphFailure, CapabilitiesThatTheDeviceLacksAreRefusedByName) {
  NodeAsm m;
  m.Capability("Int16");
  m.BeginNode({.name = "main", .shader_index = 0});
  m.EndNode();
  const auto stages = std::vector{Stage(MakeModule(Assemble(m.Text())), "main")};
  ExpectRefused(stages, "the capability Int16 (shaderInt16)");
  driver_.options.shader_int16 = true;
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}), VK_SUCCESS);
}

// A device may compute with 16 bits and not load them from buffers, which is where payloads lie.
TEST_F(GraphFailure, CapabilitiesThatPayloadsNeedAreRefusedByName) {
  driver_.options.shader_int16 = true;
  driver_.options.storage_16bit = false;
  NodeAsm m;
  m.Capability("Int16");
  const Id u16 = m.Type("OpTypeInt 16 0");
  const Payload input = m.Input(m.Struct({{u16, 0}}));
  m.BeginNode({.name = "main", .launch = Launch::kCoalescing, .shader_index = 0, .input = input});
  m.Load(u16, m.Field(m.NodeInput(), u16, 0, {0}));
  m.EndNode();
  const auto stages = std::vector{Stage(MakeModule(Assemble(m.Text())), "main")};
  ExpectRefused(stages,
                "need StorageBuffer16BitAccess (storageBuffer16BitAccess), which this "
                "device does not support");
  driver_.options.storage_16bit = true;
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}), VK_SUCCESS);
}

TEST_F(GraphFailure, AStageThatIsOnlyAnIdentifierWouldHaveToBeCompiled) {
  const auto identifier = MakeStruct<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>();
  EXPECT_EQ(Create({GraphInfo({Stage(VK_NULL_HANDLE, "ThreadNode", &identifier)}, MakeLayout())}),
            VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
}

TEST_F(GraphFailure, NoMemoryForTheTablesMeansNoGraph) {
  const auto stages = ChainStages(Chain());
  const VkPipelineLayout layout = MakeLayout();
  driver_.next_result = VK_ERROR_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(Create({GraphInfo(stages, layout)}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_TRUE(requests_.empty());
}

TEST_F(GraphFailure, ADriverThatRefusesTheLoweredShaderFailsTheGraph) {
  const auto stages = ChainStages(Chain());
  FindDevice(device_.handle())->dispatch.CreateShaderModule = [](VkDevice, const VkShaderModuleCreateInfo*,
                                                                 const VkAllocationCallbacks*, VkShaderModule* module) {
    *module = reinterpret_cast<VkShaderModule>(uintptr_t{0xdead});
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  };
  EXPECT_EQ(Create({GraphInfo(stages, MakeLayout())}), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_TRUE(requests_.empty());
}

}  // namespace
}  // namespace trellis::test
