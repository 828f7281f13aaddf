// SPDX-License-Identifier: Apache-2.0
// Checks indirect dispatches against maxComputeWorkGroupCount. The device writes their sizes, so the validation layer
// cannot check them. The device copies the size before each dispatch, and the CPU checks the copies after each wait. A
// command buffer that is submitted again before a wait is checked for its last execution only.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/device_profiles/functions.h"

namespace trellis::test {

// Threading: any thread.
class IndirectDispatches {
 public:
  // `memory_type`: a type of the driver, host-visible and coherent.
  IndirectDispatches(const DeviceFunctions& next, VkDevice device, uint32_t memory_type,
                     std::array<uint32_t, 3> max_workgroups)
      : next_(next), device_(device), memory_type_(memory_type), max_workgroups_(max_workgroups) {}
  ~IndirectDispatches();
  IndirectDispatches(const IndirectDispatches&) = delete;
  IndirectDispatches& operator=(const IndirectDispatches&) = delete;

  // Records the copy. Returns false if there is no memory for it.
  bool Record(VkCommandBuffer command_buffer, VkBuffer buffer, VkDeviceSize offset);

  void Allocated(VkCommandPool pool, uint32_t count, const VkCommandBuffer* command_buffers);
  // Call when a command buffer, or all of a pool, are reset or freed. These and Check return one text per violation.
  [[nodiscard]] std::vector<std::string> Release(VkCommandBuffer command_buffer);
  [[nodiscard]] std::vector<std::string> Release(VkCommandPool pool);
  [[nodiscard]] std::vector<std::string> Check();

 private:
  struct Copies {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDispatchIndirectCommand* sizes = nullptr;  // mapped
    uint32_t used = 0;
  };
  struct Recording {
    VkCommandPool pool = VK_NULL_HANDLE;
    std::vector<std::unique_ptr<Copies>> copies;
  };
  // Call these with the mutex held.
  std::unique_ptr<Copies> TakeCopies();
  void Destroy(const Copies& copies) const;
  void CheckLocked(Recording& recording, std::vector<std::string>& wrong) const;
  void ReleaseLocked(Recording& recording, std::vector<std::string>& wrong);

  const DeviceFunctions& next_;
  const VkDevice device_;
  const uint32_t memory_type_;
  const std::array<uint32_t, 3> max_workgroups_;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<VkCommandBuffer, Recording> recordings_;
  std::vector<std::unique_ptr<Copies>> unused_;
};

}  // namespace trellis::test
