// SPDX-License-Identifier: Apache-2.0
// What a user can set, with the defaults. Where the values come from: layer/settings/load_settings.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "layer/settings/payload_dumps.h"

namespace trellis {

// Who takes the places of payloads together.
enum class Aggregation : uint8_t { kAuto, kWorkgroup, kSubgroup, kNone };

// Whether launches that share a pipeline become one dispatch.
enum class LaunchBatches : uint8_t { kAuto, kAlways, kNever };

// What nodes are lowered and dispatched for: auto is what the device says of itself.
enum class ShaderTarget : uint8_t { kAuto, kGpu, kCpu };

// On which devices attachments are stored whatever the application says, so that render pass instances can be split:
// those with the feature shaderMeshEnqueue, all that have graphs, or none.
enum class SplitRenderPasses : uint8_t { kDefault, kOn, kOff };

enum class LogLevel : uint8_t { kError, kWarning, kInfo, kDebug };

// One per instance, read-only after vkCreateInstance. Keys, types and meaning: layer/settings/setting_table.h,
// docs/settings.md.
struct Settings {
  LogLevel log_level = LogLevel::kWarning;
  std::string log_file;
  bool labels = true;
  bool enable_debug_utils = false;
  bool maintenance5 = true;
  uint32_t ring_budget = 0;  // MiB; 0: RingBudget and RingBudgetInsteadOfSteps (layer/memory/ring_pool.h)
  uint32_t max_rounds = 0;   // 0: as many as are needed, if that is known
  bool optimize = false;
  bool validate_lowered = false;
  std::string dump_dir;
  bool force_emulation = false;
  uint32_t threads = 0;  // 0: one per core
  bool validate = false;
  bool timing = false;
  bool size_every_level = false;
  ShaderTarget shader_target = ShaderTarget::kAuto;
  Aggregation aggregation = Aggregation::kAuto;
  bool int64_addresses = true;
  bool subgroup_partition = true;
  bool prepare_regions = true;
  bool pack_workgroups = true;
  uint32_t max_packed_workgroups = 0;  // 0: chosen for the device
  LaunchBatches launch_batches = LaunchBatches::kAuto;
  SplitRenderPasses split_render_passes = SplitRenderPasses::kDefault;
  std::string report;            // path of a JSON file; empty: none
  uint32_t report_interval = 0;  // seconds; 0: only at the end
  std::vector<PayloadDumpSetting> dump_payloads;
  std::map<std::string, std::string> given;  // key and value of what differs from the defaults
};

}  // namespace trellis
