// SPDX-License-Identifier: Apache-2.0
// Control flow of one function: successors, dominators, post-dominators in the graph without back edges, innermost
// loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/dominator_tree.h"
#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Built once; edits of the function make it stale. Blocks are named by their index in Function::blocks. Unreachable
// blocks dominate nothing and nothing dominates them. Linear memory; near-linear time; no recursion.
class ControlFlow {
 public:
  explicit ControlFlow(const Function& function);

  [[nodiscard]] bool Reachable(size_t block) const { return dominators_.Contains(block); }
  // Every path from the entry block to `b` passes through `a` (a block dominates itself).
  [[nodiscard]] bool Dominates(size_t a, size_t b) const { return dominators_.Dominates(a, b); }
  // With every back edge replaced by an edge to the function's exit: every path from `b` to the exit passes through
  // `a`. So, inside a loop: in every iteration that runs `b`, `a` runs too, later in the same iteration. Blocks that
  // end in OpKill, OpUnreachable, OpTerminateInvocation reach the exit as well.
  [[nodiscard]] bool PostDominatesInIteration(size_t a, size_t b) const { return post_dominators_.Dominates(a, b); }
  // Whether some path leads from the block back to it; irreducible loops count too.
  [[nodiscard]] bool InCycle(size_t block) const { return in_cycle_[block]; }
  // Header block index of the innermost natural loop that contains the block, or SIZE_MAX. Loops are those of back
  // edges: edges whose target dominates their source. Loops with the same header count as one; a header is in its own
  // loop.
  [[nodiscard]] size_t InnermostLoop(size_t block) const;
  [[nodiscard]] size_t BlockOf(Id label) const;  // SIZE_MAX if no block has the label
  // Blocks that `block` may go to, each once.
  [[nodiscard]] const std::vector<uint32_t>& Successors(size_t block) const { return successors_[block]; }

 private:
  void CollectSuccessors(const Function& function);
  void FindPostDominators();
  void FindLoops();
  void FindCycles();

  std::unordered_map<Id, size_t> block_of_;
  Adjacency successors_;
  DominatorTree dominators_;
  DominatorTree post_dominators_;  // of the reversed graph; the exit is the node behind the last block
  std::vector<bool> in_cycle_;
  std::vector<uint32_t> loop_;  // per block: header of the innermost loop
};

}  // namespace trellis::spirv
