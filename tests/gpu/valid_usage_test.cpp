// SPDX-License-Identifier: Apache-2.0
// The setting `validate`: rules that only the device can see broken, and graphs that keep them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

// A device of its own with the setting. Messages that a test does not expect make it fail.
class ValidUsage : public testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    context_ = Context::Create(error, {.settings = {{"TRELLIS_VALIDATE", "1"}}});
    ASSERT_NE(context_, nullptr) << error;
  }
  void TearDown() override {
    if (context_ == nullptr) return;
    context_->DestroyDevice();
    ReportUnexpectedMessages(*context_);
  }

  [[nodiscard]] Context& context() const { return *context_; }

  // The text of the one message with this id.
  [[nodiscard]] std::string MessageOf(const std::string& id) const {
    vkDeviceWaitIdle(context_->device);
    const std::vector<Message> messages = context_->messages.Find(id);
    EXPECT_EQ(messages.size(), 1u) << id;
    return messages.empty() ? "" : messages.front().text;
  }

 private:
  std::unique_ptr<Context> context_;
};

// Both commands that make the device read infos, with the names of their rules.
struct IndirectCommand {
  DispatchCommand command;
  std::string name;
  std::string payload_stride;  // rule
};
const IndirectCommand kIndirectCommands[] = {
    {DispatchCommand::kIndirect, "vkCmdDispatchGraphIndirectAMDX", "pCountInfo-09158"},
    {DispatchCommand::kIndirectCount, "vkCmdDispatchGraphIndirectCountAMDX", "countInfo-09170"},
};

// "Leaf" takes {index, value}: words[index] += value.
std::string LeafModule() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  AddCoalescingLeaf(m, "Leaf", words, LeafRecord(m), 64);
  return m.Text();
}

TEST_F(ValidUsage, PayloadsThatOverlapOnTheDevice) {
  for (const IndirectCommand& indirect : kIndirectCommands) {
    for (const uint64_t stride : {4, 8}) {
      const std::string vuid = "VUID-" + indirect.name + "-" + indirect.payload_stride;
      if (stride == 4) context().messages.Expect(vuid);
      GraphRun run(context(), {.command = indirect.command});
      run.Nodes(LeafModule(), {"Leaf"});
      run.Input({.node = "Leaf", .count = 2, .payloads = Bytes({3, 4, 5, 6}), .stride = stride});
      ASSERT_TRUE(run.Execute());
      // Read all the same.
      EXPECT_TRUE(
          run.Matches(stride == 4 ? std::vector<uint32_t>{0, 0, 0, 4, 5} : std::vector<uint32_t>{0, 0, 0, 4, 0, 6}));
      if (stride == 8) continue;
      const std::string text = MessageOf(vuid);
      EXPECT_NE(text.find(indirect.name + "(): 1 infos"), std::string::npos) << text;
      context().messages.Clear();
    }
  }
}

TEST_F(ValidUsage, InfosWithoutPayloadsAreIgnored) {
  constexpr const char* kInput = "TRELLIS-graph-dispatch-input";
  for (const IndirectCommand& indirect : kIndirectCommands) {
    context().messages.Expect(kInput);
    GraphRun run(context(), {.command = indirect.command});
    run.Nodes(LeafModule(), {"Leaf"});
    run.Input({.node = "Leaf", .count = 9}).Input({.node = "Leaf", .payloads = Bytes({3, 4}), .stride = 8});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches({0, 0, 0, 4}));
    const std::string text = MessageOf(kInput);
    EXPECT_NE(text.find("VUID-" + indirect.name), std::string::npos) << text;
    context().messages.Clear();
  }
}

// "Root" sends {grid.x, grid.y, grid.z} to "Grid", whose bound is 4 in each component; it counts its workgroups in
// words[0].
std::string GridModule(const std::array<uint32_t, 3>& grid) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id uvec3 = m.Vector(m.Uint(), 3);
  const Id record = m.Struct({{uvec3, 0, true}});
  const Payload to = m.Output("Grid", record);
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 1);
  for (uint32_t i = 0; i < 3; ++i) m.Store(m.Field(records, m.Uint(), 0, {0, i}), m.Constant(grid[i]));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Grid", .grid = {4, 4, 4}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, 0, 1);
  m.EndNode();
  return m.Text();
}

TEST_F(ValidUsage, GridsThatNodesAskForKeepToTheirBounds) {
  constexpr const char* kRule = "maxComputeWorkGroupCount-09186";
  for (const std::array<uint32_t, 3>& grid : {std::array<uint32_t, 3>{4, 3, 5}, {4, 3, 4}}) {
    const bool wrong = grid[2] > 4;
    if (wrong) context().messages.Expect(kRule);
    GraphRun run(context(), {.command = DispatchCommand::kHost});
    run.Nodes(GridModule(grid), {"Root", "Grid"});
    run.Input({.node = "Root"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches({4 * 3 * 4}));
    if (!wrong) continue;
    const std::string text = MessageOf(kRule);
    for (const char* part : {"vkCmdDispatchGraphAMDX(): 1 payloads", "Grid[0] in level 1", "up to 5", "{4, 4, 4}"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
    context().messages.Clear();
  }
}

// "Root", `local_size` invocations in each of 10 workgroups, allocates `count` payloads of `max_payloads` for "Leaf"
// and writes the first of them. `index`: of the node; there is only Leaf[0].
struct AllocationCase {
  Scope scope = Scope::kWorkgroup;
  uint32_t local_size = 1;
  uint32_t count = 1;
  uint32_t max_payloads = 1;
  uint32_t index = 0;
  bool is_thread_node = false;  // 10 records instead of 10 workgroups
};

std::string AllocationModule(const AllocationCase& c) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = c.max_payloads, .sparse = true});
  if (c.is_thread_node)
    m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  else
    m.BeginNode({.name = "Root",
                 .launch = Launch::kStaticGrid,
                 .local_size = {c.local_size, 1, 1},
                 .grid = {10, 1, 1},
                 .shader_index = 0});
  // No constants: such counts are refused when the graph is made, and workgroups do not aggregate for such indices.
  const Id zero = m.LoadWord(words, 1);
  const Id count = m.Add(zero, c.count);
  const Records records = m.Allocate(to, c.scope, count, m.Add(zero, c.index));
  m.For(std::min(c.count, c.max_payloads), [&](const Id& i) { SetLeaf(m, records, i, 0, 1); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  return m.Text();
}

// Each allocation is cut to the maximum. What all invocations of a workgroup take together may find no room.
void RunAllocations(Context& context, const AllocationCase& c) {
  GraphRun run(context);
  run.Nodes(AllocationModule(c), {"Root", "Leaf"});
  if (c.is_thread_node)
    run.Input({.node = "Root", .count = 10, .payloads = std::vector<uint8_t>(80), .stride = 8});
  else
    run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  const uint32_t each = std::min(c.count, c.max_payloads);
  const uint32_t sent = c.index != 0 ? 0 : 10 * (c.scope == Scope::kWorkgroup ? each : each * c.local_size);
  const uint32_t room = 10 * c.max_payloads;
  const uint32_t arrived = run.Words()[0];
  EXPECT_LE(arrived, sent);
  EXPECT_GE(arrived, sent <= room ? sent : 1);
  EXPECT_TRUE(run.Matches({arrived}));
}

TEST_F(ValidUsage, AllocationsWithinTheirLimit) {
  for (const AllocationCase& c :
       {AllocationCase{Scope::kWorkgroup, 64, 5, 5}, AllocationCase{Scope::kInvocation, 64, 1, 64},
        AllocationCase{Scope::kInvocation, 1, 3, 3}, AllocationCase{Scope::kInvocation, 40, 2, 80},
        AllocationCase{Scope::kWorkgroup, 1, 0, 1}, AllocationCase{Scope::kInvocation, 1, 3, 3, 0, true}})
    RunAllocations(context(), c);
}

TEST_F(ValidUsage, AllocationsBeyondTheirLimit) {
  struct Row {
    AllocationCase allocation;
    const char* payloads;  // in the message
  };
  const Row rows[] = {
      {{Scope::kWorkgroup, 64, 6, 5}, "up to 6 payloads"},
      {{Scope::kInvocation, 1, 4, 3}, "up to 4 payloads"},
      {{Scope::kInvocation, 64, 1, 63}, "up to 64 payloads"},
      {{Scope::kInvocation, 40, 2, 79}, "up to 80 payloads"},
      {{Scope::kWorkgroup, 1, 2, 1}, "up to 2 payloads"},
      {{Scope::kInvocation, 1, 4, 3, 0, true}, "up to 4 payloads"},
  };
  for (const Row& row : rows) {
    context().messages.Expect("NodeMaxPayloadsAMDX-09188");
    context().messages.Expect("TRELLIS-records-lost");
    RunAllocations(context(), row.allocation);
    const std::string text = MessageOf("NodeMaxPayloadsAMDX-09188");
    for (const char* part : {"10 allocations", row.payloads, "for node Leaf[0] by Root[0]"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
    context().messages.Clear();
  }
}

TEST_F(ValidUsage, PayloadsWithoutANodeAreCounted) {
  for (const AllocationCase& c :
       {AllocationCase{Scope::kWorkgroup, 64, 5, 5, 3}, AllocationCase{Scope::kInvocation, 5, 1, 5, 3},
        AllocationCase{Scope::kInvocation, 1, 5, 5, 3}, AllocationCase{Scope::kInvocation, 64, 1, 64, 3},
        AllocationCase{Scope::kInvocation, 1, 5, 5, 3, true}}) {
    RunAllocations(context(), c);
    const std::string text = MessageOf("TRELLIS-no-such-node");
    const uint32_t invocations = c.scope == Scope::kInvocation ? 10 * c.local_size : 10;
    EXPECT_NE(text.find(std::to_string(invocations * c.count) + " payloads"), std::string::npos) << text;
    context().messages.Clear();
  }
}

}  // namespace
}  // namespace trellis::test
