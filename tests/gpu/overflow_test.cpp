// SPDX-License-Identifier: Apache-2.0
// More payloads than the ring may hold, and nothing that bounds them on the host: they are lost, counted and reported,
// and nothing else is touched.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/gpu/flood_module.h"
#include "tests/gpu/small_ring.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

// Why the graph does not run in steps, where it would lose nothing.
enum class Unbounded : uint8_t { kInfos, kGrids };

class Overflow : public SmallRingTest {
 protected:
  void Flood(Launch launch, Scope scope, bool heap) {
    for (const Unbounded unbounded : {Unbounded::kInfos, Unbounded::kGrids}) {
      SCOPED_TRACE(unbounded == Unbounded::kInfos ? "infos on the device" : "grids without a bound");
      Flood(launch, scope, heap, unbounded);
    }
  }

 private:
  static constexpr uint32_t kSubmits = 2;
  static constexpr uint32_t kSent = 1000 * 64;  // records of 256 bytes for each submission: 16 MiB

  void Flood(Launch launch, Scope scope, bool heap, Unbounded unbounded) {
    const bool open = unbounded == Unbounded::kGrids;
    const uint32_t lost_before = LostRecords();
    GraphRun run(context(),
                 {.submits = kSubmits, .command = open ? DispatchCommand::kHost : DispatchCommand::kIndirect});
    const std::string module = FloodModule(1000, launch, scope, heap, open);
    run.Nodes(module, {"Root", "Leaf"});
    if (open) run.Node({.text = module, .entry = OpenNode::kName});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute());
    const auto words = run.Words();
    // Where all workgroups take from the heap before the first one enqueues, only dense records find a place.
    EXPECT_GT(words[0], kSubmits * (heap ? 100u : 500u)) << "a part of the ring has room for more";
    EXPECT_LE(words[0], kSubmits * 4096u) << "more than the ring of 1 MiB has room for";
    EXPECT_EQ(words[1], 0u) << "damaged";
    EXPECT_EQ(std::accumulate(words.begin() + 2, words.begin() + 1002, 0u), words[0]);
    EXPECT_EQ(words[0] + LostRecords() - lost_before, kSubmits * kSent) << "every record arrives or is reported";
  }
};

TEST_F(Overflow, ThreadRecords) { Flood(Launch::kCoalescing, Scope::kInvocation, false); }

TEST_F(Overflow, WorkgroupArrays) { Flood(Launch::kCoalescing, Scope::kWorkgroup, false); }

TEST_F(Overflow, DynamicGrids) { Flood(Launch::kDynamicGrid, Scope::kInvocation, false); }

TEST_F(Overflow, StaticGrids) { Flood(Launch::kStaticGrid, Scope::kWorkgroup, false); }

TEST_F(Overflow, EnqueuedThroughTheHeap) { Flood(Launch::kCoalescing, Scope::kWorkgroup, true); }

// A graph that fits, after one that did not, on the same device: nothing is left over.
TEST_F(Overflow, TheNextGraphIsUnharmed) {
  {
    GraphRun flood(context(), {.command = DispatchCommand::kIndirect});
    flood.Nodes(FloodModule(1000, Launch::kCoalescing, Scope::kInvocation, false), {"Root", "Leaf"});
    flood.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(flood.Execute());
  }
  EXPECT_GT(LostRecords(), 0u);
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
