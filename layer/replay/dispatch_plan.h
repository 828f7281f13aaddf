// Everything that one graph dispatch needs in plan memory, and the dispatches that it becomes. No command is recorded
// here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/memory/plan_arena.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/entry_inputs.h"
#include "layer/replay/launch_size.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// What a plan depends on beside the graph and its inputs. Addresses are device addresses.
struct DispatchEnvironment {
  VkDeviceAddress scratch = 0;
  VkDeviceAddress ring_table = 0;
  VkDeviceAddress loss_reports = 0;
  uint32_t origin = 0;           // ReportOrigin of the dispatch
  VkDeviceSize ring_budget = 0;  // bytes: most for one ring, unless the inputs alone need more
  uint32_t max_rounds = 0;       // the setting
  bool reports_steps = false;    // whether anybody listens to how many steps were used
  LaunchLimits limits;
  std::span<const uint8_t> push_constants;  // the application's, as stage COMPUTE sees them
};

// One dispatch of an internal kernel.
struct KernelCall {
  VkDeviceAddress plan = 0;
  uint32_t x = 1;
  uint32_t y = 1;
};

// One dispatch of a node, or of the launches of a batch.
struct NodeLaunch {
  uint32_t node = 0;                      // that runs: of launch.slot
  Launch launch;                          // the first one of a batch
  VkDeviceAddress block = 0;              // LaunchBlock or LaunchBatch
  std::optional<VkDeviceSize> arguments;  // offset of its VkDispatchIndirectCommand from the scratch address
  DispatchSize size;                      // of launches without arguments: roots of a dispatch from the host
  const std::string* label = nullptr;     // owned by DispatchPlan::labels
};

struct LevelPlan {
  std::optional<KernelCall> sum;      // before the close kernel: of grids, for launches that may have many records
  std::optional<KernelCall> close;    // none if no launch and no region needs it
  std::optional<KernelCall> batches;  // none if no launches run in batches
  uint32_t launch_begin = 0;          // its launches among those of all levels
  uint32_t launch_end = 0;
};

// The kernels that make level 0's regions out of infos that the device reads (meta_shaders/shared/entry_plan.h).
struct EntryPasses {
  KernelCall count_infos, place_entries, append_infos;
  VkDeviceAddress copy_chunks = 0;   // its plan
  VkDeviceSize chunk_arguments = 0;  // offset of its VkDispatchIndirectCommand from the scratch address
};

// Bounded mode: the kernel that precedes all launches of all levels, again and again (meta_shaders/levels/step_graph).
struct StepPasses {
  VkDeviceAddress first = 0;  // plans of the kernel
  VkDeviceAddress later = 0;
  VkDeviceAddress after = 0;  // once more, without launches
  uint32_t count = 0;
};

struct DispatchPlan {
  std::optional<KernelCall> begin;         // none if the nodes need nothing but their launch blocks
  std::optional<KernelCall> open;          // regions that are too many for the begin kernel
  std::optional<KernelCall> copy;          // inputs of roots that are written
  std::optional<EntryPasses> entry;        // infos that the device reads
  std::vector<LevelPlan> levels;           // none if there is nothing to do
  std::vector<NodeLaunch> launches;        // level after level
  std::optional<StepPasses> steps;         // then no level is closed
  std::optional<KernelCall> end;           // none if no ring is claimed
  VkDeviceSize ring_bytes = 0;             // the ring that this dispatch needs
  VkDeviceAddress push_constant_copy = 0;  // of the application's push constants, if the layout has a copy_offset
  std::vector<std::string> complaints;     // what could not be done as asked
  std::shared_ptr<const void> labels;      // owner of those of the launches

  [[nodiscard]] std::span<const NodeLaunch> launches_of(const LevelPlan& level) const {
    return std::span(launches).subspan(level.launch_begin, level.launch_end - level.launch_begin);
  }
  NodeLaunch& AddLaunch() {
    ++levels.back().launch_end;
    return launches.emplace_back();
  }
  LevelPlan& AddLevel() {
    LevelPlan& level = levels.emplace_back();
    level.launch_begin = level.launch_end = static_cast<uint32_t>(launches.size());
    return level;
  }
  // Keeps the memory of what grows with the graph: recording takes none from the heap that the driver's own recording
  // has left in pieces.
  void Clear() {
    levels.clear();
    launches.clear();
    DispatchPlan cleared;
    cleared.levels.swap(levels);
    cleared.launches.swap(launches);
    *this = std::move(cleared);
  }
};

// What vkCmdDispatchGraphIndirectAMDX and vkCmdDispatchGraphIndirectCountAMDX read on the device:
// VkDispatchGraphInfoAMDX structures, or the VkDispatchGraphCountInfoAMDX that says where they are.
struct DeviceInputs {
  VkDeviceAddress count_info = 0;  // 0: the rest is set
  VkDeviceAddress infos = 0;
  uint64_t info_stride = 0;
  uint32_t info_count = 0;
};

// `plan` must be clear. Fails when plan memory runs out.
[[nodiscard]] Expected<void> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                          const DispatchEnvironment& environment, PlanArena& arena, DispatchPlan& plan);
[[nodiscard]] Expected<void> PlanDispatch(const ExecutionGraphPipeline& pipeline, const DeviceInputs& inputs,
                                          const DispatchEnvironment& environment, PlanArena& arena, DispatchPlan& plan);

}  // namespace trellis
