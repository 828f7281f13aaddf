// SPDX-License-Identifier: Apache-2.0
// VkPipelineCreationFeedbackCreateInfo: of an execution graph, whose stages are the nodes, and of the driver's
// pipelines. Internal to layer/pipeline.
#pragma once

#include <chrono>
#include <cstdint>

#include "layer/dispatch/vulkan.h"

namespace trellis {

class CreationFeedback {
 public:
  // `chain`: pNext of the create info. Without the structure in it every function does nothing. Clears what the
  // application may look at, so that a failed creation leaves nothing that counts as valid.
  explicit CreationFeedback(const void* chain);

  [[nodiscard]] bool Wanted() const { return info_ != nullptr; }
  // What the driver said about one node, and how long reading and lowering took on top of that.
  void AddNode(uint32_t stage, VkPipelineCreationFeedback driver, uint64_t own_nanoseconds);
  // What the driver said about an internal kernel that was compiled for the graph. No stage stands for it.
  void AddKernel(VkPipelineCreationFeedback driver);
  // The whole graph: a cache hit if every node and kernel that was compiled was one.
  void Finish();

 private:
  const VkPipelineCreationFeedbackCreateInfo* info_;
  std::chrono::steady_clock::time_point begin_;
  bool all_hits_ = true;
  bool is_any_compiled_ = false;
};

// Asks the driver for feedback on a compute pipeline. `whole` must live as long as this.
struct DriverFeedback {
  explicit DriverFeedback(VkPipelineCreationFeedback& whole)
      : info{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr, &whole, 1, &stage} {}
  DriverFeedback(const DriverFeedback&) = delete;
  DriverFeedback& operator=(const DriverFeedback&) = delete;

  VkPipelineCreationFeedback stage = {};
  VkPipelineCreationFeedbackCreateInfo info;
};

[[nodiscard]] uint64_t NanosecondsSince(std::chrono::steady_clock::time_point begin);

}  // namespace trellis
