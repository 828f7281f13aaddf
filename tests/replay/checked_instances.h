// SPDX-License-Identifier: Apache-2.0
// Render pass instances: what the draws in them do to attachments and to memory of the application.
#pragma once

#include <string>

#include "tests/replay/access_log.h"
#include "tests/support/command_stream.h"

namespace trellis::test {

class InstanceLog : protected AccessLog {
 protected:
  // All that an instance with a colour and a depth attachment may do. Within one, draws are ordered by the rasterizer
  // and by the application.
  void BeginInstance(const Command& command) {
    if (is_inside_) Complain("an instance inside of an instance");
    is_inside_ = true;
    group_ = kInstances + ++instances_;
    in_command_ = true;
    if (command.is_dynamic) {
      TouchAttachments();
    } else {
      TouchTransitions();
    }
    in_command_ = false;
    Commit();
    group_ = 0;
  }
  void EndInstance() {
    if (!is_inside_) Complain("the end of an instance that is not there");
    is_inside_ = false;
  }
  [[nodiscard]] bool is_inside() const { return is_inside_; }
  void CheckOutside(const std::string& what) {
    if (is_inside_) Complain(what + " inside of an instance");
  }

 private:
  // Addresses that nothing else has.
  static constexpr uint64_t kColor = 1, kDepth = 2, kStored = 3;
  static constexpr uint32_t kInstances = 0x80000000u;  // groups that no nodes have

  void TouchAttachments() {
    constexpr VkPipelineStageFlags kFragment = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    constexpr VkPipelineStageFlags kOutput = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    constexpr VkAccessFlags kDepthRead = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
    constexpr VkAccessFlags kDepthWrite = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    TouchOther(kColor, kOutput, VK_ACCESS_COLOR_ATTACHMENT_READ_BIT, false, "an instance loads or blends colour");
    TouchOther(kColor, kOutput, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, true, "an instance writes or stores colour");
    TouchOther(kColor, kFragment, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT, false, "a draw reads an input attachment");
    for (const VkPipelineStageFlags tests :
         {VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT, VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT}) {
      TouchOther(kDepth, tests, kDepthRead, false, "an instance loads or tests depth");
      TouchOther(kDepth, tests, kDepthWrite, true, "an instance writes or stores depth");
    }
    TouchOther(kStored, kFragment, kRead, false, "a draw reads what fragments write");
    TouchOther(kStored, kFragment, kWrite, true, "a draw writes what fragments read");
  }

  // Layout transitions of a render pass object, with external dependencies from and to all stages.
  void TouchTransitions() {
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    TouchOther(kColor, kAll, VK_ACCESS_MEMORY_READ_BIT, false, "a layout transition reads");
    TouchOther(kColor, kAll, VK_ACCESS_MEMORY_WRITE_BIT, true, "a layout transition writes");
  }

  void TouchOther(uint64_t place, VkPipelineStageFlags stage, VkAccessFlags access, bool write,
                  const std::string& what) {
    TouchAs(place, place + 1, stage, access, write, what);
  }

  bool is_inside_ = false;
  uint32_t instances_ = 0;
};

}  // namespace trellis::test
