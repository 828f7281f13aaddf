// Regions that grow: every record that is there has a place of its own, whoever provides segments and whenever the pool
// is exhausted, and what has no place is counted.
#include <algorithm>
#include <set>
#include <string>

#include "tests/meta_shaders/runtime_fixture.h"

namespace trellis::test {
namespace {

using shared::Region;
using shared::RuntimeCall;
using shared::RuntimeResult;

constexpr uint32_t kScattered = 0x80000000;  // of a handle's stride
constexpr uint32_t kSlot = 0;                // that gets everything
constexpr uint32_t kHeap = 3;
constexpr uint32_t kIndex = 3;  // leads there, through output 0
constexpr uint32_t kStride = 12;
constexpr uint32_t kDenseRecords = 16;

// Where the record lies; 0 if it has no place. Four segments to a power of two, each a quarter of it.
uint64_t ReferenceAddress(const Region& region, uint32_t rank) {
  if (rank < kDenseRecords) return region.records.base + uint64_t{rank} * kStride;
  uint32_t begin = kDenseRecords;
  uint32_t size = kDenseRecords / 4;
  uint32_t number = 0;
  while (rank >= begin + size) {
    begin += size;
    if (++number % 4 == 0) size *= 2;
  }
  const uint32_t place = region.segments[number];
  if (place == 0 || place == shared::kNoMemory) return 0;
  return region.records.base + uint64_t{place} * 16 + uint64_t{rank - begin} * kStride;
}

class RuntimeGrowth : public RuntimeTest {
 protected:
  // `units`: 16 bytes each, of the pool.
  void OpenGrowing(uint32_t capacity, uint32_t units) {
    const RegionSetup dense = {.stride = kStride, .capacity = 4};
    Open({{.stride = kStride, .capacity = capacity, .dense = kDenseRecords},
          dense,
          dense,
          {.stride = 16, .capacity = units}});
  }

  // The ranks that a handle stands for, found by address. Fails the test if it leads anywhere else.
  void TakeRanks(const RuntimeResult& handle, const std::map<uint64_t, uint32_t>& ranks, std::set<uint32_t>& taken) {
    for (uint32_t i = 0; i < handle.count; ++i) {
      uint32_t rank = (handle.stride & ~kScattered) + i;
      if ((handle.stride & kScattered) == 0) {
        const auto found = ranks.find(handle.base + uint64_t{i} * kStride);
        ASSERT_NE(found, ranks.end()) << "an element lies where no record does";
        rank = found->second;
      }
      EXPECT_TRUE(taken.insert(rank).second) << "rank " << rank << " is given twice";
    }
  }

  void ExpectStamped(const Region& region, uint32_t rank) {
    const uint64_t address = ReferenceAddress(region, rank);
    const PlanSpan& memory = rank < kDenseRecords ? records(kSlot) : records(kHeap);
    ASSERT_GE(address, memory.address) << rank;
    ASSERT_LE(address + kStride, memory.address + memory.size) << rank;
    const auto* words = reinterpret_cast<const uint32_t*>(memory.host + (address - memory.address));
    EXPECT_EQ(words[kStride / 4 - 1], shared::kRuntimeCallStamp) << rank;
  }

  // Returns how many records found a place.
  uint32_t Reserve(uint32_t function, uint32_t count, uint32_t workgroups) {
    RuntimeCall call = {};
    call.function = function;
    call.index = kIndex;
    call.count = count;
    call.limit = 0xffffffff;
    call.record_bytes = kStride;
    const bool of_workgroup = function == shared::kCallReserveWorkgroup || function == shared::kCallDeferWorkgroup;
    const bool deferred = function == shared::kCallDeferWorkgroup || function == shared::kCallDeferInvocation;
    const std::vector<RuntimeResult> results = Call(call, workgroups);
    const Region region = RegionAfter(kSlot);
    const uint32_t present = std::min(region.reserved, region.records.count);
    std::map<uint64_t, uint32_t> ranks;
    for (uint32_t rank = 0; rank < std::min(region.reserved, region.capacity); ++rank)
      if (const uint64_t address = ReferenceAddress(region, rank)) {
        EXPECT_TRUE(ranks.emplace(address, rank).second) << "two records in one place";
      }
    uint64_t asked = 0;
    std::set<uint32_t> taken;
    for (size_t i = 0; i < results.size(); ++i) {
      if (of_workgroup && i % shared::kRuntimeCallWorkgroup != 0) continue;
      asked += count;
      if (!deferred && results[i].base != 0) TakeRanks(results[i], ranks, taken);
    }
    // Elements 0 and the last one of each handle are stamped.
    for (uint32_t rank = 0; rank < present; ++rank) {
      EXPECT_TRUE(deferred || taken.count(rank) != 0) << "nobody has rank " << rank << " of " << present;
      if (count <= 2) ExpectStamped(region, rank);
      if (HasFailure()) return present;
    }
    const uint32_t taken_ranks = std::min(region.reserved, region.refused);
    const uint64_t lost = region.lost + (taken_ranks - std::min(taken_ranks, region.records.count));
    EXPECT_EQ(present + lost, asked);
    return present;
  }
};

constexpr uint32_t kReservations[] = {shared::kCallReserveWorkgroup, shared::kCallReserveInvocation,
                                      shared::kCallReserveInvocations, shared::kCallDeferWorkgroup,
                                      shared::kCallDeferInvocation};
constexpr uint32_t kCounts[] = {1, 2, 7, 100};

TEST_F(RuntimeGrowth, EveryRecordHasAPlaceWhileThePoolLasts) {
  for (const Variant variant : {kPlain, kSubgroups, kInt64, kPartition, kImpatient}) {
    if (!Use(variant)) continue;
    for (const uint32_t function : kReservations) {
      for (const uint32_t count : kCounts) {
        SCOPED_TRACE("variant " + std::to_string(variant) + ", function " + std::to_string(function) + ", count " +
                     std::to_string(count));
        OpenGrowing(40000, 60000);
        constexpr uint32_t kWorkgroups = 5;
        const bool of_workgroup = function == shared::kCallReserveWorkgroup || function == shared::kCallDeferWorkgroup;
        const uint32_t sent = count * kWorkgroups * (of_workgroup ? 1 : shared::kRuntimeCallWorkgroup);
        const uint32_t present = Reserve(function, count, kWorkgroups);
        // Who never waits may take what nobody uses.
        if (variant != kImpatient) {
          EXPECT_EQ(present, sent);
        }
        if (HasFailure()) return;
      }
    }
  }
}

// However little the pool has: it fails at the first, the second, ... segment.
TEST_F(RuntimeGrowth, ThePoolMayFailAtAnySegment) {
  for (const Variant variant : {kPlain, kSubgroups, kImpatient}) {
    if (!Use(variant)) continue;
    for (const uint32_t function :
         {shared::kCallReserveWorkgroup, shared::kCallReserveInvocation, shared::kCallReserveInvocations}) {
      for (const uint32_t count : {1u, 7u}) {
        uint32_t most = 0;
        for (uint32_t units = 0; units < 800; units = units * 5 / 4 + 1) {
          SCOPED_TRACE("variant " + std::to_string(variant) + ", function " + std::to_string(function) + ", count " +
                       std::to_string(count) + ", units " + std::to_string(units));
          OpenGrowing(2000, units);
          const uint32_t present = Reserve(function, count, function == shared::kCallReserveWorkgroup ? 300 : 9);
          EXPECT_GE(present, kDenseRecords / count * count);
          most = std::max(most, present);
          if (HasFailure()) return;
        }
        EXPECT_GT(most, 4 * kDenseRecords);
      }
    }
  }
}

// Ranks beyond the capacity are refused, whether the region has grown or not.
TEST_F(RuntimeGrowth, CapacitiesHold) {
  for (const uint32_t capacity : {17u, 20u, 40u, 1000u}) {
    OpenGrowing(capacity, 60000);
    EXPECT_EQ(Reserve(shared::kCallReserveInvocation, 1, 20), capacity);
    EXPECT_LE(RegionAfter(kSlot).reserved, capacity + 1);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis::test
