// SPDX-License-Identifier: Apache-2.0
#include "tests/meta_shaders/runtime_fixture.h"

#include <algorithm>

#include "layer/dispatch/struct_type.h"
#include "layer/objects/scoped_shader_module.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/runtime_calls_impatient_spv.h"
#include "tests/runtime_calls_int64_spv.h"
#include "tests/runtime_calls_partition_spv.h"
#include "tests/runtime_calls_spv.h"
#include "tests/runtime_calls_subgroup_spv.h"
#include "tests/support/internal_kernels.h"

namespace trellis::test {
namespace {

using Targets = std::map<uint32_t, uint32_t>;  // slot by shader index

const Targets kTargets[] = {
    {{3, 0}}, {{10, 1}, {12, 2}, {13, 0}}, {{5, 1}, {7, 2}, {0xffffffff, 0}}, {{0xfffffffe, 1}, {0xffffffff, 2}}, {},
    {},       {{20, 2}, {21, 1}, {22, 0}},
};
constexpr size_t kRuntimeMemoryBytes = size_t{2} << 20;

// Nothing is changed by it.
bool IsEntry(uint32_t function) {
  return function == shared::kCallEnterStatic || function == shared::kCallEnterDynamic ||
         function == shared::kCallEnterCoalescing;
}

}  // namespace

std::optional<uint32_t> RuntimeTest::TargetOf(uint32_t output, uint32_t index) {
  const auto found = kTargets[output].find(index);
  return found != kTargets[output].end() ? std::optional(found->second) : std::nullopt;
}

void RuntimeTest::SetUp() {
  KernelTest::SetUp();
  if (IsSkipped()) return;
  layout_ = MakeKernels(device(), {Kernel::kBeginGraph}).layout;
  ASSERT_NE(layout_, VkPipelineLayout{VK_NULL_HANDLE});
  memory_ = Memory(kRuntimeMemoryBytes);
  ASSERT_TRUE(Use(kPlain));
}

void RuntimeTest::TearDown() {
  for (VkPipeline pipeline : pipelines_)
    if (pipeline) device().dispatch.DestroyPipeline(device().handle, pipeline, nullptr);
}

bool RuntimeTest::Use(Variant variant) {
  constexpr VkSubgroupFeatureFlags kNeeded = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                             VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  if (variant != kPlain && variant != kImpatient && (device().traits.subgroup_operations & kNeeded) != kNeeded)
    return false;
  if (variant == kInt64 && !device().traits.shader_int64) return false;
  constexpr VkSubgroupFeatureFlags kPartitioned = VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;
  if (variant == kPartition && (device().traits.subgroup_operations & kPartitioned) != kPartitioned) return false;
  used_ = variant;
  if (pipelines_[used_] == VK_NULL_HANDLE) MakePipeline(variant);
  return true;
}

void RuntimeTest::MakePipeline(Variant variant) {
  const std::span<const uint32_t> words_of[kVariants] = {kRuntimeCallsSpv, kRuntimeCallsSubgroupSpv,
                                                         kRuntimeCallsInt64Spv, kRuntimeCallsPartitionSpv,
                                                         kRuntimeCallsImpatientSpv};
  const std::span<const uint32_t> words = words_of[variant];
  ScopedShaderModule module(device());
  ASSERT_EQ(module.Create(words), VK_SUCCESS);
  auto info = MakeStruct<VkComputePipelineCreateInfo>();
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.handle();
  info.stage.pName = "main";
  info.layout = layout_;
  ASSERT_EQ(
      device().dispatch.CreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipelines_[used_]),
      VK_SUCCESS);
}

std::vector<shared::NodeOutput> RuntimeTest::MakeOutputs() {
  const auto dense = [&](const Targets& targets) {
    const uint32_t first = targets.empty() ? 0 : targets.begin()->first;
    std::vector<uint32_t> slots;
    for (const auto& [index, slot] : targets) {
      slots.resize(index - first, shared::kNoSlot);
      slots.push_back(slot);
    }
    return shared::NodeOutput{guarded_->Take(slots).address, first, static_cast<uint32_t>(slots.size())};
  };
  const auto sorted = [&](const Targets& targets) {
    std::vector<uint32_t> pairs;
    for (const auto& [index, slot] : targets) pairs.insert(pairs.end(), {index, slot});
    return shared::NodeOutput{guarded_->Take(pairs).address, 0,
                              static_cast<uint32_t>(targets.size()) | shared::kSortedSlotPairs};
  };
  // Slots that fall by one, if there are several.
  const auto progression = [](const Targets& targets) {
    const auto& [index, slot] = *targets.begin();
    return shared::NodeOutput{uint64_t{0xffffffff} << 32 | slot, index,
                              static_cast<uint32_t>(targets.size()) | shared::kSlotProgression};
  };
  return {progression(kTargets[kOneTarget]),  dense(kTargets[kDense]),      sorted(kTargets[kSorted]),
          dense(kTargets[kDenseAtTheEnd]),    dense(kTargets[kEmptyDense]), sorted(kTargets[kEmptySorted]),
          progression(kTargets[kProgression])};
}

void RuntimeTest::Open(const std::vector<RegionSetup>& setups) {
  guarded_ = std::make_unique<GuardedMemory>(memory_);
  records_.clear();
  std::vector<shared::Region> regions(setups.size());
  for (size_t i = 0; i < setups.size(); ++i) {
    const RegionSetup& setup = setups[i];
    const uint32_t dense = setup.dense != 0 ? setup.dense : setup.capacity;
    records_.push_back(guarded_->Take(setup.has_memory ? size_t{dense} * setup.stride : 0));
    regions[i].records = shared::DenseRecords(records_[i].address, setup.stride, setup.capacity);
    regions[i].records.dense = dense;
    regions[i].capacity = setup.capacity;
    regions[i].reserved = setup.reserved;
    regions[i].lost = setup.lost;
    regions[i].state_words = setup.state_words;
    regions[i].refused = UINT32_MAX;
    regions[i].coalesce = setup.coalesce;
    regions[i].max_workgroups = setup.max_workgroups;
    for (const auto& [number, word] : setup.segments) regions[i].segments[number] = word;
    if (setup.coalesce == 0) continue;
    regions[i].reciprocal = UINT32_MAX / setup.coalesce;
    const uint64_t there = std::min(setup.reserved, setup.capacity);
    const uint64_t workgroups = (there + setup.coalesce - 1) / setup.coalesce;
    regions[i].workgroups = static_cast<uint32_t>(std::min<uint64_t>(workgroups, setup.max_workgroups));
  }
  sets_ = guarded_->Take(sizeof(shared::AlternatingRegions));
  batch_counts_ = guarded_->Take(std::vector<uint32_t>(setups.size(), 0));
  regions_ = guarded_->Take(regions);
  for (size_t i = 0; i < regions.size(); ++i) {
    regions[i].records.segments = regions_.address + i * sizeof(regions[i]) + offsetof(shared::Region, segments);
    regions_.Store(i * sizeof(regions[i]), regions[i]);
  }
  for (size_t i = 0; i < setups.size(); ++i) {
    if (!setups[i].in_batch) continue;
    regions[i].batch_count = batch_counts_.address + i * sizeof(uint32_t);
    regions[i].batch_total = regions_.address + offsetof(shared::Region, workgroups);
    regions_.Store(i * sizeof(regions[i]), regions[i]);
  }
  dump_ = guarded_->Take(kDumpBytes);
  reports_ =
      guarded_->Take(sizeof(shared::DeviceReportHeader) + shared::kDeviceReportCapacity * sizeof(shared::DeviceReport));
  input_ = guarded_->Take(sizeof(shared::LaunchInput));
  shared::ControlBlock control = {};
  control.dump = dump_.address;
  control.heap_slot = static_cast<uint32_t>(setups.size() - 1);
  control.reports = reports_.address;
  block_ = {};
  block_.control = guarded_->Take(std::vector{control}).address;
  block_.regions = regions_.address;
  block_.source = input_.address;
  const std::vector<shared::NodeOutput> outputs = MakeOutputs();
  call_ = guarded_->Take(sizeof(shared::RuntimeCall));
  launch_ = guarded_->Take(sizeof(block_) + outputs.size() * sizeof(outputs[0]));
  launch_.Store(sizeof(block_), std::span(outputs));
  pushed_ = launch_;
  reads_counted_batch_ = false;
  StoreBlock();
}

void RuntimeTest::StoreBlock() { launch_.Store(0, block_); }

shared::LaunchBlock RuntimeTest::BlockOf(uint32_t slot) const {
  shared::LaunchBlock block = block_;
  block.form = shared::kFormRegion;
  block.source = regions_.address + slot * sizeof(shared::Region);
  return block;
}

void RuntimeTest::ReadFromRegion(uint32_t slot, const std::array<uint32_t, 3>& bounds) {
  block_ = BlockOf(slot);
  block_.grid_x = bounds[0];
  block_.grid_y = bounds[1];
  block_.grid_z = bounds[2];
  StoreBlock();
}

void RuntimeTest::AppendToAlternating() {
  shared::AlternatingRegions header = {};
  header.current = static_cast<uint32_t>(regions_.address - sets_.address - sizeof(header));
  sets_.Store(0, header);
  block_.regions = sets_.address | shared::kAlternating;
  StoreBlock();
}

void RuntimeTest::ReadFromBatch(const std::vector<uint32_t>& slots, const std::vector<uint32_t>& sums, uint32_t kind) {
  shared::LaunchBatch batch = {};
  batch.sums = guarded_->Take(sums).address;
  batch.form = shared::kFormBatch;
  batch.kind = kind;
  PushBatch(slots, batch);
}

void RuntimeTest::ReadFromCountedBatch(const std::vector<uint32_t>& slots, const std::vector<uint32_t>& counts) {
  shared::LaunchBatch batch = {};
  batch.sums = guarded_->Take(counts).address;
  batch.form = shared::kFormCountedBatch;
  batch.kind = shared::kLaunchCoalescing;
  bool is_progression = slots.size() > 1 && slots[1] > slots[0];
  for (size_t i = 1; i < slots.size(); ++i) is_progression &= slots[i] - slots[i - 1] == slots[1] - slots[0];
  if (is_progression) {
    batch.source = BlockOf(slots[0]).source;
    batch.source_step = (slots[1] - slots[0]) * uint32_t{sizeof(shared::Region)};
  }
  PushBatch(slots, batch);
}

void RuntimeTest::PushBatch(const std::vector<uint32_t>& slots, shared::LaunchBatch batch) {
  constexpr size_t kMemberBytes = sizeof(shared::LaunchBlock) + 16;  // an output, of which entries know nothing
  const PlanSpan members = guarded_->Take(slots.size() * kMemberBytes);
  for (size_t i = 0; i < slots.size(); ++i) members.Store(i * kMemberBytes, BlockOf(slots[i]));
  batch.members = members.address;
  batch.member_count = static_cast<uint32_t>(slots.size());
  batch.member_bytes = kMemberBytes;
  reads_counted_batch_ = batch.form == shared::kFormCountedBatch;
  pushed_ = guarded_->Take(std::vector{batch});
}

shared::Region RuntimeTest::RegionAfter(uint32_t slot) const { return Read<shared::Region>(regions_, slot); }

std::vector<shared::RuntimeResult> RuntimeTest::Call(shared::RuntimeCall call, uint32_t workgroups) {
  call.in_batch = pushed_.address != launch_.address ? 1 : 0;
  std::vector<shared::RuntimeResult> results = CallOnce(call, workgroups);
  // A node that may be in a batch, but is not.
  if (call.in_batch == 0 && IsEntry(call.function)) {
    call.in_batch = 1;
    EXPECT_EQ(std::memcmp(CallOnce(call, workgroups).data(), results.data(), results.size() * sizeof(results[0])), 0);
  }
  // Where nothing is sent, again as a node for CPUs. It has no counted batches.
  if ((IsEntry(call.function) || call.function == shared::kCallElement) && !reads_counted_batch_) {
    call.for_cpu = 1;
    EXPECT_EQ(std::memcmp(CallOnce(call, workgroups).data(), results.data(), results.size() * sizeof(results[0])), 0);
  }
  return results;
}

std::vector<shared::RuntimeResult> RuntimeTest::CallOnce(shared::RuntimeCall call, uint32_t workgroups) {
  std::vector<shared::RuntimeResult> results(size_t{workgroups} * shared::kRuntimeCallWorkgroup);
  const PlanSpan result_memory = Memory(results);
  call.launch = pushed_.address;
  call.results = result_memory.address;
  call_.Store(0, call);
  Dispatch(pipelines_[used_], layout_, call_.address, workgroups, 1);
  EXPECT_EQ(guarded_->WhereWritten(), "");
  std::memcpy(results.data(), result_memory.host, result_memory.size);
  return results;
}

}  // namespace trellis::test
