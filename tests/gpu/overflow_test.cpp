// More payloads than the ring may hold, and nothing that bounds them on the host: they are lost, counted and reported,
// and nothing else is touched.
#include <gtest/gtest.h>

#include "tests/gpu/flood_module.h"
#include "tests/gpu/small_ring.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Overflow = SmallRingTest;

// Why the graph does not run in steps, where it would lose nothing.
enum class Unbounded : uint8_t { kInfos, kGrids };

void Flood(Context& context, Launch launch, Scope scope, bool heap, Unbounded unbounded) {
  constexpr uint32_t kWorkgroups = 1000;
  constexpr uint32_t kSent = kWorkgroups * 64;  // of 256 bytes: 16 MiB
  const bool open = unbounded == Unbounded::kGrids;
  const size_t reported_before = context.messages.Find(kRecordsLost).size();
  GraphRun run(context, {.submits = 2, .command = open ? DispatchCommand::kHost : DispatchCommand::kIndirect});
  const std::string module = FloodModule(kWorkgroups, launch, scope, heap, open);
  run.Nodes(module, {"Root", "Leaf"});
  if (open) run.Node({.text = module, .entry = OpenNode::kName});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  // Both executions placed the same number of records and no fewer than half of the budget would hold, none of them
  // damaged.
  const auto words = run.Words();
  EXPECT_GT(words[0], 2 * 500u);
  EXPECT_LT(words[0], 2 * kSent);
  EXPECT_EQ(words[1], 0u);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 1000; ++i) sum += words[2 + i];
  EXPECT_EQ(sum, words[0]);
  vkDeviceWaitIdle(context.device);
  EXPECT_GT(context.messages.Find(kRecordsLost).size(), reported_before);
}

void Flood(Context& context, Launch launch, Scope scope, bool heap) {
  for (const Unbounded unbounded : {Unbounded::kInfos, Unbounded::kGrids}) {
    SCOPED_TRACE(unbounded == Unbounded::kInfos ? "infos on the device" : "grids without a bound");
    Flood(context, launch, scope, heap, unbounded);
  }
}

TEST_F(Overflow, ThreadRecords) { Flood(context(), Launch::kCoalescing, Scope::kInvocation, false); }

TEST_F(Overflow, WorkgroupArrays) { Flood(context(), Launch::kCoalescing, Scope::kWorkgroup, false); }

TEST_F(Overflow, DynamicGrids) { Flood(context(), Launch::kDynamicGrid, Scope::kInvocation, false); }

TEST_F(Overflow, StaticGrids) { Flood(context(), Launch::kStaticGrid, Scope::kWorkgroup, false); }

TEST_F(Overflow, EnqueuedThroughTheHeap) { Flood(context(), Launch::kCoalescing, Scope::kWorkgroup, true); }

// A graph that fits, after one that did not, on the same device: nothing is left over.
TEST_F(Overflow, TheNextGraphIsUnharmed) {
  {
    GraphRun flood(context(), {.command = DispatchCommand::kIndirect});
    flood.Nodes(FloodModule(1000, Launch::kCoalescing, Scope::kInvocation, false), {"Root", "Leaf"});
    flood.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(flood.Execute());
  }
  vkDeviceWaitIdle(context().device);
  context().messages.Clear();
  GraphRun run(context(), {.words = 2048});
  run.Nodes(FloodModule(10, Launch::kCoalescing, Scope::kInvocation, false), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_EQ(run.Words()[0], 640u);
  EXPECT_EQ(run.Words()[1], 0u);
  EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
}

}  // namespace
}  // namespace trellis::test
