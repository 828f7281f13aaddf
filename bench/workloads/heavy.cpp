// SPDX-License-Identifier: Apache-2.0
// A node that needs many registers: does lowering cost it any?
#include "bench_nodes/heavy.h"
#include "bench/workloads/hash.h"
#include "bench/workloads/records.h"
#include "bench/workloads/workloads.h"
#include "bench_shaders/heavy.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kLive = 48;
constexpr uint32_t kRounds = 24;

RecordWords HeavyResult(const RecordWords& record) {
  uint32_t words[kLive];
  for (uint32_t i = 0; i < kLive; ++i) words[i] = Hash(record[i % 4] + i);
  for (uint32_t pass = 0; pass < kRounds; ++pass)
    for (uint32_t i = 0; i < kLive; ++i) words[i] = words[i] * 0x9e3779b1u + (words[(i + 17) % kLive] ^ pass);
  RecordWords result = {};
  for (uint32_t i = 0; i < kLive; ++i) result[i % 4] ^= words[i];
  return result;
}

}  // namespace

WorkloadEntry HeavyRegisters(uint32_t records) {
  return {"heavy registers", Amount(records, "records"), std::nullopt, [=](const Gpu& gpu) {
            const Consumer consumer = {
                kHeavyNode, kHeavySpv, {{64, 64}, {128, 128}, {256, 256}}, HeavyResult, /*arithmetic=*/true};
            return std::make_unique<RecordsWorkload>(gpu, records, consumer);
          }};
}

}  // namespace trellis::bench
