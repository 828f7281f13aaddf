// SPDX-License-Identifier: Apache-2.0
// Functions of meta_shaders/runtime, called on a real driver with any arguments, on memory between guards.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/meta_shaders/guarded_memory.h"
#include "tests/meta_shaders/kernel_test_base.h"
#include "tests/meta_shaders/runtime_call.h"

namespace trellis::test {

// How the region of a slot is before the call.
struct RegionSetup {
  uint32_t stride = 0;
  uint32_t capacity = 0;
  uint32_t reserved = 0;
  uint32_t lost = 0;
  uint32_t coalesce = 0;
  uint32_t max_workgroups = shared::kAnyWorkgroups;
  bool has_memory = true;                      // else addresses are only looked at
  bool in_batch = false;                       // a counted one, of which slot 0 is the first member
  uint32_t dense = 0;                          // records, where it grows out of the heap; 0: all
  std::map<uint32_t, uint32_t> segments = {};  // words of segments that are not 0, by number
  uint32_t state_words = 0;                    // as Region::state_words
};

class RuntimeTest : public KernelTest {
 protected:
  static constexpr uint32_t kSlots = 3;
  static constexpr uint32_t kDumpBytes = 256;  // the largest record

  // The outputs of the node. Two have no targets.
  static constexpr uint32_t kOneTarget = 0;
  static constexpr uint32_t kDense = 1;
  static constexpr uint32_t kSorted = 2;
  static constexpr uint32_t kDenseAtTheEnd = 3;
  static constexpr uint32_t kEmptyDense = 4;
  static constexpr uint32_t kEmptySorted = 5;
  static constexpr uint32_t kProgression = 6;
  // The slot that gets what is sent there, from the same lists that the device's tables are made of.
  [[nodiscard]] static std::optional<uint32_t> TargetOf(uint32_t output, uint32_t index);

  void SetUp() override;
  void TearDown() override;

  // Memory of regions, and a launch block that leads to them. The last one is the heap.
  void Open(const std::vector<RegionSetup>& regions);
  [[nodiscard]] shared::Region RegionAfter(uint32_t slot) const;
  // What the launch reads, where it is not made of a region.
  void SetInput(const shared::LaunchInput& input) { input_.Store(0, input); }
  // From now on the launch reads the region of this slot.
  // `bounds`: of grids from records.
  void ReadFromRegion(uint32_t slot, const std::array<uint32_t, 3>& bounds = {});
  // From now on the launch finds the regions that it appends to behind a header (AlternatingRegions).
  void AppendToAlternating();
  // From now on a batch of launches reads these regions, whose first workgroups have the numbers `sums`; its last one
  // is their number in all.
  void ReadFromBatch(const std::vector<uint32_t>& slots, const std::vector<uint32_t>& sums, uint32_t kind);
  // The same, of launches whose producers have counted the workgroups of each.
  void ReadFromCountedBatch(const std::vector<uint32_t>& slots, const std::vector<uint32_t>& counts);
  // Workgroups of a member of the counted batch.
  [[nodiscard]] uint32_t CountedInBatch(uint32_t slot) const { return Read<uint32_t>(batch_counts_, slot); }
  // Of the first workgroup of a dispatch that has one row.
  [[nodiscard]] static shared::RuntimeCall EntryCall(uint32_t function, uint32_t packed = 1) {
    shared::RuntimeCall call = {};
    call.function = function;
    call.packed = packed;
    call.invocations = packed == 1 ? 1 : shared::kRuntimeCallWorkgroup / packed;
    call.rows = 1;
    return call;
  }
  // Calls in every invocation of so many workgroups, and looks whether anything else was written.
  std::vector<shared::RuntimeResult> Call(shared::RuntimeCall call, uint32_t workgroups);

  [[nodiscard]] const PlanSpan& records(uint32_t slot) const { return records_[slot]; }
  [[nodiscard]] const PlanSpan& reports() const { return reports_; }
  [[nodiscard]] uint64_t dump() const { return dump_.address; }
  [[nodiscard]] GuardedMemory& memory() { return *guarded_; }
  // How the functions are compiled: plainly, for subgroups, and for these with addresses of 64-bit integers or with
  // partitions; and such that nobody waits long for a segment that another invocation provides.
  enum Variant : uint8_t { kPlain, kSubgroups, kInt64, kPartition, kImpatient, kVariants };
  static constexpr Variant kAllVariants[] = {kPlain, kSubgroups, kInt64, kPartition};
  // Of the calls that follow. False: the device lacks what that takes.
  [[nodiscard]] bool Use(Variant variant);

 private:
  void MakePipeline(Variant variant);
  void PushBatch(const std::vector<uint32_t>& slots, shared::LaunchBatch batch);
  std::vector<shared::RuntimeResult> CallOnce(shared::RuntimeCall call, uint32_t workgroups);
  [[nodiscard]] std::vector<shared::NodeOutput> MakeOutputs();
  void StoreBlock();
  // The LaunchBlock of a launch that reads the region of `slot`.
  [[nodiscard]] shared::LaunchBlock BlockOf(uint32_t slot) const;

  PlanSpan memory_;
  std::unique_ptr<GuardedMemory> guarded_;
  std::vector<PlanSpan> records_;
  PlanSpan sets_;
  PlanSpan regions_;
  PlanSpan batch_counts_;
  PlanSpan dump_;
  PlanSpan reports_;
  PlanSpan input_;
  PlanSpan launch_;
  PlanSpan pushed_;  // launch_, or a batch
  bool reads_counted_batch_ = false;
  PlanSpan call_;
  shared::LaunchBlock block_ = {};
  VkPipelineLayout layout_ = VK_NULL_HANDLE;  // of the internal kernels
  VkPipeline pipelines_[kVariants] = {};
  Variant used_ = kPlain;
};

}  // namespace trellis::test
