#include "tests/random/node_shaders.h"

#include <algorithm>

#include "tests/random/describe.h"
#include "tests/random/node_kind.h"
#include "tests/random/node_module.h"
#include "tests/random/semantics.h"
#include "tests/random/tables.h"

namespace trellis::test::random_graphs {
namespace {

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

// A kind's module, assembled once in a process. The pointer stays good; null with `error`.
const std::vector<uint32_t>* WordsOf(uint32_t kind, std::string& error) {
  static std::mutex mutex;  // guards what follows
  static std::vector<std::vector<uint32_t>> words(NodeKinds().size());
  const std::lock_guard lock(mutex);
  if (words[kind].empty()) words[kind] = AssembleModule(NodeModule(NodeKinds()[kind]), error);
  return words[kind].empty() ? nullptr : &words[kind];
}

}  // namespace

NodeShaders::NodeShaders(const Context& context)
    : context_(context), layout_(context, kLayout), modules_(NodeKinds().size()) {
  const auto info = Struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  if (vkCreatePipelineCache(context.device, &info, nullptr, &cache_) != VK_SUCCESS) cache_ = VK_NULL_HANDLE;
}

NodeShaders::~NodeShaders() {
  for (VkShaderModule module : modules_) vkDestroyShaderModule(context_.device, module, nullptr);
  vkDestroyPipelineCache(context_.device, cache_, nullptr);
}

Abilities NodeShaders::abilities() const {
  return {context_.features.int8, context_.features.int16, context_.features.vulkan_memory_model};
}

const LayoutOptions& NodeShaders::layout_options() const { return kLayout; }

VkShaderModule NodeShaders::ModuleOf(uint32_t kind, std::string& error) {
  const std::lock_guard lock(mutex_);
  VkShaderModule& module = modules_[kind];
  if (module != VK_NULL_HANDLE) return module;
  if (const std::vector<uint32_t>* words = WordsOf(kind, error)) module = CreateModule(context_, *words, error);
  return module;
}

std::vector<GraphNode> NodeShaders::Stages(const Topology& topology, std::string& error) {
  std::vector<GraphNode> stages;
  for (uint32_t number = 0; number < topology.nodes.size(); ++number) {
    const Node& node = topology.nodes[number];
    const VkShaderModule module = ModuleOf(node.kind, error);
    if (module == VK_NULL_HANDLE) return {};
    for (const uint32_t index : node.indices) {
      stages.push_back({.text = {},
                        .entry = kEntryPoint,
                        .name = NodeName(number),
                        .index = index,
                        .specialization = Specialize(topology, node),
                        .module = module});
    }
  }
  std::sort(stages.begin(), stages.end(), [](const GraphNode& a, const GraphNode& b) {
    const auto key = [](const GraphNode& node) { return Hash(static_cast<uint32_t>(node.name->back()), *node.index); };
    return key(a) < key(b);
  });
  return stages;
}

std::unique_ptr<Graph> NodeShaders::CreatePipeline(const Topology& topology, std::string& error) {
  const std::vector<GraphNode> stages = Stages(topology, error);
  if (stages.empty()) return nullptr;
  auto pipeline = std::make_unique<Graph>(context_, stages, layout_, cache_);
  error = pipeline->error();
  if (pipeline->result() != VK_SUCCESS)
    error = "vkCreateExecutionGraphPipelinesAMDX returned " + std::to_string(pipeline->result());
  return pipeline;
}

}  // namespace trellis::test::random_graphs
