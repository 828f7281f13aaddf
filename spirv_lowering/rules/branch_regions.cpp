// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/branch_regions.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

}  // namespace

BranchRegions::BranchRegions(const Function& function)
    : function_(function), flow_(function), seen_by_(function.blocks.size(), 0) {
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    if (flow_.Reachable(block)) blocks_.push_back(block);
  }
  FindMeetingBlocks();
}

Adjacency BranchRegions::Reversed() const {
  const auto exit = static_cast<uint32_t>(function_.blocks.size());
  Adjacency reversed(function_.blocks.size() + 1);
  for (const uint32_t block : blocks_) {
    const std::vector<uint32_t>& successors = flow_.Successors(block);
    // What is never executed is no way out.
    const bool returns = successors.empty() && !function_.blocks[block].body.empty() &&
                         function_.blocks[block].body.back().opcode != spv::Op::OpUnreachable;
    if (returns) reversed[exit].push_back(block);
    for (const uint32_t successor : successors) reversed[successor].push_back(block);
  }
  return reversed;
}

void BranchRegions::FindMeetingBlocks() {
  const auto exit = static_cast<uint32_t>(function_.blocks.size());
  Adjacency reversed = Reversed();
  post_dominators_ = DominatorTree(reversed, exit);
  // A loop without an end: as if each of its blocks could leave.
  bool endless = false;
  for (const uint32_t block : blocks_) {
    if (post_dominators_.Contains(block) || flow_.InnermostLoop(block) == SIZE_MAX) continue;
    reversed[exit].push_back(block);
    endless = true;
  }
  if (endless) post_dominators_ = DominatorTree(reversed, exit);
  meeting_.assign(function_.blocks.size() + 1, kNowhere);
  std::vector<uint32_t> above;  // the nodes that dominate the current one
  for (const uint32_t node : post_dominators_.Order()) {
    while (!above.empty() && !post_dominators_.Dominates(above.back(), node)) above.pop_back();
    if (!above.empty()) meeting_[node] = above.back();
    above.push_back(node);
  }
}

BranchRegions::Region BranchRegions::From(size_t block) {
  Region region;
  const uint32_t meeting = meeting_[block];
  region.to_end = meeting == function_.blocks.size();
  ++calls_;
  std::vector<uint32_t> open;
  const auto reach = [&](const std::vector<uint32_t>& successors) {
    region.edges += successors.size();
    for (const uint32_t successor : successors) {
      if (successor == meeting || seen_by_[successor] == calls_ || !post_dominators_.Contains(successor)) continue;
      seen_by_[successor] = calls_;
      open.push_back(successor);
    }
  };
  reach(flow_.Successors(block));
  while (!open.empty()) {
    const uint32_t next = open.back();
    open.pop_back();
    region.blocks.push_back(next);
    reach(flow_.Successors(next));
  }
  region.loops = seen_by_[block] == calls_;
  return region;
}

}  // namespace trellis::spirv
