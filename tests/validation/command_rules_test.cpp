// SPDX-License-Identifier: Apache-2.0
// vkCmdInitializeGraphScratchMemoryAMDX and the three vkCmdDispatchGraph*AMDX.
#include <gtest/gtest.h>

#include <optional>

#include "tests/validation/world.h"

namespace trellis::test {
namespace {

// A command buffer with a graph bound, ready for a command that keeps all rules.
struct Recording {
  explicit Recording(World& owner, VkCommandBuffer buffer)
      : world(owner), command_buffer(buffer), graph(owner.Create(owner.ChainInfo())), size(owner.ScratchSize(graph)) {
    scratch = owner.Scratch(size);
    world.Bind(command_buffer, graph);
  }
  explicit Recording(World& owner) : Recording(owner, Begun(owner)) {}

  static VkCommandBuffer Begun(World& world, VkCommandPoolCreateFlags pool_flags = 0,
                               VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    const VkCommandBuffer command_buffer = world.Allocate(pool_flags, level);
    world.Begin(command_buffer);
    return command_buffer;
  }

  void Initialize() { Initialize(graph); }
  void Initialize(VkPipeline with) {
    TRELLIS_CALL(world.device(), CmdInitializeGraphScratchMemoryAMDX)(command_buffer, with, scratch, size);
  }
  void Dispatch(uint32_t payloads = 1) {
    VkDispatchGraphInfoAMDX info = {};
    info.payloadCount = payloads;
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = 1;
    count_info.infos.hostAddress = &info;
    count_info.stride = sizeof(info);
    TRELLIS_CALL(world.device(), CmdDispatchGraphAMDX)(command_buffer, scratch, size, &count_info);
  }
  void DispatchIndirect() { DispatchIndirect(world.Indirect(256)); }
  void DispatchIndirect(VkDeviceAddress infos, uint32_t count = 1) {
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = count;
    count_info.infos.deviceAddress = infos;
    count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
    TRELLIS_CALL(world.device(), CmdDispatchGraphIndirectAMDX)(command_buffer, scratch, size, &count_info);
  }
  void DispatchIndirectCount() { DispatchIndirectCount(world.Indirect(256)); }
  void DispatchIndirectCount(VkDeviceAddress count_info) {
    TRELLIS_CALL(world.device(), CmdDispatchGraphIndirectCountAMDX)(command_buffer, scratch, size, count_info);
  }

  World& world;
  VkCommandBuffer command_buffer;
  VkPipeline graph;
  VkDeviceSize size;
  VkDeviceAddress scratch = 0;
};

struct Command {
  std::string name;
  std::function<void(Recording&)> record;
  bool dispatches = true;

  [[nodiscard]] std::string Rule(const std::string& rule) const { return "VUID-" + name + "-" + rule; }
};

std::vector<Command> Dispatches() {
  return {{"vkCmdDispatchGraphAMDX", [](Recording& recording) { recording.Dispatch(); }},
          {"vkCmdDispatchGraphIndirectAMDX", [](Recording& recording) { recording.DispatchIndirect(); }},
          {"vkCmdDispatchGraphIndirectCountAMDX", [](Recording& recording) { recording.DispatchIndirectCount(); }}};
}

std::vector<Command> AllCommands() {
  std::vector<Command> commands = Dispatches();
  commands.push_back(
      {"vkCmdInitializeGraphScratchMemoryAMDX", [](Recording& recording) { recording.Initialize(); }, false});
  return commands;
}

// `prepare` comes before the command.
Program Prepared(const Command& command, const std::function<void(Recording&)>& prepare) {
  return [command, prepare](World& world) {
    Recording recording(world);
    prepare(recording);
    command.record(recording);
  };
}

Program InBuffer(const Command& command, const std::function<VkCommandBuffer(World&)>& make) {
  return [command, make](World& world) {
    Recording recording(world, make(world));
    command.record(recording);
  };
}

TEST(CommandRules, CommandsThatKeepAllRules) {
  for (const Command& command : AllCommands()) ExpectNoFinding(Prepared(command, [](Recording&) {}));
}

TEST(CommandRules, CommandBuffersAreBeingRecorded) {
  for (const Command& command : AllCommands()) {
    const std::string vuid = command.Rule("commandBuffer-recording");
    ExpectFinding(vuid, InBuffer(command, [](World& world) { return world.Allocate(); }));
    ExpectFinding(vuid, Prepared(command, [](Recording& recording) {
                    TRELLIS_CALL(recording.world.device(), EndCommandBuffer)(recording.command_buffer);
                  }));
    ExpectNoFinding(Prepared(command, [](Recording& recording) {
      TRELLIS_CALL(recording.world.device(), EndCommandBuffer)(recording.command_buffer);
      recording.world.Begin(recording.command_buffer);
      recording.world.Bind(recording.command_buffer, recording.graph);
    }));
  }
}

TEST(CommandRules, PoolsAreOfGraphicsOrCompute) {
  const auto with = [](VkQueueFlags flags) {
    WorldOptions options;
    options.driver.queue_flags = flags;
    return options;
  };
  for (const Command& command : AllCommands()) {
    const Program program = Prepared(command, [](Recording&) {});
    ExpectFinding(command.Rule("commandBuffer-cmdpool"), program, with(VK_QUEUE_TRANSFER_BIT));
    ExpectNoFinding(program, with(VK_QUEUE_COMPUTE_BIT));
    ExpectNoFinding(program, with(VK_QUEUE_GRAPHICS_BIT));
  }
}

TEST(CommandRules, ScratchIsInitializedInPrimaryCommandBuffers) {
  const auto in = [](VkCommandBufferLevel level) {
    return InBuffer(AllCommands().back(), [level](World& world) { return Recording::Begun(world, 0, level); });
  };
  ExpectFinding("VUID-vkCmdInitializeGraphScratchMemoryAMDX-bufferlevel", in(VK_COMMAND_BUFFER_LEVEL_SECONDARY));
  ExpectNoFinding(in(VK_COMMAND_BUFFER_LEVEL_PRIMARY));
}

TEST(CommandRules, DispatchesAreUnprotected) {
  for (const Command& command : Dispatches()) {
    const auto of_pool = [&](VkCommandPoolCreateFlags flags) {
      return InBuffer(command, [flags](World& world) { return Recording::Begun(world, flags); });
    };
    ExpectFinding(command.Rule("commandBuffer-09181"), of_pool(VK_COMMAND_POOL_CREATE_PROTECTED_BIT));
    ExpectNoFinding(of_pool(VK_COMMAND_POOL_CREATE_TRANSIENT_BIT));
  }
}

// Whatever the setting: nothing is recorded, and the end of the recording says so.
TEST(CommandRules, ScratchIsForGraphs) {
  for (const bool validate : {false, true}) {
    World world(validate, {});
    Recording recording(world);
    recording.Initialize();
    EXPECT_EQ(TRELLIS_CALL(world.device(), EndCommandBuffer)(recording.command_buffer), VK_SUCCESS);
    world.Begin(recording.command_buffer);
    recording.Initialize(HandleFromU64<VkPipeline>(0x777));
    EXPECT_EQ(TRELLIS_CALL(world.device(), EndCommandBuffer)(recording.command_buffer), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_TRUE(world.vuids.empty());
  }
}

// A range that has not even room for the graph is refused always.
TEST(CommandRules, TheWholeScratchRangeLiesInItsBuffer) {
  for (const Command& command : AllCommands()) {
    const std::string vuid = command.Rule(command.dispatches ? "scratch-10192" : "scratch-10185");
    ExpectFinding(vuid, Prepared(command, [](Recording& recording) { recording.size += 64; }));
    ExpectNoFinding(Prepared(command, [](Recording& recording) {
      recording.scratch = recording.world.Scratch(recording.size + 64);
      recording.size += 64;
    }));
  }
}

TEST(CommandRules, ScratchIsAligned) {
  const Command initialize = AllCommands().back();
  const auto at = [](VkDeviceSize offset) {
    return
        [offset](Recording& recording) { recording.scratch = recording.world.Scratch(recording.size + 64) + offset; };
  };
  ExpectFinding("VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144", Prepared(initialize, at(32)));
  ExpectNoFinding(Prepared(initialize, at(64)));
}

// Set 0 is what the nodes of World::ChainInfo() use.
TEST(CommandRules, SetsAreBoundForGraphs) {
  const auto with_set_at = [](std::optional<VkPipelineBindPoint> bind_point, bool in_layout) {
    return [=](World& world) {
      const TestDevice& device = world.device();
      VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr};
      auto set_info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
      set_info.bindingCount = 1;
      set_info.pBindings = &binding;
      VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
      TRELLIS_CALL(device, CreateDescriptorSetLayout)(device.handle(), &set_info, nullptr, &set_layout);
      const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
      auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
      layout_info.setLayoutCount = in_layout ? 1 : 0;
      layout_info.pSetLayouts = &set_layout;
      layout_info.pushConstantRangeCount = 1;
      layout_info.pPushConstantRanges = &range;
      VkPipelineLayout layout = VK_NULL_HANDLE;
      TRELLIS_CALL(device, CreatePipelineLayout)(device.handle(), &layout_info, nullptr, &layout);
      Recording recording(world);
      VkExecutionGraphPipelineCreateInfoAMDX info = world.ChainInfo();
      info.layout = layout;
      recording.graph = world.Create(info);
      world.Bind(recording.command_buffer, recording.graph);
      const auto set = HandleFromU64<VkDescriptorSet>(0x30);
      if (bind_point) TRELLIS_CALL(device, CmdBindDescriptorSets)
      (recording.command_buffer, *bind_point, layout, 0, 1, &set, 0, nullptr);
      recording.Dispatch();
      TRELLIS_CALL(device, DestroyPipelineLayout)(device.handle(), layout, nullptr);
      TRELLIS_CALL(device, DestroyDescriptorSetLayout)(device.handle(), set_layout, nullptr);
    };
  };
  const std::string vuid = "VUID-vkCmdDispatchGraphAMDX-None-08600";
  ExpectFinding(vuid, with_set_at(VK_PIPELINE_BIND_POINT_COMPUTE, true));
  ExpectNoFinding(with_set_at(VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, true));
  ExpectNoFinding(with_set_at(std::nullopt, true));
  ExpectNoFinding(with_set_at(VK_PIPELINE_BIND_POINT_COMPUTE, false));
}

TEST(CommandRules, ScratchWasInitializedWithTheBoundGraph) {
  const auto initialize_with_another = [](Recording& recording) {
    recording.Initialize(recording.world.Create(recording.world.ChainInfo()));
  };
  for (const Command& command : Dispatches()) {
    ExpectFinding(command.Rule("scratch-10194"), Prepared(command, initialize_with_another));
    ExpectFinding(command.Rule("scratch-10194"), Prepared(command, [&](Recording& recording) {
                    recording.Initialize();
                    initialize_with_another(recording);
                  }));
    ExpectNoFinding(Prepared(command, [](Recording& recording) { recording.Initialize(); }));
    ExpectNoFinding(Prepared(command, [&](Recording& recording) {
      initialize_with_another(recording);
      recording.Initialize();
    }));
  }
}

TEST(CommandRules, WhatIsNotCertainAboutScratchIsNotReported) {
  for (const Command& command : Dispatches()) {
    // In another place.
    ExpectNoFinding(Prepared(command, [](Recording& recording) {
      const VkDeviceAddress scratch = recording.scratch;
      recording.scratch = recording.world.Scratch(recording.size);
      recording.Initialize(recording.world.Create(recording.world.ChainInfo()));
      recording.scratch = scratch;
    }));
    // In a recording that was thrown away: another command buffer may have initialised it since.
    ExpectNoFinding(Prepared(command, [](Recording& recording) {
      recording.Initialize(recording.world.Create(recording.world.ChainInfo()));
      recording.world.Begin(recording.command_buffer);
      recording.world.Bind(recording.command_buffer, recording.graph);
    }));
  }
}

TEST(CommandRules, PayloadCountsHaveALimit) {
  constexpr uint32_t kMax = 1u << 24;  // what the layer advertises
  const auto program = [](uint32_t payloads) {
    return [payloads](World& world) { Recording(world).Dispatch(payloads); };
  };
  ExpectFinding("VUID-VkDispatchGraphInfoAMDX-payloadCount-09171", program(kMax + 1));
  ExpectNoFinding(program(kMax));
}

// Where an indirect command finds its structures.
struct IndirectRules {
  const char* aligned;
  const char* in_buffer;
  std::function<void(Recording&, VkDeviceAddress)> record;
};

std::vector<IndirectRules> Indirect() {
  return {
      {"VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152", "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09151",
       [](Recording& recording, VkDeviceAddress address) { recording.DispatchIndirect(address); }},
      {"VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09161",
       "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09160",
       [](Recording& recording, VkDeviceAddress address) { recording.DispatchIndirectCount(address); }}};
}

TEST(CommandRules, IndirectStructuresAreAligned) {
  for (const IndirectRules& rules : Indirect()) {
    const auto at = [&](VkDeviceAddress offset) {
      return [&, offset](World& world) {
        Recording recording(world);
        rules.record(recording, world.Indirect(256) + offset);
      };
    };
    ExpectFinding(rules.aligned, at(2));
    ExpectNoFinding(at(4));
  }
}

TEST(CommandRules, IndirectStructuresLieInIndirectBuffers) {
  for (const IndirectRules& rules : Indirect()) {
    const auto in = [&](const std::function<VkDeviceAddress(World&)>& address) {
      return [&rules, address](World& world) {
        Recording recording(world);
        rules.record(recording, address(world));
      };
    };
    ExpectFinding(rules.in_buffer, in([](World& world) {
                    return world.AddressOf(world.Buffer(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | World::kAddress));
                  }));
    ExpectFinding(rules.in_buffer, in([](World& world) { return world.Indirect(256) + 256; }));
    ExpectFinding(rules.in_buffer, in([](World& world) {
                    const VkBuffer buffer = world.Buffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | World::kAddress);
                    const VkDeviceAddress address = world.AddressOf(buffer);
                    TRELLIS_CALL(world.device(), DestroyBuffer)(world.device().handle(), buffer, nullptr);
                    return address;
                  }));
    ExpectNoFinding(in([](World& world) { return world.Indirect(256) + 252; }));
  }
}

TEST(CommandRules, NoInfosNeedNoBuffer) {
  ExpectNoFinding([](World& world) { Recording(world).DispatchIndirect(2, 0); });
}

}  // namespace
}  // namespace trellis::test
