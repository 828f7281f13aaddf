// SPDX-License-Identifier: Apache-2.0
// Rewriting of a block's instructions into a buffer that the next block uses again.
#pragma once

#include <iterator>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Moves `instructions` into the block, in the place of its own, and leaves them empty. They keep their memory for the
// next block. The block has no room to spare: in many small blocks that would exceed the instructions.
inline void ReplaceBody(BasicBlock& block, std::vector<Instruction>& instructions) {
  std::vector<Instruction>().swap(block.body);
  block.body.reserve(instructions.size());
  block.body.assign(std::make_move_iterator(instructions.begin()), std::make_move_iterator(instructions.end()));
  instructions.clear();
}

}  // namespace trellis::spirv
