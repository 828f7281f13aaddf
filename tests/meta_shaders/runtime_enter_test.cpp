// SPDX-License-Identifier: Apache-2.0
// Whatever number a workgroup has, and whatever the launch says: the record that it gets lies among those of the
// launch.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "tests/meta_shaders/runtime_fixture.h"

namespace trellis::test {
namespace {

using shared::RuntimeCall;
using shared::RuntimeResult;

constexpr uint32_t kHugeNumber = 0xffffffff;
constexpr uint32_t kStride = 12;
constexpr uint32_t kEntries[] = {shared::kCallEnterStatic, shared::kCallEnterDynamic, shared::kCallEnterCoalescing};
// From a region, or a batch of them.
constexpr uint32_t kRegionEntries[] = {shared::kCallEnterStatic, shared::kCallEnterCoalescing};
constexpr uint32_t kPackings[] = {1, 4, 64};

constexpr uint32_t kNumbers[] = {0, 1, 99, 100, 0x7fffffff, 0x80000000, 0xffffff00, kHugeNumber};

class RuntimeEnter : public RuntimeTest {
 protected:
  // `count` records in the region of slot 0, and record state with any numbers of first workgroups.
  void Prepare(uint32_t count, uint32_t workgroups, uint32_t first_workgroup, uint32_t word) {
    Open({{kStride, std::max(count, 1u)}, {4, 1}, {4, 1}, {16, 1}});
    record_state_ = memory().Take(std::vector<uint32_t>(size_t{4} * std::max(count, 1u), word));
    shared::LaunchInput input = {};
    input.records = shared::DenseRecords(records(0).address, kStride, count);
    input.record_state = record_state_.address;
    input.workgroup_count = workgroups;
    input.first_workgroup = first_workgroup;
    SetInput(input);
    count_ = count;
  }

  // Returns how many got in. Who is at the beginning of a run gets nothing else than there is, either.
  size_t Enter(RuntimeCall call, uint32_t workgroups) {
    if (call.function != shared::kCallFinishWriting) {
      call.in_runs = 1;
      EnterOnce(call, workgroups);
      call.in_runs = 0;
    }
    return EnterOnce(call, workgroups);
  }
  size_t EnterOnce(const RuntimeCall& call, uint32_t workgroups) {
    size_t entered = 0;
    for (const RuntimeResult& result : Call(call, workgroups)) {
      if (result.is_true == 0) continue;
      ++entered;
      EXPECT_EQ(result.stride, kStride);
      EXPECT_GE(result.count, 1u);
      EXPECT_LE(uint64_t{result.record} + result.count, count_);
      EXPECT_EQ(result.base, records(0).address + uint64_t{result.record} * kStride);
      if (HasFailure()) break;
    }
    return entered;
  }

  PlanSpan record_state_;
  uint32_t count_ = 0;
};

TEST_F(RuntimeEnter, AnyWorkgroup) {
  constexpr std::array<uint32_t, 3> kGrids[] = {
      {1, 1, 1}, {0, 0, 0}, {0, 7, 0}, {3, 0, 2}, {65535, 65535, 65535}, {32768, 32768, 4}};
  for (const uint32_t function : kEntries) {
    for (const uint32_t count : {0u, 1u, 100u}) {
      for (const uint32_t workgroups : {0u, 100u, kHugeNumber}) {
        Prepare(count, workgroups, 0, 0);
        for (const uint32_t number : kNumbers) {
          for (const std::array<uint32_t, 3>& grid : kGrids) {
            if (function != shared::kCallEnterStatic && grid != kGrids[0]) continue;
            for (const uint32_t packed : kPackings) {
              SCOPED_TRACE("function " + std::to_string(function) + ", records " + std::to_string(count) +
                           ", workgroups " + std::to_string(workgroups) + ", number " + std::to_string(number) +
                           ", packed by " + std::to_string(packed));
              RuntimeCall call = EntryCall(function, packed);
              call.id_x = number;
              call.id_y = call.id_z = number / 2;
              call.id_step = 1;
              call.row = number | 1;
              call.grid_x = grid[0];
              call.grid_y = grid[1];
              call.grid_z = grid[2];
              call.state_words = function == shared::kCallEnterDynamic ? shared::kFullRecordState : 0;
              call.each = function == shared::kCallEnterDynamic ? 0x340000 : 3;  // three components of 4 bytes
              const size_t entered = Enter(call, 1);
              EXPECT_TRUE(entered == 0 || (count != 0 && workgroups != 0));
              if (HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

// Counters of the region are the arguments; those of one that lost records have passed what it has.
TEST_F(RuntimeEnter, AnyWorkgroupOfARegion) {
  for (const uint32_t function : kRegionEntries) {
    for (const uint32_t reserved : {0u, 1u, 100u, 101u, kHugeNumber}) {
      for (const uint32_t number : kNumbers) {
        SCOPED_TRACE("function " + std::to_string(function) + ", reserved " + std::to_string(reserved) + ", number " +
                     std::to_string(number));
        Open({{kStride, 100, reserved}, {4, 1}, {4, 1}, {16, 1}});
        ReadFromRegion(0);
        count_ = 100;
        for (const uint32_t packed : kPackings) {
          RuntimeCall call = EntryCall(function, packed);
          call.id_x = number;
          call.id_y = number;
          call.id_z = kHugeNumber;
          call.id_step = 1;
          call.grid_x = call.grid_z = 1;
          call.each = 3;
          Enter(call, 1);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Its grid has more numbers than there are.
TEST_F(RuntimeEnter, LastWorkgroupsOfALargeRegion) {
  constexpr uint32_t kGrid = 65535;
  Open({{kStride, 100, 100}, {4, 1}, {4, 1}, {16, 1}});
  ReadFromRegion(0);
  RuntimeCall call = EntryCall(shared::kCallEnterStatic);
  call.row = 65538;  // its product with the last of the grid is 2^32 - 4
  call.rows = kGrid;
  call.id_x = 3;
  call.id_y = kGrid - 1;
  call.grid_x = kGrid;
  call.grid_y = call.grid_z = 1;
  const RuntimeResult result = Call(call, 1).front();
  EXPECT_NE(result.is_true, 0u);
  EXPECT_EQ(result.record, 3u);
  EXPECT_EQ(result.element, kGrid - 1);
}

// Regions without records before, between and behind those with some. What rounding up to rows adds has nothing to do.
TEST_F(RuntimeEnter, EachWorkgroupOfABatch) {
  constexpr uint32_t kEach = 3;  // records a workgroup, or workgroups a record
  const std::vector<uint32_t> slots = {1, 0, 1, 2, 1, 1};
  struct Case {
    uint32_t function;
    std::vector<uint32_t> sums;
  };
  const Case cases[] = {{shared::kCallEnterStatic, {0, 0, 30, 30, 51, 51, 51}},
                        {shared::kCallEnterCoalescing, {0, 0, 4, 4, 7, 7, 7}}};
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const Case& tested : cases) {
      Open({{kStride, 10, 10}, {4, 1}, {kStride, 10, 7}, {16, 1}});
      const bool is_static = tested.function == shared::kCallEnterStatic;
      ReadFromBatch(slots, tested.sums, is_static ? shared::kLaunchStaticGrid : shared::kLaunchCoalescing);
      const uint32_t begin_of_last = tested.sums[3];
      for (uint32_t number = 0; number < tested.sums.back() + 3; ++number) {
        SCOPED_TRACE("function " + std::to_string(tested.function) + ", number " + std::to_string(number));
        RuntimeCall call = EntryCall(tested.function);
        call.id_x = number % 5;
        call.id_y = number / 5;
        call.row = 5;
        call.grid_x = call.grid_z = 1;
        call.grid_y = call.each = kEach;
        const RuntimeResult result = Call(call, 1).front();
        ASSERT_EQ(result.is_true != 0, number < tested.sums.back());
        if (result.is_true == 0) continue;
        const bool is_last = number >= begin_of_last;
        const uint32_t workgroup = is_last ? number - begin_of_last : number;
        EXPECT_EQ(result.record, is_static ? workgroup / kEach : workgroup * kEach);
        EXPECT_EQ(result.base, records(is_last ? 2 : 0).address + uint64_t{result.record} * kStride);
        const uint32_t left = (is_last ? 7 : 10) - result.record;
        EXPECT_EQ(result.count, tested.function == shared::kCallEnterCoalescing ? std::min(left, kEach) : 1u);
      }
    }
  }
}

// Of one member, as many as a subgroup may have invocations, one less and one more, and many; some have no workgroups.
TEST_F(RuntimeEnter, EachWorkgroupOfACountedBatch) {
  constexpr uint32_t kEach = 3;
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t members : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 32u, 33u, 65u, 128u, 300u}) {
      // Regions of 10 and of 7 records, and of none, in turns.
      std::vector<uint32_t> slots, counts;
      for (uint32_t i = 0; i < members; ++i) {
        slots.push_back((i * 7 + members) % 3);
        counts.push_back(slots.back() == 0 ? 4 : slots.back() == 1 ? 0 : 3);
      }
      Open({{kStride, 10, 10}, {4, 1}, {kStride, 10, 7}, {16, 1}});
      ReadFromCountedBatch(slots, counts);
      uint32_t number = 0;
      for (uint32_t member = 0; member < members; ++member) {
        for (uint32_t workgroup = 0; workgroup < counts[member]; ++workgroup, ++number) {
          if (members > 40 && number % 13 != 0) continue;
          SCOPED_TRACE(std::to_string(members) + " members, number " + std::to_string(number));
          RuntimeCall call = EntryCall(shared::kCallEnterCoalescing);
          call.id_x = number;
          call.row = 2000;
          call.each = kEach;
          const RuntimeResult result = Call(call, 1).front();
          ASSERT_NE(result.is_true, 0u);
          EXPECT_EQ(result.record, workgroup * kEach);
          EXPECT_EQ(result.base, records(slots[member]).address + uint64_t{result.record} * kStride);
          EXPECT_EQ(result.count, std::min((slots[member] == 0 ? 10 : 7) - result.record, kEach));
        }
      }
    }
  }
}

// Each of the two has its own number of workgroups.
TEST_F(RuntimeEnter, MembersOfABatchStride) {
  constexpr uint32_t kEach = 2;
  constexpr std::array<uint32_t, 2> kRecords = {10, 7};
  std::multiset<std::pair<uint64_t, uint32_t>> expected;
  for (const std::vector<uint32_t>& sums : {std::vector<uint32_t>{0, 1, 3}, {0, 2, 3}, {0, 3, 10}}) {
    for (const bool is_counted : {false, true}) {
      Open({{kStride, 10, kRecords[0]}, {4, 1}, {kStride, 10, kRecords[1]}, {16, 1}});
      if (is_counted) {
        ReadFromCountedBatch({0, 2}, {sums[1], sums[2] - sums[1]});
      } else {
        ReadFromBatch({0, 2}, sums, shared::kLaunchCoalescing);
      }
      expected.clear();
      for (uint32_t member = 0; member < 2; ++member)
        for (uint32_t record = 0; record < kRecords[member]; record += kEach)
          expected.emplace(records(2 * member).address + uint64_t{record} * kStride,
                           std::min(kEach, kRecords[member] - record));
      RuntimeCall call = EntryCall(shared::kCallEnterCoalescing);
      call.each = kEach;
      call.row = sums.back();
      call.rows = 1;
      for (call.in_runs = 0; call.in_runs < 2; ++call.in_runs) {
        std::multiset<std::pair<uint64_t, uint32_t>> entered;
        for (call.strides = 0; call.strides < 6; ++call.strides) {
          for (call.id_x = 0; call.id_x < call.row; ++call.id_x) {
            const RuntimeResult result = Call(call, 1).front();
            if (result.is_true != 0) entered.emplace(result.base, result.count);
          }
        }
        EXPECT_EQ(entered, expected) << call.in_runs;
      }
    }
  }
}

// Whatever the sums say, and wherever they leave gaps.
TEST_F(RuntimeEnter, AnyWorkgroupOfABatch) {
  const std::vector<uint32_t> kSums[] = {{0, 40, 80}, {0, 0, 0}, {0, kHugeNumber, kHugeNumber}, {0, 7, kHugeNumber}};
  for (const uint32_t function : kRegionEntries) {
    for (const std::vector<uint32_t>& sums : kSums) {
      for (const uint32_t number : kNumbers) {
        Open({{kStride, 100, 101}, {4, 1}, {4, 1}, {16, 1}});
        ReadFromBatch({0, 0}, sums, shared::kLaunchCoalescing);
        count_ = 100;
        SCOPED_TRACE("function " + std::to_string(function) + ", number " + std::to_string(number));
        for (const uint32_t packed : kPackings) {
          RuntimeCall call = EntryCall(function, packed);
          call.id_x = number;
          call.id_step = 1;
          call.grid_x = call.grid_y = call.grid_z = 1;
          call.each = 3;
          Enter(call, 1);
          if (HasFailure()) return;
        }
      }
    }
  }
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const std::vector<uint32_t>& counts :
         {std::vector{0u, 0u}, {40u, kHugeNumber}, {kHugeNumber, 7u}, {kHugeNumber, kHugeNumber}}) {
      for (const uint32_t number : kNumbers) {
        Open({{kStride, 100, 101}, {4, 1}, {4, 1}, {16, 1}});
        ReadFromCountedBatch({0, 0}, counts);
        count_ = 100;
        RuntimeCall call = EntryCall(shared::kCallEnterCoalescing);
        call.id_x = number;
        call.each = 3;
        Enter(call, 1);
        if (HasFailure()) return;
      }
    }
  }
}

// Record state that makes no sense.
TEST_F(RuntimeEnter, AnyRecordState) {
  for (const uint32_t word : {0u, 50u, 0x80000000u, kHugeNumber}) {
    for (const uint32_t words : {1u, 2u, shared::kFullRecordState}) {
      for (const uint32_t first : {0u, 77u, kHugeNumber}) {
        Prepare(100, kHugeNumber, first, word);
        for (const uint32_t packed : kPackings) {
          RuntimeCall call = EntryCall(shared::kCallEnterDynamic, packed);
          call.id_step = 0x01000001;
          call.each = 0x340000;
          call.state_words = words;
          Enter(call, 4);
          call.in_runs = call.strides = 1;
          EnterOnce(call, 4);
          call.strides = 3;
          EnterOnce(call, 4);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Who enters: a workgroup of the node, with the first record that it gets and how many.
struct Entered {
  uint32_t record = 0;
  uint32_t count = 0;
  uint32_t x = 0;
  uint32_t y = 0;
  auto operator<=>(const Entered&) const = default;
};

class RuntimePacks : public RuntimeEnter {
 protected:
  // All workgroups of a dispatch of `dispatched`, in rows of 3 or in one row. Each of the node's own must enter with
  // all of its invocations, or with none.
  std::multiset<Entered> EnterAll(RuntimeCall call, uint32_t dispatched) {
    std::multiset<Entered> entered;
    call.row = dispatched % 3 == 0 ? 3 : dispatched;
    call.rows = dispatched / call.row;
    for (call.id_z = 0; call.id_z < std::max(call.slices, 1u); ++call.id_z) {
      for (uint32_t number = 0; number < dispatched; ++number) {
        call.id_x = number % call.row;
        call.id_y = number / call.row;
        AddEntered(call, entered);
      }
    }
    return entered;
  }
  // The same where each has to stride, `strides` times at most; or to go through a run of as many.
  std::multiset<Entered> StrideThroughAll(RuntimeCall call, uint32_t dispatched, uint32_t strides) {
    std::multiset<Entered> entered;
    for (call.strides = 0; call.strides <= strides; ++call.strides) entered.merge(EnterAll(call, dispatched));
    EXPECT_TRUE(EnterAll(call, dispatched).empty());
    EXPECT_EQ(RunThroughAll(call, dispatched, strides), entered);
    return entered;
  }
  std::multiset<Entered> RunThroughAll(RuntimeCall call, uint32_t dispatched, uint32_t turns_behind_first) {
    call.in_runs = 1;
    std::multiset<Entered> entered;
    for (call.strides = 0; call.strides <= turns_behind_first; ++call.strides)
      entered.merge(EnterAll(call, dispatched));
    EXPECT_TRUE(EnterAll(call, dispatched).empty());
    return entered;
  }

  void AddEntered(const RuntimeCall& call, std::multiset<Entered>& entered) {
    const std::vector<RuntimeResult> results = Call(call, 1);
    for (uint32_t pack = 0; pack < call.packed; ++pack) {
      const uint32_t first = pack * call.invocations;
      for (uint32_t i = first; i < first + call.invocations; ++i) {
        EXPECT_EQ(results[i].is_true, results[first].is_true) << i;
        EXPECT_EQ(results[i].record, results[first].record) << i;
        EXPECT_EQ(results[i].element, results[first].element) << i;
      }
      const RuntimeResult& result = results[first];
      if (result.is_true == 0) continue;
      EXPECT_EQ(result.base, records(0).address + uint64_t{result.record} * kStride);
      entered.insert({result.record, result.count, static_cast<uint32_t>(result.element),
                      static_cast<uint32_t>(result.element >> 32)});
    }
  }

  static std::multiset<Entered> Grids(uint32_t records, uint32_t x, uint32_t y) {
    std::multiset<Entered> all;
    for (uint32_t record = 0; record < records; ++record)
      for (uint32_t i = 0; i < x * y; ++i) all.insert({record, 1, i % x, i / x});
    return all;
  }
};

// Two workgroups, each with four of the node's, take 6 records or 2 groups of 3 for each of those.
TEST_F(RuntimePacks, RecordsOfARunAreNeighbours) {
  constexpr uint32_t kPacked = 4;
  constexpr uint32_t kOfPart = 6;
  constexpr uint32_t kRecords = 2 * kPacked * kOfPart;
  for (const uint32_t function : kRegionEntries) {
    RuntimeCall call = EntryCall(function, kPacked);
    call.grid_x = call.grid_y = call.grid_z = 1;
    call.each = 3;
    call.row = 2;
    call.in_runs = 1;
    const uint32_t step = function == shared::kCallEnterCoalescing ? call.each : 1;
    Prepare(kRecords, kRecords / kPacked / step, 0, 0);
    for (call.strides = 0; call.strides < kOfPart / step; ++call.strides) {
      for (call.id_x = 0; call.id_x < 2; ++call.id_x) {
        const std::vector<RuntimeResult> results = Call(call, 1);
        for (uint32_t part = 0; part < kPacked; ++part) {
          const RuntimeResult& result = results[part * call.invocations];
          EXPECT_NE(result.is_true, 0u);
          EXPECT_EQ(result.record, (call.id_x * kPacked + part) * kOfPart + call.strides * step);
        }
      }
    }
  }
}

// Grids of fewer workgroups than are packed, of as many, and of more.
TEST_F(RuntimePacks, EachWorkgroupOfStaticGrids) {
  constexpr uint32_t kRecords = 7;
  for (const std::array<uint32_t, 2>& grid : {std::array<uint32_t, 2>{1, 1}, {2, 1}, {2, 2}, {4, 3}}) {
    const uint32_t of_record = grid[0] * grid[1];
    SCOPED_TRACE(of_record);
    RuntimeCall call = EntryCall(shared::kCallEnterStatic, 4);
    call.grid_x = grid[0];
    call.grid_y = grid[1];
    call.grid_z = 1;
    const uint32_t dispatched = of_record < 4 ? (kRecords * of_record + 3) / 4 : kRecords * (of_record / 4);
    Prepare(kRecords, dispatched, 0, 0);
    EXPECT_EQ(EnterAll(call, dispatched + 2), Grids(kRecords, grid[0], grid[1]));
    if (of_record < 4) {  // workgroups of whole records
      EXPECT_EQ(StrideThroughAll(call, 1, dispatched), Grids(kRecords, grid[0], grid[1]));
      EXPECT_EQ(StrideThroughAll(call, 3, dispatched), Grids(kRecords, grid[0], grid[1]));
    }

    // The dispatch has as many workgroups as are packed of a record, or its first dimension counts records.
    Open({{kStride, 10, kRecords}, {4, 1}, {4, 1}, {16, 1}});
    ReadFromRegion(0);
    std::multiset<Entered> entered;
    for (call.id_x = 0; call.id_x < (of_record < 4 ? dispatched : kRecords); ++call.id_x)
      for (call.id_y = 0; call.id_y < std::max(of_record / 4, 1u); ++call.id_y) AddEntered(call, entered);
    EXPECT_EQ(entered, Grids(kRecords, grid[0], grid[1]));
  }
}

// Seven records: three, three and one. What rows and the last slice have beyond them has nothing to do.
TEST_F(RuntimePacks, EachWorkgroupOfSlicesOfStaticGrids) {
  for (const uint32_t packed : {1u, 4u}) {
    RuntimeCall call = EntryCall(shared::kCallEnterStatic, packed);
    call.grid_x = 4;
    call.grid_y = 3;
    call.grid_z = 1;
    const uint32_t dispatched = 12 / packed;
    Prepare(7, 3 * dispatched, 0, 0);
    call.slices = 3;
    EXPECT_EQ(EnterAll(call, 3 * dispatched + 2), Grids(7, 4, 3));
    // Bounded mode: a portion of the slice with the records 2, 3 and 4.
    shared::LaunchInput input = {};
    input.records = shared::DenseRecords(records(0).address, kStride, 5);
    input.records.first = 2;
    input.first_workgroup = dispatched;
    input.workgroup_count = 3 * dispatched;
    SetInput(input);
    call.slices = 0;
    std::multiset<Entered> portion;
    for (const Entered& each : Grids(7, 4, 3))
      if (each.record == 3 || each.record == 4) portion.insert(each);
    EXPECT_EQ(EnterAll(call, 2 * dispatched + 3), portion);
  }
}

TEST_F(RuntimePacks, EachWorkgroupThatCoalesces) {
  constexpr uint32_t kRecords = 32;
  constexpr uint32_t kEach = 3;
  RuntimeCall call = EntryCall(shared::kCallEnterCoalescing, 4);
  call.each = kEach;
  std::multiset<Entered> expected;
  for (uint32_t first = 0; first < kRecords; first += kEach)
    expected.insert({first, std::min(kEach, kRecords - first), 0, 0});
  Prepare(kRecords, 3, 0, 0);
  EXPECT_EQ(EnterAll(call, 5), expected);
  EXPECT_EQ(StrideThroughAll(call, 1, 2), expected);
  EXPECT_EQ(StrideThroughAll(call, 2, 1), expected);
  // A portion: what lies behind its last workgroup is not for this dispatch.
  std::multiset<Entered> portion;
  for (const Entered& each : expected)
    if (each.record >= 4 * kEach && each.record < 2 * 4 * kEach) portion.insert(each);
  Prepare(kRecords, 2, 1, 0);
  EXPECT_EQ(EnterAll(call, 3), portion);
  EXPECT_EQ(StrideThroughAll(call, 1, 1), portion);
  Open({{kStride, kRecords, kRecords}, {4, 1}, {4, 1}, {16, 1}});
  ReadFromRegion(0);
  EXPECT_EQ(EnterAll(call, 3), expected);
  EXPECT_EQ(StrideThroughAll(call, 2, 1), expected);
}

class RuntimeDynamicGrids : public RuntimePacks {
 protected:
  static constexpr uint32_t kNoSearchIndex = ~0u;

  // Each workgroup of records with such grids, whatever is packed. Workgroups are numbered from `first` on, that of a
  // portion.
  void ExpectEachWorkgroup(const std::vector<uint32_t>& grids, uint32_t first, uint32_t search_shift,
                           uint32_t state_words = shared::kShortRecordState) {
    const auto count = static_cast<uint32_t>(grids.size());
    Open({{kStride, count}, {4, 1}, {4, 1}, {16, 1}});
    std::vector<uint32_t> sums;
    std::vector<uint32_t> search_index;
    std::multiset<Entered> expected;
    uint32_t sum = 0;
    for (uint32_t record = 0; record < count; ++record) {
      records(0).Store(size_t{record} * kStride, std::array<uint32_t, 3>{grids[record], 1, 1});
      sums.push_back(sum);
      if (state_words == shared::kFullRecordState) sums.insert(sums.end(), {grids[record], 1, grids[record]});
      for (uint32_t x = 0; x < grids[record]; ++x, ++sum) {
        if (sum >= first) expected.insert({record, 1, x, 0});
        if (search_shift != kNoSearchIndex && sum % (1u << search_shift) == 0) search_index.push_back(record);
      }
    }
    shared::LaunchInput input = {};
    input.records = shared::DenseRecords(records(0).address, kStride, count);
    input.record_state = memory().Take(sums).address;
    input.workgroup_count = sum;
    input.first_workgroup = first;
    if (!search_index.empty()) input.search_index = memory().Take(search_index).address;
    input.search_shift = search_shift == kNoSearchIndex ? 0 : search_shift;
    SetInput(input);
    for (const uint32_t packed : kPackings) {
      for (const uint32_t member : {0x340000u, 0x140000u}) {  // three components, or one
        SCOPED_TRACE("packed by " + std::to_string(packed) + ", grid member " + std::to_string(member));
        RuntimeCall call = EntryCall(shared::kCallEnterDynamic, packed);
        call.each = member;
        call.state_words = state_words;
        call.launches_bounds = records_of_bounds_ != 0 ? 1 : 0;
        call.grid_x = packed != 1 ? records_of_bounds_ : 0;
        // Nodes that look for them find none where there were few records.
        for (call.by_search_index = search_shift == kNoSearchIndex ? 0 : 1; call.by_search_index < 2;
             ++call.by_search_index) {
          EXPECT_EQ(EnterAll(call, (sum - first + packed - 1) / packed + 2), expected);
          if (records_of_bounds_ != 0 || call.by_search_index != 0) continue;  // nodes with runs have neither
          for (const uint32_t dispatched : {1u, 6u})
            EXPECT_EQ(RunThroughAll(call, dispatched, (sum - first) / dispatched + 1), expected) << dispatched;
        }
      }
    }
  }

  uint32_t records_of_bounds_ = 0;  // of nodes that may launch bounds
};

// Records without workgroups do not end the launch early.
TEST_F(RuntimeDynamicGrids, OfNodesThatMayLaunchBounds) {
  records_of_bounds_ = 2;
  ExpectEachWorkgroup({0, 0, 0, 1, 0, 0, 2, 0, 2, 1}, 0, kNoSearchIndex);
}

// Grids from records whose launch is made of the region: each record has as many workgroups as four take, whatever its
// own grid is.
class RuntimeLaunchedBounds : public RuntimePacks {
 protected:
  const std::vector<std::array<uint32_t, 3>> kGrids = {{0, 0, 0}, {1, 1, 1}, {2, 2, 1}, {0, 7, 7}, {2, 1, 1},
                                                       {9, 9, 9}, {1, 2, 1}, {1, 1, 0}, {1, 1, 1}};

  void Open(uint32_t reserved) {
    count_ = static_cast<uint32_t>(kGrids.size());
    RuntimePacks::Open({{kStride, count_, reserved}, {4, 1}, {4, 1}, {16, 1}});
    for (uint32_t record = 0; record < count_; ++record) records(0).Store(size_t{record} * kStride, kGrids[record]);
    ReadFromRegion(0, {2, 2, 1});
  }
  // Of all records.
  [[nodiscard]] std::multiset<Entered> ExpectedOf() const {
    std::multiset<Entered> expected;
    for (uint32_t record = 0; record < kGrids.size(); ++record)
      for (uint32_t x = 0; x < std::min(kGrids[record][0], 2u); ++x)
        for (uint32_t y = 0; y < std::min(kGrids[record][1], 2u); ++y)
          if (kGrids[record][2] != 0) expected.insert({record, 1, x, y});
    return expected;
  }
  // `records` share a workgroup of the dispatch, if that is not 0.
  static RuntimeCall CallOf(uint32_t packed, uint32_t records = 0) {
    RuntimeCall call = EntryCall(shared::kCallEnterDynamic, packed);
    call.each = 0x340000;  // three components
    call.grid_x = records;
    call.state_words = shared::kShortRecordState;
    call.launches_bounds = 1;
    return call;
  }
};

TEST_F(RuntimeLaunchedBounds, EachWorkgroupOfEachRecord) {
  const std::multiset<Entered> expected = ExpectedOf();
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    // One more than the capacity where records were lost.
    const auto records = static_cast<uint32_t>(kGrids.size());
    Open(records + 1);
    for (const uint32_t packed : kPackings) {
      RuntimeCall call = CallOf(packed);
      call.row = records + 1;
      call.rows = (4 + packed - 1) / packed;
      std::multiset<Entered> entered;
      for (call.id_y = 0; call.id_y < call.rows; ++call.id_y)
        for (call.id_x = 0; call.id_x < call.row; ++call.id_x) AddEntered(call, entered);
      EXPECT_EQ(entered, expected) << "packed by " << packed;
    }
  }
}

// Nine records, so that the last workgroup has fewer.
TEST_F(RuntimeLaunchedBounds, SeveralRecordsAWorkgroup) {
  const std::multiset<Entered> expected = ExpectedOf();
  const auto count = static_cast<uint32_t>(kGrids.size());
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    Open(count + 1);
    for (const uint32_t records : {2u, 4u, 16u}) {
      RuntimeCall call = CallOf(4 * records, records);
      call.row = (count + records) / records;
      call.rows = 1;
      std::multiset<Entered> entered;
      for (call.id_x = 0; call.id_x < call.row; ++call.id_x) AddEntered(call, entered);
      EXPECT_EQ(entered, expected) << records;
    }
  }
}

TEST_F(RuntimeLaunchedBounds, AnyWorkgroup) {
  for (const uint32_t number : kNumbers) {
    Open(100);
    for (const uint32_t packed : kPackings) {
      RuntimeCall call = CallOf(packed);
      call.id_x = number;
      call.id_y = call.id_z = number / 2;
      call.id_step = 1;
      Enter(call, 1);
      if (HasFailure()) return;
    }
  }
}

// The slices [0, 4), [4, 6) and [6, 9) of records, with 4, 9 and 6 workgroups.
class RuntimeSlices : public RuntimePacks {
 protected:
  const std::vector<uint32_t> kGrids = {0, 3, 0, 1, 9, 0, 2, 0, 4};
  const std::vector<uint32_t> kFirsts = {0, 0, 3, 3, 0, 9, 0, 2, 2};

  void Open(uint32_t state_words) {
    RuntimePacks::Open({{kStride, 9}, {4, 1}, {4, 1}, {16, 1}});
    std::vector<uint32_t> record_state;
    for (uint32_t record = 0; record < 9; ++record) {
      records(0).Store(size_t{record} * kStride, std::array<uint32_t, 3>{kGrids[record], 1, 1});
      record_state.push_back(kFirsts[record]);
      if (state_words == shared::kFullRecordState)
        record_state.insert(record_state.end(), {kGrids[record], 1, kGrids[record]});
    }
    input_.records = shared::DenseRecords(records(0).address, kStride, 9);
    input_.record_state = memory().Take(record_state).address;
    input_.workgroup_count = 9;
    input_.search_index = memory().Take(std::vector<uint32_t>{0, 4, 4, 9, 6, 6, 9, 0}).address;
    input_.slices = 3;
    SetInput(input_);
  }
  std::multiset<Entered> Expected() const {
    std::multiset<Entered> expected;
    for (uint32_t record = 0; record < 9; ++record)
      for (uint32_t x = 0; x < kGrids[record]; ++x) expected.insert({record, 1, x, 0});
    return expected;
  }
  static RuntimeCall CallOf(uint32_t packed, uint32_t state_words) {
    RuntimeCall call = EntryCall(shared::kCallEnterDynamic, packed);
    call.each = 0x340000;  // three components
    call.state_words = state_words;
    return call;
  }

  shared::LaunchInput input_ = {};
};

TEST_F(RuntimeSlices, EachWorkgroup) {
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t state_words : {shared::kShortRecordState, shared::kFullRecordState}) {
      Open(state_words);
      for (const uint32_t packed : kPackings) {
        for (const uint32_t by_search_index : {0u, 1u}) {
          RuntimeCall call = CallOf(packed, state_words);
          call.by_search_index = by_search_index;
          call.slices = 3;
          EXPECT_EQ(EnterAll(call, (9 + packed - 1) / packed + 2), Expected());
          EXPECT_EQ(RunThroughAll(call, 2, 9), Expected()) << "in runs";
        }
      }
    }
  }
}

// Bounded mode: the workgroups 3 to 6 of the second slice.
TEST_F(RuntimeSlices, APortionOfOne) {
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t state_words : {shared::kShortRecordState, shared::kFullRecordState}) {
      Open(state_words);
      input_.records.first = 4;
      input_.records.count = 6;
      input_.first_workgroup = 3;
      input_.workgroup_count = 7;
      input_.slices = 3;  // records that wait
      SetInput(input_);
      const std::multiset<Entered> expected = {{4, 1, 3, 0}, {4, 1, 4, 0}, {4, 1, 5, 0}, {4, 1, 6, 0}};
      EXPECT_EQ(EnterAll(CallOf(1, state_words), 6), expected);
      EXPECT_EQ(RunThroughAll(CallOf(4, state_words), 3, 4), expected);
    }
  }
}

// Without a ring the launch has no records, whatever the table says.
TEST_F(RuntimeSlices, NoRecords) {
  Open(shared::kShortRecordState);
  input_.records.count = input_.workgroup_count = 0;
  SetInput(input_);
  RuntimeCall call = CallOf(1, shared::kShortRecordState);
  call.slices = 3;
  EXPECT_TRUE(EnterAll(call, 9).empty());
}

// Among them records that need no workgroup, at the beginning and at the end too.
TEST_F(RuntimeDynamicGrids, EachWorkgroup) {
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t first : {0u, 4u}) {
      for (const uint32_t search_shift : {kNoSearchIndex, 0u, 1u, 2u, 3u, 4u}) {
        SCOPED_TRACE("from " + std::to_string(first) + ", search_index by " + std::to_string(search_shift));
        for (const uint32_t state_words : {shared::kShortRecordState, shared::kFullRecordState})
          ExpectEachWorkgroup({0, 3, 0, 0, 1, 9, 0, 2, 0}, first, search_shift, state_words);
      }
    }
  }
}

// More records between two search entries than a subgroup looks at together, and more than it can tell apart in two
// rounds.
TEST_F(RuntimeDynamicGrids, ManyRecordsWithoutWorkgroups) {
  std::vector<uint32_t> grids(2000);
  grids[1] = grids[34] = grids[35] = grids[70] = 1;
  grids[1200] = 5;
  grids[1999] = 3;
  for (const Variant variant : kAllVariants) {
    if (!Use(variant)) continue;
    for (const uint32_t search_shift : {kNoSearchIndex, 0u, 1u, 3u}) {
      SCOPED_TRACE("search_index by " + std::to_string(search_shift));
      ExpectEachWorkgroup(grids, 0, search_shift);
    }
  }
}

// One workgroup a record finishes; counters that were too small before go past 0 and harm nothing.
TEST_F(RuntimeEnter, FinishesWritingOnce) {
  for (const uint32_t words : {1u, shared::kFullRecordState}) {
    for (const uint32_t unfinished : {0u, 1u, 3u, kHugeNumber}) {
      Prepare(40, 120, 0, unfinished);
      RuntimeCall call = EntryCall(shared::kCallFinishWriting);
      call.grid_x = 3;
      call.grid_y = call.grid_z = 1;
      call.row = 1;
      call.state_words = words;
      const size_t last = Enter(call, 130);
      EXPECT_EQ(last, unfinished == 1 || unfinished == 3 ? 40u * shared::kRuntimeCallWorkgroup : 0u);
      for (uint32_t record = 0; record < 40; ++record)
        EXPECT_EQ(Read<uint32_t>(record_state_, size_t{record} * words + words - 1), unfinished - 3);
    }
  }
}

}  // namespace
}  // namespace trellis::test
