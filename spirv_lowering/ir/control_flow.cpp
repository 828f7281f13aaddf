// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/control_flow.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trellis::spirv {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

ControlFlow::ControlFlow(const Function& function) {
  for (size_t i = 0; i < function.blocks.size(); ++i) block_of_.emplace(function.blocks[i].label, i);
  CollectSuccessors(function);
  if (successors_.empty()) return;
  dominators_ = DominatorTree(successors_, 0);
  FindPostDominators();
  FindLoops();
  FindCycles();
}

void ControlFlow::CollectSuccessors(const Function& function) {
  successors_.resize(function.blocks.size());
  for (size_t i = 0; i < function.blocks.size(); ++i) {
    if (function.blocks[i].body.empty()) continue;
    const Instruction& terminator = function.blocks[i].body.back();
    std::vector<uint32_t>& targets = successors_[i];
    const auto add = [&](size_t operand) {
      const size_t target = BlockOf(terminator.operands[operand]);
      if (target != SIZE_MAX) targets.push_back(static_cast<uint32_t>(target));
    };
    switch (terminator.opcode) {
      case spv::Op::OpBranch:
        add(0);
        break;
      case spv::Op::OpBranchConditional:
        add(1);
        add(2);
        break;
      case spv::Op::OpSwitch:
        for (size_t at = 1; at < terminator.operands.size(); at += terminator.case_words + 1) add(at);
        break;
      default:
        break;
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  }
}

void ControlFlow::FindPostDominators() {
  const auto exit = static_cast<uint32_t>(successors_.size());
  Adjacency reversed(successors_.size() + 1);
  for (uint32_t block = 0; block < exit; ++block) {
    if (!dominators_.Contains(block)) continue;
    if (successors_[block].empty()) reversed[exit].push_back(block);
    for (const uint32_t successor : successors_[block]) {
      reversed[dominators_.Dominates(successor, block) ? exit : successor].push_back(block);
    }
  }
  post_dominators_ = DominatorTree(reversed, exit);
}

// Innermost loops first: a header comes after all that dominate it, so walking that order backwards meets inner headers
// before outer ones. Each block joins the loop that first reaches it, and stands for it from then on through the
// header: every block joins once.
void ControlFlow::FindLoops() {
  Adjacency predecessors(successors_.size());
  for (uint32_t block = 0; block < successors_.size(); ++block) {
    if (!dominators_.Contains(block)) continue;
    for (const uint32_t successor : successors_[block]) predecessors[successor].push_back(block);
  }
  loop_.assign(successors_.size(), kNone);
  // Disjoint sets of blocks; a loop's blocks are represented by its header once the loop is known.
  std::vector<uint32_t> parent(successors_.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto representative = [&](uint32_t block) {
    while (parent[block] != block) block = parent[block] = parent[parent[block]];
    return block;
  };
  const std::vector<uint32_t>& order = dominators_.Order();
  for (size_t i = order.size(); i-- > 0;) {
    const uint32_t header = order[i];
    std::vector<uint32_t> pending;
    const auto reach = [&](uint32_t from) {
      const uint32_t block = representative(from);
      if (block == header || !dominators_.Dominates(header, block)) return;
      if (loop_[block] != block) loop_[block] = header;
      parent[block] = header;
      pending.push_back(block);
    };
    for (const uint32_t source : predecessors[header]) {
      if (!dominators_.Dominates(header, source)) continue;
      loop_[header] = header;
      reach(source);
    }
    while (!pending.empty()) {
      const uint32_t block = pending.back();
      pending.pop_back();
      for (const uint32_t source : predecessors[block]) reach(source);
    }
  }
}

// Tarjan's strongly connected components, without recursion. A block is in a cycle if its component has others too, or
// if it leads to itself.
void ControlFlow::FindCycles() {
  const size_t count = successors_.size();
  struct Open {
    uint32_t block;
    size_t next = 0;  // of its successors
  };
  std::vector<uint32_t> number(count, kNone), lowest(count);
  std::vector<bool> pending(count);  // in `component`
  std::vector<uint32_t> component;
  std::vector<Open> stack;
  uint32_t numbers = 0;
  in_cycle_.assign(count, false);
  const auto enter = [&](uint32_t block) {
    number[block] = lowest[block] = numbers++;
    pending[block] = true;
    component.push_back(block);
    stack.push_back({block});
  };
  for (uint32_t root = 0; root < count; ++root) {
    if (number[root] == kNone) enter(root);
    while (!stack.empty()) {
      const uint32_t block = stack.back().block;
      if (stack.back().next < successors_[block].size()) {
        const uint32_t successor = successors_[block][stack.back().next++];
        if (successor == block) in_cycle_[block] = true;
        if (number[successor] == kNone)
          enter(successor);
        else if (pending[successor])
          lowest[block] = std::min(lowest[block], number[successor]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) lowest[stack.back().block] = std::min(lowest[stack.back().block], lowest[block]);
      if (lowest[block] != number[block]) continue;
      const bool alone = component.back() == block;
      for (uint32_t member = kNone; member != block;) {
        member = component.back();
        component.pop_back();
        pending[member] = false;
        if (!alone) in_cycle_[member] = true;
      }
    }
  }
}

size_t ControlFlow::InnermostLoop(size_t block) const { return loop_[block] == kNone ? SIZE_MAX : loop_[block]; }

size_t ControlFlow::BlockOf(Id label) const {
  const auto found = block_of_.find(label);
  return found != block_of_.end() ? found->second : SIZE_MAX;
}

}  // namespace trellis::spirv
