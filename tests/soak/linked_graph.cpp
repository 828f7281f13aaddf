// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/linked_graph.h"

#include <array>

#include "tests/support/libraries.h"

namespace trellis::test::soak {
namespace {

class Linker {
 public:
  Linker(const Context& context, random_graphs::NodeShaders& shaders) : context_(context), shaders_(shaders) {}
  ~Linker() {
    for (VkPipeline library : libraries_) vkDestroyPipeline(context_.device, library, nullptr);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  [[nodiscard]] VkResult AddNodeLibraries(const std::vector<GraphNode>& nodes) {
    if (nodes.empty()) return VK_SUCCESS;
    const GraphStages stages(context_, nodes);
    std::vector<VkPipeline> made;
    const VkResult result = CreateNodeLibraries(context_, stages, shaders_.layout(), shaders_.cache(), made);
    libraries_.insert(libraries_.end(), made.begin(), made.end());
    return result;
  }

  [[nodiscard]] VkResult AddGraphLibrary(const std::vector<GraphNode>& nodes) {
    if (nodes.empty()) return VK_SUCCESS;
    const GraphStages stages(context_, nodes);
    VkPipeline& library = libraries_.emplace_back(VK_NULL_HANDLE);
    return LinkLibraries(context_, {}, stages, shaders_.layout(), shaders_.cache(), VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
                         library);
  }

  [[nodiscard]] VkResult Link(const std::vector<GraphNode>& nodes, std::unique_ptr<Graph>& graph) const {
    const GraphStages stages(context_, nodes);
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        LinkLibraries(context_, libraries_, stages, shaders_.layout(), shaders_.cache(), 0, pipeline);
    if (result == VK_SUCCESS) graph = std::make_unique<Graph>(context_, pipeline);
    return result;
  }

 private:
  const Context& context_;
  random_graphs::NodeShaders& shaders_;
  std::vector<VkPipeline> libraries_;
};

}  // namespace

std::unique_ptr<Graph> LinkGraph(const Context& context, random_graphs::NodeShaders& shaders,
                                 const random_graphs::Topology& topology, random_graphs::Random& random,
                                 std::string& error) {
  enum Origin : uint32_t { kNodeLibrary, kGraphLibrary, kStage, kOrigins };
  std::array<std::vector<GraphNode>, kOrigins> nodes;
  for (GraphNode& node : shaders.Stages(topology, error)) nodes[random.Below(kOrigins)].push_back(std::move(node));
  if (!error.empty()) return nullptr;

  Linker linker(context, shaders);
  std::unique_ptr<Graph> graph;
  VkResult result = linker.AddNodeLibraries(nodes[kNodeLibrary]);
  if (result == VK_SUCCESS) result = linker.AddGraphLibrary(nodes[kGraphLibrary]);
  for (int again = 0; again < 2 && result == VK_SUCCESS; ++again) result = linker.Link(nodes[kStage], graph);
  if (result != VK_SUCCESS) error = "linking libraries returned " + std::to_string(result);
  return result == VK_SUCCESS ? std::move(graph) : nullptr;
}

}  // namespace trellis::test::soak
