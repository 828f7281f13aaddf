// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/sorting.h"

#include "bench_nodes/classify.h"
#include "bench_nodes/classify_sorted.h"
#include "bench_nodes/classify_together.h"

namespace trellis::bench {

uint32_t DivideUp(uint32_t dividend, uint32_t divisor) { return (dividend + divisor - 1) / divisor; }

bool Fits(const Gpu& gpu, const Sort& sort, uint32_t together, uint32_t bins) {
  const uint32_t items = sort.items_of_workgroup();
  const uint32_t parts = together == 1 ? 0 : items / together + bins;
  const uint32_t shared_words = (sort.in_shared_memory ? items + 2 * bins + 3 * parts + 2 : 0) + bins;
  return sort.invocations <= gpu.limits().maxComputeWorkGroupInvocations &&
         shared_words * 4 <= gpu.limits().maxComputeSharedMemorySize;
}

GraphNode SortingNode(const Sort& sort, uint32_t together, uint32_t items, uint32_t bins, Spread spread) {
  const uint32_t of_workgroup = sort.items_of_workgroup();
  const Grid grid = GridOf(DivideUp(items, of_workgroup));
  Words words = kClassifyNode;
  if (sort.in_shared_memory) words = together == 1 ? Words(kClassifySortedNode) : kClassifyTogetherNode;
  return {"classify",
          words,
          {{0, grid.x},
           {1, grid.y},
           {2, bins},
           {3, sort.invocations},
           {4, of_workgroup},
           {5, sort.items},
           {6, together},
           {7, items},
           {8, static_cast<uint32_t>(spread)}}};
}

}  // namespace trellis::bench
