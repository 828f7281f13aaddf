// SPDX-License-Identifier: Apache-2.0
// The regions that a recorded graph has opened, and who has reported what they lost.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "meta_shaders/shared/kernel_plans.h"

namespace trellis::test {

class OpenRegions {
 public:
  void Open(uint64_t address, const shared::RegionPlan& plan) {
    open_[address] = plan;
    unreported_.insert({plan.level, plan.slot});
  }
  // Null if the Region at this address was not opened, or since then for another level than the one that consumes it
  // now.
  [[nodiscard]] shared::RegionPlan* Find(uint64_t address, uint32_t level) {
    const auto found = open_.find(address);
    return found != open_.end() && found->second.level == level ? &found->second : nullptr;
  }
  [[nodiscard]] const shared::RegionPlan* Find(uint64_t address) const {
    const auto found = open_.find(address);
    return found != open_.end() ? &found->second : nullptr;
  }
  // The level that consumes what `level` sends to a slot whose Region is at this address. Without one for the next
  // level it waits in the slot's only one.
  [[nodiscard]] uint32_t ConsumerOf(uint64_t address, uint32_t slot, uint32_t level) const {
    for (const auto& [place, plan] : open_)
      if (plan.slot == slot && plan.level == level + 1) return level + 1;
    const shared::RegionPlan* found = Find(address);
    return found != nullptr && found->level > level ? found->level : level + 1;
  }
  void Report(uint32_t level, uint32_t slot) { unreported_.erase({level, slot}); }
  [[nodiscard]] bool AllReported() const { return unreported_.empty(); }

 private:
  std::map<uint64_t, shared::RegionPlan> open_;         // by address of the Region, as it was opened last
  std::set<std::pair<uint32_t, uint32_t>> unreported_;  // level and slot
};

}  // namespace trellis::test
