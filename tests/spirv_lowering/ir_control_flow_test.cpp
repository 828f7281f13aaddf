// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/control_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

using Graph = std::vector<std::vector<uint32_t>>;

constexpr Id kFirstLabel = 1000;

Instruction Terminator(const std::vector<uint32_t>& targets) {
  const auto label = [&](size_t i) { return kFirstLabel + targets[i]; };
  switch (targets.size()) {
    case 0:
      return {spv::Op::OpReturn, kNoId, kNoId, {}};
    case 1:
      return {spv::Op::OpBranch, kNoId, kNoId, {label(0)}};
    case 2:
      return {spv::Op::OpBranchConditional, kNoId, kNoId, {1, label(0), label(1)}};
    default:
      break;
  }
  std::vector<uint32_t> words = {1, label(0)};
  for (size_t i = 1; i < targets.size(); ++i) words.insert(words.end(), {static_cast<uint32_t>(i), label(i)});
  return {spv::Op::OpSwitch, kNoId, kNoId, words};
}

Function MakeFunction(const Graph& graph) {
  Function function;
  for (uint32_t block = 0; block < graph.size(); ++block)
    function.blocks.push_back({kFirstLabel + block, {Terminator(graph[block])}});
  return function;
}

ControlFlow FlowOf(const Graph& graph) { return ControlFlow(MakeFunction(graph)); }

TEST(ControlFlow, AnIfIsDominatedByItsHeadAndPostDominatedByItsMerge) {
  const ControlFlow flow = FlowOf({{1, 2}, {3}, {3}, {}});
  for (size_t block = 0; block < 4; ++block) {
    EXPECT_TRUE(flow.Dominates(0, block));
    EXPECT_TRUE(flow.Dominates(block, block));
    EXPECT_TRUE(flow.PostDominatesInIteration(3, block));
    EXPECT_EQ(flow.InnermostLoop(block), SIZE_MAX);
  }
  EXPECT_FALSE(flow.Dominates(1, 3));
  EXPECT_FALSE(flow.PostDominatesInIteration(1, 0));
}

TEST(ControlFlow, InALoopWhatFollowsRunsInTheSameIteration) {
  // 0 -> 1 (header) -> 2 -> 3 (continue) -> 1; 1 -> 4.
  const ControlFlow flow = FlowOf({{1}, {2, 4}, {3}, {1}, {}});
  EXPECT_EQ(flow.InnermostLoop(0), SIZE_MAX);
  EXPECT_EQ(flow.InnermostLoop(1), 1u);
  EXPECT_EQ(flow.InnermostLoop(2), 1u);
  EXPECT_EQ(flow.InnermostLoop(3), 1u);
  EXPECT_EQ(flow.InnermostLoop(4), SIZE_MAX);
  EXPECT_TRUE(flow.PostDominatesInIteration(3, 2));
  EXPECT_FALSE(flow.PostDominatesInIteration(4, 2)) << "the iteration may end without leaving the loop";
  EXPECT_FALSE(flow.PostDominatesInIteration(2, 1));
  EXPECT_TRUE(flow.PostDominatesInIteration(1, 0));
}

TEST(ControlFlow, AContinueSkipsTheRestOfTheIteration) {
  // 1: header, 2: if (..) continue, 3: rest, 4: continue target.
  const ControlFlow flow = FlowOf({{1}, {2, 5}, {4, 3}, {4}, {1}, {}});
  EXPECT_FALSE(flow.PostDominatesInIteration(3, 2));
  EXPECT_TRUE(flow.PostDominatesInIteration(4, 2));
  EXPECT_EQ(flow.InnermostLoop(3), 1u);
}

TEST(ControlFlow, ABreakSkipsTheContinueTarget) {
  const ControlFlow flow = FlowOf({{1}, {2}, {5, 3}, {4}, {1}, {}});
  EXPECT_FALSE(flow.PostDominatesInIteration(3, 2));
  EXPECT_TRUE(flow.PostDominatesInIteration(2, 1));
  EXPECT_EQ(flow.InnermostLoop(5), SIZE_MAX);
}

TEST(ControlFlow, AnEarlyReturnPassesByTheRest) {
  const ControlFlow flow = FlowOf({{1, 2}, {}, {3}, {}});
  EXPECT_FALSE(flow.PostDominatesInIteration(3, 0));
  EXPECT_TRUE(flow.PostDominatesInIteration(3, 2));
}

TEST(ControlFlow, KillAndUnreachableReachTheExit) {
  for (const spv::Op opcode : {spv::Op::OpKill, spv::Op::OpUnreachable, spv::Op::OpTerminateInvocation}) {
    Function function = MakeFunction({{1, 2}, {}, {3}, {}});
    function.blocks[1].body[0].opcode = opcode;
    const ControlFlow flow(function);
    EXPECT_FALSE(flow.PostDominatesInIteration(3, 0));
  }
}

TEST(ControlFlow, NestedLoopsHaveTheirOwnHeaders) {
  // 1: outer header, 2: inner header, 3: inner body and continue, 4: outer continue, 5: exit.
  const ControlFlow flow = FlowOf({{1}, {2, 5}, {3, 4}, {2}, {1}, {}});
  EXPECT_EQ(flow.InnermostLoop(3), 2u);
  EXPECT_EQ(flow.InnermostLoop(2), 2u);
  EXPECT_EQ(flow.InnermostLoop(4), 1u);
  EXPECT_EQ(flow.InnermostLoop(1), 1u);
  EXPECT_TRUE(flow.PostDominatesInIteration(4, 2) == false) << "the inner loop may go round again";
}

TEST(ControlFlow, SwitchesReachEveryCase) {
  const ControlFlow flow = FlowOf({{1, 2, 3}, {4}, {3}, {4}, {}});
  EXPECT_EQ(flow.Successors(0), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_TRUE(flow.PostDominatesInIteration(4, 0));
  EXPECT_TRUE(flow.PostDominatesInIteration(3, 2));
  EXPECT_FALSE(flow.Dominates(2, 3)) << "the case falls through, but is not the only way";
}

TEST(ControlFlow, SwitchesOnWideSelectorsToo) {
  const Module module = ReadTextOrFail(SampleText("control"));
  const Function& function = module.functions[0];
  const ControlFlow flow(function);
  ASSERT_EQ(function.blocks[0].body.back().opcode, spv::Op::OpSwitch);
  EXPECT_EQ(flow.Successors(0), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(flow.BlockOf(function.blocks[7].label), 7u);
  EXPECT_EQ(flow.BlockOf(1), SIZE_MAX);
  EXPECT_EQ(flow.InnermostLoop(6), 5u);
  EXPECT_EQ(flow.InnermostLoop(4), SIZE_MAX);
}

TEST(ControlFlow, CyclesOfEveryKind) {
  const auto in_cycle = [](const Graph& graph) {
    const ControlFlow flow = FlowOf(graph);
    std::string text;
    for (size_t block = 0; block < graph.size(); ++block) text += flow.InCycle(block) ? '1' : '0';
    return text;
  };
  EXPECT_EQ(in_cycle({{1, 2}, {3}, {3}, {}}), "0000");
  EXPECT_EQ(in_cycle({{1}, {2, 3}, {1}, {}}), "0110") << "a loop";
  EXPECT_EQ(in_cycle({{1}, {1, 2}, {}}), "010") << "a block that leads to itself";
  EXPECT_EQ(in_cycle({{1, 2}, {2}, {1, 3}, {}}), "0110") << "a loop with two entries";
  EXPECT_EQ(in_cycle({{1}, {2, 5}, {3, 4}, {2}, {1}, {}}), "011110") << "a loop in a loop";
  EXPECT_EQ(in_cycle({{3}, {2}, {1}, {}}), "0110") << "one that nothing reaches";
}

TEST(ControlFlow, UnreachableBlocksDominateNothing) {
  const ControlFlow flow = FlowOf({{2}, {2}, {}});
  EXPECT_FALSE(flow.Reachable(1));
  EXPECT_TRUE(flow.Reachable(2));
  EXPECT_FALSE(flow.Dominates(1, 2));
  EXPECT_FALSE(flow.Dominates(0, 1));
  EXPECT_FALSE(flow.Dominates(1, 1));
  EXPECT_FALSE(flow.PostDominatesInIteration(2, 1));
  EXPECT_TRUE(flow.Dominates(0, 2)) << "the edge from the unreachable block does not count";
}

TEST(ControlFlow, FunctionsWithoutBlocksHaveNone) {
  const ControlFlow flow = FlowOf({});
  EXPECT_EQ(flow.BlockOf(kFirstLabel), SIZE_MAX);
}

// Reachability by search, with one block taken out.
std::vector<bool> Reach(const Graph& graph, uint32_t from, uint32_t without) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<uint32_t> pending;
  if (from != without) pending.push_back(from);
  while (!pending.empty()) {
    const uint32_t block = pending.back();
    pending.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    for (const uint32_t next : graph[block]) {
      if (next != without) pending.push_back(next);
    }
  }
  return seen;
}

Graph RandomGraph(std::mt19937& random, uint32_t count) {
  Graph graph(count);
  for (uint32_t block = 0; block < count; ++block) {
    const uint32_t edges = random() % 4;
    // Mostly forward, as programs are.
    for (uint32_t i = 0; i < edges; ++i) {
      const bool forward = random() % 4 != 0 && block + 1 < count;
      graph[block].push_back(forward ? block + 1 + random() % (count - block - 1) : random() % count);
    }
  }
  return graph;
}

// Graph without back edges and with an exit node behind the last block.
Graph OneIteration(const Graph& graph, const ControlFlow& flow) {
  const auto exit = static_cast<uint32_t>(graph.size());
  Graph result(graph.size() + 1);
  for (uint32_t block = 0; block < exit; ++block) {
    if (graph[block].empty()) result[block].push_back(exit);
    for (const uint32_t next : graph[block]) result[block].push_back(flow.Dominates(next, block) ? exit : next);
  }
  return result;
}

TEST(ControlFlow, RandomGraphsAgreeWithTheDefinitions) {
  std::mt19937 random(20240229);
  for (int round = 0; round < 400; ++round) {
    const uint32_t count = 1 + random() % 12;
    const Graph graph = RandomGraph(random, count);
    const ControlFlow flow = FlowOf(graph);
    const std::vector<bool> reachable = Reach(graph, 0, UINT32_MAX);
    for (uint32_t a = 0; a < count; ++a) {
      const std::vector<bool> without = Reach(graph, 0, a);
      EXPECT_EQ(flow.Reachable(a), reachable[a]);
      for (uint32_t b = 0; b < count; ++b) {
        ASSERT_EQ(flow.Dominates(a, b), reachable[a] && reachable[b] && !without[b])
            << round << ": " << a << " over " << b;
      }
    }
    const Graph once = OneIteration(graph, flow);
    for (uint32_t b = 0; b < count; ++b) {
      if (!reachable[b] || !Reach(once, b, UINT32_MAX)[count]) continue;
      for (uint32_t a = 0; a < count; ++a) {
        const bool all_ends = Reach(once, a, UINT32_MAX)[count];
        if (!reachable[a] || !all_ends) continue;
        ASSERT_EQ(flow.PostDominatesInIteration(a, b), a == b || !Reach(once, b, a)[count])
            << round << ": " << a << " after " << b;
      }
    }
  }
}

// In a loop: reaches the header of a back edge without passing it again, and is dominated by it.
TEST(ControlFlow, RandomGraphsHaveNaturalLoops) {
  std::mt19937 random(4711);
  for (int round = 0; round < 400; ++round) {
    const uint32_t count = 1 + random() % 12;
    const Graph graph = RandomGraph(random, count);
    const ControlFlow flow = FlowOf(graph);
    for (uint32_t block = 0; block < count; ++block) {
      if (!flow.Reachable(block)) continue;
      // The innermost loop has the deepest header among the loops that hold the block.
      size_t innermost = SIZE_MAX;
      for (uint32_t header = 0; header < count; ++header) {
        if (!flow.Dominates(header, block)) continue;
        const std::vector<bool> from_block = Reach(graph, block, block == header ? UINT32_MAX : header);
        bool inside = false;
        for (uint32_t source = 0; source < count; ++source) {
          const bool back =
              flow.Dominates(header, source) && std::count(graph[source].begin(), graph[source].end(), header) > 0;
          inside = inside || (back && (from_block[source] || block == header));
        }
        if (inside && (innermost == SIZE_MAX || flow.Dominates(innermost, header))) innermost = header;
      }
      ASSERT_EQ(flow.InnermostLoop(block), innermost) << round << ", block " << block;
    }
  }
}

TEST(ControlFlow, LongAndDeepFunctionsTakeNoStackAndLittleTime) {
  constexpr uint32_t kCount = 200'000;
  // Every block may go on or leave: the last one has a predecessor at every depth of the dominator tree.
  Graph ladder(kCount);
  for (uint32_t block = 0; block + 1 < kCount; ++block) ladder[block] = {block + 1, kCount - 1};
  // Loops inside loops, 1000 deep.
  Graph nest(2000);
  for (uint32_t block = 0; block < 1000; ++block) nest[block] = {block + 1};
  for (uint32_t block = 1000; block + 1 < 2000; ++block) nest[block] = {block + 1, 1999 - block};
  const auto start = std::chrono::steady_clock::now();
  const ControlFlow flow = FlowOf(ladder);
  EXPECT_TRUE(flow.Dominates(0, kCount - 1));
  EXPECT_FALSE(flow.Dominates(kCount - 2, kCount - 1));
  EXPECT_TRUE(flow.PostDominatesInIteration(kCount - 1, 0));
  const ControlFlow loops = FlowOf(nest);
  EXPECT_EQ(loops.InnermostLoop(1000), 999u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace trellis::spirv
