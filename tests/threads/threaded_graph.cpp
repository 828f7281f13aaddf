// SPDX-License-Identifier: Apache-2.0
#include "tests/threads/threaded_graph.h"

#include <gtest/gtest.h>

#include <utility>

#include "layer/objects/handle_table.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kGraphs = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

void DispatchEachKind(const TestDevice& device, VkCommandBuffer command_buffer, VkDeviceAddress scratch) {
  OnePayload payload;
  TRELLIS_CALL(device, CmdDispatchGraphAMDX)(command_buffer, scratch, Scratch::kBytes, &payload.counts);
  payload.counts.infos.deviceAddress = scratch;  // nothing reads it: the driver executes nothing
  TRELLIS_CALL(device, CmdDispatchGraphIndirectAMDX)(command_buffer, scratch, Scratch::kBytes, &payload.counts);
  TRELLIS_CALL(device, CmdDispatchGraphIndirectCountAMDX)(command_buffer, scratch, Scratch::kBytes, scratch);
}

}  // namespace

VkPipeline MakeGraph(const TestDevice& device, const VkExecutionGraphPipelineCreateInfoAMDX& info,
                     VkPipelineCache cache) {
  VkPipeline graph = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device, CreateExecutionGraphPipelinesAMDX)(device.handle(), cache, 1, &info, nullptr, &graph),
            VK_SUCCESS);
  return graph;
}

void DestroyGraph(const TestDevice& device, VkPipeline graph) {
  TRELLIS_CALL(device, DestroyPipeline)(device.handle(), graph, nullptr);
}

GraphRecorder::GraphRecorder(const TestDevice& device, std::shared_ptr<const Scratch> scratch)
    : device_(device), scratch_(std::move(scratch)) {
  auto info = MakeStruct<VkCommandPoolCreateInfo>();
  EXPECT_EQ(TRELLIS_CALL(device_, CreateCommandPool)(device_.handle(), &info, nullptr, &pool_), VK_SUCCESS);
}

GraphRecorder::~GraphRecorder() { TRELLIS_CALL(device_, DestroyCommandPool)(device_.handle(), pool_, nullptr); }

VkCommandBuffer GraphRecorder::Record(VkPipeline graph, VkPipelineLayout layout) const {
  const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                                VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, AllocateCommandBuffers)(device_.handle(), &allocate, &command_buffer), VK_SUCCESS);
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  EXPECT_EQ(TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer, &begin), VK_SUCCESS);
  TRELLIS_CALL(device_, CmdBindPipeline)
  (command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, HandleFromU64<VkPipeline>(0x10));
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraphs, graph);
  const auto set = HandleFromU64<VkDescriptorSet>(0x20);
  for (const VkPipelineBindPoint bind_point : {VK_PIPELINE_BIND_POINT_COMPUTE, kGraphs})
    TRELLIS_CALL(device_, CmdBindDescriptorSets)(command_buffer, bind_point, layout, 0, 1, &set, 0, nullptr);
  const uint32_t constants[4] = {1, 2, 3, 4};
  TRELLIS_CALL(device_, CmdPushConstants)
  (command_buffer, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(constants), constants);
  TRELLIS_CALL(device_, CmdInitializeGraphScratchMemoryAMDX)
  (command_buffer, graph, scratch_->address(), Scratch::kBytes);
  DispatchEachKind(device_, command_buffer, scratch_->address());
  EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);
  return command_buffer;
}

void GraphRecorder::ResetPool() const {
  EXPECT_EQ(TRELLIS_CALL(device_, ResetCommandPool)(device_.handle(), pool_, 0), VK_SUCCESS);
}

std::vector<std::string> CommandsOf(const FakeDriver& driver, VkCommandBuffer command_buffer) {
  std::vector<std::string> commands;
  for (const DriverCall& call : driver.calls()) {
    if (call.command_buffer != command_buffer) continue;
    std::string text = call.name;
    if (call.name == "CmdDispatch")
      for (const uint32_t count : call.dynamic_offsets) text += " " + std::to_string(count);
    commands.push_back(std::move(text));
  }
  return commands;
}

}  // namespace trellis::test
