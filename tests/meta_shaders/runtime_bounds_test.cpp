// SPDX-License-Identifier: Apache-2.0
// Whatever counters, counts, indices, numbers of workgroups and grids the runtime's functions meet: addresses stay in
// the region, the heap or the dump, nothing next to them is written, and what finds no place is counted.
#include <algorithm>
#include <string>

#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/runtime_fixture.h"

namespace trellis::test {
namespace {

using shared::Region;
using shared::RuntimeCall;
using shared::RuntimeResult;

constexpr uint32_t kHuge = 0xffffffff;
constexpr uint32_t kMaxRecords = 0x3fffffff;  // of one reservation
constexpr uint32_t kMaxPlainCount = 0x1000;   // of one that adds to the counter without a look at it
constexpr uint32_t kMaxCounted = 0x80000000;  // where counters of losses stop
constexpr uint32_t kMaxCapacity = 0x7fffffff;
constexpr uint32_t kHeap = 3;

uint32_t Asked(const RuntimeCall& call, uint32_t invocation) {
  const uint32_t count = call.count + invocation * call.count_step;
  return std::min({count, call.limit, kMaxRecords});
}

bool IsOfWorkgroup(const RuntimeCall& call) {
  return call.function == shared::kCallReserveWorkgroup || call.function == shared::kCallDeferWorkgroup;
}

class RuntimeBounds : public RuntimeTest {
 protected:
  struct Range {
    uint64_t begin;
    uint64_t end;
  };
  // What the invocations of a dispatch have asked of a slot, and what they got.
  struct Ledger {
    uint64_t asked = 0;
    uint64_t placed = 0;
    std::vector<Range> ranks;
  };

  // The region of every slot is alike; the heap has 4096 units. Every other time they are one of two sets.
  void OpenAlike(const RegionSetup& setup) {
    setup_ = setup;
    Open({setup, setup, setup, {16, 4096}});
    alternates_ = !alternates_;
    if (alternates_) AppendToAlternating();
  }

  static RuntimeCall Reservation(uint32_t function, uint32_t output, uint32_t index, uint32_t count) {
    RuntimeCall call = {};
    call.function = function;
    call.target = output;
    call.index = index;
    call.count = count;
    call.limit = kHuge;
    return call;
  }

  void ExpectLost(const RuntimeResult& result, uint32_t asked) const {
    EXPECT_EQ(result.base, 0u);
    EXPECT_EQ(result.count, asked);
    EXPECT_EQ(result.stride, 0u);
  }
  void ExpectPlaced(const RuntimeResult& result, uint32_t slot, uint32_t asked, Ledger& ledger) const {
    EXPECT_EQ(result.count, asked);
    EXPECT_EQ(result.stride, setup_.stride);
    ledger.placed += asked;
    const uint64_t base = records(slot).address;
    ASSERT_GE(result.base, base);
    if (setup_.stride == 0) {
      EXPECT_EQ(result.base, base);
      return;
    }
    EXPECT_EQ((result.base - base) % setup_.stride, 0u);
    const uint64_t rank = (result.base - base) / setup_.stride;
    ledger.ranks.push_back({rank, rank + asked});
  }
  void ExpectDisjoint(std::vector<Range> ranges, uint64_t end) const {
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    uint64_t next = 0;
    for (const Range& range : ranges) {
      ASSERT_GE(range.begin, next);
      next = range.end;
    }
    EXPECT_LE(next, end);
  }
  void ExpectCounted(uint32_t slot, const Ledger& ledger) const {
    const Region region = RegionAfter(slot);
    EXPECT_LE(region.reserved, std::max(setup_.capacity + 1, setup_.reserved));
    EXPECT_LE(region.records.count, setup_.capacity);
    EXPECT_EQ(region.lost, std::min<uint64_t>(setup_.lost + ledger.asked - ledger.placed, kMaxCounted));
    const uint64_t there = std::min(setup_.reserved, setup_.capacity) + ledger.placed;
    EXPECT_EQ(std::min(region.reserved, region.records.count), there);
    if (setup_.coalesce == 0) return;
    EXPECT_EQ(region.workgroups,
              std::min<uint64_t>((there + setup_.coalesce - 1) / setup_.coalesce, setup_.max_workgroups));
  }

  // Calls, and compares with what was asked for.
  void Reserve(const RuntimeCall& call, uint32_t workgroups) {
    SCOPED_TRACE("function " + std::to_string(call.function) + ", output " + std::to_string(call.target) + ", index " +
                 std::to_string(call.index) + ", count " + std::to_string(call.count) + ", limit " +
                 std::to_string(call.limit) + ", capacity " + std::to_string(setup_.capacity));
    const std::vector<RuntimeResult> results = Call(call, workgroups);
    std::map<uint32_t, Ledger> ledgers;
    for (size_t i = 0; i < results.size(); ++i) {
      const uint32_t invocation = static_cast<uint32_t>(i % shared::kRuntimeCallWorkgroup);
      const uint32_t asked = Asked(call, IsOfWorkgroup(call) ? 0 : invocation);
      const std::optional<uint32_t> slot = TargetOf(call.target, call.index + invocation * call.index_step);
      EXPECT_EQ(results[i].is_true != 0, slot.has_value());
      if (!slot || asked == 0) {
        ExpectLost(results[i], asked);
        continue;
      }
      if (IsOfWorkgroup(call) && invocation != 0) {
        EXPECT_EQ(results[i].base, results[i - 1].base);
        continue;
      }
      Ledger& ledger = ledgers[*slot];
      ledger.asked += asked;
      if (results[i].base == 0) {
        ExpectLost(results[i], asked);
      } else {
        ExpectPlaced(results[i], *slot, asked, ledger);
      }
      if (HasFailure()) return;
    }
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      ExpectDisjoint(ledgers[slot].ranks, setup_.capacity);
      ExpectCounted(slot, ledgers[slot]);
    }
  }

  RegionSetup setup_;
  bool alternates_ = false;
};

constexpr uint32_t kReservations[] = {shared::kCallReserveWorkgroup, shared::kCallReserveInvocation,
                                      shared::kCallReserveInvocations};
constexpr uint32_t kCounts[] = {0,
                                1,
                                63,
                                kMaxPlainCount - 1,
                                kMaxPlainCount,
                                kMaxPlainCount + 1,
                                20000,
                                kMaxRecords,
                                kMaxRecords + 1,
                                kMaxCapacity,
                                0x80000000,
                                kHuge};

TEST_F(RuntimeBounds, ReservationsOfAnyCount) {
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t function : kReservations) {
      for (const uint32_t capacity : {0u, 64u, 30000u}) {
        for (const uint32_t count : kCounts) {
          OpenAlike({.stride = 12, .capacity = capacity, .coalesce = 7});
          RuntimeCall call = Reservation(function, kOneTarget, 3, count);
          call.record_bytes = 12;
          Reserve(call, 5);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Workgroups that take the records of a region: as many as they need, or the most there may be.
TEST_F(RuntimeBounds, WorkgroupsOfAnySize) {
  struct Filled {
    uint32_t capacity;
    uint32_t reserved;
    bool has_memory;
  };
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const Filled& filled : {Filled{3000, 0, true}, {3000, 2500, true}, {kMaxCapacity, 0x7ffffc00, false}}) {
      for (const uint32_t coalesce : {1u, 2u, 7u, 64u, 0x7fffffffu, 0x80000000u}) {
        for (const uint32_t most : {1u, 3u, 40u, shared::kAnyWorkgroups}) {
          for (const uint32_t count : {1u, 64u, 65u}) {
            OpenAlike({.stride = 4,
                       .capacity = filled.capacity,
                       .reserved = filled.reserved,
                       .coalesce = coalesce,
                       .max_workgroups = most,
                       .has_memory = filled.has_memory});
            RuntimeCall call = Reservation(shared::kCallReserveInvocation, kOneTarget, 3, count);
            call.record_bytes = filled.has_memory ? 4 : 0;
            SCOPED_TRACE("workgroups of " + std::to_string(coalesce) + ", most " + std::to_string(most));
            Reserve(call, 1);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

// Two members of a counted batch: each has its own count, and the first one's region has that of both.
TEST_F(RuntimeBounds, WorkgroupsOfACountedBatch) {
  constexpr uint32_t kEach = 7;
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t function :
         {shared::kCallReserveWorkgroup, shared::kCallReserveInvocation, shared::kCallReserveInvocations}) {
      for (const uint32_t most : {3u, shared::kAnyWorkgroups}) {
        const RegionSetup member = {
            .stride = 4, .capacity = 3000, .coalesce = kEach, .max_workgroups = most, .in_batch = true};
        Open({member, member, {4, 100}, {16, 1}});
        RuntimeCall call = Reservation(function, kOneTarget, 3, 3);
        call.record_bytes = 4;
        Call(call, 5);
        call.target = kDense;
        call.index = 10;
        call.count = 2;
        Call(call, 3);
        const auto expected = [&](uint32_t slot) {
          return std::min((RegionAfter(slot).reserved + kEach - 1) / kEach, most);
        };
        ASSERT_GT(RegionAfter(0).reserved, RegionAfter(1).reserved);
        ASSERT_GT(RegionAfter(1).reserved, 0u);
        EXPECT_EQ(CountedInBatch(0), expected(0));
        EXPECT_EQ(CountedInBatch(1), expected(1));
        EXPECT_EQ(CountedInBatch(2), 0u);
        EXPECT_EQ(RegionAfter(0).workgroups, expected(0) + expected(1));
        EXPECT_EQ(RegionAfter(1).workgroups, 0u);
      }
    }
  }
}

TEST_F(RuntimeBounds, CountsThatDiffer) {
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t function : {shared::kCallReserveInvocation, shared::kCallReserveInvocations}) {
      for (const uint32_t step : {1u, 0x04000000u, kHuge}) {
        OpenAlike({.stride = 8, .capacity = 3000});
        RuntimeCall call = Reservation(function, kDense, 10, 5);
        call.count_step = step;
        call.record_bytes = 8;
        Reserve(call, 7);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(RuntimeBounds, AnyShaderIndex) {
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t function : {shared::kCallReserveInvocation, shared::kCallReserveInvocations}) {
      for (const uint32_t output :
           {kOneTarget, kProgression, kDense, kSorted, kDenseAtTheEnd, kEmptyDense, kEmptySorted}) {
        for (const uint32_t index : {0u, 0x7fffffe0u, 0xffffffe0u}) {
          for (const uint32_t step : {0u, 1u, 0x10000001u}) {
            OpenAlike({.stride = 16, .capacity = 200});
            RuntimeCall call = Reservation(function, output, index, 2);
            call.index_step = step;
            call.record_bytes = 16;
            Reserve(call, 2);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST_F(RuntimeBounds, LimitOfTheNode) {
  OpenAlike({.stride = 4, .capacity = 5000});
  RuntimeCall call = Reservation(shared::kCallReserveInvocation, kOneTarget, 3, kHuge);
  call.limit = 9;
  call.record_bytes = 4;
  Reserve(call, 3);
}

// 2^31 ranks are asked for, by as many invocations as it takes, of a region that has given all of its own away.
TEST_F(RuntimeBounds, CountersDoNotWrap) {
  for (const uint32_t reserved : {0u, kMaxCapacity + 1}) {
    OpenAlike({.stride = 256, .capacity = kMaxCapacity, .reserved = reserved, .has_memory = false});
    Reserve(Reservation(shared::kCallReserveInvocation, kOneTarget, 3, kMaxRecords), 64);
  }
  OpenAlike({.stride = 256, .capacity = kMaxCapacity, .reserved = kMaxCapacity + 1, .has_memory = false});
  Reserve(Reservation(shared::kCallReserveInvocation, kOneTarget, 3, kMaxPlainCount), 8192);
}

// All at once lose what adds up to 2^32 again and again.
TEST_F(RuntimeBounds, LossesStopAtTheirMost) {
  for (const uint32_t function : kReservations) {
    for (const uint32_t count : {kMaxPlainCount, kMaxPlainCount + 1, 0x20000000u, kMaxRecords}) {
      for (const uint32_t lost : {0u, kMaxCounted - 1, kMaxCounted}) {
        OpenAlike({.stride = 4, .capacity = 10, .lost = lost});
        RuntimeCall call = Reservation(function, kOneTarget, 3, count);
        call.record_bytes = 4;
        Reserve(call, 128);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(RuntimeBounds, EmptyPayloads) {
  for (const uint32_t count : {1u, kMaxPlainCount, kMaxRecords}) {
    OpenAlike({.stride = 0, .capacity = kMaxCapacity});
    Reserve(Reservation(shared::kCallReserveInvocation, kDense, 12, count), 64);
    if (HasFailure()) return;
  }
}

class RuntimeDefer : public RuntimeBounds {
 protected:
  // Of what was asked for, as much is in the region as was not lost; arrays lie in the heap, each behind its header.
  void Defer(const RuntimeCall& call, uint32_t workgroups) {
    SCOPED_TRACE("function " + std::to_string(call.function) + ", count " + std::to_string(call.count) + ", stride " +
                 std::to_string(setup_.stride) + ", capacity " + std::to_string(setup_.capacity));
    const std::vector<RuntimeResult> results = Call(call, workgroups);
    uint64_t asked = 0;
    std::vector<Range> bytes;
    for (size_t i = 0; i < results.size(); ++i) {
      if (IsOfWorkgroup(call) && i % shared::kRuntimeCallWorkgroup != 0) continue;
      asked += Asked(call, 0);
      if (results[i].base == 0) {
        ExpectLost(results[i], Asked(call, 0));
        continue;
      }
      EXPECT_EQ(results[i].stride, setup_.stride);
      const uint64_t begin = results[i].base - records(kHeap).address;
      bytes.push_back({begin - shared::kHeapHeaderBytes, begin + uint64_t{results[i].count} * setup_.stride});
    }
    ExpectDisjoint(bytes, records(kHeap).size);
    const Region region = RegionAfter(0);
    const uint64_t placed = std::min(region.reserved, region.records.count);
    EXPECT_EQ(region.lost, call.slot == 0 ? std::min<uint64_t>(asked - placed, kMaxCounted) : 0);
    EXPECT_LE(region.records.count, setup_.capacity);
    EXPECT_EQ(RegionAfter(kHeap).lost, 0u);
  }
};

TEST_F(RuntimeDefer, AllocationsOfAnySize) {
  for (const uint32_t function : {shared::kCallDeferWorkgroup, shared::kCallDeferInvocation}) {
    for (const uint32_t stride : {0u, 4u, 20u, kDumpBytes}) {
      for (const uint32_t capacity : {0u, 40u, 1000u}) {
        for (const uint32_t count : {0u, 1u, 3u, 500u}) {
          OpenAlike({.stride = stride, .capacity = capacity});
          RuntimeCall call = Reservation(function, kOneTarget, 3, count);
          call.record_bytes = stride;
          Defer(call, 3);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// What a shader has written over the header of its array leads nowhere.
TEST_F(RuntimeDefer, SlotsThatDoNotExist) {
  for (const uint32_t function : {shared::kCallDeferWorkgroup, shared::kCallDeferInvocation}) {
    for (const uint32_t slot : {kHeap, kHeap + 1, 0x7fffffffu, kHuge}) {
      OpenAlike({.stride = 4, .capacity = 1000});
      RuntimeCall call = Reservation(function, kOneTarget, 3, 3);
      call.record_bytes = 4;
      call.slot = slot;
      Defer(call, 2);
      EXPECT_EQ(RegionAfter(0).reserved, 0u);
    }
  }
}

// Sizes in bytes around 2^32, and strides that no record has.
TEST_F(RuntimeDefer, SizesBeyondTheHeap) {
  for (const uint32_t function : {shared::kCallDeferWorkgroup, shared::kCallDeferInvocation}) {
    for (const uint32_t stride : {4u, 20u, 0x10000u, 0xfffffffcu}) {
      for (const uint32_t count : {0xccccccbu, 0xccccccdu, 0x10000u, 0xffffu, kMaxRecords, kHuge}) {
        OpenAlike({.stride = stride, .capacity = 10, .has_memory = false});
        Defer(Reservation(function, kOneTarget, 3, count), 2);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(RuntimeBounds, CopiesStayInTheShorterArray) {
  for (const uint32_t from : {4u, 16u, kDumpBytes}) {
    for (const uint32_t to : {4u, 8u, kDumpBytes}) {
      for (const uint32_t capacity : {0u, 100u, 1000u}) {
        setup_ = {};
        Open({{from, 1000}, {to, capacity}, {to, capacity}, {16, 0}});
        RuntimeCall call = Reservation(shared::kCallCopyArray, kDense, 12, 5);
        // Only some invocations have both.
        call.index_step = kHuge;
        Call(call, 2);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(RuntimeBounds, ReportsStayInTheirRing) {
  struct Header {
    uint32_t written;
    uint32_t read;
  };
  for (const auto [written, read] : {Header{0, 0}, {1020, 0}, {kHuge - 5, kHuge - 5}, {kHuge - 5, 3}}) {
    for (const uint32_t count : {0u, 1u, kHuge}) {
      for (const uint32_t index_step : {0u, 1u, 0x10000001u}) {
        OpenAlike({.stride = 4, .capacity = 1});
        reports().Store(0, shared::DeviceReportHeader{written, read, 0, 0});
        RuntimeCall call = Reservation(shared::kCallCheck, kSorted, kHuge, count);
        call.index_step = index_step;
        call.limit = 3;
        Call(call, 64);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(RuntimeBounds, ElementsStayInTheArray) {
  OpenAlike({.stride = 4, .capacity = 1});
  for (const uint32_t count : {0u, 1u, 2u, 0x80000000u, kHuge}) {
    for (const uint32_t stride : {0u, 4u, 0x7ffffffcu}) {
      for (const uint32_t index : {0u, 1u, 0x7fffffffu, kHuge - 10}) {
        for (const uint64_t base : {uint64_t{0}, uint64_t{0xffffffc0}, uint64_t{0x7fff'ffffffc0}}) {
          RuntimeCall call = {};
          call.function = shared::kCallElement;
          call.base = base;
          call.handle_count = count;
          call.handle_stride = stride;
          call.index = index;
          call.index_step = 1;
          const std::vector<RuntimeResult> results = Call(call, 1);
          for (uint32_t i = 0; i < results.size(); ++i) {
            const uint64_t element = std::min(index + i, std::max(count, 1u) - 1);
            ASSERT_EQ(results[i].element, base != 0 ? base + element * stride : dump());
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace trellis::test
