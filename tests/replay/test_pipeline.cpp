// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/test_pipeline.h"

#include <array>
#include <cstring>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "layer/dispatch/struct_type.h"
#include "layer/graph/describe.h"
#include "layer/graph/tables.h"
#include "layer/pipeline/needed_kernels.h"
#include "layer/replay/replay.h"
#include "tests/support/internal_kernels.h"

namespace trellis::test {
namespace {

// Nodes of an array that are launched alike have one shader.
using PipelineKey =
    std::tuple<std::string, spirv::LaunchKind, std::array<uint32_t, 3>, uint32_t, size_t, bool, bool, uint32_t>;
PipelineKey KeyOf(const Node& node) {
  const spirv::NodeInfo& info = node.info;
  return {node.name,
          info.kind,
          info.grid,
          info.coalesce,
          info.outputs.size(),
          info.writes_input,
          info.finishes_writing,
          node.input_bytes};
}

}  // namespace

std::shared_ptr<ExecutionGraphPipeline> MakePipeline(RecordingDevice& device,
                                                     std::initializer_list<NodeBuilder> nodes) {
  return MakePipeline(device, Sources(nodes));
}

std::shared_ptr<ExecutionGraphPipeline> MakePipeline(RecordingDevice& device, std::vector<NodeSource> sources) {
  static uint32_t next_id = 1;
  auto pipeline = std::make_shared<ExecutionGraphPipeline>(device.device());
  pipeline->id = next_id++;
  pipeline->graph = MustLink(std::move(sources));
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kApplicationPushBytes};
  auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  static_cast<void>(MakePipelineLayout(device.device(), info, VK_NULL_HANDLE, pipeline->layout));
  std::map<PipelineKey, std::shared_ptr<NodePipeline>> made;
  for (const Node& node : pipeline->graph.nodes) {
    std::shared_ptr<NodePipeline>& shared = made[KeyOf(node)];
    if (!shared) shared = std::make_shared<NodePipeline>(device.device(), pipeline->layout, device.MakePipeline());
    pipeline->AddNode(shared, NodeLabel(node.name, node.index));
  }

  const TableLayout layout = LayoutTables(pipeline->graph);
  Expected<DeviceBuffer> tables = DeviceBuffer::Create(device.device(), layout.size, BufferMemory::kHost, "tables");
  const std::vector<std::byte> bytes = WriteTables(pipeline->graph, layout);
  std::memcpy(tables->data(), bytes.data(), bytes.size());
  pipeline->outputs = DescribeOutputs(pipeline->graph, layout, tables->address());
  pipeline->tables = *std::move(tables);
  pipeline->kernels = MakeKernels(device.device(), NeededKernels(*pipeline));
  device.device().execution_graphs.Insert(TestHandle(*pipeline), pipeline);
  return pipeline;
}

VkPipeline TestHandle(const ExecutionGraphPipeline& pipeline) { return HandleFromObject<VkPipeline>(&pipeline); }

void Dispatch(RecordingDevice& device, const std::shared_ptr<ExecutionGraphPipeline>& pipeline, VkDeviceAddress scratch,
              const std::vector<Input>& inputs) {
  std::vector<std::vector<uint32_t>> payloads;
  std::vector<VkDispatchGraphInfoAMDX> infos;
  for (const Input& input : inputs) {
    VkDispatchGraphInfoAMDX info = {};
    info.nodeIndex = pipeline->graph.FindNode(input.node, input.index);
    info.payloadCount = input.count;
    const uint32_t words = (info.nodeIndex == kNoNode ? 0 : pipeline->graph.nodes[info.nodeIndex].input_bytes + 3) / 4;
    payloads.emplace_back(size_t{words} * input.count, input.word);
    info.payloads.hostAddress = payloads.back().data();
    info.payloadStride = words * 4;
    infos.push_back(info);
  }
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = static_cast<uint32_t>(infos.size());
  count_info.infos.hostAddress = infos.data();
  count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
  device.command_buffer().execution_graph.pipeline = TestHandle(*pipeline);
  DispatchGraph(device.command_buffer(), scratch, ScratchBytes(*pipeline), count_info);
}

void DispatchFromDevice(RecordingDevice& device, const std::shared_ptr<ExecutionGraphPipeline>& pipeline,
                        VkDeviceAddress scratch, std::optional<uint32_t> count) {
  constexpr VkDeviceAddress kSomewhere = 0x1000;
  device.command_buffer().execution_graph.pipeline = TestHandle(*pipeline);
  if (!count) return DispatchGraphIndirectCount(device.command_buffer(), scratch, ScratchBytes(*pipeline), kSomewhere);
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = *count;
  count_info.infos.deviceAddress = kSomewhere;
  count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
  DispatchGraphIndirect(device.command_buffer(), scratch, ScratchBytes(*pipeline), count_info);
}

VkDeviceSize ScratchBytes(const ExecutionGraphPipeline& pipeline) { return pipeline.scratch_layout().size; }

}  // namespace trellis::test
