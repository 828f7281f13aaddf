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
        EXPECT_EQ(present, sent);
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

// Waits that end early cost no record, although the pool has no more than a plan gives it: a quarter more than is sent.
TEST_F(RuntimeGrowth, WaitsThatEndCostNoRecord) {
  ASSERT_TRUE(Use(kImpatient));
  constexpr uint32_t kWorkgroups = 200;
  for (uint32_t turn = 0; turn < 6; ++turn) {
    for (const uint32_t function : {shared::kCallReserveWorkgroup, shared::kCallReserveInvocation}) {
      const uint32_t count = function == shared::kCallReserveWorkgroup ? 33 : 1;
      const uint32_t sent =
          count * kWorkgroups * (function == shared::kCallReserveWorkgroup ? 1 : shared::kRuntimeCallWorkgroup);
      SCOPED_TRACE("turn " + std::to_string(turn) + ", function " + std::to_string(function));
      // The records behind those that are dense, and what of the last segment is not used.
      uint64_t units = 0;
      for (uint32_t begin = kDenseRecords, quarter = kDenseRecords / 4, i = 0; begin < sent; begin += quarter, ++i) {
        if (i != 0 && i % 4 == 0) quarter *= 2;
        units += quarter * kStride / 16;
      }
      ASSERT_LE(units, uint64_t{sent} * kStride * 5 / 4 / 16);
      OpenGrowing(sent, sent * kStride * 5 / 4 / 16);
      EXPECT_EQ(Reserve(function, count, kWorkgroups), sent)
          << "the pool gave " << RegionAfter(kHeap).reserved << " units for " << units;
      if (HasFailure()) return;
    }
  }
}

// What is too large for the rest of the pool leaves the rest to others.
TEST_F(RuntimeGrowth, ASegmentWithoutRoomLeavesThePoolToSmallerOnes) {
  ASSERT_TRUE(Use(kPlain));
  const RegionSetup growing = {.stride = kStride, .capacity = 2000, .dense = kDenseRecords};
  Open({growing, growing, {.stride = kStride, .capacity = 4}, {.stride = 16, .capacity = 40}});
  RuntimeCall call = {};
  call.function = shared::kCallReserveWorkgroup;
  call.index = kIndex;
  call.count = 65;
  call.limit = 0xffffffff;
  Call(call, 1);
  // Segments of 4 x 3 and 4 x 6 units; the next one takes 12.
  EXPECT_EQ(RegionAfter(kSlot).records.count, 64u);
  call.target = kDense;
  call.index = 10;
  call.count = 17;
  Call(call, 1);
  const Region other = RegionAfter(1);
  EXPECT_EQ(std::min(other.reserved, other.records.count), 17u) << "3 units for 4 records, of which 4 are left";
}

// Rank 1024 was taken by an invocation that does not get on, so that nobody provides the segment in time: those that
// wait do it themselves, and no record is lost that had a place in the plan. The segments before are there.
TEST_F(RuntimeGrowth, AProviderThatStallsCostsNoRecord) {
  for (const Variant variant : {kPlain, kSubgroups, kImpatient}) {
    if (!Use(variant)) continue;
    constexpr uint32_t kSent = 1025 + 5 * shared::kRuntimeCallWorkgroup;
    constexpr uint32_t kTaken = (1024 - kDenseRecords) * kStride / 16;
    constexpr uint32_t kSegment = 256 * kStride / 16;
    constexpr uint32_t kPool = kSent * kStride * 5 / 4 / 16;  // as plans have it
    static_assert(kTaken + 2 * kSegment <= kPool);
    const RegionSetup unused = {.stride = kStride, .capacity = 4};
    Open({{.stride = kStride, .capacity = kSent, .reserved = 1025, .dense = kDenseRecords},
          unused,
          unused,
          {.stride = 16, .capacity = kPool, .reserved = kTaken}});
    RuntimeCall call = {};
    call.function = shared::kCallReserveInvocation;
    call.index = kIndex;
    call.count = 1;
    call.limit = 0xffffffff;
    Call(call, 5);
    const Region region = RegionAfter(kSlot);
    EXPECT_EQ(region.reserved, kSent);
    EXPECT_EQ(region.records.count, kSent) << "variant " << variant << ": the pool gave " << RegionAfter(kHeap).reserved
                                           << " of " << kPool << " units, and two segments take " << 2 * kSegment;
  }
}

// The last ranks that a region can have, in a segment of 2^28 records: addresses are only looked at.
TEST_F(RuntimeGrowth, RanksNearTheMost) {
  for (const Variant variant : {kPlain, kSubgroups, kInt64}) {
    if (!Use(variant)) continue;
    constexpr uint32_t kMost = 0x7fffffff;
    const RegionSetup unused = {.stride = kStride, .capacity = 4};
    Open({{.stride = kStride, .capacity = kMost, .reserved = kMost - 40, .has_memory = false, .dense = 0x10000},
          unused,
          unused,
          {.stride = 16, .capacity = kMost, .has_memory = false}});
    RuntimeCall call = {};
    call.function = shared::kCallReserveInvocation;
    call.index = kIndex;
    call.count = 1;
    call.limit = 0xffffffff;
    const std::vector<RuntimeResult> results = Call(call, 1);
    const Region region = RegionAfter(kSlot);
    const uint32_t place = region.segments[(30 - 16) * 4 + 3];
    ASSERT_NE(place, 0u);
    ASSERT_NE(place, shared::kNoMemory);
    EXPECT_EQ(region.records.count, kMost);
    EXPECT_EQ(region.lost, 24u);
    std::set<uint64_t> expected;
    for (uint64_t rank = kMost - 40; rank < kMost; ++rank)
      expected.insert(region.records.base + uint64_t{place} * 16 + (rank - (uint64_t{7} << 28)) * kStride);
    for (const RuntimeResult& result : results)
      if (result.base != 0) {
        EXPECT_EQ(expected.erase(result.base), 1u) << result.base;
      }
    // Groups fail whole.
    if (variant == kPlain) {
      EXPECT_TRUE(expected.empty());
    }
  }
}

// No room, one record, and what just reaches or passes what lies dense.
TEST_F(RuntimeGrowth, SmallCapacities) {
  ASSERT_TRUE(Use(kPlain));
  for (const uint32_t capacity : {0u, 1u, 15u, 16u}) {
    const RegionSetup unused = {.stride = kStride, .capacity = 4};
    Open({{.stride = kStride, .capacity = capacity}, unused, unused, {.stride = 16, .capacity = 100}});
    EXPECT_EQ(Reserve(shared::kCallReserveInvocation, 1, 1), capacity);
    EXPECT_EQ(RegionAfter(kHeap).reserved, 0u) << "dense regions take nothing from the pool";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis::test
