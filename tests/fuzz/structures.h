// SPDX-License-Identifier: Apache-2.0
// Node modules that are large in one way each. Mutations of small seeds do not find what is slow.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace trellis::fuzz {

// Makes the words of a module with one entry point, "node". The time to read and lower it should grow with `size`
// alone.
using MakeStructure = std::vector<uint32_t> (*)(uint32_t size);

struct Structure {
  std::string name;
  MakeStructure make;
  uint32_t size;                 // that the tests ask for
  const char* refused_for = "";  // part of the message, if a module of that size is refused
};

[[nodiscard]] const std::vector<Structure>& Structures();

// One of them, of random size; at most `max_words`.
[[nodiscard]] std::vector<uint32_t> MakeAnyStructure(size_t max_words, std::mt19937& random);

// Follows an instruction that has a result by copies of that result, each of the one before, and lets later
// instructions use the last. Words without such an instruction stay as they are. At most `max_words` come out.
void InsertCopies(std::vector<uint32_t>& words, uint32_t count, size_t max_words, std::mt19937& random);

}  // namespace trellis::fuzz
