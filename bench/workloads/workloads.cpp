// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/workloads.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kKilo = 1u << 10;
constexpr uint32_t kMega = 1u << 20;

}  // namespace

std::string Amount(uint32_t number, const std::string& of) {
  if (number >= kMega && number % kMega == 0) return std::to_string(number / kMega) + " M " + of;
  if (number >= kKilo && number % kKilo == 0) return std::to_string(number / kKilo) + " k " + of;
  return std::to_string(number) + " " + of;
}

namespace {

// The size that one of the project's targets is about.
WorkloadEntry With(const Target& target, WorkloadEntry entry) {
  entry.target = target;
  return entry;
}

std::vector<WorkloadEntry> QuickWorkloads() {
  return {Chain(8, 1),
          Chain(4, 16),
          FanOut(kKilo),
          ThreadNodes(4 * kKilo),
          Classify(4 * kKilo, 16),
          Classify(4 * kKilo, 16, Spread::kZipf),
          Classify(4 * kKilo, 16, Spread::kOne),
          Skewed(kKilo),
          Sparse(kKilo),
          Koch(4),
          Mixed(kKilo, 3),
          Reduction(16 * kKilo),
          HeavyRegisters(kKilo),
          MaterialShading(128, 96, 4),
          Culling(4 * kKilo),
          ManyShaders(4 * kKilo, 16),
          AnyToAny(kKilo, 4),
          IndirectCount(8, 1),
          IndirectCount(8, 16)};
}

std::vector<WorkloadEntry> FullWorkloads() {
  return {
      Chain(4, 1),
      With({"P1", 1.6}, Chain(32, 1)),
      Chain(32, 1024),
      FanOut(kKilo),
      With({"P2", 1.15}, FanOut(kMega)),
      FanOut(16 * kMega),
      Classify(4 * kKilo, 128),
      With({"P3", 1.25}, Classify(4 * kMega, 128)),
      Classify(16 * kMega, 128),
      Classify(4 * kMega, 128, Spread::kZipf),
      Classify(4 * kMega, 128, Spread::kOne),
      Classify(4 * kMega, 1023, Spread::kZipf),
      Classify(4 * kMega, 1023, Spread::kOne),
      ThreadNodes(kKilo),
      With({"P4", 1.25}, ThreadNodes(4 * kMega)),
      ThreadNodes(16 * kMega),
      Skewed(kKilo),
      Skewed(kMega),
      Sparse(kKilo),
      Sparse(kMega),
      Koch(4),
      With({"P6", 250e3, true}, Koch(8)),
      Mixed(kKilo, 8),
      Mixed(64 * kKilo, 8),
      Reduction(64 * kKilo),
      Reduction(16 * kMega),
      HeavyRegisters(kMega),
      MaterialShading(3840, 2160, 64),
      Culling(kMega),
      ManyShaders(kMega, 256),
      ManyShaders(kMega, 1023),
      AnyToAny(kKilo, 100),
      AnyToAny(64 * kKilo, 100),
      IndirectCount(16, 1),
      IndirectCount(kKilo, 1),
      IndirectCount(16, 1023),
  };
}

}  // namespace

std::vector<WorkloadEntry> AllWorkloads(bool quick) { return quick ? QuickWorkloads() : FullWorkloads(); }

}  // namespace trellis::bench
