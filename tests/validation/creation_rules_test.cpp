// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX: rules about its arguments.
#include <gtest/gtest.h>

#include <utility>

#include "spirv_lowering/post/post.h"
#include "tests/support/node_asm.h"
#include "tests/validation/world.h"

namespace trellis::test {
namespace {

std::string OfInfo(const std::string& rule) { return "VUID-VkExecutionGraphPipelineCreateInfoAMDX-" + rule; }
std::string OfCommand(const std::string& rule) { return "VUID-vkCreateExecutionGraphPipelinesAMDX-" + rule; }

VkPipelineCreateFlags2CreateInfo Flags(VkPipelineCreateFlags2 flags, const void* chain = nullptr) {
  return {VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, chain, flags};
}

// A graph that keeps all rules but for these flags.
Program WithFlags(VkPipelineCreateFlags2 flags) {
  return [flags](World& world) {
    const VkPipelineCreateFlags2CreateInfo chain = Flags(flags);
    world.Create(world.ChainInfo(&chain));
  };
}

TEST(CreationRules, FlagsThatGraphsCannotHave) {
  const std::pair<VkPipelineCreateFlags2, const char*> excluded[] = {
      {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_BIT_KHR, "flags-03365"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_BIT_KHR, "flags-03366"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_BIT_KHR, "flags-03367"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_BIT_KHR, "flags-03368"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR, "flags-03369"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_BIT_KHR, "flags-03370"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR, "flags-03576"},
      {VK_PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_BIT_NV, "flags-04945"},
      {VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT, "flags-12334"},
      {VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT, "flags-12334"},
  };
  for (const auto& [flag, rule] : excluded) ExpectFinding(OfInfo(rule), WithFlags(flag));
  ExpectNoFinding(WithFlags(VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT));
}

TEST(CreationRules, CapabilitiesAreEnabled) {
  const auto text = [](const char* capability) {
    NodeAsm m;
    if (*capability) m.Capability(capability);
    m.BeginNode({.name = "main", .shader_index = 0});
    m.EndNode();
    return m.Text();
  };
  const auto create = [&](const char* capability) {
    return [&, capability](World& world) { world.GraphOf(text(capability), {NodeEntry{"main"}}); };
  };
  WorldOptions options;
  options.driver.shader_int16 = true;  // supported, and not enabled
  options.driver.shader_int64 = true;  // as are the next three, which the layer enables for itself
  for (const char* capability :
       {"Int16", "Int64", "StorageBuffer8BitAccess", "StorageBuffer16BitAccess", "PhysicalStorageBufferAddresses"}) {
    SCOPED_TRACE(capability);
    ExpectFinding("VUID-VkShaderModuleCreateInfo-pCode-08740", create(capability), options);
  }
  ExpectNoFinding(create(""), options);

  // As maintenance5 allows: the words in the stage's chain.
  const auto create_inline = [&](const char* capability) {
    return [&, capability](World& world) {
      const auto words = spirv::Assemble(text(capability));
      ASSERT_TRUE(words) << words.error().message;
      auto code = MakeStruct<VkShaderModuleCreateInfo>();
      code.codeSize = words->size() * sizeof(uint32_t);
      code.pCode = words->data();
      const VkPipelineShaderStageCreateInfo stage = World::Stage(VK_NULL_HANDLE, "main", &code);
      auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
      info.stageCount = 1;
      info.pStages = &stage;
      info.layout = world.Layout();
      info.basePipelineIndex = -1;
      EXPECT_NE(world.Create(info), VkPipeline{VK_NULL_HANDLE});
    };
  };
  ExpectFinding("VUID-VkShaderModuleCreateInfo-pCode-08740", create_inline("Int16"), options);
  ExpectNoFinding(create_inline(""), options);
}

TEST(CreationRules, FlagsOfTheOldMemberCountWithoutTheNewStructure) {
  ExpectFinding(OfInfo("flags-03369"), [](World& world) {
    auto info = world.ChainInfo();
    info.flags = VK_PIPELINE_CREATE_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR;
    world.Create(info);
  });
  ExpectNoFinding([](World& world) {
    const VkPipelineCreateFlags2CreateInfo chain = Flags(0);
    auto info = world.ChainInfo(&chain);
    info.flags = VK_PIPELINE_CREATE_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR;
    world.Create(info);
  });
}

WorldOptions CacheControl() {
  WorldOptions options;
  options.pipeline_creation_cache_control = true;
  return options;
}

TEST(CreationRules, CacheControlNeedsItsFeature) {
  for (const VkPipelineCreateFlags2 flag :
       {VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT, VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT}) {
    ExpectFinding(OfInfo("pipelineCreationCacheControl-02875"), WithFlags(flag));
    ExpectNoFinding(WithFlags(flag), CacheControl());
  }
}

TEST(CreationRules, IndirectBindableNeedsItsStructure) {
  const auto program = [](bool with_structure) {
    return [with_structure](World& world) {
      const auto indirect = MakeStruct<VkComputePipelineIndirectBufferInfoNV>();
      const VkPipelineCreateFlags2CreateInfo chain =
          Flags(VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV, with_structure ? &indirect : nullptr);
      world.Create(world.ChainInfo(&chain));
    };
  };
  ExpectFinding(OfInfo("flags-09008"), program(false));
  ExpectNoFinding(program(true));
}

TEST(CreationRules, StructureTypes) {
  ExpectFinding(OfInfo("sType-sType"), [](World& world) {
    auto info = world.ChainInfo();
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    world.Create(info);
  });
  ExpectFinding(OfInfo("sType-unique"), [](World& world) {
    const VkPipelineCreateFlags2CreateInfo second = Flags(0);
    const VkPipelineCreateFlags2CreateInfo first = Flags(0, &second);
    world.Create(world.ChainInfo(&first));
  });
  ExpectNoFinding([](World& world) { world.Create(world.ChainInfo()); });
}

// `base`: changes the create info of the second of two pipelines.
Program Derived(const std::function<void(VkExecutionGraphPipelineCreateInfoAMDX&, VkPipeline first)>& base,
                VkPipelineCreateFlags flags_of_base = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT) {
  return [base, flags_of_base](World& world) {
    auto info = world.ChainInfo();
    info.flags = flags_of_base;
    const VkPipeline first = world.Create(info);
    auto derived = info;
    derived.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    base(derived, first);
    world.CreateAll({info, derived});
  };
}

TEST(CreationRules, BaseByHandle) {
  const auto by_handle = [](auto& info, VkPipeline first) { info.basePipelineHandle = first; };
  ExpectNoFinding(Derived(by_handle));
  ExpectFinding(OfCommand("flags-09126"), Derived(by_handle, 0));
  ExpectFinding(OfInfo("flags-07984"), Derived([](auto&, VkPipeline) {}));
  ExpectFinding(OfInfo("flags-07984"), Derived([](auto& info, VkPipeline) {
                  info.basePipelineHandle = HandleFromU64<VkPipeline>(0x777);  // not a graph
                }));
  ExpectFinding(OfInfo("flags-07986"), Derived([](auto& info, VkPipeline first) {
                  info.basePipelineHandle = first;
                  info.basePipelineIndex = 0;
                }));
}

TEST(CreationRules, BaseByIndex) {
  const auto by_index = [](int32_t index) {
    return [index](auto& info, VkPipeline) { info.basePipelineIndex = index; };
  };
  ExpectNoFinding(Derived(by_index(0)));
  ExpectFinding(OfCommand("flags-09126"), Derived(by_index(0), 0));
  ExpectFinding(OfCommand("flags-09125"), Derived(by_index(1)));
  ExpectFinding(OfInfo("flags-07985"), Derived(by_index(2)));
  ExpectFinding(OfInfo("flags-07985"), Derived(by_index(-2)));
}

TEST(CreationRules, BasesOfPipelinesThatDeriveFromNothingDoNotMatter) {
  ExpectNoFinding([](World& world) {
    auto info = world.ChainInfo();
    info.basePipelineIndex = 7;
    info.basePipelineHandle = HandleFromU64<VkPipeline>(0x777);
    world.Create(info);
  });
}

TEST(CreationRules, Binaries) {
  const auto program = [](bool with_cache, VkPipelineCreateFlags2 flags, uint32_t binaries) {
    return [=](World& world) {
      auto info = MakeStruct<VkPipelineBinaryInfoKHR>();
      info.binaryCount = binaries;
      const VkPipelineCreateFlags2CreateInfo chain = Flags(flags, binaries ? &info : nullptr);
      world.CreateAll({world.ChainInfo(&chain)},
                      with_cache ? HandleFromU64<VkPipelineCache>(0x99) : VkPipelineCache{VK_NULL_HANDLE});
    };
  };
  ExpectFinding(OfCommand("pNext-09616"), program(true, 0, 1));
  ExpectNoFinding(program(false, 0, 1));
  ExpectFinding(OfCommand("pNext-09617"), program(true, VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR, 0));
  ExpectNoFinding(program(false, VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR, 0));
  ExpectNoFinding(program(true, 0, 0));
  constexpr VkPipelineCreateFlags2 kFail = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  ExpectFinding(OfCommand("binaryCount-09622"), program(false, kFail, 1), CacheControl());
  ExpectNoFinding(program(false, kFail, 0), CacheControl());
}

TEST(CreationRules, TheFeatureHasToBeEnabled) {
  const auto create = [](World& world) { world.Create(world.ChainInfo()); };
  WorldOptions without_feature;
  without_feature.shader_enqueue = false;
  ExpectFinding(OfCommand("shaderEnqueue-09124"), create, without_feature);
  ExpectNoFinding(create);
}

TEST(CreationRules, ThereHasToBeAPipelineToCreate) {
  ExpectFinding(OfCommand("createInfoCount-arraylength"), [](World& world) { world.CreateAll({}); });
  ExpectNoFinding([](World& world) { world.CreateAll({world.ChainInfo()}); });
}

// Whatever the setting.
TEST(CreationRules, WithoutALayoutThereIsNoGraph) {
  for (const bool validate : {false, true}) {
    World world(validate, {});
    auto info = world.ChainInfo();
    EXPECT_NE(world.Create(info), VkPipeline{VK_NULL_HANDLE});
    info.layout = VK_NULL_HANDLE;
    VkPipeline pipeline = HandleFromU64<VkPipeline>(0x777);
    EXPECT_EQ(TRELLIS_CALL(world.device(), CreateExecutionGraphPipelinesAMDX)(world.device().handle(), VK_NULL_HANDLE,
                                                                              1, &info, nullptr, &pipeline),
              VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
    EXPECT_TRUE(world.vuids.empty());
  }
}

TEST(CreationRules, StagesMayBeNull) {
  ExpectNoFinding([](World& world) {
    auto info = world.ChainInfo();
    info.pStages = nullptr;
    world.Create(info);
  });
}

TEST(CreationRules, NodeNamesAreUtf8) {
  const auto program = [](const char* name) {
    return [name](World& world) {
      auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
      node.pName = name;
      auto info = world.ChainInfo();
      VkPipelineShaderStageCreateInfo stages[] = {info.pStages[0], info.pStages[1], info.pStages[2]};
      stages[0].pNext = &node;
      info.pStages = stages;
      world.Create(info);
    };
  };
  const std::string vuid = "VUID-VkPipelineShaderStageNodeCreateInfoAMDX-pName-parameter";
  for (const char* wrong : {"\xff", "a\xc3", "\xe2\x82", "\x80", "\xc3("}) ExpectFinding(vuid, program(wrong));
  for (const char* right : {"plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3", ""})
    ExpectNoFinding(program(right));
}

}  // namespace
}  // namespace trellis::test
