#include "layer/replay/dispatch_plan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/saturating.h"
#include "layer/graph/tables.h"
#include "layer/memory/ring_pool.h"
#include "layer/replay/dispatch_planner.h"
#include "meta_shaders/shared/input_copy.h"

namespace trellis {
namespace {

// A copy kernel with more workgroups than this for one input gains nothing: each then copies several batches.
constexpr uint32_t kMostCopyWorkgroups = 1024;

// Of inputs in the ring that are copied there.
constexpr uint64_t kCopyAlignment = 256;

// So that a ring exists even if nothing in the graph has a size: without one every region is closed.
constexpr uint64_t kSmallestRing = 256;

// One launch of level 0.
struct RootLaunch {
  Launch launch;
  shared::LaunchPlan described = {};
  shared::LaunchInput input = {};
  uint64_t notes_offset = 0;  // of the notes from the records, if it keeps any
  LaunchSize size;
};

// A root of the dispatch, with its records in plan memory.
struct Root {
  const RootInput* input = nullptr;
  PlanSpan records;                  // and behind them the notes of all launches
  std::vector<RootLaunch> launches;  // those with workgroups: its own, and of nodes that share its input
  bool copied = false;               // the records are read from the ring: a node writes them
};

// Returns the payloads of a root in the application's memory or, where they are no array there, a copy in `gathered`.
RecordArray PayloadsOf(const Graph& graph, const RootInput& root, std::vector<std::byte>& gathered) {
  const size_t bytes = graph.nodes[root.node].input_bytes;
  const PayloadRun& run = root.runs.front();
  if (root.runs.size() == 1 && run.stride >= bytes)
    return {{run.payloads, (run.count - 1) * run.stride + bytes}, run.count, run.stride};
  const uint32_t stride = graph.slots[root.slot].record_stride;
  gathered.resize(size_t{root.record_count} * stride);
  WriteRecords(graph, root, gathered, stride);
  return {gathered, root.record_count, stride};
}

class HostPlanner : DispatchPlanner {
 public:
  HostPlanner(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs, const DispatchEnvironment& environment,
              PlanArena& arena)
      : DispatchPlanner(pipeline, environment, arena), inputs_(inputs) {}

  Expected<DispatchPlan> Run() {
    if (Expected<void> done = PrepareRoots(); !done) return done.error();
    if (roots_.empty()) return std::move(plan_);
    if (Expected<void> done = CopyPushConstants(); !done) return done.error();
    PlanRootLevels();
    // Roots read what their graph has; steps read what their dispatch's roots have.
    if (!steps())
      if (Expected<void> done = PlaceLaterLevels(); !done) return done.error();
    if (Expected<void> done = PlaceRoots(); !done) return done.error();
    if (steps())
      if (Expected<void> done = PlaceLaterLevels(); !done) return done.error();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] uint64_t NoteBytes(Launch launch, uint64_t records) const {
    return SaturatingRoundUp(records * InfoOf(launch).NoteWords() * sizeof(uint32_t), 16);
  }

  [[nodiscard]] Expected<void> PrepareRoots();
  [[nodiscard]] Expected<void> PrepareRoot(const RootInput& input);
  [[nodiscard]] Expected<void> PrepareRootLaunch(Launch launch, const RecordArray& payloads, uint64_t notes_offset,
                                                 Root& root);
  void PlanRootLevels();
  [[nodiscard]] Expected<void> PlaceRoots();
  [[nodiscard]] Expected<void> PlaceLaterLevels();
  [[nodiscard]] Expected<void> PlaceRoot(const Root& root, uint64_t copy_offset,
                                         std::vector<shared::InputCopy>& copies);
  // Adds to `copies`; `launch_input` is that of the template, and gets that of the copy.
  void AddCopy(const Root& root, const RootLaunch& prepared, uint64_t copy_offset,
               std::vector<shared::InputCopy>& copies, VkDeviceAddress& launch_input);
  [[nodiscard]] uint32_t PositionOf(Launch launch) const {
    const std::span<const Launch> launches = schedule().launches_of(0);
    return static_cast<uint32_t>(std::find(launches.begin(), launches.end(), launch) - launches.begin());
  }
  [[nodiscard]] Expected<void> PlanCopies(const std::vector<shared::InputCopy>& copies);

  const EntryInputs& inputs_;
  std::vector<Root> roots_;                   // those that launch anything
  uint64_t copied_bytes_ = 0;                 // of the ring, for roots that are copied
  std::vector<VkDeviceAddress> root_inputs_;  // of bounded mode
};

Expected<void> HostPlanner::PrepareRoots() {
  for (const RootInput& input : inputs_.roots)
    if (Expected<void> done = PrepareRoot(input); !done) return done;
  return {};
}

Expected<void> HostPlanner::PrepareRoot(const RootInput& input) {
  std::vector<Launch> launches;
  graph_.AppendLaunches(input.slot, launches);
  const uint32_t stride = graph_.slots[input.slot].record_stride;
  const size_t bytes = size_t{input.record_count} * stride;
  Root root;
  root.input = &input;
  // Copies move whole pieces of 16 bytes.
  uint64_t end = SaturatingRoundUp(bytes, 16);
  for (Launch launch : launches) end += NoteBytes(launch, input.record_count);
  Expected<PlanSpan> records = arena_.Allocate(end);
  if (!records) return records.error();
  root.records = *records;
  WriteRecords(graph_, input, std::span(records->host, bytes), stride);
  // Plan memory may be slow to read, so grids are read elsewhere.
  std::vector<std::byte> gathered;
  RecordArray payloads = {{}, input.record_count, stride};
  if (std::any_of(launches.begin(), launches.end(),
                  [this](Launch launch) { return InfoOf(launch).kind == spirv::LaunchKind::kDynamicGrid; }))
    payloads = PayloadsOf(graph_, input, gathered);

  uint64_t notes_offset = SaturatingRoundUp(bytes, 16);
  for (Launch launch : launches) {
    if (Expected<void> done = PrepareRootLaunch(launch, payloads, notes_offset, root); !done) return done;
    notes_offset += NoteBytes(launch, input.record_count);
    root.copied |= InfoOf(launch).writes_input && end != 0;
  }
  if (!root.launches.empty()) roots_.push_back(std::move(root));
  return {};
}

Expected<void> HostPlanner::PrepareRootLaunch(Launch launch, const RecordArray& payloads, uint64_t notes_offset,
                                              Root& root) {
  std::vector<uint32_t> notes;
  RootLaunch prepared;
  prepared.launch = launch;
  prepared.described = DescribeLaunch(graph_, launch, kMaxExecutionGraphGrid);
  prepared.size = SizeLaunch(prepared.described, payloads, environment_.limits, notes);
  if (prepared.size.records < payloads.count)
    plan_.complaints.push_back(std::to_string(payloads.count - prepared.size.records) + " payloads for " +
                               NodeLabel(graph_.NodeOf(launch.slot).name, graph_.NodeOf(launch.slot).index) +
                               " were dropped: they have more workgroups than a launch can run");
  if (prepared.size.workgroups == 0) return {};

  shared::LaunchInput& launch_input = prepared.input;
  launch_input.records =
      shared::DenseRecords(root.records.address, graph_.slots[launch.input].record_stride, prepared.size.records);
  launch_input.workgroup_count = prepared.size.workgroups;
  launch_input.slices = prepared.size.slices;
  if (!prepared.size.table.empty())
    if (Expected<void> done = Upload(std::span<const shared::Slice>(prepared.size.table), launch_input.landmarks);
        !done)
      return done;
  if (!notes.empty()) {
    std::memcpy(root.records.host + notes_offset, notes.data(), notes.size() * sizeof(uint32_t));
    prepared.notes_offset = notes_offset;
    launch_input.notes = root.records.address + notes_offset;
  }
  root.launches.push_back(std::move(prepared));
  return {};
}

void HostPlanner::PlanRootLevels() {
  std::vector<RootCount> counts;
  for (const Root& root : roots_) {
    for (const RootLaunch& launch : root.launches) {
      const spirv::NodeInfo& info = InfoOf(launch.launch);
      const bool counted = info.kind == spirv::LaunchKind::kDynamicGrid;
      counts.push_back({launch.launch, counted
                                           ? launch.size.all_workgroups
                                           : MostWorkgroups(info, launch.size.records, kMaxExecutionGraphWorkgroups)});
    }
  }
  for (const Root& root : roots_)
    if (root.copied) copied_bytes_ += SaturatingRoundUp(root.records.size, kCopyAlignment);
  PlanLevels({std::move(counts), copied_bytes_});
}

Expected<void> HostPlanner::PlaceRoots() {
  if (steps()) root_inputs_.resize(schedule().launches_of(0).size());
  std::vector<shared::InputCopy> copies;
  // Level 0 appends to the first half; the second one is free until level 1 appends to it. There is none in bounded
  // mode: what is copied lies behind all queues.
  uint64_t copy_end = memory().half_bytes[0];
  for (const Root& root : roots_) {
    if (Expected<void> done = PlaceRoot(root, copy_end, copies); !done) return done;
    if (root.copied) copy_end += SaturatingRoundUp(root.records.size, kCopyAlignment);
  }
  return copies.empty() ? Expected<void>() : PlanCopies(copies);
}

Expected<void> HostPlanner::PlaceLaterLevels() {
  Placement placement;
  if (schedule().level_count() > 1 || copied_bytes_ != 0)
    placement.ring_bytes = std::max({memory().ring_bytes(), memory().half_bytes[0] + copied_bytes_, kSmallestRing});
  placement.brings_roots = true;
  if (environment_.rings != nullptr && counted_->can_prepare)
    placement.ring = environment_.rings->RingWith(placement.ring_bytes);
  placement.root_inputs = root_inputs_;
  return Place(placement);
}

// What launches read is described in plan memory, or in scratch where the copy kernel completes it.
Expected<void> HostPlanner::PlaceRoot(const Root& root, uint64_t copy_offset, std::vector<shared::InputCopy>& copies) {
  for (const RootLaunch& prepared : root.launches) {
    VkDeviceAddress launch_input = 0;
    if (Expected<void> done = Upload(prepared.input, launch_input); !done) return done;
    if (root.copied) AddCopy(root, prepared, copy_offset, copies, launch_input);
    const uint32_t position = PositionOf(prepared.launch);
    if (steps()) {
      root_inputs_[position] = launch_input;
      continue;
    }
    NodeLaunch& launch = plan_.roots.emplace_back(LaunchOf(level_launches(0)[position]));
    launch.size = SplitIntoRows(DispatchedWorkgroups(prepared.described, prepared.size.workgroups),
                                environment_.limits.max_workgroups_x, prepared.size.slices);
    if (Expected<void> done = UploadBlock(0, prepared.described, launch_input, false, launch.block); !done) return done;
  }
  return {};
}

void HostPlanner::AddCopy(const Root& root, const RootLaunch& prepared, uint64_t copy_offset,
                          std::vector<shared::InputCopy>& copies, VkDeviceAddress& launch_input) {
  shared::InputCopy& copy = copies.emplace_back();
  copy.source = root.records.address;
  copy.ring_offset = copy_offset;
  copy.notes_offset = copy_offset + prepared.notes_offset;
  copy.input_template = launch_input;
  copy.target = launch_input = environment_.scratch + scratch().input(PositionOf(prepared.launch));
  const bool first = &prepared == &root.launches.front();
  copy.pieces = first ? static_cast<uint32_t>(root.records.size / 16) : 0;
  copy.slot = prepared.launch.slot;
}

Expected<void> HostPlanner::PlanCopies(const std::vector<shared::InputCopy>& copies) {
  shared::CopyPlan copy = {};
  copy.control = ControlAddress();
  copy.reports = environment_.loss_reports;
  copy.origin = Origin();
  if (Expected<void> done = Upload(std::span<const shared::InputCopy>(copies), copy.copies); !done) return done;
  uint32_t most_pieces = 1;
  for (const shared::InputCopy& one : copies) most_pieces = std::max(most_pieces, one.pieces);
  KernelCall& call = plan_.copy.emplace();
  call.x = std::min((most_pieces - 1) / shared::kCopyWorkgroup + 1, kMostCopyWorkgroups);
  call.y = static_cast<uint32_t>(copies.size());
  return Upload(copy, call.plan);
}

}  // namespace

Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                    const DispatchEnvironment& environment, PlanArena& arena) {
  return HostPlanner(pipeline, inputs, environment, arena).Run();
}

}  // namespace trellis
