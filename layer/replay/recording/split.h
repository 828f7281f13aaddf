// SPDX-License-Identifier: Apache-2.0
// Graphs inside render pass instances: the instance is ended, compute work is recorded, and it begins again.
#pragma once

#include <cstdint>
#include <string>

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct CommandBuffer;

// Whether anything is drawn in the second part that reads what was computed between the parts.
enum class SecondPart : uint8_t { kOfApplication, kWithDraws };

// Empty if compute work can be recorded where the command buffer is; else why not. Looks only.
[[nodiscard]] std::string WhyNotSplit(const CommandBuffer& command_buffer, SecondPart second);

// Outside of any render pass instance during its life. Only where WhyNotSplit is empty. The application's conditional
// rendering is active during its life as well.
class [[nodiscard]] ScopedSplit {
 public:
  ScopedSplit(const CommandBuffer& command_buffer, SecondPart second);
  ~ScopedSplit();
  // Commands that follow it in this life run concurrently with those of the second part.
  void RecordBarrier();
  ScopedSplit(const ScopedSplit&) = delete;
  ScopedSplit& operator=(const ScopedSplit&) = delete;

 private:
  const CommandBuffer& command_buffer_;
  const SecondPart second_;
  const bool is_inside_;
  bool needs_barrier_;
};

}  // namespace trellis
