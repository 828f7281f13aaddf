// Whatever number a workgroup has, and whatever the launch says: the record that it gets lies among those of the
// launch.
#include <algorithm>
#include <array>
#include <string>

#include "tests/replay/runtime_fixture.h"

namespace trellis::test {
namespace {

using shared::RuntimeCall;
using shared::RuntimeResult;

constexpr uint32_t kHuge = 0xffffffff;
constexpr uint32_t kStride = 12;
constexpr uint32_t kEntries[] = {shared::kCallEnterStatic, shared::kCallEnterDynamic, shared::kCallEnterCoalescing,
                                 shared::kCallEnterPacked};
constexpr uint32_t kNumbers[] = {0, 1, 99, 100, 0x7fffffff, 0x80000000, 0xffffff00, kHuge};

class RuntimeEnter : public RuntimeTest {
 protected:
  // `count` records in the region of slot 0, and notes with any numbers of first workgroups.
  void Prepare(uint32_t count, uint32_t workgroups, uint32_t first_workgroup, uint32_t note) {
    Open({{kStride, std::max(count, 1u)}, {4, 1}, {4, 1}, {16, 1}});
    notes_ = memory().Take(std::vector<uint32_t>(size_t{4} * std::max(count, 1u), note));
    SetInput({{records(0).address, kStride, count}, notes_.address, workgroups, first_workgroup});
    count_ = count;
  }

  // Returns how many got in.
  size_t Enter(const RuntimeCall& call, uint32_t workgroups) {
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

  PlanSpan notes_;
  uint32_t count_ = 0;
};

TEST_F(RuntimeEnter, AnyWorkgroup) {
  constexpr std::array<uint32_t, 3> kGrids[] = {
      {1, 1, 1}, {0, 0, 0}, {0, 7, 0}, {3, 0, 2}, {65535, 65535, 65535}, {32768, 32768, 4}};
  for (const uint32_t function : kEntries) {
    for (const uint32_t count : {0u, 1u, 100u}) {
      for (const uint32_t workgroups : {0u, 100u, kHuge}) {
        Prepare(count, workgroups, 0, 0);
        for (const uint32_t number : kNumbers) {
          for (const std::array<uint32_t, 3>& grid : kGrids) {
            if (function != shared::kCallEnterStatic && grid != kGrids[0]) continue;
            SCOPED_TRACE("function " + std::to_string(function) + ", records " + std::to_string(count) +
                         ", workgroups " + std::to_string(workgroups) + ", number " + std::to_string(number));
            RuntimeCall call = {};
            call.function = function;
            call.id_x = number;
            call.id_y = call.id_z = number / 2;
            call.id_step = 1;
            call.row = number | 1;
            call.grid_x = grid[0];
            call.grid_y = grid[1];
            call.grid_z = grid[2];
            call.note_words = function == shared::kCallEnterDynamic ? shared::kFullNotes : 0;
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

// Counters of the region are the arguments; those of one that lost records have passed what it has.
TEST_F(RuntimeEnter, AnyWorkgroupOfARegion) {
  for (const uint32_t function : {shared::kCallEnterStatic, shared::kCallEnterCoalescing, shared::kCallEnterPacked}) {
    for (const uint32_t reserved : {0u, 1u, 100u, 101u, kHuge}) {
      for (const uint32_t number : kNumbers) {
        SCOPED_TRACE("function " + std::to_string(function) + ", reserved " + std::to_string(reserved) + ", number " +
                     std::to_string(number));
        Open({{kStride, 100, reserved}, {4, 1}, {4, 1}, {16, 1}});
        ReadFromRegion(0);
        count_ = 100;
        RuntimeCall call = {};
        call.function = function;
        call.id_x = number;
        call.id_y = number;
        call.id_z = kHuge;
        call.id_step = 1;
        call.grid_x = call.grid_z = 1;
        call.each = 3;
        Enter(call, 1);
        if (HasFailure()) return;
      }
    }
  }
}

// Notes that make no sense.
TEST_F(RuntimeEnter, AnyNotes) {
  for (const uint32_t note : {0u, 50u, 0x80000000u, kHuge}) {
    for (const uint32_t words : {1u, 2u, shared::kFullNotes}) {
      for (const uint32_t first : {0u, 77u, kHuge}) {
        Prepare(100, kHuge, first, note);
        RuntimeCall call = {};
        call.function = shared::kCallEnterDynamic;
        call.id_step = 0x01000001;
        call.each = 0x340000;
        call.note_words = words;
        Enter(call, 4);
        if (HasFailure()) return;
      }
    }
  }
}

// One workgroup a record finishes; counters that were too small before go past 0 and harm nothing.
TEST_F(RuntimeEnter, FinishesWritingOnce) {
  for (const uint32_t words : {1u, shared::kFullNotes}) {
    for (const uint32_t unfinished : {0u, 1u, 3u, kHuge}) {
      Prepare(40, 120, 0, unfinished);
      RuntimeCall call = {};
      call.function = shared::kCallFinishWriting;
      call.grid_x = 3;
      call.grid_y = call.grid_z = 1;
      call.row = 1;
      call.note_words = words;
      const size_t last = Enter(call, 130);
      EXPECT_EQ(last, unfinished == 1 || unfinished == 3 ? 40u * shared::kRuntimeCallWorkgroup : 0u);
      for (uint32_t record = 0; record < 40; ++record)
        EXPECT_EQ(Read<uint32_t>(notes_, size_t{record} * words + words - 1), unfinished - 3);
    }
  }
}

}  // namespace
}  // namespace trellis::test
