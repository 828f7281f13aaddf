// SPDX-License-Identifier: Apache-2.0
// The word that a misspelt one was meant to be, for messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

// Fewest insertions, deletions and replacements of letters, and swaps of neighbours, that make one word of the other.
[[nodiscard]] inline size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> before_last, last(to.size() + 1), row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last[to.size()];
}

// The candidate that differs from `word` in a third of its letters at most, and least; else one that begins with
// `word`, if that has three letters or more. Empty if there is none. The view is into `candidates`.
template <typename Candidates>
[[nodiscard]] std::string_view NearestWord(std::string_view word, const Candidates& candidates) {
  std::string_view nearest;
  size_t least = word.size() / 3 + 1;
  for (const std::string_view candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty() || word.size() < 3) return nearest;
  for (const std::string_view candidate : candidates) {
    if (candidate.starts_with(word)) return candidate;
  }
  return {};
}

}  // namespace trellis
