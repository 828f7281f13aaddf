// SPDX-License-Identifier: Apache-2.0
// Infos and payloads that vkCmdDispatchGraphAMDX reads in host memory, and the strides of those that the device reads.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/node_asm.h"
#include "tests/validation/world.h"

namespace trellis::test {
namespace {

// "Grid" takes {x, y, z} as its grid, at most 8 in each component if `bounded`, and "Count" {a, b} with one workgroup.
std::string Nodes(bool bounded) {
  NodeAsm m;
  const uint32_t bound = bounded ? 8 : 0;
  const Id grid = m.Struct({{m.Vector(m.Uint(), 3), 0, true}});
  m.BeginNode({.name = "Grid", .grid = {bound, bound, bound}, .shader_index = 0, .input = m.Input(grid)});
  m.EndNode();
  const Id pair = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  m.BeginNode(
      {.name = "Count", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0, .input = m.Input(pair)});
  m.EndNode();
  return m.Text();
}

enum Node : uint32_t { kGrid, kCount };

struct Infos {
  Node node = kCount;
  std::vector<uint32_t> payloads;
  uint32_t count = 1;
  uint64_t payload_stride = 8;
  uint64_t info_stride = sizeof(VkDispatchGraphInfoAMDX);
  uint32_t repeat = 1;  // infos, all the same
  bool bounded = true;
};

Program Dispatching(const Infos& infos) {
  return [infos](World& world) {
    const VkPipeline graph = world.GraphOf(Nodes(infos.bounded), {{"Grid"}, {"Count"}});
    const VkCommandBuffer command_buffer = world.Allocate();
    world.Begin(command_buffer);
    world.Bind(command_buffer, graph);
    std::vector<std::byte> bytes(infos.repeat * infos.info_stride + sizeof(VkDispatchGraphInfoAMDX));
    for (uint32_t i = 0; i < infos.repeat; ++i) {
      VkDispatchGraphInfoAMDX info = {};
      info.nodeIndex = infos.node;
      info.payloadCount = infos.count;
      info.payloads.hostAddress = infos.payloads.data();
      info.payloadStride = infos.payload_stride;
      std::memcpy(bytes.data() + i * infos.info_stride, &info, sizeof(info));
    }
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = infos.repeat;
    count_info.infos.hostAddress = bytes.data();
    count_info.stride = infos.info_stride;
    const VkDeviceSize size = world.ScratchSize(graph);
    TRELLIS_CALL(world.device(), CmdDispatchGraphAMDX)(command_buffer, world.Scratch(size), size, &count_info);
  };
}

TEST(HostInfoRules, InfosDoNotOverlap) {
  // The last 4 bytes are the high word of a stride, and those of node 0.
  const std::vector<uint32_t> grid = {1, 1, 1};
  ExpectFinding("VUID-vkCmdDispatchGraphAMDX-infos-09146",
                Dispatching({.node = kGrid, .payloads = grid, .info_stride = 20, .repeat = 2}));
  ExpectNoFinding(Dispatching({.node = kGrid, .payloads = grid, .info_stride = 24, .repeat = 2}));
  ExpectNoFinding(Dispatching({.node = kGrid, .payloads = grid, .info_stride = 27, .repeat = 2}));
  ExpectNoFinding(Dispatching({.node = kGrid, .payloads = grid, .info_stride = 0, .repeat = 2}));
  ExpectNoFinding(Dispatching({.node = kGrid, .payloads = grid, .info_stride = 1, .repeat = 1}));
}

TEST(HostInfoRules, PayloadsDoNotOverlap) {
  const std::vector<uint32_t> payloads(6);
  const auto with = [&](uint64_t stride, uint32_t count) {
    return Dispatching({.payloads = payloads, .count = count, .payload_stride = stride});
  };
  ExpectFinding("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09149", with(4, 3));
  ExpectFinding("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09149", with(7, 2));
  ExpectNoFinding(with(8, 3));
  ExpectNoFinding(with(0, 3));
  ExpectNoFinding(with(4, 1));
}

TEST(HostInfoRules, GridsKeepToTheirBounds) {
  const std::string vuid = "VUID-vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186";
  const auto of = [](const std::vector<uint32_t>& payloads, bool bounded) {
    return Dispatching({.node = kGrid,
                        .payloads = payloads,
                        .count = static_cast<uint32_t>(payloads.size() / 3),
                        .payload_stride = 12,
                        .bounded = bounded});
  };
  ExpectFinding(vuid, of({8, 8, 8, 1, 1, 9}, true));
  ExpectNoFinding(of({8, 8, 8, 0, 1, 8}, true));
  ExpectFinding(vuid, of({65536, 1, 1}, false));
  ExpectNoFinding(of({65535, 1, 1}, false));
  // maxExecutionGraphWorkgroups is 2^24 - 1.
  ExpectFinding(vuid, of({4096, 4096, 1}, false));
  ExpectNoFinding(of({4095, 4096, 1}, false));
}

TEST(HostInfoRules, InfosOfTheDeviceDoNotOverlap) {
  const auto with = [](uint64_t stride, uint32_t count) -> Program {
    return [stride, count](World& world) {
      const VkPipeline graph = world.GraphOf(Nodes(true), {{"Grid"}, {"Count"}});
      const VkCommandBuffer command_buffer = world.Allocate();
      world.Begin(command_buffer);
      world.Bind(command_buffer, graph);
      VkDispatchGraphCountInfoAMDX count_info = {};
      count_info.count = count;
      count_info.infos.deviceAddress = world.Indirect(256);
      count_info.stride = stride;
      const VkDeviceSize size = world.ScratchSize(graph);
      TRELLIS_CALL(world.device(), CmdDispatchGraphIndirectAMDX)
      (command_buffer, world.Scratch(size), size, &count_info);
    };
  };
  ExpectFinding("VUID-vkCmdDispatchGraphIndirectAMDX-infos-09153", with(20, 2));
  ExpectNoFinding(with(24, 2));
  ExpectNoFinding(with(0, 2));
  ExpectNoFinding(with(20, 1));
}

}  // namespace
}  // namespace trellis::test
