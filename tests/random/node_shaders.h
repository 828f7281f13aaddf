// SPDX-License-Identifier: Apache-2.0
// The library of node shaders on a device, and pipelines made of it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/random/generate.h"
#include "tests/support/graph.h"

namespace trellis::test::random_graphs {

// Threading: any thread.
class NodeShaders {
 public:
  explicit NodeShaders(const Context& context);
  ~NodeShaders();
  NodeShaders(const NodeShaders&) = delete;
  NodeShaders& operator=(const NodeShaders&) = delete;

  [[nodiscard]] Abilities abilities() const;
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const LayoutOptions& layout_options() const { return layout_options_; }
  [[nodiscard]] VkPipelineCache cache() const { return cache_; }

  // pStages of a topology, in no order; the modules live as long as this. Empty with `error`.
  [[nodiscard]] std::vector<GraphNode> Stages(const Topology& topology, std::string& error);
  [[nodiscard]] std::unique_ptr<Graph> CreatePipeline(const Topology& topology, std::string& error);

 private:
  [[nodiscard]] VkShaderModule ModuleOf(uint32_t kind, std::string& error);

  const Context& context_;
  const LayoutOptions layout_options_;
  const Layout layout_;  // always the same: SwiftShader's pipeline cache looks for it too
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  std::mutex mutex_;                     // guards what follows
  std::vector<VkShaderModule> modules_;  // by kind; made when they are needed
};

}  // namespace trellis::test::random_graphs
