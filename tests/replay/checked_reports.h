// SPDX-License-Identifier: Apache-2.0
// What recorded graphs tell the host: who writes reports, who reports losses, and whether the host may look.
#pragma once

#include <cstdint>
#include <string>

#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/replay/checked_batches.h"
#include "tests/replay/checked_memory.h"
#include "tests/replay/checked_sets.h"

namespace trellis::test {

class ReportLog : protected BatchLog {
 protected:
  void TouchReports(uint64_t reports, const std::string& who) {
    reports_ = reports;
    // Each report has a place of its own, which an atomic counter gives out.
    group_ = kReporting;
    Touch(reports, reports + kReportBytes, kReadWrite, who + " reports losses");
    group_ = 0;
  }
  void CheckReportsRead() { CheckHostRead(reports_, reports_ + kReportBytes, "host reads reports"); }

  void TouchHeader(uint64_t prepared, VkAccessFlags access, const std::string& who) {
    const uint64_t header = PreparedSets::HeaderOf(prepared);
    Touch(header, header + sizeof(shared::AlternatingRegions), access, who + " looks which regions are prepared");
  }

  // The kernel report_losses.
  void RunLosses(const shared::LossPlan& plan, uint32_t workgroups) {
    const uint32_t later = plan.opening_count - plan.prepared_count;
    const uint32_t own = plan.prepared != 0 ? 1 : 0;
    if (workgroups < own || (workgroups - own) * shared::kLevelsWorkgroup < later)
      Complain("report_losses has too few workgroups");
    if (plan.prepared != 0) {
      TouchHeader(plan.prepared, kReadWrite, "report_losses");
      sets_.Turn(plan.prepared);
    }
    if (plan.dense_parts != 0) CheckDenseParts(plan);
    if (plan.opening_count != 0) TouchReports(plan.reports, "report_losses");
    for (uint32_t i = 0; i < plan.opening_count; ++i) {
      const auto& opening = At<shared::RegionPlan>(plan.openings, i);
      const uint64_t regions = i < plan.prepared_count ? sets_.Current(plan.prepared) : plan.regions;
      const uint64_t region = regions + opening.region * sizeof(shared::Region);
      Touch(region, region + sizeof(shared::Region), kRead,
            "report_losses reads region " + std::to_string(opening.slot));
      open_.Report(opening.level, opening.slot);
    }
  }

  PreparedSets sets_;

 private:
  // Wherever the kernel moves regions of the level, they stay between the first one and the pool.
  void CheckDenseParts(const shared::LossPlan& plan) {
    const auto& first = At<shared::RegionPlan>(plan.openings);
    const auto& pool = At<shared::RegionPlan>(plan.openings, plan.prepared_count - 1);
    if (first.offset + uint64_t{plan.dense_units} * 16 >= pool.offset)
      Complain("regions that are prepared leave their part of the ring");
  }

  static constexpr uint32_t kReporting = ~0u;  // a group that no nodes have
  static constexpr uint64_t kReportBytes =
      sizeof(shared::DeviceReportHeader) + shared::kDeviceReportCapacity * sizeof(shared::DeviceReport);

  uint64_t reports_ = 0;
};

}  // namespace trellis::test
