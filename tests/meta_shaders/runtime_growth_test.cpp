// SPDX-License-Identifier: Apache-2.0
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
constexpr uint32_t kPool = 3;
constexpr uint32_t kIndex = 3;  // leads there, through output 0
constexpr uint32_t kGrowingStride = 12;
constexpr uint32_t kDenseRecords = 16;
constexpr uint32_t kMax = 0x7fffffff;  // records of a region, and units of a pool
const RegionSetup kUnused = {.stride = kGrowingStride, .capacity = 4};

// Records of segment `number`, which begins at rank `begin`; as units of the pool. Four segments to a power of two,
// each a quarter of it.
struct ReferenceSegment {
  uint32_t number = 0;
  uint32_t begin = kDenseRecords;
  uint32_t size = kDenseRecords / 4;

  [[nodiscard]] uint32_t Units() const { return size * kGrowingStride / 16; }
  void Next() {
    begin += size;
    if (++number % 4 == 0) size *= 2;
  }
};

// Where the record lies; 0 if it has no place.
uint64_t ReferenceAddress(const Region& region, uint32_t rank) {
  if (rank < kDenseRecords) return region.records.base + uint64_t{rank} * kGrowingStride;
  ReferenceSegment segment;
  while (rank >= segment.begin + segment.size) segment.Next();
  const uint32_t place = region.segments[segment.number];
  if (place == 0 || place == shared::kNoMemory) return 0;
  return region.records.base + uint64_t{place} * 16 + uint64_t{rank - segment.begin} * kGrowingStride;
}

// Of the pool, behind what it has given first; in units of 16 bytes from the region.
uint32_t PlaceInPool(const Region& region, const Region& pool, uint32_t first) {
  return static_cast<uint32_t>((pool.records.base - region.records.base) / 16) + first;
}

// A reservation for the slot, of each workgroup or invocation.
RuntimeCall Reservation(uint32_t function, uint32_t count) {
  RuntimeCall call = {};
  call.function = function;
  call.index = kIndex;
  call.count = count;
  call.limit = 0xffffffff;
  return call;
}

bool IsOfWorkgroup(uint32_t function) {
  return function == shared::kCallReserveWorkgroup || function == shared::kCallDeferWorkgroup;
}
bool IsDeferred(uint32_t function) {
  return function == shared::kCallDeferWorkgroup || function == shared::kCallDeferInvocation;
}

class RuntimeGrowth : public RuntimeTest {
 protected:
  // `units`: 16 bytes each, of the pool.
  void OpenGrowing(uint32_t capacity, uint32_t units) {
    Open({{.stride = kGrowingStride, .capacity = capacity, .dense = kDenseRecords},
          kUnused,
          kUnused,
          {.stride = 16, .capacity = units}});
  }

  // The ranks that a handle stands for, found by address. Fails the test if it leads anywhere else.
  void TakeRanks(const RuntimeResult& handle, const std::map<uint64_t, uint32_t>& ranks, std::set<uint32_t>& taken) {
    for (uint32_t i = 0; i < handle.count; ++i) {
      uint32_t rank = (handle.stride & ~kScattered) + i;
      if ((handle.stride & kScattered) == 0) {
        const auto found = ranks.find(handle.base + uint64_t{i} * kGrowingStride);
        ASSERT_NE(found, ranks.end()) << "an element lies where no record does";
        rank = found->second;
      }
      EXPECT_TRUE(taken.insert(rank).second) << "rank " << rank << " is given twice";
    }
  }

  void ExpectStamped(const Region& region, uint32_t rank) {
    const uint64_t address = ReferenceAddress(region, rank);
    const PlanSpan& memory = rank < kDenseRecords ? records(kSlot) : records(kPool);
    ASSERT_GE(address, memory.address) << rank;
    ASSERT_LE(address + kGrowingStride, memory.address + memory.size) << rank;
    const auto* words = reinterpret_cast<const uint32_t*>(memory.host + (address - memory.address));
    EXPECT_EQ(words[kGrowingStride / 4 - 1], shared::kRuntimeCallStamp) << rank;
  }

  // Returns how many records found a place.
  uint32_t Reserve(uint32_t function, uint32_t count, uint32_t workgroups) {
    RuntimeCall call = Reservation(function, count);
    call.record_bytes = kGrowingStride;
    const bool of_workgroup = IsOfWorkgroup(function);
    const bool deferred = IsDeferred(function);
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

constexpr uint32_t kGrowingReservations[] = {shared::kCallReserveWorkgroup, shared::kCallReserveInvocation,
                                             shared::kCallReserveInvocations, shared::kCallDeferWorkgroup,
                                             shared::kCallDeferInvocation};
constexpr uint32_t kGrowingCounts[] = {1, 2, 7, 100};

uint32_t WorkgroupsFor(uint32_t function) { return IsOfWorkgroup(function) ? 300 : 9; }
uint32_t ReservationsOf(uint32_t function) {
  return WorkgroupsFor(function) * (IsOfWorkgroup(function) ? 1 : shared::kRuntimeCallWorkgroup);
}

TEST_F(RuntimeGrowth, EveryRecordHasAPlaceWhileThePoolLasts) {
  for (const Variant variant : {kPlain, kSubgroups, kInt64, kPartition, kImpatient}) {
    if (!Use(variant)) continue;
    for (const uint32_t function : kGrowingReservations) {
      for (const uint32_t count : kGrowingCounts) {
        SCOPED_TRACE("variant " + std::to_string(variant) + ", function " + std::to_string(function) + ", count " +
                     std::to_string(count));
        OpenGrowing(40000, 60000);
        constexpr uint32_t kWorkgroups = 5;
        const uint32_t sent = count * kWorkgroups * (IsOfWorkgroup(function) ? 1 : shared::kRuntimeCallWorkgroup);
        const uint32_t present = Reserve(function, count, kWorkgroups);
        EXPECT_EQ(present, sent);
        if (HasFailure()) return;
      }
    }
  }
}

// However little the pool has: it fails at the first, the second, ... segment. How much deferred allocations and waits
// that end early take from it depends on the scheduler; without both, single records all fit into the largest pool.
TEST_F(RuntimeGrowth, ThePoolMayFailAtAnySegment) {
  for (const Variant variant : {kPlain, kSubgroups, kImpatient}) {
    if (!Use(variant)) continue;
    for (const uint32_t function : kGrowingReservations) {
      for (const uint32_t count : {1u, 7u}) {
        uint32_t most = 0;
        for (uint32_t units = 0; units < 800; units = units * 5 / 4 + 1) {
          SCOPED_TRACE("variant " + std::to_string(variant) + ", function " + std::to_string(function) + ", count " +
                       std::to_string(count) + ", units " + std::to_string(units));
          OpenGrowing(2000, units);
          const uint32_t present = Reserve(function, count, WorkgroupsFor(function));
          EXPECT_GE(present, IsDeferred(function) ? 0 : kDenseRecords / count * count);
          most = std::max(most, present);
          if (HasFailure()) return;
        }
        if (variant != kImpatient && !IsDeferred(function) && count == 1) {
          EXPECT_EQ(most, ReservationsOf(function)) << "variant " << uint32_t{variant} << ", function " << function;
        }
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
      for (ReferenceSegment segment; segment.begin < sent; segment.Next()) units += segment.Units();
      ASSERT_LE(units, uint64_t{sent} * kGrowingStride * 5 / 4 / 16);
      OpenGrowing(sent, sent * kGrowingStride * 5 / 4 / 16);
      EXPECT_EQ(Reserve(function, count, kWorkgroups), sent)
          << "the pool gave " << RegionAfter(kPool).reserved << " units for " << units;
      if (HasFailure()) return;
    }
  }
}

// Segments take the room of their records' state too, from the pool's end: whatever the heap and other segments
// leave.
TEST_F(RuntimeGrowth, SegmentsHaveRoomForRecordState) {
  constexpr uint32_t kWords = 3;
  const auto state_units = [](uint32_t records) { return (records * 4 + 15) / 16 * kWords; };
  for (const Variant variant : {kPlain, kSubgroups, kImpatient}) {
    if (!Use(variant)) continue;
    for (const uint32_t function : kGrowingReservations) {
      uint32_t most = 0;
      for (uint32_t units = 0; units < 1500; units = units * 5 / 4 + 1) {
        SCOPED_TRACE("variant " + std::to_string(variant) + ", function " + std::to_string(function) + ", units " +
                     std::to_string(units));
        Open({{.stride = kGrowingStride, .capacity = 2000, .dense = kDenseRecords, .state_words = kWords},
              kUnused,
              kUnused,
              {.stride = 16, .capacity = units, .state_words = 1}});
        const uint32_t present = Reserve(function, 1, WorkgroupsFor(function));
        most = std::max(most, present);
        const Region region = RegionAfter(kSlot);
        const Region pool = RegionAfter(kPool);
        EXPECT_EQ(pool.capacity, units);
        EXPECT_LE(pool.placed + pool.state_units_taken, units);
        if (pool.reserved <= units) {
          EXPECT_EQ(pool.placed + pool.state_units_taken, pool.reserved);
        }
        uint32_t record_state = 0;
        for (ReferenceSegment segment; segment.begin < 2000; segment.Next()) {
          const uint32_t place = region.segments[segment.number];
          if (place == 0 || place == shared::kNoMemory) continue;
          record_state += state_units(segment.size);
          EXPECT_LE(place + segment.Units(), PlaceInPool(region, pool, pool.placed)) << "record_state lie behind";
        }
        EXPECT_GE(pool.state_units_taken, record_state);  // more where a wait ended
        if (HasFailure()) return;
      }
      if (variant != kImpatient && !IsDeferred(function)) {
        EXPECT_EQ(most, ReservationsOf(function)) << "variant " << uint32_t{variant} << ", function " << function;
      }
    }
  }
}

// Four segments of 3 units each, and 3 for the state of each one's 4 records: then the pool is empty.
TEST_F(RuntimeGrowth, RecordStateOfTheLastSegmentFitsExactly) {
  ASSERT_TRUE(Use(kPlain));
  for (const uint32_t units : {23u, 24u}) {
    Open({{.stride = kGrowingStride, .capacity = 2000, .dense = kDenseRecords, .state_words = 3},
          kUnused,
          kUnused,
          {.stride = 16, .capacity = units, .state_words = 1}});
    Call(Reservation(shared::kCallReserveWorkgroup, 32), 1);
    EXPECT_EQ(RegionAfter(kSlot).records.count, units == 24 ? 2000u : 28u);
    EXPECT_EQ(RegionAfter(kPool).state_units_taken, units == 24 ? 12u : 9u);
    EXPECT_EQ(RegionAfter(kPool).placed, units == 24 ? 12u : 9u);
  }
}

// What is deferred and segments share the pool, down to its last unit: no two lie in one place, and none among the
// record state.
TEST_F(RuntimeGrowth, TheHeapSegmentsAndRecordStateAreDisjoint) {
  for (const Variant variant : {kPlain, kSubgroups, kImpatient}) {
    if (!Use(variant)) continue;
    for (uint32_t units = 0; units < 1500; units = units * 5 / 4 + 1) {
      SCOPED_TRACE("variant " + std::to_string(variant) + ", units " + std::to_string(units));
      Open({{.stride = kGrowingStride, .capacity = 2000, .dense = kDenseRecords, .state_words = 3},
            kUnused,
            kUnused,
            {.stride = 16, .capacity = units, .state_words = 1}});
      RuntimeCall call = Reservation(shared::kCallDeferInvocation, 3);
      call.record_bytes = kGrowingStride;
      const std::vector<RuntimeResult> results = Call(call, 7);
      const Region region = RegionAfter(kSlot);
      const Region pool = RegionAfter(kPool);
      std::map<uint64_t, uint64_t> ranges;  // begin and end, in the pool
      const auto add = [&](uint64_t begin, uint64_t bytes) {
        EXPECT_TRUE(ranges.emplace(begin, begin + bytes).second) << "two in one place";
      };
      for (const RuntimeResult& result : results)
        if (result.base != 0)
          add(result.base - shared::kHeapHeaderBytes, shared::kHeapHeaderBytes + 3 * kGrowingStride);
      for (ReferenceSegment segment; segment.begin < 2000; segment.Next()) {
        const uint32_t place = region.segments[segment.number];
        if (place != 0 && place != shared::kNoMemory)
          add(region.records.base + uint64_t{place} * 16, uint64_t{segment.Units()} * 16);
      }
      uint64_t end = pool.records.base;
      for (const auto& [begin, range_end] : ranges) {
        EXPECT_GE(begin, end);
        end = range_end;
      }
      EXPECT_LE(end, pool.records.base + uint64_t{units - pool.state_units_taken} * 16) << "record_state lie there";
      if (HasFailure()) return;
    }
  }
}

// 6,000 records of 12 bytes take 4,501 units with their header, which is more than the pool has.
TEST_F(RuntimeGrowth, ADeferredAllocationWithoutRoomLeavesThePoolToSegments) {
  ASSERT_TRUE(Use(kPlain));
  Open({{.stride = kGrowingStride, .capacity = 2000, .dense = kDenseRecords},
        kUnused,
        kUnused,
        {.stride = 16, .capacity = 4400}});
  RuntimeCall call = Reservation(shared::kCallDeferWorkgroup, 6000);
  call.record_bytes = kGrowingStride;
  for (const RuntimeResult& result : Call(call, 1)) EXPECT_EQ(result.base, 0u);
  Call(Reservation(shared::kCallReserveWorkgroup, 65), 1);
  const Region region = RegionAfter(kSlot);
  EXPECT_EQ(region.lost, 6000u);
  EXPECT_EQ(std::min(region.reserved, region.records.count), 65u);
}

// In strides and in runs. Groups of three records do not end where segments do.
TEST_F(RuntimeGrowth, ConsumersReadTheRecordsOfAllSegments) {
  constexpr uint32_t kWorkgroups = 5;
  constexpr uint32_t kSent = kWorkgroups * shared::kRuntimeCallWorkgroup;
  constexpr uint32_t kDispatched = 3;
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    OpenGrowing(2000, 2000);
    ASSERT_EQ(Reserve(shared::kCallReserveInvocation, 1, kWorkgroups), kSent);
    const Region region = RegionAfter(kSlot);
    std::map<uint64_t, uint32_t> ranks;
    for (uint32_t rank = 0; rank < region.reserved; ++rank) ranks.emplace(ReferenceAddress(region, rank), rank);
    ReadFromRegion(kSlot);
    for (const uint32_t function : {shared::kCallEnterStatic, shared::kCallEnterCoalescing}) {
      RuntimeCall call = EntryCall(function, 4);
      call.row = kDispatched;
      call.grid_x = call.grid_y = call.grid_z = 1;
      call.each = 3;
      for (call.in_runs = 0; call.in_runs < 2; ++call.in_runs) {
        SCOPED_TRACE("function " + std::to_string(function) + ", in runs " + std::to_string(call.in_runs));
        std::set<uint32_t> taken;
        size_t before = 0;
        call.strides = 0;
        do {
          before = taken.size();
          for (call.id_x = 0; call.id_x < kDispatched; ++call.id_x) {
            const std::vector<RuntimeResult> results = Call(call, 1);
            for (uint32_t pack = 0; pack < call.packed; ++pack) {
              const RuntimeResult& result = results[pack * call.invocations];
              if (result.is_true != 0) TakeRanks(result, ranks, taken);
            }
          }
          ++call.strides;
        } while (taken.size() != before);
        EXPECT_EQ(taken.size(), region.reserved);
        if (HasFailure()) return;
      }
    }
  }
}

// What is too large for the rest of the pool leaves the rest to others.
TEST_F(RuntimeGrowth, ASegmentWithoutRoomLeavesThePoolToSmallerOnes) {
  ASSERT_TRUE(Use(kPlain));
  const RegionSetup growing = {.stride = kGrowingStride, .capacity = 2000, .dense = kDenseRecords};
  Open({growing, growing, kUnused, {.stride = 16, .capacity = 40}});
  RuntimeCall call = Reservation(shared::kCallReserveWorkgroup, 65);
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
    constexpr uint32_t kTaken = (1024 - kDenseRecords) * kGrowingStride / 16;
    constexpr uint32_t kSegment = 256 * kGrowingStride / 16;
    constexpr uint32_t kUnits = kSent * kGrowingStride * 5 / 4 / 16;  // of the pool, as plans have it
    static_assert(kTaken + 2 * kSegment <= kUnits);
    Open({{.stride = kGrowingStride, .capacity = kSent, .reserved = 1025, .dense = kDenseRecords},
          kUnused,
          kUnused,
          {.stride = 16, .capacity = kUnits, .reserved = kTaken}});
    Call(Reservation(shared::kCallReserveInvocation, 1), 5);
    const Region region = RegionAfter(kSlot);
    EXPECT_EQ(region.reserved, kSent);
    EXPECT_EQ(region.records.count, kSent)
        << "variant " << uint32_t{variant} << ": the pool gave " << RegionAfter(kPool).reserved - kTaken << " of "
        << kUnits - kTaken << " units, and two segments take " << 2 * kSegment;
  }
}

// The last ranks that a region can have, in a segment of 2^28 records: addresses are only looked at. Groups fail whole.
TEST_F(RuntimeGrowth, RanksNearTheMost) {
  constexpr uint32_t kFree = 72;
  constexpr uint32_t kWorkgroups = 2;
  for (const Variant variant : {kPlain, kSubgroups, kInt64}) {
    if (!Use(variant)) continue;
    const uint32_t group =
        variant == kPlain ? 1 : std::min(device().traits.subgroup_size, shared::kRuntimeCallWorkgroup);
    const uint32_t kept = kFree / group * group;
    Open({{.stride = kGrowingStride, .capacity = kMax, .reserved = kMax - kFree, .has_memory = false, .dense = 0x10000},
          kUnused,
          kUnused,
          {.stride = 16, .capacity = kMax, .has_memory = false}});
    const std::vector<RuntimeResult> results = Call(Reservation(shared::kCallReserveInvocation, 1), kWorkgroups);
    const Region region = RegionAfter(kSlot);
    const uint32_t place = region.segments[(30 - 16) * 4 + 3];
    ASSERT_NE(place, 0u);
    ASSERT_NE(place, shared::kNoMemory);
    EXPECT_EQ(region.records.count, kMax - kFree + kept);
    EXPECT_EQ(region.lost, kWorkgroups * shared::kRuntimeCallWorkgroup - kept);
    std::set<uint64_t> expected;
    for (uint64_t rank = kMax - kFree; rank < kMax - kFree + kept; ++rank)
      expected.insert(region.records.base + uint64_t{place} * 16 + (rank - (uint64_t{7} << 28)) * kGrowingStride);
    for (const RuntimeResult& result : results)
      if (result.base != 0) {
        EXPECT_EQ(expected.erase(result.base), 1u) << result.base;
      }
    EXPECT_TRUE(expected.empty());
  }
}

// For each n: a pool with room for n segments, and one that lacks a unit for the next one. One reservation has all
// ranks, so that segments are provided in order.
TEST_F(RuntimeGrowth, ThePoolFailsAtTheNthSegmentForEachN) {
  constexpr uint32_t kAll = kDenseRecords << 16;  // the end of the last segment
  for (const Variant variant : {kPlain, kSubgroups}) {
    if (!Use(variant)) continue;
    uint32_t taken = 0;
    for (ReferenceSegment failing; failing.number <= shared::kSegments; failing.Next()) {
      for (const uint32_t units : {taken, taken + failing.Units() - 1}) {
        SCOPED_TRACE("variant " + std::to_string(variant) + ", " + std::to_string(units) + " units for " +
                     std::to_string(failing.number) + " segments");
        Open({{.stride = kGrowingStride, .capacity = kAll, .dense = kDenseRecords},
              kUnused,
              kUnused,
              {.stride = 16, .capacity = units, .has_memory = false}});
        const RuntimeResult handle = Call(Reservation(shared::kCallReserveWorkgroup, kAll), 1)[0];
        EXPECT_EQ(handle.count, kAll);
        EXPECT_EQ(handle.stride, kScattered);
        const Region region = RegionAfter(kSlot);
        const Region pool = RegionAfter(kPool);
        EXPECT_EQ(region.reserved, kAll);
        EXPECT_EQ(region.records.count, failing.begin);
        EXPECT_EQ(region.lost, 0u) << "launches count what has no place";
        EXPECT_EQ(pool.reserved, taken);
        ReferenceSegment segment;
        for (uint32_t first = 0; segment.number < failing.number; segment.Next()) {
          EXPECT_EQ(region.segments[segment.number], PlaceInPool(region, pool, first)) << segment.number;
          first += segment.Units();
        }
        for (; segment.number < shared::kSegments; segment.Next())
          EXPECT_EQ(region.segments[segment.number], shared::kNoMemory) << segment.number;
        if (HasFailure()) return;
      }
      taken += failing.Units();
    }
  }
}

// Somebody claimed the segment of ranks 1024 to 1279 and stopped there; others may have done so before. Waits end, and
// one of those that wait provides it.
TEST_F(RuntimeGrowth, ClaimsThatNobodyKeepsAreTakenOver) {
  constexpr uint32_t kNumber = 24;
  constexpr uint32_t kSent = 1024 + shared::kRuntimeCallWorkgroup;
  for (const Variant variant : {kPlain, kSubgroups, kImpatient}) {
    if (!Use(variant)) continue;
    for (const uint32_t claim : {shared::kFirstClaim, shared::kFirstClaim + 7, shared::kNoMemory - 3}) {
      SCOPED_TRACE("variant " + std::to_string(variant) + ", claim " + std::to_string(claim));
      Open({{.stride = kGrowingStride,
             .capacity = kSent,
             .reserved = 1024,
             .dense = kDenseRecords,
             .segments = {{kNumber, claim}}},
            kUnused,
            kUnused,
            {.stride = 16, .capacity = 60000}});
      RuntimeCall call = Reservation(shared::kCallReserveInvocation, 1);
      call.record_bytes = kGrowingStride;
      Call(call, 1);
      EXPECT_EQ(RegionAfter(kSlot).records.count, kSent);
      EXPECT_EQ(RegionAfter(kSlot).lost, 0u);
      for (uint32_t rank = 1024; rank < kSent && !HasFailure(); ++rank) ExpectStamped(RegionAfter(kSlot), rank);
      if (HasFailure()) return;
    }
  }
}

// A segment without memory stays one, whatever the pool has by now: nobody waits for it, or tries again.
TEST_F(RuntimeGrowth, ASegmentWithoutMemoryStaysOne) {
  ASSERT_TRUE(Use(kPlain));
  Open({{.stride = kGrowingStride,
         .capacity = 2000,
         .reserved = 1024,
         .dense = kDenseRecords,
         .segments = {{24, shared::kNoMemory}}},
        kUnused,
        kUnused,
        {.stride = 16, .capacity = 60000}});
  Call(Reservation(shared::kCallReserveInvocation, 1), 4);
  EXPECT_EQ(RegionAfter(kSlot).records.count, 1024u);
  EXPECT_EQ(RegionAfter(kSlot).segments[24], shared::kNoMemory);
  EXPECT_EQ(RegionAfter(kPool).reserved, 0u);
}

// As many records as one reservation can have, three times: the third does not fit.
TEST_F(RuntimeGrowth, TheLargestReservations) {
  constexpr uint32_t kLargest = 0x3fffffff;
  for (const uint32_t units : {0u, 1u, kMax}) {
    for (const Variant variant : {kPlain, kSubgroups}) {
      if (!Use(variant)) continue;
      SCOPED_TRACE("variant " + std::to_string(variant) + ", units " + std::to_string(units));
      Open({{.stride = kGrowingStride, .capacity = kMax, .has_memory = false, .dense = 0x10000},
            kUnused,
            kUnused,
            {.stride = 16, .capacity = units, .has_memory = false}});
      for (const uint32_t rank : {0u, kLargest}) {
        const RuntimeResult handle = Call(Reservation(shared::kCallReserveWorkgroup, 0xffffffff), 1)[0];
        EXPECT_EQ(handle.count, kLargest);
        EXPECT_EQ(handle.stride, kScattered | rank);
      }
      const Region before = RegionAfter(kSlot);
      EXPECT_EQ(before.reserved, 2 * kLargest);
      EXPECT_EQ(before.records.count, units == kMax ? kMax : 0x10000u);
      EXPECT_EQ(before.segments[(30 - 16) * 4 + 3] == shared::kNoMemory, units != kMax);
      EXPECT_EQ(Call(Reservation(shared::kCallReserveWorkgroup, 0xffffffff), 1)[0].base, 0u);
      const Region after = RegionAfter(kSlot);
      EXPECT_EQ(after.reserved, kMax + 1);
      EXPECT_EQ(after.refused, 2 * kLargest);
      EXPECT_EQ(after.records.count, units == kMax ? 2 * kLargest : 0x10000u);
      EXPECT_EQ(after.lost, kLargest);
      EXPECT_LE(RegionAfter(kPool).reserved, units);
      if (HasFailure()) return;
    }
  }
}

// A pool that has given nearly all that it can count, or of which an allocation of the heap did not find its place.
TEST_F(RuntimeGrowth, PoolsNearTheMost) {
  ASSERT_TRUE(Use(kPlain));
  for (const uint32_t reserved : {kMax - 2, kMax, kMax + 1}) {
    Open({{.stride = kGrowingStride, .capacity = kMax, .reserved = kMax - 40, .has_memory = false, .dense = 0x10000},
          kUnused,
          kUnused,
          {.stride = 16, .capacity = kMax, .reserved = reserved, .has_memory = false}});
    Call(Reservation(shared::kCallReserveWorkgroup, 1), 8);
    EXPECT_EQ(RegionAfter(kPool).reserved, reserved);
    EXPECT_EQ(RegionAfter(kSlot).records.count, 0x70000000u) << "where that segment begins";
    if (HasFailure()) return;
  }
}

// 2^28 records of 256 bytes are 64 GiB: no pool has that, whatever is left of the number of units in 32 bits.
TEST_F(RuntimeGrowth, ASegmentLargerThanAnyPoolHasNoPlace) {
  ASSERT_TRUE(Use(kPlain));
  Open({{.stride = 256, .capacity = kMax, .reserved = kMax - 40, .has_memory = false, .dense = 0x10000},
        kUnused,
        kUnused,
        {.stride = 16, .capacity = kMax, .has_memory = false}});
  Call(Reservation(shared::kCallReserveWorkgroup, 1), 1);
  EXPECT_EQ(RegionAfter(kSlot).segments[(30 - 16) * 4 + 3], shared::kNoMemory);
  EXPECT_EQ(RegionAfter(kSlot).records.count, 0x70000000u);
}

// No room, one record, and what just reaches or passes what lies dense.
TEST_F(RuntimeGrowth, SmallCapacities) {
  ASSERT_TRUE(Use(kPlain));
  for (const uint32_t capacity : {0u, 1u, 15u, 16u}) {
    Open({{.stride = kGrowingStride, .capacity = capacity}, kUnused, kUnused, {.stride = 16, .capacity = 100}});
    EXPECT_EQ(Reserve(shared::kCallReserveInvocation, 1, 1), capacity);
    EXPECT_EQ(RegionAfter(kPool).reserved, 0u) << "dense regions take nothing from the pool";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis::test
