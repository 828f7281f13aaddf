// SPDX-License-Identifier: Apache-2.0
// DeviceReport::origin: which dispatch a report of the device is about.
#pragma once

#include <cstdint>

namespace trellis {

// The command that dispatched a graph.
enum class DispatchCommand : uint8_t { kHost, kIndirect, kIndirectCount };

// What the plan of a dispatch has room for. It decides which setting keeps records from being dropped.
enum class RingFit : uint8_t {
  kAll,          // all that nodes may allocate, in one pass or in steps
  kPart,         // less; the graph cannot run in steps
  kPartOrSteps,  // less; the graph runs in steps with the setting max_rounds
};

// DeviceReport::origin.
struct ReportOrigin {
  uint32_t graph = 0;  // ExecutionGraphPipeline::id, less than 2^27
  DispatchCommand command = DispatchCommand::kHost;
  RingFit fit = RingFit::kAll;
  bool is_short_of_memory = false;  // the driver had no memory for a ring of RingBudget

  [[nodiscard]] uint32_t Pack() const {
    return graph << 5 | (is_short_of_memory ? 1u : 0u) << 4 | static_cast<uint32_t>(fit) << 2 |
           static_cast<uint32_t>(command);
  }
  [[nodiscard]] static ReportOrigin Unpack(uint32_t packed) {
    return {packed >> 5, static_cast<DispatchCommand>(packed & 3), static_cast<RingFit>(packed >> 2 & 3),
            (packed >> 4 & 1) != 0};
  }
};

}  // namespace trellis
