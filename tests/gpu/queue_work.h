// Graphs for several queues and threads at once.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/run.h"

namespace trellis::test {

// "Root" enqueues to "Middle", that to "Leaf": words[i] += key, i < kKeyedWords, for every record {key} of the root.
// The keys travel through the ring twice, so a graph that shares its ring with another one gives wrong words.
inline constexpr uint32_t kKeyedWords = 256;
[[nodiscard]] std::string KeyedModule();
// A run of that module, prepared, with `count` records of one key.
[[nodiscard]] std::unique_ptr<GraphRun> KeyedRun(Context& context, uint32_t key, uint32_t count = 1);
// What it leaves behind after `times` executions.
[[nodiscard]] std::vector<uint32_t> KeyedWords(uint32_t key, uint32_t times);

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

// Begins, records a dispatch of the graph and what makes its writes visible to the host, and ends.
void RecordInto(VkCommandBuffer command_buffer, GraphRun& run, VkCommandBufferUsageFlags usage = 0);

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

// Waits until all queues have done what was submitted so far. A GPU that hangs ends the process.
void WaitForQueues(const Context& context);

}  // namespace trellis::test
