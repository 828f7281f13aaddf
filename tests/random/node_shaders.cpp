// SPDX-License-Identifier: Apache-2.0
#include "tests/random/node_shaders.h"

#include <algorithm>

#include "tests/random/describe.h"
#include "tests/random/node_kind.h"
#include "tests/random/node_module.h"
#include "tests/random/semantics.h"
#include "tests/random/tables.h"
#include "tests/support/libraries.h"

namespace trellis::test::random_graphs {
namespace {

LayoutOptions LayoutFor(bool mesh_nodes) {
  const VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT | (mesh_nodes ? VK_SHADER_STAGE_MESH_BIT_EXT : 0);
  return {.sets = 1,
          .buffers_per_set = 2,
          .push_constant_bytes = kPushWords * 4,
          .push_constant_stages = stages,
          .stages = stages};
}

bool HasMeshNodes(const Context& context) { return context.features.mesh_enqueue && context.has_graphics; }

// Mesh nodes become part of a graph through libraries.
class MeshLibraries {
 public:
  MeshLibraries(const Context& context, const std::vector<GraphNode>& nodes, const Layout& layout,
                VkPipelineCache cache)
      : context_(context) {
    const GraphStages stages(context, nodes);
    if (!nodes.empty()) result_ = CreateMeshLibraries(context, stages, layout, cache, handles_);
  }
  ~MeshLibraries() {
    for (const VkPipeline handle : handles_) vkDestroyPipeline(context_.device, handle, nullptr);
  }
  MeshLibraries(const MeshLibraries&) = delete;
  MeshLibraries& operator=(const MeshLibraries&) = delete;

  [[nodiscard]] VkResult result() const { return result_; }
  [[nodiscard]] const std::vector<VkPipeline>& handles() const { return handles_; }

 private:
  const Context& context_;
  VkResult result_ = VK_SUCCESS;
  std::vector<VkPipeline> handles_;
};

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
    : context_(context),
      layout_options_(LayoutFor(HasMeshNodes(context))),
      layout_(context, layout_options_),
      modules_(NodeKinds().size()) {
  const auto info = MakeStruct<VkPipelineCacheCreateInfo>();
  if (vkCreatePipelineCache(context.device, &info, nullptr, &cache_) != VK_SUCCESS) cache_ = VK_NULL_HANDLE;
}

NodeShaders::~NodeShaders() {
  for (VkShaderModule module : modules_) vkDestroyShaderModule(context_.device, module, nullptr);
  vkDestroyPipelineCache(context_.device, cache_, nullptr);
}

Abilities NodeShaders::abilities() const {
  return {context_.features.int8, context_.features.int16, context_.features.vulkan_memory_model,
          HasMeshNodes(context_)};
}

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
                        .module = module,
                        .is_mesh = NodeKinds()[node.kind].is_mesh});
    }
  }
  std::sort(stages.begin(), stages.end(), [](const GraphNode& a, const GraphNode& b) {
    const auto key = [](const GraphNode& node) { return Hash(static_cast<uint32_t>(node.name->back()), *node.index); };
    return key(a) < key(b);
  });
  return stages;
}

std::unique_ptr<Graph> NodeShaders::CreatePipeline(const Topology& topology, std::string& error) {
  std::vector<GraphNode> nodes = Stages(topology, error);
  if (nodes.empty()) return nullptr;
  const auto first_mesh =
      std::stable_partition(nodes.begin(), nodes.end(), [](const GraphNode& node) { return !node.is_mesh; });
  const MeshLibraries libraries(context_, {first_mesh, nodes.end()}, layout_, cache_);
  nodes.erase(first_mesh, nodes.end());
  const GraphStages stages(context_, nodes);
  error = stages.error();
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkResult result = libraries.result();
  if (result == VK_SUCCESS) result = LinkLibraries(context_, libraries.handles(), stages, layout_, cache_, 0, pipeline);
  if (result != VK_SUCCESS) error = "creating the graph returned " + std::to_string(result);
  return std::make_unique<Graph>(context_, pipeline);
}

}  // namespace trellis::test::random_graphs
