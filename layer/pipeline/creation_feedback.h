// VkPipelineCreationFeedbackCreateInfo of an execution graph: its stages are the nodes. Internal to layer/pipeline.
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
  // The whole graph: a cache hit if each node that was compiled was one.
  void Finish();

 private:
  const VkPipelineCreationFeedbackCreateInfo* info_;
  std::chrono::steady_clock::time_point begin_;
  bool all_hits_ = true;
  bool has_nodes_ = false;
};

}  // namespace trellis
