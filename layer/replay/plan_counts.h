// With the setting `report`: how many records the regions of a plan had, summed over its executions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "meta_shaders/shared/graph_data.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;

// Sums of one region.
struct RegionTotal {
  uint32_t level = 0;
  uint32_t slot = 0;
  uint64_t records = 0;
  uint64_t dropped = 0;
  uint32_t max_records = 0;  // of one execution
};

// The buffer that the kernel report_losses adds to. Ownership: shared by the plan and the report. Without a buffer,
// nothing is counted. Threading: any thread may read.
struct PlanCounts {
  // Fails when memory runs out.
  [[nodiscard]] static Expected<std::shared_ptr<const PlanCounts>> Create(const Device& device,
                                                                          std::span<const shared::RegionPlan> openings);

  [[nodiscard]] VkDeviceAddress address() const { return buffer ? buffer.address() : 0; }
  [[nodiscard]] uint32_t Executions() const;
  [[nodiscard]] std::vector<RegionTotal> Totals() const;

  DeviceBuffer buffer;  // RegionCountsHeader, RegionCount[regions]
  uint32_t regions = 0;
};

}  // namespace trellis
