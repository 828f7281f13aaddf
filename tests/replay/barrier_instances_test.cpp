// SPDX-License-Identifier: Apache-2.0
// The barrier between the two parts of a render pass instance that a graph splits: it is enough, and so is nothing
// less.
#include "tests/replay/instance_barrier_test_base.h"

namespace trellis::test {
namespace {

TEST_F(InstanceBarrierTest, DynamicInstances) {
  BeginDynamic();
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 3}});
  EndDynamic();
  ExpectExact(BarriersFor(2) + 1);
  ExpectEndsNeeded();
}

TEST_F(InstanceBarrierTest, RenderPassObjects) {
  BeginObject();
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 3}});
  EndObject();
  ExpectExact(BarriersFor(2) + 1);
  ExpectEndsNeeded();
}

// One between the parts for each graph, and one between the graphs, which have one ring and one scratch.
TEST_F(InstanceBarrierTest, SeveralGraphsInOneInstance) {
  BeginDynamic();
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  EndDynamic();
  ExpectExact(2 * BarriersFor(2) + 2);
  ExpectEndsNeeded();
}

}  // namespace
}  // namespace trellis::test
