// SPDX-License-Identifier: Apache-2.0
// Accesses of the commands of a stream, one command after the other, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "tests/replay/hazard_tracker.h"

namespace trellis::test {

class AccessLog {
 protected:
  static constexpr VkAccessFlags kRead = VK_ACCESS_SHADER_READ_BIT;
  static constexpr VkAccessFlags kWrite = VK_ACCESS_SHADER_WRITE_BIT;
  static constexpr VkAccessFlags kReadWrite = kRead | kWrite;

  void Complain(const std::string& text) { complaints_.push_back(text); }

  // Adds accesses of the command at hand. `access` with both bits is a read and a write.
  void Touch(uint64_t begin, uint64_t end, VkAccessFlags access, const std::string& what,
             VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VkAccessFlags access_bit = 0) {
    if (begin == end) return;
    Access one;
    one.begin = begin;
    one.end = end;
    one.stage = stage;
    one.group = group_;
    one.what = what;
    if (access & kRead) {
      one.write = false;
      one.access = access_bit ? access_bit : kRead;
      pending_.push_back(one);
    }
    if (access & kWrite) {
      one.write = true;
      one.access = kWrite;
      pending_.push_back(one);
    }
    if (!in_command_) Commit();
  }
  // The same for one access of another kind.
  void TouchAs(uint64_t begin, uint64_t end, VkPipelineStageFlags stage, VkAccessFlags access, bool write,
               const std::string& what) {
    Access one;
    one.begin = begin;
    one.end = end;
    one.stage = stage;
    one.access = access;
    one.write = write;
    one.group = group_;
    one.what = what;
    pending_.push_back(one);
    if (!in_command_) Commit();
  }
  void TouchIndirect(uint64_t begin, uint64_t end, const std::string& what) {
    Touch(begin, end, kRead, what, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
  }
  // The accesses of one command do not conflict with each other.
  void Commit() {
    for (const Access& access : pending_) tracker_.Check(access, complaints_);
    for (const Access& access : pending_) tracker_.Add(access);
    pending_.clear();
  }

  // Complains if the host, looking now, does not see what was written. It reads other words than those that commands
  // write later, so this is no access of its own.
  void CheckHostRead(uint64_t begin, uint64_t end, const std::string& what) {
    Access poll;
    poll.begin = begin;
    poll.end = end;
    poll.stage = VK_PIPELINE_STAGE_HOST_BIT;
    poll.access = VK_ACCESS_HOST_READ_BIT;
    poll.what = what;
    tracker_.Check(poll, complaints_);
  }

  HazardTracker tracker_;
  std::vector<std::string> complaints_;
  bool in_command_ = false;
  uint32_t group_ = 0;  // Access::group of what is touched next

 private:
  std::vector<Access> pending_;
};

}  // namespace trellis::test
