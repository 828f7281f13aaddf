// SPDX-License-Identifier: Apache-2.0
// A graph on the fake driver that several threads use, and what each thread needs to record it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/graph_parts.h"
#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {

inline constexpr uint32_t kThreads = 8;

// Makes what `info` describes, which must succeed.
[[nodiscard]] VkPipeline MakeGraph(const TestDevice& device, const VkExecutionGraphPipelineCreateInfoAMDX& info,
                                   VkPipelineCache cache = VK_NULL_HANDLE);
void DestroyGraph(const TestDevice& device, VkPipeline graph);

// Of one thread: a command pool and scratch memory, its own unless several are given the same.
class GraphRecorder {
 public:
  explicit GraphRecorder(const TestDevice& device) : GraphRecorder(device, std::make_shared<const Scratch>(device)) {}
  GraphRecorder(const TestDevice& device, std::shared_ptr<const Scratch> scratch);
  ~GraphRecorder();
  GraphRecorder(const GraphRecorder&) = delete;
  GraphRecorder& operator=(const GraphRecorder&) = delete;

  // A command buffer with a dispatch of each kind, among binds and push constants for COMPUTE and for graphs.
  [[nodiscard]] VkCommandBuffer Record(VkPipeline graph, VkPipelineLayout layout) const;
  void ResetPool() const;

 private:
  const TestDevice& device_;
  const std::shared_ptr<const Scratch> scratch_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

// What reached the driver of a command buffer: the commands, and how many workgroups were dispatched.
[[nodiscard]] std::vector<std::string> CommandsOf(const FakeDriver& driver, VkCommandBuffer command_buffer);

}  // namespace trellis::test
