// SPDX-License-Identifier: Apache-2.0
// One level of many records: an invocation for each.
#include "bench/workloads/records.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/consume_thread.h"
#include "bench_shaders/consume_thread.h"

namespace trellis::bench {

WorkloadEntry ThreadNodes(uint32_t records) {
  return {"thread nodes", Amount(records, "records"), std::nullopt, [=](const Gpu& gpu) {
            const Consumer consumer = {
                kConsumeThreadNode,
                kConsumeThreadSpv,
                {{64, 64}, {128, 128}, {256, 256}, {512, 512}, {128, 128, 4}, {128, 128, 16}, {256, 256, 8}}};
            return std::make_unique<RecordsWorkload>(gpu, records, consumer);
          }};
}

}  // namespace trellis::bench
