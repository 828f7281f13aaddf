// SPDX-License-Identifier: Apache-2.0
// Compute pipelines of the baselines, and graphs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/framework/buffer.h"

namespace trellis::bench {

// Value of a specialisation constant.
struct Constant {
  uint32_t id;
  uint32_t value;
};
using Constants = std::vector<Constant>;
using Words = std::span<const uint32_t>;

class Kernel {
 public:
  // `layout`: that of the device if null.
  Kernel(const Gpu& gpu, Words words, const Constants& constants = {}, VkPipelineLayout layout = VK_NULL_HANDLE);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void Bind(VkCommandBuffer commands) const;

 private:
  const Gpu& gpu_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// A specialisation constant that is the name of an output's node.
struct NameConstant {
  uint32_t id;
  std::string name;
};

struct GraphNode {
  std::string name;
  Words words;
  Constants constants = {};
  uint32_t index = 0;
  std::vector<NameConstant> names = {};
};

// What the application sends to one node.
struct GraphInput {
  const char* node;
  uint32_t count = 1;
  std::vector<uint32_t> payloads = {};  // `count` of the same size; empty for nodes without input
};

class Graph {
 public:
  // `layout`: that of the device if null.
  Graph(const Gpu& gpu, const std::vector<GraphNode>& nodes, VkPipelineLayout layout = VK_NULL_HANDLE);
  // The same with libraries of more nodes.
  Graph(const Gpu& gpu, const std::vector<GraphNode>& nodes, const std::vector<VkPipeline>& libraries,
        VkPipelineLayout layout);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] uint32_t NodeIndex(const char* name, uint32_t shader_index = 0) const;
  [[nodiscard]] const Buffer& scratch() const { return *scratch_; }
  void Bind(VkCommandBuffer commands) const;
  // Binds the graph and dispatches it; push constants are the caller's.
  void Dispatch(VkCommandBuffer commands, const GraphInput& input) const;
  // Of the graph that is bound.
  void Dispatch(VkCommandBuffer commands, std::span<const VkDispatchGraphInfoAMDX> infos) const;

 private:
  void MakeScratch();

  const Gpu& gpu_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  std::unique_ptr<Buffer> scratch_;
};

}  // namespace trellis::bench
