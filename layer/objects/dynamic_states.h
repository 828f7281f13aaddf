// SPDX-License-Identifier: Apache-2.0
// The dynamic state that the application has set in a command buffer. Devices with shaderMeshEnqueue only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct CommandBuffer;
struct Device;

// The arguments that one command was called with; layer/objects/kept_state.h.
class KeptState {
 public:
  KeptState() = default;
  virtual ~KeptState() = default;
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;

  // Calls `command` with them.
  virtual void Say(PFN_vkVoidFunction command, VkCommandBuffer command_buffer) const = 0;
  // Elements below this index have been set by another command.
  virtual void ForgetBelow(uint32_t /*index*/) {}
};

// Rows are those of layer/objects/dynamic_state_table.h: one for each command. Threading: that of the command buffer.
class DynamicStates {
 public:
  // What a row keeps, for a call that is being recorded. It counts as the latest of all calls.
  template <typename Kept>
  [[nodiscard]] Kept& ForCall(uint32_t row) {
    if (row >= entries_.size()) entries_.resize(row + 1);
    Entry& entry = entries_[row];
    if (!entry.kept) entry.kept = std::make_unique<Kept>();
    entry.call = ++calls_;
    return static_cast<Kept&>(*entry.kept);
  }

  // Null if nothing is kept.
  [[nodiscard]] KeptState* Find(uint32_t row) const {
    return row < entries_.size() ? entries_[row].kept.get() : nullptr;
  }
  void Forget(uint32_t row) {
    if (row < entries_.size()) entries_[row] = {};
  }

  // The application binds a graphics pipeline, which overwrites what was set before and what it holds itself.
  void BindPipeline() { calls_before_pipeline_ = calls_; }
  // `row`: one that keeps something. Whether it was called after that.
  [[nodiscard]] bool FollowsPipeline(uint32_t row) const { return entries_[row].call > calls_before_pipeline_; }

  // Rows that keep something, in the order of their latest calls.
  [[nodiscard]] std::vector<uint32_t> InOrder() const;

 private:
  struct Entry {
    std::unique_ptr<KeptState> kept;
    uint64_t call = 0;
  };

  std::vector<Entry> entries_;
  uint64_t calls_ = 0;
  uint64_t calls_before_pipeline_ = 0;
};

// The commands of the layer below, by row; null where it has none.
[[nodiscard]] std::vector<PFN_vkVoidFunction> LoadDynamicStateCommands(VkDevice device, PFN_vkGetDeviceProcAddr next,
                                                                       std::span<const char* const> extensions);

// Those set before the application bound its graphics pipeline, those set after that, or both.
enum class DynamicStatePart : uint8_t { kBeforePipeline, kBehindPipeline, kAll };

// Calls the commands of remembered states again: of those for which `is_wanted` returns true, and of what overlaps with
// them and was set later.
void SetDynamicStatesAgain(const CommandBuffer& command_buffer, DynamicStatePart part,
                           const std::function<bool(VkDynamicState)>& is_wanted);

}  // namespace trellis
