// SPDX-License-Identifier: Apache-2.0
// Changes SPIR-V by whole instructions: bytes changed at random hardly ever pass the reader.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace trellis::fuzz {

// Changes one thing: an instruction is taken out, doubled, moved, or put in the place of another one; an operand
// becomes another id, a neighbour, a small number, or one that stands elsewhere; an opcode changes. Words whose
// instructions cannot be told apart stay as they are. At most `max_words` come out.
void MutateInstructions(std::vector<uint32_t>& words, size_t max_words, std::mt19937& random);

}  // namespace trellis::fuzz
