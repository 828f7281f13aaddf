// SPDX-License-Identifier: Apache-2.0
// What the plan of a dispatch depends on besides the graph and its inputs.
#pragma once

#include <cstdint>
#include <span>

#include "layer/dispatch/vulkan.h"
#include "layer/replay/planning/launch_size.h"

namespace trellis {

class RingPool;

// Addresses are device addresses.
struct DispatchEnvironment {
  VkDeviceAddress scratch = 0;
  VkDeviceAddress ring_table = 0;
  VkDeviceAddress device_reports = 0;
  uint32_t origin = 0;           // ReportOrigin of the dispatch; the plan completes it
  VkDeviceSize ring_budget = 0;  // bytes: most for one ring, unless the inputs alone need more
  VkDeviceSize step_budget = 0;  // bytes: the same where the graph would run in steps with less
  uint32_t max_rounds = 0;       // the setting
  bool validates = false;        // the setting
  bool claims_ring = true;       // graphs on other queues may use the same rings
  bool reports_steps = false;    // whether anybody listens to how many steps were used
  bool is_cpu = false;           // DeviceTraits::is_cpu
  LaunchLimits limits;
  DrawLimits draw_limits;                   // where there are mesh nodes
  std::span<const uint8_t> push_constants;  // the application's, as stage COMPUTE sees them
  // Those of the queue, if executions may prepare regions for one another: with the setting, and where no ring has to
  // be claimed. Else null.
  RingPool* rings = nullptr;
  bool counts = false;  // the setting `report`
};

}  // namespace trellis
