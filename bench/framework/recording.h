// SPDX-License-Identifier: Apache-2.0
// CPU time of recording, and labels as the layer sets them.
#pragma once

#include <chrono>

#include "bench/framework/gpu.h"
#include "bench/framework/stopwatch.h"

namespace trellis::bench {

class Recording {
 public:
  explicit Recording(const Gpu& gpu) : gpu_(gpu), commands_(gpu.AllocateCommandBuffer()) {}
  ~Recording() { gpu_.FreeCommandBuffer(commands_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // CPU time of recording into a command buffer that was used before.
  double Time(const RecordCommands& record) const {
    Begin(commands_);
    const auto begin = std::chrono::steady_clock::now();
    record(commands_);
    // With its end, where the layer has something to record, too.
    Check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  const Gpu& gpu_;
  const VkCommandBuffer commands_;
};

// Nothing where there are none.
class Labels {
 public:
  explicit Labels(const Gpu& gpu)
      : begin_(reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(
            vkGetDeviceProcAddr(gpu.device(), "vkCmdBeginDebugUtilsLabelEXT"))),
        end_(reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(
            vkGetDeviceProcAddr(gpu.device(), "vkCmdEndDebugUtilsLabelEXT"))) {}

  void Begin(VkCommandBuffer commands, const char* text) const {
    auto label = Struct<VkDebugUtilsLabelEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT);
    label.pLabelName = text;
    if (begin_ != nullptr) begin_(commands, &label);
  }
  void End(VkCommandBuffer commands) const {
    if (end_ != nullptr) end_(commands);
  }

 private:
  const PFN_vkCmdBeginDebugUtilsLabelEXT begin_;
  const PFN_vkCmdEndDebugUtilsLabelEXT end_;
};

}  // namespace trellis::bench
