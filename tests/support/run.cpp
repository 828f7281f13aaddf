// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace trellis::test {

std::vector<uint8_t> Bytes(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes(words.size() * 4);
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

GraphRun::GraphRun(Context& context, RunOptions options) : context_(context), options_(std::move(options)) {}

GraphRun& GraphRun::Node(GraphNode node) {
  nodes_.push_back(std::move(node));
  return *this;
}

GraphRun& GraphRun::Nodes(const std::string& text, std::initializer_list<const char*> entries) {
  for (const char* entry : entries) nodes_.push_back({.text = text, .entry = entry});
  return *this;
}

GraphRun& GraphRun::Pipeline(VkPipeline pipeline) {
  graph_ = std::make_unique<Graph>(context_, pipeline);
  return *this;
}

GraphRun& GraphRun::Input(GraphInput input) {
  inputs_.push_back(std::move(input));
  return *this;
}

testing::AssertionResult GraphRun::Prepare() {
  if (!graph_) graph_ = std::make_unique<Graph>(context_, nodes_, options_.layout);
  if (!graph_->error().empty()) return testing::AssertionFailure() << graph_->error();
  if (graph_->result() != VK_SUCCESS) {
    testing::AssertionResult failure = testing::AssertionFailure();
    failure << "vkCreateExecutionGraphPipelinesAMDX returned " << graph_->result();
    for (const Message& message : context_.messages.Find("TRELLIS-"))
      failure << "\n" << message.id << ": " << message.text;
    return failure;
  }
  if (graph_->handle() == VK_NULL_HANDLE) return testing::AssertionFailure() << "success without a pipeline";
  const VkExecutionGraphPipelineScratchSizeAMDX size = graph_->ScratchSize();
  const VkDeviceSize scratch_bytes = options_.max_scratch ? size.maxSize : size.minSize;
  scratch_ = GuardedBuffer(context_, scratch_bytes, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  if (scratch_.handle() == VK_NULL_HANDLE)
    return testing::AssertionFailure() << "no scratch buffer of " << scratch_bytes << " bytes";
  layout_ = std::make_unique<Layout>(context_, options_.layout);
  buffers_.clear();
  for (uint32_t i = 0; i < options_.layout.sets * options_.layout.buffers_per_set; ++i) {
    buffers_.emplace_back(context_, options_.words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    if (buffers_.back().handle() == VK_NULL_HANDLE)
      return testing::AssertionFailure() << "no buffer of " << options_.words << " words";
  }
  if (!options_.layout.push_descriptors)
    sets_ = std::make_unique<DescriptorSets>(context_, *layout_, options_.layout, buffers_);
  return testing::AssertionSuccess();
}

DispatchCommand DefaultDispatchCommand() { return ReadTestVariables().dispatch; }

void GraphRun::DispatchGraph(VkCommandBuffer command_buffer) {
  if (options_.command == DispatchCommand::kHost)
    return RecordGraphDispatch(context_, command_buffer, *graph_, scratch_, inputs_, options_.info_stride,
                               options_.info_count);
  device_inputs_.push_back(RecordIndirectDispatch(context_, command_buffer, *graph_, scratch_, inputs_,
                                                  options_.command, options_.info_stride, options_.info_count));
}

void GraphRun::RecordGraph(VkCommandBuffer command_buffer) {
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_->handle());
  if (sets_ != nullptr) {
    vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, layout_->handle(), 0,
                            static_cast<uint32_t>(sets_->sets().size()), sets_->sets().data(),
                            static_cast<uint32_t>(options_.dynamic_offsets.size()), options_.dynamic_offsets.data());
  }
  if (!options_.push_constants.empty()) {
    vkCmdPushConstants(command_buffer, layout_->handle(), options_.layout.push_constant_stages, 0,
                       static_cast<uint32_t>(options_.push_constants.size() * 4), options_.push_constants.data());
  }
  RecordScratchInitialization(context_, command_buffer, *graph_, scratch_);
  for (uint32_t i = 0; i < options_.dispatches; ++i) DispatchGraph(command_buffer);
}

testing::AssertionResult GraphRun::Execute() {
  if (testing::AssertionResult prepared = Prepare(); !prepared) return prepared;
  Commands commands(context_);
  VkCommandBuffer command_buffer = commands.Begin();
  if (options_.before) options_.before(command_buffer);
  RecordGraph(command_buffer);
  if (options_.after) options_.after(command_buffer);
  if (const VkResult result = commands.End(); result != VK_SUCCESS)
    return testing::AssertionFailure() << "recording: " << result;
  for (uint32_t i = 0; i < options_.submits; ++i) {
    if (const VkResult result = commands.Submit(); result != VK_SUCCESS)
      return testing::AssertionFailure() << "submitting: " << result;
  }
  return GuardsIntact();
}

testing::AssertionResult GraphRun::GuardsIntact() const {
  if (!scratch_.GuardsIntact()) return testing::AssertionFailure() << "something was written around scratch";
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].GuardsIntact()) return testing::AssertionFailure() << "something was written around buffer " << i;
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult GraphRun::Matches(const std::vector<uint32_t>& expected, size_t buffer) const {
  const std::span<const uint32_t> words = Words(buffer);
  testing::AssertionResult result = testing::AssertionFailure();
  size_t wrong = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t wanted = i < expected.size() ? expected[i] : 0;
    if (words[i] == wanted) continue;
    if (++wrong <= 10)
      result << "word " << i << " of buffer " << buffer << " is " << words[i] << ", expected " << wanted << "\n";
  }
  if (wrong == 0) return testing::AssertionSuccess();
  return result << wrong << " words are wrong";
}

}  // namespace trellis::test
