// One level of many records: a workgroup for each.
#include "bench/workloads/records.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/consume_workgroup.h"
#include "bench_shaders/consume_workgroup.h"

namespace trellis::bench {

WorkloadEntry FanOut(uint32_t records) {
  return {"fan-out", Amount(records, "records"), std::nullopt, [=](const Gpu& gpu) {
            const Consumer consumer = {kConsumeWorkgroupNode, kConsumeWorkgroupSpv, {{32, 1}}};
            return std::make_unique<RecordsWorkload>(gpu, records, consumer);
          }};
}

}  // namespace trellis::bench
