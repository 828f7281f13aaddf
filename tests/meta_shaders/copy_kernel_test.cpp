// SPDX-License-Identifier: Apache-2.0
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/kernel_test_base.h"

namespace trellis::test {
namespace {

using shared::ControlBlock;
using shared::CopyPlan;
using shared::DeviceReport;
using shared::DeviceReportHeader;
using shared::InputCopy;
using shared::LaunchInput;

class CopyKernelTest : public KernelTest {
 protected:
  // Two inputs of 5000 and 3 pieces, copied to offsets 256 and 100096 of the ring. The third launch shares the first
  // one's.
  void Copy(VkDeviceAddress ring) {
    std::vector<uint32_t> words(5000 * 4);
    for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
    sources_[0] = Memory(words);
    words.resize(12);
    sources_[1] = Memory(words);
    inputs_ = Memory(3 * sizeof(LaunchInput));
    std::vector<InputCopy> copies(3);
    for (uint32_t i = 0; i < 3; ++i) {
      LaunchInput input = {};
      input.records = shared::DenseRecords(0xdead, 11 + i, 7 + i);
      input.record_state = i == 0 ? 0 : 0xdead;
      input.workgroup_count = 9 + i;
      // The second one has record state behind its records.
      copies[i] = {sources_[i % 2].address,
                   i == 1 ? 100096u : 256u,
                   i == 1 ? 100096u + 32u : 256u + 80000u,
                   Memory(std::vector{input}).address,
                   inputs_.address + i * sizeof(LaunchInput),
                   0,
                   40 + i};
      copies[i].pieces = i == 2 ? 0 : static_cast<uint32_t>(sources_[i].size / 16);
    }
    reports_ = ReportMemory();
    ControlBlock control = {};
    control.ring = ring;
    Run(Kernel::kCopyInputs,
        CopyPlan{Memory(std::vector{control}).address, Memory(copies).address, reports_.address, 66, 0}, 7, 3);
  }

  PlanSpan sources_[2];
  PlanSpan inputs_;
  PlanSpan reports_;
};

TEST_F(CopyKernelTest, CopiesEveryPieceAndCompletesTheInputs) {
  const PlanSpan ring = Memory(100096 + 4096);
  Copy(ring.address);
  EXPECT_EQ(std::memcmp(ring.host + 256, sources_[0].host, sources_[0].size), 0);
  EXPECT_EQ(std::memcmp(ring.host + 100096, sources_[1].host, sources_[1].size), 0);
  EXPECT_EQ(Read<uint32_t>(ring, 63), 0u);
  EXPECT_EQ(Read<uint32_t>(ring, (256 + 80000) / 4), 0u);
  EXPECT_EQ(Read<uint32_t>(ring, (100096 + 48) / 4), 0u);
  for (uint32_t i = 0; i < 3; ++i) {
    const LaunchInput input = Read<LaunchInput>(inputs_, i);
    EXPECT_EQ(input.records.stride, 11u + i);
    EXPECT_EQ(input.records.base, ring.address + (i == 1 ? 100096 : 256));
    EXPECT_EQ(input.record_state, i == 0 ? 0 : ring.address + (i == 1 ? 100096 + 32 : 256 + 80000));
    EXPECT_EQ(input.records.count, 7 + i);
    EXPECT_EQ(input.workgroup_count, 9 + i);
  }
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).written, 0u);
}

TEST_F(CopyKernelTest, WithoutARingNothingIsLaunchedAndTheLossIsReportedOnce) {
  Copy(0);
  uint32_t reported = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Read<LaunchInput>(inputs_, i).workgroup_count, 0u);
    EXPECT_EQ(Read<LaunchInput>(inputs_, i).records.count, 0u);
  }
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    const DeviceReport report = ReportsIn(reports_)[i];
    EXPECT_EQ(report.origin, 66u);
    EXPECT_EQ(report.level, 0u);
    EXPECT_EQ(report.records, report.slot - 40 + 7);
    reported += report.records;
  }
  EXPECT_EQ(reported, 15u);
}

}  // namespace
}  // namespace trellis::test
