// SPDX-License-Identifier: Apache-2.0
// Pieces of memory with words between them that nobody may write.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "layer/memory/plan_arena.h"

namespace trellis::test {

class GuardedMemory {
 public:
  static constexpr uint32_t kGuardWord = 0xa5a5a5a5;
  static constexpr size_t kGuardBytes = 4096;  // before, between and behind the pieces

  explicit GuardedMemory(const PlanSpan& memory) : memory_(memory), next_(kGuardBytes) {
    std::memset(memory.host, kGuardWord & 0xff, memory.size);
  }

  // A piece that begins with guard words too, at a multiple of 64.
  PlanSpan Take(size_t bytes) {
    const PlanSpan piece = {memory_.host + next_, memory_.address + next_, bytes};
    pieces_.push_back({next_, next_ + bytes});
    next_ += (bytes + 63) / 64 * 64 + kGuardBytes;
    EXPECT_LE(next_, memory_.size) << "the test needs more memory";
    return piece;
  }
  template <typename T>
  PlanSpan Take(const std::vector<T>& values) {
    const PlanSpan piece = Take(values.size() * sizeof(T));
    piece.Store(0, std::span<const T>(values));
    return piece;
  }

  // Empty if all words outside of the pieces are as they were, else where one is not.
  [[nodiscard]] std::string WhereWritten() const {
    size_t at = 0;
    for (const Piece& piece : pieces_) {
      if (std::string found = WhereWritten(at, piece.begin); !found.empty()) return found;
      at = piece.end;
    }
    return WhereWritten(at, memory_.size);
  }

 private:
  struct Piece {
    size_t begin;
    size_t end;
  };

  [[nodiscard]] std::string WhereWritten(size_t begin, size_t end) const {
    for (size_t at = begin; at < end; ++at) {
      if (memory_.host[at] != static_cast<std::byte>(kGuardWord & 0xff))
        return "byte " + std::to_string(at - begin) + " of those from " + std::to_string(begin);
    }
    return {};
  }

  PlanSpan memory_;
  size_t next_;
  std::vector<Piece> pieces_;
};

}  // namespace trellis::test
