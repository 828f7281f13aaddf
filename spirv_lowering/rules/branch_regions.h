// SPDX-License-Identifier: Apache-2.0
// Which blocks invocations reach apart from each other once a branch has parted them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "spirv_lowering/ir/control_flow.h"
#include "spirv_lowering/ir/dominator_tree.h"
#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Covers one function; edits make it stale. Blocks are named by their index in Function::blocks.
class BranchRegions {
 public:
  explicit BranchRegions(const Function& function);

  struct Region {
    std::vector<uint32_t> blocks;
    bool loops = false;   // back to the branch itself: some invocations may take it more often than others
    bool to_end = false;  // invocations may meet again nowhere in the function
    size_t edges = 0;     // number of branch targets that were looked at
  };
  // Returns the blocks between `block` and the one where all paths from it meet again.
  [[nodiscard]] Region From(size_t block);

  // Reachable blocks, in the order of the function.
  [[nodiscard]] const std::vector<uint32_t>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<uint32_t>& Successors(size_t block) const { return flow_.Successors(block); }
  [[nodiscard]] size_t BlockOf(Id label) const { return flow_.BlockOf(label); }  // SIZE_MAX if no block has the label

 private:
  void FindMeetingBlocks();
  [[nodiscard]] Adjacency Reversed() const;

  const Function& function_;
  ControlFlow flow_;
  std::vector<uint32_t> blocks_;
  DominatorTree post_dominators_;  // the exit is the node behind the last block
  std::vector<uint32_t> meeting_;  // per block: where all ways from it meet; kNowhere for blocks that reach no exit
  std::vector<uint32_t> seen_by_;  // per block: the last call of From that came to it
  uint32_t calls_ = 0;             // of From
};

}  // namespace trellis::spirv
