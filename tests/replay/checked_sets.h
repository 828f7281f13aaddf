// SPDX-License-Identifier: Apache-2.0
// Prepared regions in recorded streams: which of the two sets a graph uses, and whether it turns to the other one.
#pragma once

#include <cstdint>
#include <map>

#include "meta_shaders/shared/graph_data.h"
#include "tests/replay/checked_memory.h"

namespace trellis::test {

// Addresses of AlternatingRegions come with their bit or without. Graphs of one stream use sets in turns, as executions
// of it would.
class PreparedSets {
 public:
  [[nodiscard]] static uint64_t HeaderOf(uint64_t prepared) { return prepared & ~uint64_t{shared::kAlternating}; }
  // The Region[] that the graph at hand uses, and that of the next one.
  [[nodiscard]] uint64_t Current(uint64_t prepared) const { return SetOf(prepared, IsTurned(prepared) ? 1 : 0); }
  [[nodiscard]] uint64_t Other(uint64_t prepared) const { return SetOf(prepared, IsTurned(prepared) ? 0 : 1); }

  // The set of the first execution is not current.
  [[nodiscard]] bool IsTurned(uint64_t prepared) const {
    const auto found = executions_.find(HeaderOf(prepared));
    return found != executions_.end() && found->second % 2 != 0;
  }

  // From now until Leave: the graph at hand has these.
  void Enter(uint64_t prepared) { at_hand_ = prepared; }
  [[nodiscard]] uint64_t at_hand() const { return at_hand_; }
  void Turn(uint64_t prepared) { turns_ = prepared == at_hand_; }
  // False: the graph did not turn to the other set, and so the next one would find what it left.
  [[nodiscard]] bool Leave() {
    const bool is_good = at_hand_ == 0 || turns_;
    if (turns_) ++executions_[HeaderOf(at_hand_)];
    last_ = at_hand_;
    at_hand_ = 0;
    turns_ = false;
    return is_good;
  }

  [[nodiscard]] bool IsOfCurrent(uint64_t region) const {
    return at_hand_ != 0 && IsIn(at_hand_, Current(at_hand_), region);
  }
  [[nodiscard]] bool IsOfOther(uint64_t region) const {
    return at_hand_ != 0 && IsIn(at_hand_, Other(at_hand_), region);
  }
  // The same, of the graph that was left last, for its draws.
  [[nodiscard]] bool WasOfOther(uint64_t region) const { return last_ != 0 && IsIn(last_, Current(last_), region); }

 private:
  [[nodiscard]] static const shared::AlternatingRegions& Header(uint64_t prepared) {
    return At<shared::AlternatingRegions>(HeaderOf(prepared));
  }
  // As the host wrote it, nothing executes here.
  [[nodiscard]] static uint64_t SetOf(uint64_t prepared, uint32_t set) {
    const uint64_t first = HeaderOf(prepared) + sizeof(shared::AlternatingRegions);
    return first + (set == 0 ? Header(prepared).current : Header(prepared).other);
  }
  [[nodiscard]] static bool IsIn(uint64_t prepared, uint64_t set, uint64_t region) {
    return region >= set && region < set + Header(prepared).other;
  }

  std::map<uint64_t, uint32_t> executions_;  // that have ended, by address of the header
  uint64_t at_hand_ = 0;
  uint64_t last_ = 0;
  bool turns_ = false;
};

}  // namespace trellis::test
