// SPDX-License-Identifier: Apache-2.0
#include "tests/random/batch.h"

#include <algorithm>

#include "tests/random/describe.h"
#include "tests/random/semantics.h"
#include "tests/random/tables.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kResultWordsOfGraph = kPlaces * kPlaceWords;

std::vector<GraphInput> Inputs(const RandomGraph& graph) {
  std::vector<GraphInput> inputs;
  for (const Root& root : graph.input.roots) {
    inputs.push_back({.node = NodeName(root.node),
                      .index = root.index,
                      .count = static_cast<uint32_t>(root.seeds.size()),
                      .payloads = Bytes(EncodeRecords(graph, root)),
                      .stride = RecordStride(graph, root) * 4});
  }
  return inputs;
}

bool HasMeshNodes(const Topology& topology) {
  return std::any_of(topology.nodes.begin(), topology.nodes.end(),
                     [](const Node& node) { return NodeKinds()[node.kind].is_mesh; });
}

}  // namespace

Batch::Batch(const Context& context, const NodeShaders& shaders, const Graph& pipeline, std::span<const Case> cases,
             VkDeviceSize scratch_offset)
    : context_(context),
      shaders_(shaders),
      pipeline_(pipeline),
      cases_(cases),
      has_mesh_nodes_(HasMeshNodes(cases[0].graph.topology)),
      scratch_(context, pipeline.ScratchSize().minSize, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX,
               scratch_offset) {
  std::vector<uint32_t> tables;
  for (const Case& one : cases) {
    table_offsets_.push_back(static_cast<uint32_t>(tables.size()));
    const std::vector<uint32_t> words = EncodeTables(one.graph);
    tables.insert(tables.end(), words.begin(), words.end());
  }
  for (const size_t words : {cases.size() * kResultWordsOfGraph, tables.size()})
    buffers_.emplace_back(context, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const std::span<uint32_t> results = buffers_[0].words();
  for (size_t i = 0; i < results.size(); ++i) results[i] = InitialWord(static_cast<uint32_t>(i % kResultWordsOfGraph));
  std::copy(tables.begin(), tables.end(), buffers_[1].words().begin());
  sets_ = std::make_unique<DescriptorSets>(context, shaders.layout(), shaders.layout_options(), buffers_);
}

void Batch::RecordStart(VkCommandBuffer command_buffer) const {
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, pipeline_.handle());
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, shaders_.layout().handle(), 0, 1,
                          sets_->sets().data(), 0, nullptr);
  RecordScratchInitialization(context_, command_buffer, pipeline_, scratch_);
}

void Batch::RecordDispatches(VkCommandBuffer command_buffer, DispatchCommand command) {
  if (has_mesh_nodes_) {
    auto rendering = MakeStruct<VkRenderingInfo>();
    rendering.renderArea.extent = {1, 1};
    rendering.layerCount = 1;
    vkCmdBeginRendering(command_buffer, &rendering);
  }
  for (size_t i = 0; i < cases_.size(); ++i) {
    const RandomGraph& graph = cases_[i].graph;
    const uint32_t push[kPushWords] = {static_cast<uint32_t>(i) * kResultWordsOfGraph, table_offsets_[i],
                                       graph.input.salt};
    vkCmdPushConstants(command_buffer, shaders_.layout().handle(), shaders_.layout_options().push_constant_stages, 0,
                       sizeof(push), push);
    if (command == DispatchCommand::kHost) {
      RecordGraphDispatch(context_, command_buffer, pipeline_, scratch_, Inputs(graph));
    } else {
      device_inputs_.push_back(RecordIndirectDispatch(context_, command_buffer, pipeline_, scratch_, Inputs(graph),
                                                      command, sizeof(VkDispatchGraphInfoAMDX), ~0u));
    }
  }
  if (has_mesh_nodes_) vkCmdEndRendering(command_buffer);
}

std::span<const uint32_t> Batch::Results(size_t i) const {
  return buffers_[0].words().subspan(i * kResultWordsOfGraph, kResultWordsOfGraph);
}

bool Batch::GuardsIntact() const {
  return scratch_.GuardsIntact() && buffers_[0].GuardsIntact() && buffers_[1].GuardsIntact();
}

}  // namespace trellis::test::random_graphs
