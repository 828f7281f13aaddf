// SPDX-License-Identifier: Apache-2.0
// Attempts that record and submit a graph.
#pragma once

#include <optional>

#include "tests/faults/attempt.h"
#include "tests/faults/graph_parts.h"

namespace trellis::test {

// Everything but the graph itself: parts for it, scratch memory, a command buffer.
class CommandAttempt : public Attempt {
 public:
  explicit CommandAttempt(uint32_t threads = 1);
  ~CommandAttempt() override;

  [[nodiscard]] VkQueue MakeQueue(uint32_t index = 0) const;
  [[nodiscard]] VkResult Submit(VkQueue queue) const;

 protected:
  // Calls Dispatch while the graph is bound and its scratch initialised.
  [[nodiscard]] VkResult Record();
  // Records dispatches, and whatever state they need.
  virtual void Dispatch() = 0;

  [[nodiscard]] const GraphParts& parts() const { return *parts_; }
  [[nodiscard]] VkDeviceAddress scratch() const { return scratch_->address(); }
  [[nodiscard]] const VkCommandBuffer& command_buffer() const { return command_buffer_; }

  VkPipeline graph_ = VK_NULL_HANDLE;  // destroyed with this, unless that was done before

 private:
  std::optional<GraphParts> parts_;
  std::optional<Scratch> scratch_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffer_ = VK_NULL_HANDLE;
};

}  // namespace trellis::test
