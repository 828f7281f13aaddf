// SPDX-License-Identifier: Apache-2.0
// With the setting `report`: how many records the regions of a plan had, summed over its executions, for how many
// workgroups of nodes that coalesce, and the first of the payloads that the setting `dump_payloads` asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "layer/settings/payload_dumps.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;
struct Graph;

// Level and slot.
using ReportedPlace = std::pair<uint32_t, uint32_t>;

// Sums of one level and slot.
struct PlaceCount {
  uint64_t records = 0;
  uint64_t dropped = 0;
  uint64_t max_records = 0;     // of one execution
  uint64_t workgroups = 0;      // of a node that coalesces; else 0
  uint64_t reserved_bytes = 0;  // of the ring, by the largest plan

  void Add(const PlaceCount& other);
};

// The first payloads of one level and slot, over all executions so far.
struct DumpedPayloads {
  uint32_t capacity = 0;  // payloads
  uint32_t payload_bytes = 0;
  std::vector<std::byte> bytes;  // payloads, one behind the other

  // Adds payloads, as many as there is room for.
  void Append(const DumpedPayloads& other);
};

// Asks for a copy of the first records of a region.
struct DumpRequest {
  uint32_t opening = 0;        // position in `openings`
  uint32_t capacity = 0;       // records
  uint32_t payload_bytes = 0;  // what is kept of each
};

// How many records of a slot are asked for. 0: none, or its payloads are empty.
[[nodiscard]] uint32_t DumpedRecordsOf(const Graph& graph, uint32_t slot, std::span<const PayloadDumpSetting> dumps);

// The buffer that the kernel count_records adds to. Ownership: shared by the plan and the report. Without a buffer,
// nothing is counted. Threading: any thread may read.
struct PlanCounts {
  // `openings` are those of level after level. Fails when memory runs out.
  [[nodiscard]] static Expected<std::shared_ptr<const PlanCounts>> Create(const Device& device, const Graph& graph,
                                                                          std::span<const shared::RegionPlan> openings);

  [[nodiscard]] VkDeviceAddress address() const { return buffer ? buffer.address() : 0; }
  // Without what the device's memory decides: CountPlan::consumed and counts_execution.
  [[nodiscard]] shared::CountPlan PlanOf(uint32_t level) const;
  [[nodiscard]] uint32_t Executions() const;
  [[nodiscard]] std::vector<std::pair<ReportedPlace, PlaceCount>> Totals() const;
  [[nodiscard]] std::vector<std::pair<ReportedPlace, DumpedPayloads>> Dumps() const;

  DeviceBuffer buffer;                   // RegionCountsHeader, RegionCount[regions], PayloadDump[requests], records
  std::vector<uint32_t> levels;          // of each region
  std::vector<uint64_t> reserved_bytes;  // of each region: ring for the records that lie dense
  std::vector<DumpRequest> requests;     // of level after level
};

}  // namespace trellis
