// SPDX-License-Identifier: Apache-2.0
// One level of many records: a workgroup of 32 for each.
#include "bench/workloads/records.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/consume_workgroup.h"
#include "bench_shaders/consume_workgroup.h"

namespace trellis::bench {

WorkloadEntry FanOut(uint32_t records) {
  return {"fan-out", Amount(records, "records"), std::nullopt, [=](const Gpu& gpu) {
            Consumer consumer = {kConsumeWorkgroupNode,
                                 kConsumeWorkgroupSpv,
                                 {{32, 1},
                                  {64, 2},
                                  {128, 4},
                                  {256, 8},
                                  {512, 16},
                                  {128, 4, 8},
                                  {128, 4, 32},
                                  {128, 4, 128},
                                  {256, 8, 8},
                                  {256, 8, 32},
                                  {512, 16, 8}}};
            consumer.invocations_of_record = 32;
            return std::make_unique<RecordsWorkload>(gpu, records, consumer);
          }};
}

}  // namespace trellis::bench
