// SPDX-License-Identifier: Apache-2.0
// Command pools, semaphores and submissions, for tests with several of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tests/support/run.h"

namespace trellis::test {

// Long enough for a CPU driver under sanitizers on a busy machine.
inline constexpr uint64_t kTimeoutNanoseconds = 300ull * 1000 * 1000 * 1000;

// A command pool. Threading: like the pool itself.
class CommandPool {
 public:
  CommandPool(const Context& context, uint32_t family, VkCommandPoolCreateFlags flags = 0);
  ~CommandPool();
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  [[nodiscard]] VkCommandPool handle() const { return pool_; }
  // In the initial state; lives as long as the pool.
  [[nodiscard]] VkCommandBuffer Allocate() const;
  // A new command buffer with a dispatch of the graph, whose writes the host can see afterwards.
  [[nodiscard]] VkCommandBuffer Record(GraphRun& run, VkCommandBufferUsageFlags usage = 0) const;

 private:
  const Context& context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

// Begins, records a dispatch of the graph, or what `record` records, and what makes its writes visible to the host, and
// ends.
void RecordInto(VkCommandBuffer command_buffer, GraphRun& run, VkCommandBufferUsageFlags usage = 0);
void RecordInto(VkCommandBuffer command_buffer, const std::function<void()>& record,
                VkCommandBufferUsageFlags usage = 0);

class Semaphore {
 public:
  Semaphore(const Context& context, VkSemaphoreType type);
  ~Semaphore();
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  [[nodiscard]] VkSemaphore handle() const { return semaphore_; }

 private:
  const Context& context_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
};

// The value means nothing for binary semaphores.
struct SemaphorePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;
};

enum class SubmitCommand { kQueueSubmit, kQueueSubmit2 };

struct Submission {
  VkQueue queue = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> command_buffers;
  std::optional<SemaphorePoint> wait = {};  // before compute shaders
  std::optional<SemaphorePoint> signal = {};
  VkFence fence = VK_NULL_HANDLE;
};
[[nodiscard]] VkResult Submit(SubmitCommand command, const Submission& submission);

}  // namespace trellis::test
