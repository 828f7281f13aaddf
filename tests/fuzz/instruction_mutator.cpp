// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/instruction_mutator.h"

#include <algorithm>
#include <optional>
#include <span>

namespace trellis::fuzz {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr size_t kBound = 3;  // index of the header's word

struct Piece {
  size_t begin = 0;
  size_t end = 0;
};

// Nothing if the words do not divide into instructions.
std::optional<std::vector<Piece>> Divide(std::span<const uint32_t> words) {
  std::vector<Piece> pieces;
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t count = words[at] >> 16;
    if (count == 0 || at + count > words.size()) return std::nullopt;
    pieces.push_back({at, at + count});
    at += count;
  }
  return pieces;
}

class Mutation {
 public:
  Mutation(std::vector<uint32_t>& words, std::span<const Piece> pieces, std::mt19937& random)
      : words_(words), pieces_(pieces), random_(random) {}

  void Run() {
    switch (Below(8)) {
      case 0:
        return Erase(Any());
      case 1:
        return Insert(Any().begin, Copy(Any()));
      case 2:
        return Replace(Any(), Copy(Any()));
      case 3:
        return SwapWithNext();
      case 4:
        return ChangeOpcode(Any());
      default:
        return ChangeOperand(Any());
    }
  }

 private:
  [[nodiscard]] uint32_t Below(size_t limit) { return static_cast<uint32_t>(random_() % std::max<size_t>(limit, 1)); }
  [[nodiscard]] Piece Any() { return pieces_[Below(pieces_.size())]; }
  [[nodiscard]] std::vector<uint32_t> Copy(Piece piece) const {
    return {words_.begin() + static_cast<std::ptrdiff_t>(piece.begin),
            words_.begin() + static_cast<std::ptrdiff_t>(piece.end)};
  }

  void Erase(Piece piece) {
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                 words_.begin() + static_cast<std::ptrdiff_t>(piece.end));
  }
  void Insert(size_t at, const std::vector<uint32_t>& instruction) {
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at), instruction.begin(), instruction.end());
  }
  void Replace(Piece piece, const std::vector<uint32_t>& instruction) {
    Erase(piece);
    Insert(piece.begin, instruction);
  }
  void SwapWithNext() {
    if (pieces_.size() < 2) return;
    const size_t first = Below(pieces_.size() - 1);
    std::rotate(words_.begin() + static_cast<std::ptrdiff_t>(pieces_[first].begin),
                words_.begin() + static_cast<std::ptrdiff_t>(pieces_[first + 1].begin),
                words_.begin() + static_cast<std::ptrdiff_t>(pieces_[first + 1].end));
  }
  // To that of another instruction, or to a neighbour: those of one kind lie side by side.
  void ChangeOpcode(Piece piece) {
    const uint32_t opcode = Below(2) ? words_[Any().begin] : words_[piece.begin] + (Below(2) ? 1 : ~0u);
    words_[piece.begin] = (words_[piece.begin] & 0xffff0000u) | (opcode & 0xffffu);
  }
  void ChangeOperand(Piece piece) {
    if (piece.end - piece.begin < 2) return;
    uint32_t& word = words_[piece.begin + 1 + Below(piece.end - piece.begin - 1)];
    const Piece other = Any();
    switch (Below(6)) {
      case 0:
        word = Below(words_[kBound]);
        break;
      case 1:
        word = words_[other.begin + Below(other.end - other.begin)];
        break;
      case 2:
        word += Below(2) ? 1 : ~0u;
        break;
      case 3:
        word = Below(16);
        break;
      case 4:
        word ^= 1u << Below(32);
        break;
      default:
        word = static_cast<uint32_t>(random_());
        break;
    }
  }

  std::vector<uint32_t>& words_;
  const std::span<const Piece> pieces_;
  std::mt19937& random_;
};

}  // namespace

void MutateInstructions(std::vector<uint32_t>& words, size_t max_words, std::mt19937& random) {
  if (words.size() <= kHeaderWords) return;
  const std::optional<std::vector<Piece>> pieces = Divide(words);
  if (!pieces || pieces->empty()) return;
  Mutation(words, *pieces, random).Run();
  words.resize(std::min(words.size(), max_words));
}

}  // namespace trellis::fuzz
