// Graphs inside render pass instances: the instance is ended, compute work is recorded, and it begins again.
#pragma once

#include <string>

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct CommandBuffer;

// Empty if compute work can be recorded where the command buffer is; else why not. Looks only.
[[nodiscard]] std::string WhyNotSplit(const CommandBuffer& command_buffer);

// Outside of any render pass instance during its life. Only where WhyNotSplit is empty. The application's conditional
// rendering is active during its life as well.
class [[nodiscard]] ScopedSplit {
 public:
  explicit ScopedSplit(const CommandBuffer& command_buffer);
  ~ScopedSplit();
  ScopedSplit(const ScopedSplit&) = delete;
  ScopedSplit& operator=(const ScopedSplit&) = delete;

 private:
  const CommandBuffer& command_buffer_;
  const bool is_inside_;
};

}  // namespace trellis
