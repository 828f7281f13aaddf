// SPDX-License-Identifier: Apache-2.0
// The kernel that numbers the workgroups of launch batches, against sums on the host.
#include <algorithm>
#include <random>

#include "tests/meta_shaders/guarded_memory.h"
#include "tests/meta_shaders/kernel_test_base.h"
#include "tests/meta_shaders/launch_reference.h"

namespace trellis::test {
namespace {

using shared::DispatchArguments;
using shared::LaunchBatch;
using shared::LaunchBlock;
using shared::Region;

constexpr size_t kMemoryBytes = size_t{4} << 20;

class BatchKernelTest : public KernelTest {
 protected:
  struct Batch {
    uint32_t kind = shared::kLaunchCoalescing;
    std::vector<Region> regions;  // by member
    uint32_t outputs = 0;         // of each member
    uint32_t max_workgroups_x = 65535;
  };

  static Region Counted(uint32_t workgroups) {
    Region region = {};
    region.workgroups = workgroups;
    region.reserved = workgroups * 7;
    region.records.count = region.capacity = ~0u;
    return region;
  }
  static Region Grid(uint32_t reserved, uint32_t count, uint32_t grid_x, uint32_t grid_yz) {
    Region region = {};
    region.workgroups = 77;
    region.reserved = reserved;
    region.records.count = count;
    region.grid_x = grid_x;
    region.grid_yz = grid_yz;
    return region;
  }
  static uint64_t WorkgroupsOf(uint32_t kind, const Region& region) {
    if (kind == shared::kLaunchCoalescing) return region.workgroups;
    return uint64_t{std::min(region.reserved, region.records.count)} * region.grid_x * region.grid_yz;
  }

  // Runs one dispatch for all of them.
  void Check(const std::vector<Batch>& batches) {
    GuardedMemory memory(Memory(kMemoryBytes));
    std::vector<LaunchBatch> plans;
    std::vector<PlanSpan> sums;
    std::vector<PlanSpan> arguments;
    for (const Batch& batch : batches) {
      sums.push_back(memory.Take((batch.regions.size() + 1) * sizeof(uint32_t)));
      arguments.push_back(memory.Take(sizeof(DispatchArguments)));
      LaunchBatch& plan = plans.emplace_back();
      plan.sums = sums.back().address;
      plan.arguments = arguments.back().address;
      plan.members = Members(memory, batch);
      plan.form = shared::kFormBatch;
      plan.member_count = static_cast<uint32_t>(batch.regions.size());
      plan.member_bytes = MemberBytes(batch);
      plan.kind = batch.kind;
      plan.max_workgroups_x = batch.max_workgroups_x;
    }
    RunPlans(plans);
    for (size_t i = 0; i < batches.size(); ++i) CheckBatch(batches[i], sums[i], arguments[i]);
    EXPECT_EQ(memory.WhereWritten(), "");
  }

 private:
  static uint32_t MemberBytes(const Batch& batch) {
    return static_cast<uint32_t>(sizeof(LaunchBlock) + batch.outputs * sizeof(shared::NodeOutput));
  }

  // In an order of their own, as regions of slots are.
  static uint64_t Members(GuardedMemory& memory, const Batch& batch) {
    const PlanSpan regions = memory.Take(std::vector<Region>(batch.regions.rbegin(), batch.regions.rend()));
    const PlanSpan members = memory.Take(batch.regions.size() * MemberBytes(batch));
    for (size_t i = 0; i < batch.regions.size(); ++i) {
      LaunchBlock block = {};
      block.form = shared::kFormRegion;
      block.source = regions.address + (batch.regions.size() - 1 - i) * sizeof(Region);
      members.Store(i * MemberBytes(batch), block);
    }
    return members.address;
  }

  void RunPlans(const std::vector<LaunchBatch>& plans) {
    const PlanSpan memory = Memory(plans);
    Dispatch(Kernel::kLaunchBatches, memory.address, static_cast<uint32_t>(plans.size()), 1);
  }

  static void CheckBatch(const Batch& batch, const PlanSpan& sums, const PlanSpan& arguments) {
    uint64_t before = 0;
    for (size_t member = 0; member <= batch.regions.size(); ++member) {
      ASSERT_EQ(Read<uint32_t>(sums, member), std::min<uint64_t>(before, ~0u)) << "member " << member;
      if (member < batch.regions.size()) before += WorkgroupsOf(batch.kind, batch.regions[member]);
    }
    if (before > 0xffff0000u) return;  // more than the planner puts into one batch
    const auto written = Read<DispatchArguments>(arguments);
    ExpectRows(written, before, batch.max_workgroups_x);
    EXPECT_EQ(written.z, before == 0 ? 0u : 1u);
  }
};

TEST_F(BatchKernelTest, CountersOfWorkgroups) {
  Check({{.regions = {Counted(3), Counted(0), Counted(0), Counted(70000), Counted(1)}, .outputs = 2}});
}

TEST_F(BatchKernelTest, RecordsOfGrids) {
  // One region has lost records: its counter has passed what it has.
  Check({{.kind = shared::kLaunchStaticGrid,
          .regions = {Grid(5, 10, 3, 4), Grid(11, 10, 3, 4), Grid(0, 10, 3, 4), Grid(9, 10, 0, 4), Grid(1, 10, 3, 4)},
          .outputs = 1}});
}

TEST_F(BatchKernelTest, NothingArrived) {
  Check({{.regions = std::vector<Region>(20, Counted(0))},
         {.kind = shared::kLaunchStaticGrid, .regions = std::vector<Region>(20, Grid(0, 5, 1, 1))}});
}

TEST_F(BatchKernelTest, SumsSaturate) {
  Check({{.kind = shared::kLaunchStaticGrid,
          .regions = {Grid(~0u, ~0u, ~0u, ~0u), Grid(1, 1, 1, 1), Grid(1u << 31, 1u << 31, 2, 1)}}});
}

// As many members as the workgroup has invocations, one less and one more, and several times as many.
TEST_F(BatchKernelTest, ManyMembersAndBatches) {
  std::mt19937 random(5);
  std::vector<Batch> batches;
  for (const uint32_t members : {1u, 2u, 127u, 128u, 129u, 256u, 1000u}) {
    Batch& batch = batches.emplace_back();
    batch.outputs = members % 3;
    batch.max_workgroups_x = members % 2 == 0 ? 1000 : 65535;
    batch.kind = members % 2 == 0 ? shared::kLaunchStaticGrid : shared::kLaunchCoalescing;
    for (uint32_t i = 0; i < members; ++i)
      batch.regions.push_back(batch.kind == shared::kLaunchCoalescing ? Counted(random() % 3 == 0 ? 0 : random() % 5000)
                                                                      : Grid(random() % 20, 15, 2, 3));
  }
  Check(batches);
}

}  // namespace
}  // namespace trellis::test
