#include "layer/replay/dispatch_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/memory_plan.h"
#include "layer/graph/tables.h"
#include "layer/memory/scratch_layout.h"
#include "meta_shaders/shared/input_copy.h"

namespace trellis {
namespace {

constexpr std::array<uint32_t, 3> kMaxGrid = {kMaxExecutionGraphWorkgroupCount, kMaxExecutionGraphWorkgroupCount,
                                              kMaxExecutionGraphWorkgroupCount};

// A copy kernel with more workgroups than this for one input gains nothing: each then copies several batches.
constexpr uint32_t kMostCopyWorkgroups = 1024;

// So that a ring exists even if nothing in the graph has a size: without one every region is closed.
constexpr uint64_t kSmallestRing = 256;

uint64_t RoundUp(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// A root of the dispatch, with its records in plan memory.
struct Root {
  const RootInput* input = nullptr;
  PlanSpan records;
  shared::LaunchBlock block = {};
  LaunchSize size;
  bool copied = false;  // gets its records from the ring: the node writes them
  uint64_t copy_offset = 0;
};

class Planner {
 public:
  Planner(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs, const DispatchEnvironment& environment,
          PlanArena& arena)
      : pipeline_(pipeline),
        graph_(pipeline.graph),
        inputs_(inputs),
        environment_(environment),
        arena_(arena),
        scratch_(LayOutScratch(static_cast<uint32_t>(graph_.slots.size()), graph_.largest_record)) {}

  Expected<DispatchPlan> Run() {
    if (Expected<void> done = PrepareRoots(); !done) return done.error();
    if (roots_.empty()) return std::move(plan_);
    PlanLevels();
    if (Expected<void> done = PlaceRoots(); !done) return done.error();
    if (Expected<void> done = PlanBegin(); !done) return done.error();
    for (uint32_t level = 1; level < schedule_->level_count(); ++level)
      if (Expected<void> done = PlanLevel(level); !done) return done.error();
    if (Expected<void> done = PlanEnd(); !done) return done.error();
    return std::move(plan_);
  }

 private:
  // Stores `values` in plan memory and gives `address` its place.
  template <typename T>
  [[nodiscard]] Expected<void> Upload(std::span<const T> values, VkDeviceAddress& address) {
    Expected<PlanSpan> span = arena_.Upload(values);
    if (!span) return span.error();
    address = span->address;
    return {};
  }
  template <typename T>
  [[nodiscard]] Expected<void> Upload(const T& value, VkDeviceAddress& address) {
    return Upload(std::span<const T>(&value, 1), address);
  }

  [[nodiscard]] shared::LaunchPlan Describe(uint32_t slot) const {
    return DescribeLaunch(graph_, slot, pipeline_.outputs_address[slot], kMaxGrid);
  }
  [[nodiscard]] VkDeviceAddress RegionsProducedBy(uint32_t level) const {
    return environment_.scratch + scratch_.regions[(level + 1) & 1];
  }

  [[nodiscard]] Expected<void> PrepareRoots();
  [[nodiscard]] Expected<void> PrepareRoot(const RootInput& input);
  void PlanLevels();
  [[nodiscard]] Expected<void> PlaceRoots();
  [[nodiscard]] Expected<void> PlanCopies(const std::vector<shared::InputCopy>& copies);
  [[nodiscard]] Expected<void> PlanBegin();
  [[nodiscard]] Expected<void> PlanLevel(uint32_t level);
  [[nodiscard]] Expected<void> PlanEnd();

  const ExecutionGraphPipeline& pipeline_;
  const Graph& graph_;
  const EntryInputs& inputs_;
  const DispatchEnvironment& environment_;
  PlanArena& arena_;
  const ScratchLayout scratch_;

  std::vector<Root> roots_;  // those that launch anything
  std::shared_ptr<const LevelSchedule> schedule_;
  GraphPlan memory_;
  DispatchPlan plan_;
};

Expected<void> Planner::PrepareRoots() {
  for (const RootInput& input : inputs_.roots)
    if (Expected<void> done = PrepareRoot(input); !done) return done;
  return {};
}

Expected<void> Planner::PrepareRoot(const RootInput& input) {
  const uint32_t stride = graph_.slots[input.slot].record_stride;
  // Copies move whole pieces of 16 bytes.
  Expected<PlanSpan> records = arena_.Allocate(RoundUp(uint64_t{input.record_count} * stride, 16));
  if (!records) return records.error();
  const size_t bytes = size_t{input.record_count} * stride;
  const shared::LaunchPlan launch = Describe(input.slot);
  // Grids are read from the records, and plan memory may be slow to read for the host.
  std::vector<std::byte> staged(launch.kind == shared::kLaunchDynamicGrid ? bytes : 0);
  WriteRecords(graph_, input, staged.empty() ? std::span(records->host, bytes) : std::span(staged), stride);
  if (!staged.empty()) std::memcpy(records->host, staged.data(), bytes);

  std::vector<uint32_t> first_workgroup;
  Root root;
  root.input = &input;
  root.records = *records;
  root.size = SizeLaunch(launch, {staged, input.record_count, stride}, environment_.limits, first_workgroup);
  if (root.size.records < input.record_count)
    plan_.complaints.push_back(std::to_string(input.record_count - root.size.records) + " payloads for " +
                               NodeLabel(graph_.nodes[input.node].name, graph_.nodes[input.node].index) +
                               " were dropped: this device cannot dispatch the workgroups of all of them at once");
  if (root.size.workgroups == 0) return {};

  shared::LaunchBlock& block = root.block;
  block.control = environment_.scratch + scratch_.control;
  block.records = records->address;
  block.outputs = launch.outputs;
  block.regions = RegionsProducedBy(0);
  block.record_count = root.size.records;
  block.record_stride = stride;
  block.workgroup_count = root.size.workgroups;
  block.grid_x = launch.grid_x;
  block.grid_y = launch.grid_y;
  block.grid_z = launch.grid_z;
  block.coalesce = launch.coalesce;
  block.shader_index = launch.shader_index;
  block.remaining_recursion = launch.remaining_recursion;
  block.grid_member = launch.grid_member;
  root.copied = graph_.nodes[input.node].info.writes_input && bytes != 0;
  if (!first_workgroup.empty())
    if (Expected<void> done = Upload(std::span<const uint32_t>(first_workgroup), block.first_workgroup); !done)
      return done;
  roots_.push_back(std::move(root));
  return {};
}

void Planner::PlanLevels() {
  std::vector<uint32_t> slots;
  std::vector<RootCount> counts;
  for (const Root& root : roots_) {
    slots.push_back(root.input->slot);
    counts.push_back({root.input->slot, root.size.records, root.size.workgroups});
  }
  schedule_ = pipeline_.ScheduleFor(slots);
  MemoryLimits limits;
  limits.half_bytes = environment_.ring_budget / 2;
  limits.max_workgroups = uint64_t{environment_.limits.max_workgroups_x} * environment_.limits.max_workgroups_y;
  limits.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  memory_ = PlanMemory(graph_, *schedule_, counts, limits);
}

// Level 0: launch blocks in plan memory, or in scratch where the copy kernel completes them.
Expected<void> Planner::PlaceRoots() {
  LevelPlan& level = plan_.levels.emplace_back();
  std::vector<shared::InputCopy> copies;
  // Level 0 appends to the first half; the second one is free until level 1 appends to it.
  uint64_t copy_end = memory_.half_bytes[0];
  for (const Root& root : roots_) {
    NodeLaunch launch;
    launch.node = root.input->node;
    launch.slot = root.input->slot;
    launch.size = SplitIntoRows(root.size.workgroups, environment_.limits.max_workgroups_x);
    if (Expected<void> done = Upload(root.block, launch.block); !done) return done;
    if (root.copied) {
      shared::InputCopy copy = {};
      copy.source = root.records.address;
      copy.ring_offset = copy_end;
      copy.block_template = launch.block;
      copy.block = launch.block = environment_.scratch + scratch_.block(static_cast<uint32_t>(copies.size()));
      copy.pieces = static_cast<uint32_t>(root.records.size / 16);
      copy.slot = launch.slot;
      copy_end += RoundUp(root.records.size, 256);
      copies.push_back(copy);
    }
    level.launches.push_back(launch);
  }
  const bool needs_ring = schedule_->level_count() > 1 || !copies.empty();
  if (needs_ring) plan_.ring_bytes = std::max({memory_.ring_bytes(), copy_end, kSmallestRing});
  return copies.empty() ? Expected<void>() : PlanCopies(copies);
}

Expected<void> Planner::PlanCopies(const std::vector<shared::InputCopy>& copies) {
  shared::CopyPlan copy = {};
  copy.control = environment_.scratch + scratch_.control;
  copy.reports = environment_.loss_reports;
  copy.graph = pipeline_.id;
  if (Expected<void> done = Upload(std::span<const shared::InputCopy>(copies), copy.copies); !done) return done;
  uint32_t most_pieces = 1;
  for (const shared::InputCopy& one : copies) most_pieces = std::max(most_pieces, one.pieces);
  KernelCall& call = plan_.copy.emplace();
  call.x = std::min((most_pieces - 1) / shared::kCopyWorkgroup + 1, kMostCopyWorkgroups);
  call.y = static_cast<uint32_t>(copies.size());
  return Upload(copy, call.plan);
}

Expected<void> Planner::PlanBegin() {
  const bool has_outputs = std::any_of(roots_.begin(), roots_.end(), [this](const Root& root) {
    return !graph_.nodes[root.input->node].info.outputs.empty();
  });
  // A leaf reads nothing but its launch block. A node with outputs reads the control block even if no output has a
  // target.
  if (plan_.ring_bytes == 0 && !has_outputs) return {};
  shared::BeginPlan begin = {};
  begin.control = environment_.scratch + scratch_.control;
  begin.ring_table = environment_.ring_table;
  begin.ring_bytes = plan_.ring_bytes;
  begin.dump = environment_.scratch + scratch_.dump;
  begin.regions = RegionsProducedBy(0);
  begin.heap_slot = graph_.HeapSlot();
  if (schedule_->level_count() > 1) {
    const std::span<const shared::RegionPlan> openings = memory_.openings_of(0);
    begin.opening_count = static_cast<uint32_t>(openings.size());
    if (Expected<void> done = Upload(openings, begin.openings); !done) return done;
  }
  return Upload(begin, plan_.begin.emplace().plan);
}

Expected<void> Planner::PlanLevel(uint32_t level) {
  const std::span<const uint32_t> slots = schedule_->level(level);
  const std::span<const shared::RegionPlan> consumed = memory_.openings_of(level - 1);
  const std::span<const uint64_t> first_workgroups = memory_.first_workgroup_offsets_of(level - 1);
  const bool last = level + 1 == schedule_->level_count();
  const std::span<const shared::RegionPlan> produced =
      last ? std::span<const shared::RegionPlan>() : memory_.openings_of(level);

  LevelPlan& planned = plan_.levels.emplace_back();
  std::vector<shared::LaunchPlan> launches;
  for (uint32_t i = 0; i < slots.size(); ++i) {
    shared::LaunchPlan& launch = launches.emplace_back(Describe(slots[i]));
    launch.first_workgroup_offset = first_workgroups[i];
    NodeLaunch node;
    node.node = graph_.slots[slots[i]].node;
    node.slot = slots[i];
    node.block = environment_.scratch + scratch_.block(i);
    node.arguments = scratch_.argument(i);
    planned.launches.push_back(node);
  }

  shared::ClosePlan close = {};
  close.control = environment_.scratch + scratch_.control;
  close.blocks = environment_.scratch + scratch_.blocks;
  close.arguments = environment_.scratch + scratch_.arguments;
  close.consumed = RegionsProducedBy(level - 1);
  close.produced = RegionsProducedBy(level);
  close.reports = environment_.loss_reports;
  close.launch_count = static_cast<uint32_t>(launches.size());
  close.opening_count = static_cast<uint32_t>(produced.size());
  close.graph = pipeline_.id;
  close.level = level;
  // The heap comes last. Where it was not opened its region holds whatever the application left there.
  close.heap_slot = consumed.size() > slots.size() ? graph_.HeapSlot() : shared::kNoSlot;
  close.max_workgroups_x = environment_.limits.max_workgroups_x;
  close.max_workgroups_y = environment_.limits.max_workgroups_y;
  close.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  if (Expected<void> done = Upload(std::span<const shared::LaunchPlan>(launches), close.launches); !done) return done;
  if (Expected<void> done = Upload(produced, close.openings); !done) return done;

  KernelCall& call = planned.close.emplace();
  const uint32_t opening_workgroups =
      (close.opening_count + shared::kCloseLevelWorkgroup - 1) / shared::kCloseLevelWorkgroup;
  const DispatchSize size =
      SplitIntoRows(close.launch_count + opening_workgroups, environment_.limits.max_workgroups_x);
  call.x = size.x;
  call.y = size.y;
  return Upload(close, call.plan);
}

Expected<void> Planner::PlanEnd() {
  if (plan_.ring_bytes == 0) return {};
  shared::EndPlan end = {};
  end.control = environment_.scratch + scratch_.control;
  end.ring_table = environment_.ring_table;
  return Upload(end, plan_.end.emplace().plan);
}

}  // namespace

Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                    const DispatchEnvironment& environment, PlanArena& arena) {
  return Planner(pipeline, inputs, environment, arena).Run();
}

}  // namespace trellis
