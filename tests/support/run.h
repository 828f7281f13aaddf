// SPDX-License-Identifier: Apache-2.0
// Runs a graph once and gives the words that it wrote. Most GPU tests are: describe nodes, inputs, expected words.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/buffer.h"
#include "tests/support/environment.h"
#include "tests/support/graph.h"

namespace trellis::test {

// Payload bytes from words.
std::vector<uint8_t> Bytes(const std::vector<uint32_t>& words);

// One VkDispatchGraphInfoAMDX.
struct GraphInput {
  std::string node;
  uint32_t index = 0;
  uint32_t count = 1;
  std::vector<uint8_t> payloads = {};  // empty: payloads are NULL
  uint64_t stride = 0;
};

// Records vkCmdDispatchGraphAMDX with `count` infos (~0u: all inputs) `info_stride` bytes apart.
void RecordGraphDispatch(const Context& context, VkCommandBuffer command_buffer, const Graph& graph,
                         const GuardedBuffer& scratch, const std::vector<GraphInput>& inputs,
                         uint64_t info_stride = sizeof(VkDispatchGraphInfoAMDX), uint32_t info_count = ~0u);

// Returns the command that TRELLIS_TEST_DISPATCH names.
[[nodiscard]] DispatchCommand DefaultDispatchCommand();

// Infos, payloads and, for kIndirectCount, the count in device memory: at addresses that are multiples of 4 and of
// nothing more. To be kept until the recording is no longer executed.
struct DeviceInputs {
  std::vector<GuardedBuffer> buffers;
};

// Records one of the indirect commands.
[[nodiscard]] DeviceInputs RecordIndirectDispatch(const Context& context, VkCommandBuffer command_buffer,
                                                  const Graph& graph, const GuardedBuffer& scratch,
                                                  const std::vector<GraphInput>& inputs, DispatchCommand command,
                                                  uint64_t info_stride, uint32_t info_count);

// Records vkCmdInitializeGraphScratchMemoryAMDX and what makes it visible to a dispatch.
void RecordScratchInitialization(const Context& context, VkCommandBuffer command_buffer, const Graph& graph,
                                 const GuardedBuffer& scratch);

// Compute work recorded so far, and its writes, before compute work recorded from now on.
void OrderComputeWork(VkCommandBuffer command_buffer);

// Objects for recording and submitting one primary command buffer.
class Commands {
 public:
  explicit Commands(const Context& context);
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  [[nodiscard]] VkCommandBuffer Begin(VkCommandBufferUsageFlags flags = 0);
  // Makes shader writes visible to the host and ends the command buffer.
  [[nodiscard]] VkResult End();
  // Submits and waits. A GPU that hangs ends the process: nothing could be cleaned up.
  [[nodiscard]] VkResult Submit();

 private:
  const Context& context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffer_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

// Descriptor sets for LayoutOptions over a list of buffers: set s, binding b is buffer s * buffers_per_set + b.
class DescriptorSets {
 public:
  DescriptorSets(const Context& context, const Layout& layout, const LayoutOptions& options,
                 const std::vector<GuardedBuffer>& buffers);
  ~DescriptorSets();
  DescriptorSets(const DescriptorSets&) = delete;
  DescriptorSets& operator=(const DescriptorSets&) = delete;

  [[nodiscard]] const std::vector<VkDescriptorSet>& sets() const { return sets_; }

 private:
  const Context& context_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets_;
};

struct RunOptions {
  size_t words = 1024;  // of each buffer
  LayoutOptions layout = {};
  std::vector<uint32_t> push_constants = {};
  std::vector<uint32_t> dynamic_offsets = {};
  uint32_t dispatches = 1;  // graph dispatches in the command buffer, on one scratch, without barriers in between
  uint32_t submits = 1;     // submissions of the command buffer, one after the other
  uint64_t info_stride = sizeof(VkDispatchGraphInfoAMDX);
  uint32_t info_count = ~0u;  // default: the number of inputs
  DispatchCommand command = DefaultDispatchCommand();
  bool max_scratch = false;                          // maxSize instead of minSize
  std::function<void(VkCommandBuffer)> before = {};  // recorded before the graph is bound, and after its dispatches
  std::function<void(VkCommandBuffer)> after = {};
};

class GraphRun {
 public:
  explicit GraphRun(Context& context, RunOptions options = {});

  GraphRun& Node(GraphNode node);
  // All entry points of one module text.
  GraphRun& Nodes(const std::string& text, std::initializer_list<const char*> entries);
  // A pipeline that was made elsewhere, instead of nodes.
  GraphRun& Pipeline(VkPipeline pipeline);
  GraphRun& Input(GraphInput input);

  // Creates the graph, records, submits and waits. Checks guards around buffers and scratch.
  testing::AssertionResult Execute();
  [[nodiscard]] std::span<const uint32_t> Words(size_t buffer = 0) const { return buffers_[buffer].words(); }
  // Word for word; words past the end of `expected` must be 0.
  [[nodiscard]] testing::AssertionResult Matches(const std::vector<uint32_t>& expected, size_t buffer = 0) const;

  // For tests that do some of it by hand; usable after Prepare.
  testing::AssertionResult Prepare();
  void RecordGraph(VkCommandBuffer command_buffer);
  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] const GuardedBuffer& scratch() const { return scratch_; }
  [[nodiscard]] const GuardedBuffer& buffer(size_t i) const { return buffers_[i]; }
  [[nodiscard]] const DescriptorSets& descriptor_sets() const { return *sets_; }
  [[nodiscard]] testing::AssertionResult GuardsIntact() const;
  void DispatchGraph(VkCommandBuffer command_buffer);

 private:
  Context& context_;
  const RunOptions options_;
  std::vector<GraphNode> nodes_;
  std::vector<GraphInput> inputs_;
  std::vector<GuardedBuffer> buffers_;
  GuardedBuffer scratch_;
  std::vector<DeviceInputs> device_inputs_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Layout> layout_;
  std::unique_ptr<DescriptorSets> sets_;
};

}  // namespace trellis::test
