// SPDX-License-Identifier: Apache-2.0
// All workloads, one source file each.
#pragma once

#include <vector>

#include "bench/framework/workload.h"
#include "bench/workloads/records.h"

namespace trellis::bench {

WorkloadEntry Chain(uint32_t levels, uint32_t chains);
WorkloadEntry FanOut(uint32_t records);
WorkloadEntry Classify(uint32_t records, uint32_t bins, Spread spread = Spread::kUniform);
WorkloadEntry ThreadNodes(uint32_t records);
WorkloadEntry Skewed(uint32_t records);
WorkloadEntry Sparse(uint32_t records);
WorkloadEntry Koch(uint32_t depth);
WorkloadEntry Mixed(uint32_t records, uint32_t levels);
WorkloadEntry Reduction(uint32_t records);
WorkloadEntry HeavyRegisters(uint32_t records);
// The pixels of a frame, of so many materials. A multiple of 8 each way.
WorkloadEntry MaterialShading(uint32_t width, uint32_t height, uint32_t materials);
// A multiple of 4,096.
WorkloadEntry Culling(uint32_t instances);
// A multiple of 4,096 records.
WorkloadEntry ManyShaders(uint32_t records, uint32_t shaders);
// A multiple of 512 records.
WorkloadEntry AnyToAny(uint32_t records, uint32_t nodes);
// `entries`: nodes that the application may launch; the infos are all for one of them.
WorkloadEntry IndirectCount(uint32_t infos, uint32_t entries);

// `quick`: sizes that a CPU driver finishes in a second.
std::vector<WorkloadEntry> AllWorkloads(bool quick);
// 4 M, 64 k, 1000: sizes in tables.
std::string Amount(uint32_t number, const std::string& of);

}  // namespace trellis::bench
