// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/relocatable_plan.h"

#include <algorithm>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/longest_paths.h"
#include "layer/graph/record_grid.h"
#include "layer/graph/ring_parts.h"
#include "layer/graph/saturating.h"
#include "layer/graph/tables.h"
#include "layer/pipeline/shader_target.h"
#include "layer/replay/planning/arrivals.h"
#include "layer/replay/planning/launch_batches.h"
#include "layer/replay/planning/launch_size.h"
#include "layer/replay/planning/prepared_sets.h"
#include "layer/replay/planning/recent_cache.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

// Counts that change in every frame make plans that are never asked for again: not many of those are kept.
constexpr size_t kMaxPlans = 8;

// Most room of regions whose grids no kernel adds up before the sizing kernel: each of its workgroups counts what is
// before its part. If half of that arrives, this takes the last one as long as the dispatch takes that would do it for
// all, about 4 us on an H200; mostly there is far more room than records.
constexpr uint32_t kMaxRecounted = 1 << 15;

// Workgroups of a launch beyond that cost processors more than they bring, since few of them run at a time.
constexpr uint32_t kMaxPartsOnCpu = 16;

// Workgroups of a launch that are dispatched though their records may not have asked for them. If all of these leave,
// they take an H200 36 us; the kernels that count what is asked for take 15 us, mostly for far fewer.
constexpr uint32_t kMaxUncounted = 1 << 16;

// Bounded mode where no setting says how many steps may be recorded: most dispatches in all of them. A bound that takes
// more is none that anybody would wait for, mostly one of recursion or of grids from records, and what runs stays far
// below it.
constexpr uint64_t kMaxStepDispatches = 1 << 14;

// Whatever the setting says: no command buffer holds more.
constexpr uint64_t kMaxRecordedSteps = 1 << 24;

// Launching each slot once takes a begin kernel, where executions could prepare regions for one another: 4 us of an
// H200. A dispatch of nothing takes it 0.07 us at least.
constexpr size_t kFewestSpared = 48;

// Records that wait for their level may take this much of the ring, even if they would take less.
constexpr uint64_t kMaxWaiting = 16 << 20;

// Whether launches behind level 0 send as much as grids without a bound let them.
bool HasOpenGrids(const Graph& graph, const LevelSchedule& schedule) {
  const std::span<const Launch> later = std::span(schedule.launches).subspan(schedule.launch_begin[1]);
  return std::any_of(later.begin(), later.end(), [&graph](Launch launch) {
    const spirv::NodeInfo& info = graph.NodeOf(launch.slot).info;
    const bool is_open = info.kind == spirv::LaunchKind::kDynamicGrid &&
                         std::find(info.grid.begin(), info.grid.end(), 0u) != info.grid.end();
    return is_open && !graph.slots[launch.slot].edges.empty();
  });
}

// The slots whose records are launched.
std::vector<uint32_t> RootsOf(std::span<const RootCount> counts) {
  std::vector<uint32_t> roots;
  for (const RootCount& count : counts)
    if (roots.empty() || roots.back() != count.launch.input) roots.push_back(count.launch.input);
  return roots;
}

class Planner {
 public:
  Planner(const ExecutionGraphPipeline& pipeline, const RelocatablePlanKey& key, const DispatchEnvironment& environment)
      : pipeline_(pipeline), graph_(pipeline.graph), roots_(RootsOf(key.counts)), key_(key), environment_(environment) {
    plan_.schedule = pipeline.ScheduleFor(roots_);
    plan_.scratch = pipeline.scratch_layout();
  }

  RelocatablePlan Run() {
    PlanRing(environment_.ring_budget);
    const bool is_short = plan_.steps || (schedule().has_mesh_nodes && !plan_.memory.bounded);
    if (is_short && environment_.step_budget > environment_.ring_budget) {
      RelocatablePlan with_less = plan_;
      plan_.steps.reset();
      plan_.scratch = pipeline_.scratch_layout();
      PlanRing(environment_.step_budget);
      if (!plan_.steps && !plan_.memory.bounded) plan_ = std::move(with_less);
    }
    TakeLongestPaths();
    if (ReadsInfos())
      plan_.entry_bytes =
          std::max(plan_.memory.half_bytes[1], environment_.ring_budget / 2 / kPartAlignment * kPartAlignment);
    arriving_ = EstimateArrivals(graph_, loads(), plan_, key_.counts);
    plan_.levels.reserve(schedule().level_count());
    for (uint32_t level = 0; level < schedule().level_count(); ++level) PlanLevel(level);
    plan_.can_prepare = CanPrepareRegions(plan_);
    plan_.root_labels = RootLabels(graph_, roots_);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const LevelSchedule& schedule() const { return *plan_.schedule; }

  [[nodiscard]] const LoadBounds& loads() const {
    return *pipeline_.components.GetOrCreate<LoadBounds>(
        [this] { return std::make_shared<LoadBounds>(graph_, environment_.limits.max_grid_workgroups); });
  }

  // The number of workgroups of their roots is not known yet.
  [[nodiscard]] bool ReadsInfos() const { return !key_.counts.empty() && key_.counts.front().workgroups == kUnbounded; }

  void PlanRing(uint64_t budget) {
    MemoryLimits limits;
    // Where level 0 alone appends, the other half is needed only for what is reserved.
    limits.half_bytes = schedule().level_count() == 2 ? FreeBytes(budget) : budget / 2;
    limits.kept_ring_bytes = FreeBytes(budget);
    limits.max_grid_workgroups = environment_.limits.max_grid_workgroups;
    plan_.memory = PlanMemory(graph_, loads(), schedule(), key_.counts, limits);
    if (!plan_.memory.bounded) plan_.steps = StepsIfTheyAreFew(FreeBytes(budget));
    if (plan_.steps) {
      plan_.scratch = plan_.scratch.ForSteps();
      plan_.memory = {};
      plan_.memory.openings = std::move(plan_.steps->openings);
      plan_.memory.opening_begin = std::move(plan_.steps->opening_begin);
      plan_.memory.half_bytes[0] = plan_.steps->ring_bytes;
    }
    NumberRegions();
  }

  void NumberRegions() {
    for (shared::RegionPlan& opening : plan_.memory.openings)
      opening.region = plan_.scratch.region(opening.level, opening.slot);
  }

  // Launches each slot once, where that spares dispatches and takes little memory.
  void TakeLongestPaths() {
    const std::shared_ptr<const LevelSchedule> longest = schedule().longest_paths;
    const ScratchLayout scratch = pipeline_.scratch_layout();
    if (!longest || longest->has_mesh_nodes || ReadsInfos() || !scratch.opens_all_levels) return;
    const size_t spared = schedule().launches.size() - longest->launches.size();
    const bool prepares = key_.may_prepare && plan_.memory.bounded && !plan_.steps;
    if (prepares && spared < kFewestSpared) return;
    const std::shared_ptr<const SlotLoads> loads = pipeline_.components.GetOrCreate<SlotLoads>(
        [this] { return std::make_shared<SlotLoads>(graph_, environment_.limits.max_grid_workgroups); });
    if (!loads->is_known()) return;
    uint64_t room = FreeBytes(environment_.ring_budget);
    if (plan_.memory.bounded && !plan_.steps) room = std::min(room, std::max(plan_.memory.ring_bytes(), kMaxWaiting));
    std::optional<GraphPlan> memory = PlanLongestPaths(graph_, *loads, *longest, key_.counts, room);
    if (!memory) return;
    plan_.schedule = longest;
    plan_.memory = *std::move(memory);
    plan_.steps.reset();
    plan_.scratch = scratch.ForLongestPaths();
    NumberRegions();
  }

  // Returns the bytes of the ring that records of level 0 do not take.
  [[nodiscard]] uint64_t FreeBytes(uint64_t budget) const { return budget - std::min(key_.reserved, budget / 2); }

  // Nothing where one pass is the better choice.
  [[nodiscard]] std::optional<StepSchedule> StepsIfTheyAreFew(uint64_t ring_bytes) const {
    if (plan_.scratch.step_levels == 0) return std::nullopt;
    if (environment_.max_rounds == 0 && HasOpenGrids(graph_, schedule())) return std::nullopt;
    std::optional<StepSchedule> steps = ScheduleSteps(graph_, loads(), schedule(), key_.counts, ring_bytes);
    if (!steps) return std::nullopt;
    if (environment_.max_rounds == 0) {
      const uint64_t dispatches_of_step = 1 + schedule().launches.size();
      if (SaturatingMultiply(steps->steps, dispatches_of_step) > kMaxStepDispatches) return std::nullopt;
    } else {
      steps->steps =
          std::min({steps->steps, uint64_t{environment_.max_rounds} + schedule().level_count(), kMaxRecordedSteps});
    }
    return steps;
  }

  // The sizing of a level, while its launches are planned.
  struct Sizing {
    std::vector<shared::LaunchPlan> summed, parted, whole;
    uint32_t max_records = 0;
    uint32_t record_state = 0;  // words a record of the launches before, on the same region
    uint32_t position = 0;      // of the next launch's input and arguments
    uint32_t slice_table = 0;
  };

  void PlanLevel(uint32_t level) {
    RelocatableLevel& planned = plan_.levels.emplace_back();
    Sizing sizing;
    sizing.position = plan_.steps ? schedule().launch_begin[level] : 0;
    sizing.slice_table = plan_.steps ? level * plan_.scratch.dynamic_launch_count : 0;
    for (const Launch launch : schedule().launches_of(level)) {
      const bool is_drawn = graph_.NodeOf(launch.slot).info.IsMesh();
      std::vector<RelocatableLaunch>& launches = is_drawn ? planned.draws : planned.launches;
      RelocatableLaunch& added = launches.emplace_back(Describe(level, launch, sizing));
      if (is_drawn) {
        PlanDraw(level, static_cast<uint32_t>(planned.draws.size()) - 1, added, sizing);
      } else {
        PlanDispatch(level, added, sizing);
      }
      if (!added.from_region && !plan_.steps) SizeBefore(level, added, sizing);
    }
    planned.sizes_draws_alone = SizesDrawsAlone(planned);
    OrderSized(level, std::move(sizing), planned);
    FormBatches(pipeline_, environment_.limits, planned);
    // On a CPU a workgroup's way through the counts takes longer than the kernel (spirv::LoweringTarget::for_cpu).
    if (!TargetsCpu(pipeline_.device) && level != 0)
      CountBatches(plan_.scratch, environment_.limits, level, plan_.memory, planned);
    for (RelocatableBatch& batch : planned.batches) LabelBatch(planned, level, batch);
  }

  // Grids that dispatches of the level may overwrite are read before these.
  static bool SizesDrawsAlone(const RelocatableLevel& planned) {
    if (planned.launches.empty()) return true;
    const auto is_sized = [](const RelocatableLaunch& launch) { return !launch.from_region; };
    const auto may_change = [](const RelocatableLaunch& draw) {
      return !draw.from_region && draw.described.state_words == shared::kFullRecordState;
    };
    return std::none_of(planned.launches.begin(), planned.launches.end(), is_sized) &&
           std::none_of(planned.draws.begin(), planned.draws.end(), may_change);
  }

  [[nodiscard]] RelocatableLaunch Describe(uint32_t level, Launch launch, Sizing& sizing) const {
    // Launches of one region stand together, the slot's own first.
    if (launch.slot == launch.input) sizing.record_state = 0;
    RelocatableLaunch described;
    described.launch = launch;
    described.label = DispatchLabel(LaunchLabel(graph_, launch), level);
    described.described = DescribeLaunch(graph_, launch, kMaxExecutionGraphGrid);
    described.described.state_words_before = sizing.record_state;
    sizing.record_state += described.described.state_words;
    return described;
  }

  void PlanDispatch(uint32_t level, RelocatableLaunch& added, Sizing& sizing) {
    const Launch launch = added.launch;
    added.described.position = sizing.position;
    if (added.described.kind == shared::kLaunchDynamicGrid) added.described.slice_table = sizing.slice_table++;
    added.from_region = IsFromRegion(level, added, environment_.limits);
    if (!added.from_region) {
      ++sizing.position;
      return;
    }
    const auto dispatched = [&](uint32_t records) {
      return DispatchedWorkgroups(added.described, WorkgroupsFor(added.described, records));
    };
    added.max_workgroups = dispatched(MaxRecords(level, launch));
    // What infos bring is not known; one dispatch for all of them pays wherever it is little.
    if (level != 0) added.arriving_workgroups = dispatched(plan_.memory.arrivals_of(level, launch.input));
  }

  // `index`: of the launch among the level's draws.
  void PlanDraw(uint32_t level, uint32_t index, RelocatableLaunch& added, Sizing& sizing) {
    const DrawLimits& limits = environment_.draw_limits;
    added.from_region = IsFromRegion(level, added, LimitsOfOneDraw(limits));
    if (added.from_region) return;
    if (plan_.steps) added.described.position = sizing.position++;
    added.described.first_draw = plan_.scratch.draw_position(level, index);
    // Levels share the memory of search indices.
    added.described.has_search_index = 0;
    const uint64_t max_workgroups =
        MaxWorkgroupsOfRecords(graph_.NodeOf(added.launch.slot).info, MaxRecords(level, added.launch),
                               environment_.limits.max_grid_workgroups);
    const uint64_t draws = CeilDivide(max_workgroups, LargestDraw(limits).workgroups);
    added.described.draws = static_cast<uint32_t>(std::clamp<uint64_t>(draws, 1, plan_.scratch.max_draws));
  }

  // What a kernel does for a launch before it.
  void SizeBefore(uint32_t level, const RelocatableLaunch& added, Sizing& sizing) {
    const uint32_t records = MaxRecords(level, added.launch);
    if (added.described.state_words == shared::kNoRecordState || records <= shared::kLevelsTile) {
      sizing.whole.push_back(added.described);
      return;
    }
    const bool is_summed = added.described.kind == shared::kLaunchDynamicGrid && records > kMaxRecounted;
    (is_summed ? sizing.summed : sizing.parted).push_back(added.described);
    sizing.max_records = std::max(sizing.max_records, records);
  }

  void OrderSized(uint32_t level, Sizing sizing, RelocatableLevel& planned) {
    planned.sized = std::move(sizing.summed);
    planned.summed_count = static_cast<uint32_t>(planned.sized.size());
    // Scratch has search indices of these alone.
    std::stable_partition(planned.sized.begin(), planned.sized.end(),
                          [](const shared::LaunchPlan& launch) { return launch.has_search_index != 0; });
    planned.sized.insert(planned.sized.end(), sizing.parted.begin(), sizing.parted.end());
    planned.parted_count = static_cast<uint32_t>(planned.sized.size());
    planned.parts = PartsFor(planned.parted_count, sizing.max_records);
    planned.sized.insert(planned.sized.end(), sizing.whole.begin(), sizing.whole.end());
    FindFirstWithState(level, planned.sized);
  }

  void FindFirstWithState(uint32_t level, std::vector<shared::LaunchPlan>& sized) {
    std::vector<uint32_t> first(graph_.slots.size(), shared::kNoSlot);
    for (uint32_t i = 0; i < sized.size(); ++i) {
      shared::LaunchPlan& launch = sized[i];
      launch.first_with_state = shared::kNoSlot;
      if (launch.state_words == shared::kNoRecordState || level == 0) continue;
      if (plan_.memory.opening_of(level, launch.slot).state_words == 0) continue;
      if (first[launch.slot] == shared::kNoSlot) first[launch.slot] = i;
      launch.first_with_state = first[launch.slot];
    }
  }

  void LabelBatch(const RelocatableLevel& planned, uint32_t level, RelocatableBatch& batch) const {
    const std::string first = LaunchLabel(graph_, planned.launches[batch.launch_begin].launch);
    const std::string last = LaunchLabel(graph_, planned.launches[batch.launch_end - 1].launch);
    const std::string count = std::to_string(batch.launch_end - batch.launch_begin);
    batch.label = DispatchLabel(first + " to " + last + " (" + count + " launches)", level);
  }

  // count_infos counts workgroups of these, and their regions are the arguments.
  [[nodiscard]] bool MayBeCountedByInfos(const RelocatableLaunch& launch) const {
    return ReadsInfos() && !plan_.steps && plan_.scratch.opens_all_levels && !TargetsCpu(pipeline_.device) &&
           launch.launch.slot == launch.launch.input && launch.described.kind == shared::kLaunchCoalescing;
  }

  [[nodiscard]] bool MayBeFromRegion(uint32_t level, Launch launch) const {
    return level != 0 && !plan_.steps && plan_.scratch.opens_all_levels && launch.slot == launch.input;
  }

  // Regions that are opened between levels make a sizing kernel stand there anyway. Completes the opening; those of
  // level 0 are opened elsewhere.
  bool IsFromRegion(uint32_t level, RelocatableLaunch& launch, const LaunchLimits& limits) {
    if (level == 0) {
      shared::RegionPlan of_infos = {};
      of_infos.capacity = MaxRecords(level, launch.launch);
      return MayBeCountedByInfos(launch) && LaunchFromRegion(launch.described, limits, of_infos);
    }
    if (!MayBeFromRegion(level, launch.launch)) return false;
    shared::LaunchPlan described = launch.described;
    if (described.kind == shared::kLaunchDynamicGrid) {
      if (!LaunchesBounds(level, launch)) return false;
      DescribeBounds(graph_.NodeOf(launch.launch.slot).info, described);
    }
    if (!LaunchFromRegion(described, limits, plan_.memory.opening_of(level, launch.launch.input))) return false;
    launch.described = described;
    return true;
  }

  [[nodiscard]] bool LaunchesBounds(uint32_t level, const RelocatableLaunch& launch) const {
    const shared::LaunchPlan& described = launch.described;
    const uint32_t bound = GridWorkgroups({described.grid_x, described.grid_y, described.grid_z});
    return graph_.NodeOf(launch.launch.slot).info.launches_bounds &&
           arriving_[level] * DispatchedWorkgroups(described, bound) <= kMaxUncounted;
  }

  uint32_t MaxRecords(uint32_t level, Launch launch) {
    if (level != 0) return plan_.memory.opening_of(level, launch.input).capacity;
    return ReadsInfos() ? MaxInfoRecords(graph_, plan_, launch.input) : static_cast<uint32_t>(kMaxRegionRecords);
  }

  [[nodiscard]] uint32_t PartsFor(uint32_t launches, uint32_t records) const {
    const uint32_t max_parts = environment_.is_cpu ? kMaxPartsOnCpu : MaxParts(launches);
    return std::clamp((records + shared::kLevelsTile - 1) / shared::kLevelsTile, 1u, max_parts);
  }

  const ExecutionGraphPipeline& pipeline_;
  const Graph& graph_;
  const std::vector<uint32_t> roots_;  // slots
  const RelocatablePlanKey& key_;
  const DispatchEnvironment& environment_;
  std::vector<double> arriving_;  // by level: records that will arrive there, more or less
  RelocatablePlan plan_;
};

using Cache = RecentCache<RelocatablePlanKey, RelocatablePlan, kMaxPlans>;

}  // namespace

uint32_t MaxInfoRecords(const Graph& graph, const RelocatablePlan& plan, uint32_t slot) {
  const uint64_t stride = graph.slots[slot].record_stride;
  const uint64_t records = stride == 0 ? kMaxRegionRecords : plan.entry_bytes / stride;
  return static_cast<uint32_t>(std::min<uint64_t>(records, kMaxRegionRecords));
}

std::shared_ptr<const RelocatablePlan> FindOrMakePlan(const ExecutionGraphPipeline& pipeline, RelocatablePlanKey key,
                                                      const DispatchEnvironment& environment) {
  key.ring_budget = environment.ring_budget;
  key.step_budget = environment.step_budget;
  key.may_prepare = environment.rings != nullptr;
  const std::shared_ptr<Cache> cache = pipeline.components.GetOrCreate<Cache>([] { return std::make_shared<Cache>(); });
  std::shared_ptr<const RelocatablePlan> plan = cache->Find(key);
  if (plan) return plan;
  plan = std::make_shared<const RelocatablePlan>(Planner(pipeline, key, environment).Run());
  return cache->Keep(std::move(key), std::move(plan));
}

}  // namespace trellis
