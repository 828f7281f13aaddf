#include "tests/random/device.h"

#include <algorithm>

#include "tests/random/describe.h"
#include "tests/random/node_kind.h"
#include "tests/random/node_module.h"
#include "tests/random/semantics.h"
#include "tests/random/tables.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kResultWordsOfGraph = kPlaces * kPlaceWords;
const LayoutOptions kLayout = {.sets = 1, .buffers_per_set = 2, .push_constant_bytes = kPushWords * 4};

std::vector<Specialization> Specialize(const Topology& topology, const Node& node) {
  const NodeKind& kind = NodeKinds()[node.kind];
  std::vector<Specialization> list = {Spec(kSpecVariant, node.variant), Spec(kSpecCoalesce, node.coalesce),
                                      Spec(kSpecRecursion, node.recursion)};
  for (uint32_t i = 0; i < 3; ++i) list.push_back(Spec(kSpecGridX + i, node.grid[i]));
  if (node.shares) {
    list.push_back(Spec(kSpecSharedName, NodeName(node.shares->node)));
    list.push_back(Spec(kSpecSharedIndex, node.shares->index));
  }
  for (uint32_t o = 0; o < node.outputs.size(); ++o) {
    const Output& output = node.outputs[o];
    list.push_back(Spec(OutputSpec(o, kSpecName), output.target == kNobody ? "Nobody" : NodeName(output.target)));
    list.push_back(Spec(OutputSpec(o, kSpecBase), output.base));
    list.push_back(Spec(OutputSpec(o, kSpecMost), MaxPayloads(node, o)));
    if (kind.outputs[o].dense) {
      const auto size = static_cast<uint32_t>(topology.nodes[output.target].indices.size());
      list.push_back(Spec(OutputSpec(o, kSpecArraySize), size));
    }
  }
  return list;
}

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

// Buffers of all graphs of one command buffer.
struct Buffers {
  std::vector<GuardedBuffer> list;      // results, tables
  std::vector<uint32_t> table_offsets;  // words, by graph
};

Buffers MakeBuffers(const Context& context, std::span<const Case> cases) {
  Buffers buffers;
  std::vector<uint32_t> tables;
  for (const Case& one : cases) {
    buffers.table_offsets.push_back(static_cast<uint32_t>(tables.size()));
    const std::vector<uint32_t> words = EncodeTables(one.graph);
    tables.insert(tables.end(), words.begin(), words.end());
  }
  for (const size_t words : {cases.size() * kResultWordsOfGraph, tables.size()})
    buffers.list.emplace_back(context, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const std::span<uint32_t> results = buffers.list[0].words();
  for (size_t i = 0; i < results.size(); ++i) results[i] = InitialWord(static_cast<uint32_t>(i % kResultWordsOfGraph));
  std::copy(tables.begin(), tables.end(), buffers.list[1].words().begin());
  return buffers;
}

}  // namespace

Device::Device(Context& context) : context_(context), layout_(context, kLayout), modules_(NodeKinds().size()) {
  const auto info = Struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  if (vkCreatePipelineCache(context.device, &info, nullptr, &cache_) != VK_SUCCESS) cache_ = VK_NULL_HANDLE;
}

Device::~Device() {
  for (VkShaderModule module : modules_) vkDestroyShaderModule(context_.device, module, nullptr);
  vkDestroyPipelineCache(context_.device, cache_, nullptr);
}

Abilities Device::abilities() const {
  return {context_.features.int8, context_.features.int16, context_.features.vulkan_memory_model};
}

VkShaderModule Device::ModuleOf(uint32_t kind, std::string& error) {
  VkShaderModule& module = modules_[kind];
  if (module != VK_NULL_HANDLE) return module;
  const std::vector<uint32_t> words = AssembleModule(NodeModule(NodeKinds()[kind]), error);
  if (!words.empty()) module = CreateModule(context_, words, error);
  return module;
}

std::unique_ptr<Graph> Device::CreatePipeline(const Topology& topology, std::string& error) {
  std::vector<GraphNode> stages;
  for (uint32_t number = 0; number < topology.nodes.size(); ++number) {
    const Node& node = topology.nodes[number];
    const VkShaderModule module = ModuleOf(node.kind, error);
    if (module == VK_NULL_HANDLE) return nullptr;
    for (const uint32_t index : node.indices) {
      stages.push_back({.text = {},
                        .entry = kEntryPoint,
                        .name = NodeName(number),
                        .index = index,
                        .specialization = Specialize(topology, node),
                        .module = module});
    }
  }
  // Nodes come in no order.
  std::sort(stages.begin(), stages.end(), [](const GraphNode& a, const GraphNode& b) {
    const auto key = [](const GraphNode& node) { return Hash(static_cast<uint32_t>(node.name->back()), *node.index); };
    return key(a) < key(b);
  });
  auto pipeline = std::make_unique<Graph>(context_, stages, layout_, cache_);
  error = pipeline->error();
  if (pipeline->result() != VK_SUCCESS)
    error = "vkCreateExecutionGraphPipelinesAMDX returned " + std::to_string(pipeline->result());
  return pipeline;
}

DeviceResults Device::Run(std::span<const Case> cases) {
  DeviceResults results;
  context_.messages.Clear();
  const std::unique_ptr<Graph> pipeline = CreatePipeline(cases[0].graph.topology, results.error);
  if (!results.error.empty()) {
    for (const Message& message : context_.messages.Find("TRELLIS-"))
      results.error += "\n" + message.id + ": " + message.text;
    return results;
  }
  const GuardedBuffer scratch(context_, pipeline->ScratchSize().minSize,
                              VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  const Buffers buffers = MakeBuffers(context_, cases);
  const DescriptorSets sets(context_, layout_, kLayout, buffers.list);

  Commands commands(context_);
  VkCommandBuffer command_buffer = commands.Begin();
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, pipeline->handle());
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, layout_.handle(), 0, 1,
                          sets.sets().data(), 0, nullptr);
  RecordScratchInitialization(context_, command_buffer, *pipeline, scratch);
  for (size_t i = 0; i < cases.size(); ++i) {
    const RandomGraph& graph = cases[i].graph;
    const uint32_t push[kPushWords] = {static_cast<uint32_t>(i) * kResultWordsOfGraph, buffers.table_offsets[i],
                                       graph.input.salt};
    vkCmdPushConstants(command_buffer, layout_.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
    RecordGraphDispatch(context_, command_buffer, *pipeline, scratch, Inputs(graph));
  }
  const VkResult recorded = commands.End();
  const VkResult submitted = recorded == VK_SUCCESS ? commands.Submit() : recorded;
  if (submitted != VK_SUCCESS) results.error = "recording or submitting returned " + std::to_string(submitted);
  for (const Message& message : context_.messages.Unexpected())
    results.error += "\n" + message.id + ": " + message.text;
  if (!scratch.GuardsIntact() || !buffers.list[0].GuardsIntact() || !buffers.list[1].GuardsIntact())
    results.error += "\nsomething was written around a buffer";
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto words = buffers.list[0].words().subspan(i * kResultWordsOfGraph, kResultWordsOfGraph);
    results.words.emplace_back(words.begin(), words.end());
  }
  return results;
}

}  // namespace trellis::test::random_graphs
