// SPDX-License-Identifier: Apache-2.0
// What graphs are made of and run on, made while nothing fails.
#pragma once

#include <vector>

#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {

// A graph of three nodes, which all three kinds of launch need.
class GraphParts {
 public:
  explicit GraphParts(const TestDevice& device);
  ~GraphParts();
  GraphParts(const GraphParts&) = delete;
  GraphParts& operator=(const GraphParts&) = delete;

  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }
  [[nodiscard]] const std::vector<VkPipelineShaderStageCreateInfo>& stages() const { return stages_; }
  [[nodiscard]] VkExecutionGraphPipelineCreateInfoAMDX GraphInfo() const;
  // Of a compute pipeline that is a library of one node.
  [[nodiscard]] VkComputePipelineCreateInfo LibraryInfo(size_t stage) const;
  // A pipeline that nothing is special about.
  [[nodiscard]] VkComputePipelineCreateInfo OrdinaryInfo() const;

 private:
  const TestDevice& device_;
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::vector<VkPipelineShaderStageCreateInfo> stages_;
};

// What dispatches one payload without content for the first node.
struct OnePayload {
  OnePayload() {
    node.payloadCount = 1;
    counts.count = 1;
    counts.infos.hostAddress = &node;
    counts.stride = sizeof(node);
  }
  OnePayload(const OnePayload&) = delete;
  OnePayload& operator=(const OnePayload&) = delete;

  VkDispatchGraphInfoAMDX node = {};
  VkDispatchGraphCountInfoAMDX counts = {};
};

// Scratch memory, of the size of the buffer. Indirect dispatches may read their infos from it.
class Scratch {
 public:
  explicit Scratch(const TestDevice& device);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  static constexpr VkDeviceSize kBytes = 131072;
  [[nodiscard]] VkDeviceAddress address() const { return address_; }

 private:
  const TestDevice& device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
};

}  // namespace trellis::test
