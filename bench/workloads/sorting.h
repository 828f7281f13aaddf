// SPDX-License-Identifier: Apache-2.0
// Items that a node sorts into the nodes of an array called "bin".
#pragma once

#include "bench/framework/pipelines.h"
#include "bench/workloads/records.h"

namespace trellis::bench {

// How items are sorted: many of a workgroup lie side by side in their bins, few keep all processors busy.
struct Sort {
  bool in_shared_memory;  // before anything is written
  uint32_t invocations;
  uint32_t items;  // of an invocation

  [[nodiscard]] uint32_t items_of_workgroup() const { return invocations * items; }
};

uint32_t DivideUp(uint32_t dividend, uint32_t divisor);
// `together`: maximum of items that an invocation of a node enqueues at once; 1 for hand-written compute.
bool Fits(const Gpu& gpu, const Sort& sort, uint32_t together, uint32_t bins);
// The node "classify". Where `together` is 1, `items` is a multiple of what a workgroup sorts.
GraphNode SortingNode(const Sort& sort, uint32_t together, uint32_t items, uint32_t bins, Spread spread);

}  // namespace trellis::bench
