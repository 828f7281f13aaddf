// SPDX-License-Identifier: Apache-2.0
// An execution graph pipeline made from module texts, as an application would make it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/context.h"

namespace trellis::test {

struct Specialization {
  uint32_t id = 0;
  std::vector<uint8_t> data;
};
Specialization Spec(uint32_t id, uint32_t value);
Specialization Spec(uint32_t id, std::string_view text);  // with a terminating NUL

// One element of pStages.
struct GraphNode {
  std::string text;   // module; nodes with the same text share one VkShaderModule
  std::string entry;  // entry point
  // VkPipelineShaderStageNodeCreateInfoAMDX; chained if either is there.
  std::optional<std::string> name = {};
  std::optional<uint32_t> index = {};
  std::vector<Specialization> specialization = {};
  std::vector<uint32_t> words = {};        // instead of `text`, not checked
  VkShaderModule module = VK_NULL_HANDLE;  // instead of `text`; the caller keeps it
  const void* chain = nullptr;             // further structures for the stage's pNext
  bool is_mesh = false;                    // of a graphics pipeline
};

// Every set has storage buffers at bindings 0, 1, …
struct LayoutOptions {
  uint32_t sets = 1;
  uint32_t buffers_per_set = 1;
  bool dynamic = false;  // descriptors with dynamic offsets
  uint32_t push_constant_bytes = 0;
  VkShaderStageFlags push_constant_stages = VK_SHADER_STAGE_COMPUTE_BIT;
  bool push_descriptors = false;                            // the only set is pushed
  VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT;  // that see the buffers
};

// Descriptor set layout and pipeline layout.
class Layout {
 public:
  Layout(const Context& context, const LayoutOptions& options);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  [[nodiscard]] VkPipelineLayout handle() const { return layout_; }
  [[nodiscard]] VkDescriptorSetLayout set_layout() const { return set_layout_; }

 private:
  const Context& context_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

// The words of a module text; empty with `error` if it cannot be assembled or is not valid SPIR-V. With
// TRELLIS_TEST_DUMP=folder in the environment the text is written there.
std::vector<uint32_t> AssembleModule(const std::string& text, std::string& error, bool must_be_valid = true);

// VK_NULL_HANDLE with `error` if the device refuses it.
VkShaderModule CreateModule(const Context& context, const std::vector<uint32_t>& words, std::string& error);

// Creates modules and pStages. Modules live as long as this.
class GraphStages {
 public:
  GraphStages(const Context& context, const std::vector<GraphNode>& nodes, bool must_be_valid = true);
  ~GraphStages();
  GraphStages(const GraphStages&) = delete;
  GraphStages& operator=(const GraphStages&) = delete;

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::vector<VkPipelineShaderStageCreateInfo>& stages() const { return stages_; }
  [[nodiscard]] VkExecutionGraphPipelineCreateInfoAMDX CreateInfo(VkPipelineLayout layout) const;

 private:
  struct Extra {
    VkPipelineShaderStageNodeCreateInfoAMDX node;
    VkSpecializationInfo specialization;
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint8_t> data;
  };

  VkShaderModule CreateModule(const GraphNode& node, bool must_be_valid);

  const Context& context_;
  const std::vector<GraphNode> nodes_;
  std::vector<VkShaderModule> modules_;
  std::vector<Extra> extras_;
  std::vector<VkPipelineShaderStageCreateInfo> stages_;
  std::string error_;
};

// A pipeline. Its modules and its layout are gone by the time the constructor returns: the extension allows that.
class Graph {
 public:
  Graph(const Context& context, const std::vector<GraphNode>& nodes, const LayoutOptions& layout = {},
        bool must_be_valid = true);
  // With a layout that stays, and a cache.
  Graph(const Context& context, const std::vector<GraphNode>& nodes, const Layout& layout, VkPipelineCache cache);
  // Takes over a pipeline that was made elsewhere.
  Graph(const Context& context, VkPipeline pipeline) : context_(context), pipeline_(pipeline), result_(VK_SUCCESS) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] VkPipeline handle() const { return pipeline_; }
  [[nodiscard]] VkResult result() const { return result_; }
  [[nodiscard]] const std::string& error() const { return error_; }  // not empty if the modules could not be assembled
  // ~0u if there is no such node.
  [[nodiscard]] uint32_t NodeIndex(const std::string& name, uint32_t index = 0) const;
  [[nodiscard]] VkExecutionGraphPipelineScratchSizeAMDX ScratchSize() const;

 private:
  void Create(const GraphStages& stages, const Layout& layout, VkPipelineCache cache);

  const Context& context_;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkResult result_ = VK_ERROR_UNKNOWN;
  std::string error_;
};

}  // namespace trellis::test
