// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/barrier_checker.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "layer/graph/describe.h"
#include "layer/graph/memory_plan.h"
#include "meta_shaders/kernels.h"
#include "meta_shaders/shared/entry_plan.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"
#include "tests/replay/checked_memory.h"
#include "tests/replay/checked_reports.h"
#include "tests/replay/checked_step.h"
#include "tests/replay/pushed_bytes.h"

namespace trellis::test {
namespace {

using namespace shared;

class Checker : ReportLog {
 public:
  explicit Checker(const CheckedWorld& world) : world_(world) {}

  std::vector<std::string> Run(const CommandStream& stream) {
    AddUnknownPast();
    for (const Command& command : stream) Step(command);
    AddUnknownFuture();
    if (pending_releases_ != 0) Complain("nobody gives the ring back");
    CheckReportsRead();
    return std::move(complaints_);
  }

 private:
  void AddUnknownPast() {
    in_command_ = true;
    for (const auto& [begin, size] : world_.scratches) {
      Touch(begin, begin + size, kReadWrite, "an earlier graph's use of scratch");
      TouchIndirect(begin, begin + size, "an earlier graph's indirect arguments");
    }
    for (const CheckedBuffer& sets : world_.device->BuffersNamed("trellis regions")) {
      Touch(sets.address, sets.address + sets.size, kReadWrite, "an earlier graph's use of prepared regions");
      TouchIndirect(sets.address, sets.address + sets.size, "an earlier graph's indirect arguments");
    }
    Touch(kRing, kRingEnd, kReadWrite, "an earlier graph's use of the ring");
    in_command_ = false;
    Commit();
    tracker_.Barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kWrite, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kReadWrite);
  }

  // What comes first in a later recording.
  void AddUnknownFuture() {
    group_ = 0;
    in_command_ = true;
    for (const auto& [begin, size] : world_.scratches)
      Touch(begin, begin + size, kReadWrite, "a later graph's use of scratch");
    for (const CheckedBuffer& sets : world_.device->BuffersNamed("trellis regions"))
      Touch(sets.address, sets.address + sets.size, kReadWrite, "a later graph's use of prepared regions");
    Touch(kRing, kRingEnd, kReadWrite, "a later graph's use of the ring");
    in_command_ = false;
    Commit();
  }

  void Step(const Command& command) {
    switch (command.kind) {
      case Command::Kind::kBindPipeline:
        bound_ = command.pipeline;
        break;
      case Command::Kind::kPushConstants:
        pushed_.Push(command);
        break;
      case Command::Kind::kBeginInstance:
        BeginInstance(command);
        break;
      case Command::Kind::kEndInstance:
        EndInstance();
        break;
      case Command::Kind::kBarrier:
        CheckOutside("a barrier");
        tracker_.Barrier(command.source_stages, command.source_access, command.destination_stages,
                         command.destination_access);
        break;
      case Command::Kind::kDispatch:
      case Command::Kind::kDispatchIndirect:
        CheckOutside("a dispatch");
        in_command_ = true;
        Dispatch(command);
        pushed_.Dispatched();
        in_command_ = false;
        Commit();
        break;
      case Command::Kind::kDraw:
      case Command::Kind::kDrawIndirect:
        if (!is_inside()) Complain("a draw outside of an instance");
        in_command_ = true;
        Draw(command);
        pushed_.Dispatched();
        in_command_ = false;
        Commit();
        break;
      // The draws of a graph follow the end of its compute work.
      case Command::Kind::kBeginLabel:
        if (labels_++ == 0 && !is_inside()) StartGraph();
        break;
      case Command::Kind::kEndLabel:
        if (--labels_ == 0 && !is_inside()) FinishGraph();
        break;
      default:
        break;
    }
  }

  // Draws stand between the steps of a graph, and each of those under the graph's label.
  [[nodiscard]] bool is_between_steps() const { return phase_ != kAfterSteps; }

  void StartGraph() {
    if (is_between_steps()) return;
    begun_ = claimed_ = released_ = false;
    open_ = {};
    prepared_.clear();
    drawn_.clear();
    copied_.clear();
    ++execution_;
    level_ = 0;
    ring_bytes_ = world_.device->command_buffer().ring_bytes;
  }

  void FinishGraph() {
    if (is_between_steps()) return;
    if (claimed_ && !released_) ++pending_releases_;  // when its draws are over
    EndBatches();
    if (!sets_.Leave()) Complain("nobody turns to the regions that were prepared");
    if (!open_.AllReported() && !world_.nothing_can_be_lost) Complain("nobody reports what a region lost");
  }

  void Dispatch(const Command& command) {
    const std::string name = world_.device->NameOf(HandleToU64(bound_));
    for (uint32_t kernel = 0; kernel < kKernelCount; ++kernel)
      if (name == KernelName(static_cast<Kernel>(kernel))) return RunKernel(static_cast<Kernel>(kernel), command);
    for (const auto& pipeline : world_.pipelines)
      for (const auto& node : pipeline->nodes)
        if (node.pipeline->handle() == bound_) return RunNodes(*pipeline, command);
    Complain("a dispatch of a pipeline that is neither a kernel nor a node");
  }

  void RunKernel(Kernel kernel, const Command& command) {
    group_ = 0;
    const std::optional<uint64_t> plan = pushed_.Address(0);
    if (!plan) return Complain(std::string(KernelName(kernel)) + " has no plan");
    if ((command.kind == Command::Kind::kDispatch) == (kernel == Kernel::kCopyChunks))
      return Complain(std::string(KernelName(kernel)) + " is dispatched in the wrong way");
    if (pushed_.layout() != kernel_layout_ && kernel_layout_)
      return Complain(std::string(KernelName(kernel)) + " has the plan of a node");
    kernel_layout_ = pushed_.layout();
    switch (kernel) {
      case Kernel::kBeginGraph:
        return RunBegin(At<BeginPlan>(*plan));
      case Kernel::kOpenRegions:
        return RunOpen(At<OpenPlan>(*plan), command.x * command.y);
      case Kernel::kCopyInputs:
        return RunCopy(At<CopyPlan>(*plan), command.y);
      case Kernel::kCountInfos:
        return RunCountInfos(At<EntryPlan>(*plan));
      case Kernel::kAppendInfos:
        return RunAppendInfos(At<EntryPlan>(*plan));
      case Kernel::kCopyChunks:
        return RunCopyChunks(At<EntryPlan>(*plan));
      case Kernel::kSumGrids:
        return RunSumGrids(At<SizingPlan>(*plan), command.x * command.y);
      case Kernel::kSizeLaunches:
        return RunSizing(At<SizingPlan>(*plan), command.x * command.y);
      case Kernel::kLaunchBatches:
        return NumberBatches(*plan, command.x * command.y);
      case Kernel::kStepGraph:
        return RunStep(At<StepPlan>(*plan));
      case Kernel::kCountRecords:  // with the setting `report` alone, which no stream here has
        return Complain("records are counted");
      case Kernel::kReportLosses:
        return RunLosses(At<LossPlan>(*plan), command.x * command.y);
      case Kernel::kReleaseRing:
        return RunRelease(At<ReleasePlan>(*plan));
    }
  }

  void Open(uint64_t regions, uint64_t openings, uint32_t count, const std::string& who) {
    for (uint32_t i = 0; i < count; ++i) {
      const RegionPlan& plan = At<RegionPlan>(openings, i);
      const uint64_t address = regions + plan.region * sizeof(Region);
      Touch(address, address + sizeof(Region), kWrite, who + " opens region " + std::to_string(plan.slot));
      if (plan.batch_count != 0)
        Touch(regions + plan.batch_count, regions + plan.batch_count + sizeof(uint32_t), kWrite,
              who + " opens a count");
      open_.Open(address, plan);
      if (!sets_.IsOfCurrent(address) && !sets_.IsOfOther(address)) regions_of_levels_ = regions;
      if (plan.offset + uint64_t{plan.stride} * plan.dense + uint64_t{plan.state_units} * 16 > ring_bytes_)
        Complain("region " + std::to_string(plan.slot) + " leaves the ring");
    }
  }
  // Null, after a complaint, if the Region is not open for what level `level` consumes.
  RegionPlan* FindOpen(uint64_t region, uint32_t level, const std::string& who) {
    RegionPlan* found = open_.Find(region, level);
    if (found == nullptr) Complain(who + " a region that nobody opened for level " + std::to_string(level));
    return found;
  }

  // What is in the Region at this address, which was opened so.
  PreparedInput Contents(uint64_t region, const RegionPlan& opening) {
    PreparedInput input = InRegion(opening);
    if (opening.dense >= opening.capacity && opening.state_words == 0) return input;
    const uint64_t heap = region + uint64_t{heap_slot_ - opening.slot} * sizeof(Region);
    const RegionPlan* pool = FindOpen(heap, opening.level, "a region grows out of");
    if (pool == nullptr) return input;
    input.pool = kRing + pool->offset;
    input.pool_bytes = uint64_t{pool->stride} * pool->capacity + uint64_t{pool->state_units} * 16;
    return input;
  }
  void TouchPool(const PreparedInput& input, VkAccessFlags access, const std::string& who) {
    Touch(input.pool, input.pool + input.pool_bytes, access, who + " uses what the pool gave");
  }

  void RunBegin(const BeginPlan& plan) {
    if (begun_) Complain("begin_graph while a graph is running");
    begun_ = true;
    claimed_ = plan.ring_bytes != 0 && plan.claims_ring != 0;
    control_ = plan.control;
    heap_slot_ = plan.heap_slot;
    dump_ = plan.dump;
    ring_bytes_ = plan.ring_bytes;
    Touch(plan.control, plan.control + sizeof(ControlBlock), kWrite, "begin writes the control block");
    if (plan.ring_bytes != 0) Touch(kRing, kRingEnd, kReadWrite, "begin takes over the ring");
    Open(plan.regions, plan.openings, plan.opening_count, "begin");
  }

  void RunOpen(const OpenPlan& plan, uint32_t workgroups) {
    if (workgroups * kLevelsWorkgroup < plan.opening_count) Complain("open_regions has too few workgroups");
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, "open_regions reads the control block");
    if (plan.prepared != 0) BeginPrepared(plan);
    Open(plan.regions, plan.openings + plan.prepared_count * sizeof(RegionPlan),
         plan.opening_count - plan.prepared_count, "open_regions");
  }

  // Of a graph without begin_graph: the execution before has opened what level 0 appends to.
  void BeginPrepared(const OpenPlan& plan) {
    if (begun_) Complain("regions are prepared while a graph is running");
    begun_ = true;
    control_ = plan.control;
    heap_slot_ = At<ControlBlock>(plan.control).heap_slot;
    dump_ = At<ControlBlock>(plan.control).dump;
    sets_.Enter(plan.prepared);
    TouchHeader(plan.prepared, kRead, "open_regions");
    for (uint32_t i = 0; i < plan.prepared_count; ++i) {
      const RegionPlan& opening = At<RegionPlan>(plan.openings, i);
      const uint64_t address = sets_.Current(plan.prepared) + opening.region * sizeof(Region);
      if (!sets_.IsTurned(plan.prepared)) CheckFirstRegion(At<Region>(address), opening, plan);
      open_.Open(address, opening);
    }
    Open(sets_.Other(plan.prepared), plan.openings, plan.prepared_count, "open_regions");
  }

  // What the host wrote for the first execution is what open_regions would.
  void CheckFirstRegion(const Region& region, const RegionPlan& opening, const OpenPlan& plan) {
    const uint64_t set = sets_.Current(plan.prepared);
    Region expected = {};
    const uint64_t address = set + opening.region * sizeof(Region);
    expected.records = {At<ControlBlock>(plan.control).ring + opening.offset,
                        address + offsetof(Region, segments),
                        opening.stride,
                        opening.capacity,
                        opening.dense,
                        0};
    expected.refused = 0xffffffff;
    expected.state_words = opening.state_words;
    expected.state_units = opening.state_units;
    expected.capacity = opening.capacity;
    expected.coalesce = opening.coalesce;
    expected.max_workgroups = opening.max_workgroups;
    expected.reciprocal = opening.coalesce != 0 ? 0xffffffff / opening.coalesce : 0;
    if (opening.batch_count != 0) {
      expected.batch_count = set + opening.batch_count;
      expected.batch_total = set + opening.batch_region * sizeof(Region) + offsetof(Region, workgroups);
      if (At<uint32_t>(expected.batch_count) != 0) Complain("the first execution finds workgroups that nobody counted");
    }
    expected.grid_x = opening.grid_x;
    expected.grid_yz = opening.grid_yz;
    expected.one_y = expected.one_z = 1;
    if (std::memcmp(&region, &expected, sizeof(region)) != 0) Complain("the first execution finds another region");
  }

  void RunCopy(const CopyPlan& plan, uint32_t copies) {
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, "copy reads the control block");
    // An input that finds no ring is lost. Where rings are not claimed there is one.
    if (claimed_) TouchReports(plan.reports, "copy");
    for (uint32_t i = 0; i < copies; ++i) {
      const InputCopy& copy = At<InputCopy>(plan.copies, i);
      const uint64_t bytes = uint64_t{copy.pieces} * 16;
      Touch(kRing + copy.ring_offset, kRing + copy.ring_offset + bytes, kWrite, "copy writes inputs");
      Touch(copy.target, copy.target + sizeof(LaunchInput), kWrite, "copy describes an input");
      if (copy.ring_offset + bytes > ring_bytes_) Complain("a copied input leaves the ring");
      const PreparedInput launch = CopiedInput(copy);
      if (!copied_.count(copy.ring_offset) && bytes < launch.record_bytes) Complain("an input is not copied whole");
      copied_.insert(copy.ring_offset);
      prepared_[copy.target] = drawn_[copy.target] = launch;
    }
  }

  void TouchEntryRegions(const EntryPlan& plan, VkAccessFlags access, const std::string& who) {
    for (uint32_t i = 0; i < plan.root_count; ++i) {
      const uint64_t region = plan.regions + At<EntryRoot>(plan.roots, i).slot * sizeof(Region);
      FindOpen(region, 0, who + " uses");
      Touch(region, region + sizeof(Region), access, who + " uses a region");
    }
  }
  void TouchEntryHalf(const EntryPlan& plan, const std::string& who) {
    const uint64_t begin = kRing + plan.half_offset;
    Touch(begin, begin + uint64_t{plan.half_units} * 16, kWrite, who + " writes records");
  }
  void TouchChunks(const EntryPlan& plan, VkAccessFlags access, const std::string& who) {
    const uint64_t begin = kRing + plan.chunks_offset;
    const uint64_t bytes = plan.chunk_capacity * sizeof(EntryChunk);
    Touch(begin, begin + bytes, access, who + " uses chunks");
    if (plan.chunks_offset + bytes > ring_bytes_) Complain("chunks leave the ring");
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, who + " reads the control block");
  }

  void RunCountInfos(const EntryPlan& plan) {
    if (level_ != 0) Complain("infos are counted in the middle of a graph");
    entry_ = &plan;
    level_ = kBeforeLevelZero;
    TouchEntryRegions(plan, kReadWrite, "count_infos");
    TouchReports(plan.reports, "count_infos");
    PlaceEntries(plan);
  }

  // Which region lies where is known on the device alone: as if each had all of the half.
  void PlaceEntries(const EntryPlan& plan) {
    Touch(plan.control, plan.control + sizeof(ControlBlock), kReadWrite, "count_infos counts its workgroups");
    Touch(plan.state, plan.state + sizeof(EntryState), kWrite, "count_infos writes the entry state");
    if (plan.half_offset + uint64_t{plan.half_units} * 16 > ring_bytes_) Complain("entries leave the ring");
    for (uint32_t i = 0; i < plan.root_count; ++i) {
      const EntryRoot& root = At<EntryRoot>(plan.roots, i);
      RegionPlan* opened = open_.Find(plan.regions + root.slot * sizeof(Region), 0);
      if (opened == nullptr) continue;
      opened->offset = plan.half_offset;
      opened->capacity = opened->dense =
          plan.half_units * 16 / std::max(opened->stride + 4 * root.state_words, 16u) / 2;
    }
  }

  void RunAppendInfos(const EntryPlan& plan) {
    TouchEntryRegions(plan, kReadWrite, "append_infos");
    Touch(plan.state, plan.state + sizeof(EntryState), kReadWrite, "append_infos counts chunks");
    TouchChunks(plan, kWrite, "append_infos");
    TouchEntryHalf(plan, "append_infos");
  }

  void RunCopyChunks(const EntryPlan& plan) {
    TouchIndirect(plan.state, plan.state + sizeof(VkDispatchIndirectCommand), "copy_chunks reads its arguments");
    TouchChunks(plan, kRead, "copy_chunks");
    TouchEntryHalf(plan, "copy_chunks");
  }

  void TouchSums(const SizingPlan& plan, uint32_t launch, VkAccessFlags access, const std::string& who) {
    const uint64_t sums = plan.sums + uint64_t{launch} * plan.parts * sizeof(uint32_t);
    Touch(sums, sums + plan.parts * sizeof(uint32_t), access, who + " uses sums of workgroups");
    if (access == kRead && summed_.erase(sums) == 0) Complain(who + " uses sums that nobody made");
    if (access == kWrite) summed_.insert(sums);
  }

  void RunSumGrids(const SizingPlan& plan, uint32_t workgroups) {
    if (workgroups < plan.summed_count * plan.parts) Complain("sum_grids has too few workgroups");
    if (plan.summed_count > plan.parted_count) Complain("sum_grids goes beyond the launches in parts");
    for (uint32_t i = 0; i < plan.summed_count; ++i) {
      const LaunchPlan& launch = At<LaunchPlan>(plan.launches, i);
      const uint64_t region = Consumed(plan.consumed) + launch.slot * sizeof(Region);
      const RegionPlan* opening = FindOpen(region, plan.level, "sum_grids reads");
      if (opening == nullptr) continue;
      const PreparedInput input = Contents(region, *opening);
      TouchPool(input, kRead, "sum_grids");
      Touch(region, region + sizeof(Region), kRead, "sum_grids reads a region");
      Touch(input.records, input.records + input.record_bytes, kRead, "sum_grids reads grids");
      TouchSums(plan, i, kWrite, "sum_grids");
    }
  }

  // Whether it is there for draws alone, which come after all levels.
  static bool IsLate(const SizingPlan& plan) {
    const uint32_t launches = plan.parted_count + (plan.part_count - plan.parted_count * plan.parts);
    for (uint32_t i = 0; i < launches; ++i)
      if (At<LaunchPlan>(plan.launches, i).draws == 0) return false;
    return launches != 0;
  }

  void RunSizing(const SizingPlan& plan, uint32_t workgroups) {
    const bool is_late = IsLate(plan);
    if (!is_late) ++level_;
    if (!is_late && plan.level != level_)
      Complain("sizing of level " + std::to_string(plan.level) + " where level " + std::to_string(level_) + " is due");
    if (workgroups < plan.part_count + (plan.opening_count + kLevelsWorkgroup - 1) / kLevelsWorkgroup)
      Complain("size_launches has too few workgroups");
    const std::string who = "sizing of level " + std::to_string(plan.level);
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, who + " reads the control block");
    TouchReports(plan.reports, who);
    if (!is_late) prepared_.clear();
    const uint32_t parted_workgroups = plan.parted_count * plan.parts;
    if (plan.part_count < parted_workgroups) Complain(who + " leaves parts out");
    for (uint32_t i = 0; i < plan.parted_count + (plan.part_count - parted_workgroups); ++i)
      PrepareLaunch(plan, i, who);
    if (plan.heap_slot != kNoSlot) {
      const uint64_t heap = plan.consumed + plan.heap_slot * sizeof(Region);
      Touch(heap, heap + sizeof(Region), kRead, who + " reads the heap's region");
      FindOpen(heap, level_, who + " reads");
      if (plan.reports_losses != 0) open_.Report(level_, plan.heap_slot);
    }
    Open(plan.regions, plan.openings, plan.opening_count, who);
  }

  uint64_t Consumed(uint64_t regions) {
    if ((regions & kAlternating) == 0) return regions;
    TouchHeader(regions, kRead, "a kernel between levels");
    return sets_.Current(regions);
  }

  void PrepareLaunch(const SizingPlan& plan, uint32_t index, const std::string& who) {
    const LaunchPlan& launch = At<LaunchPlan>(plan.launches, index);
    const uint64_t region = Consumed(plan.consumed) + launch.slot * sizeof(Region);
    const RegionPlan* opening = FindOpen(region, plan.level, who + " consumes");
    if (opening == nullptr) return;
    if (plan.reports_losses != 0 && launch.identity == launch.slot) open_.Report(level_, launch.slot);
    const uint32_t position = launch.draws == 0 ? launch.position : launch.first_draw;
    const uint64_t input = plan.inputs + position * sizeof(LaunchInput);
    PreparedInput prepared = Contents(region, *opening);
    prepared.slot = launch.identity;
    TouchPool(prepared, launch.state_words != kNoRecordState && opening->state_words != 0 ? kReadWrite : kRead, who);
    if (launch.state_words != kNoRecordState && opening->state_words != 0) {
      const uint64_t heap = region + uint64_t{heap_slot_ - launch.slot} * sizeof(Region);
      Touch(heap, heap + sizeof(Region), kRead, who + " reads the pool's region");
    }
    prepared.arguments = plan.arguments + position * sizeof(DispatchArguments);
    const uint32_t inputs = std::max(launch.draws, 1u);
    Touch(region, region + sizeof(Region), kRead, who + " reads region " + std::to_string(launch.slot));
    Touch(input, input + inputs * sizeof(LaunchInput), kWrite, who + " describes an input");
    Touch(prepared.arguments, prepared.arguments + inputs * sizeof(DispatchArguments), kWrite,
          who + " writes indirect arguments");
    if (launch.kind == kLaunchDynamicGrid) {
      Touch(prepared.records, prepared.records + prepared.record_bytes, kRead, who + " reads grids");
      if (launch.draws == 0) {
        prepared.slices = plan.slices + launch.slice_table * kSliceTableBytes;
        Touch(prepared.slices, prepared.slices + kSliceTableBytes, kWrite, who + " writes slices");
      }
      if (index < plan.summed_count) TouchSums(plan, index, kRead, who);
      if (index < plan.summed_count && launch.has_search_index != 0) {
        prepared.search_index_bytes = uint64_t{plan.parts} * kSearchEntriesOfPart * sizeof(uint32_t);
        prepared.search_index = plan.search_index + index * prepared.search_index_bytes;
        Touch(prepared.search_index, prepared.search_index + prepared.search_index_bytes, kWrite,
              who + " writes search_index");
      }
    }
    if (launch.state_words != kNoRecordState) {
      PlaceRecordState(*opening, launch, prepared);
      Touch(prepared.record_state, prepared.record_state + prepared.record_state_bytes, kWrite,
            who + " writes record_state");
      if (prepared.record_state + prepared.record_state_bytes > kRing + ring_bytes_)
        Complain("record_state leave the ring");
    }
    if (launch.draws == 0) prepared_[input] = prepared;
    for (uint32_t draw = 0; draw < launch.draws; ++draw) {
      drawn_[input + draw * sizeof(LaunchInput)] = prepared;
      prepared.arguments += sizeof(DispatchArguments);
    }
  }

  void RunStep(const StepPlan& plan) {
    if ((plan.phase == kFirstStep) != (phase_ == kAfterSteps)) Complain("a step out of turn");
    phase_ = plan.phase;
    ++step_;
    CheckedStep step = StepChecker(plan, prepared_, open_, complaints_).Check(ring_bytes_);
    for (const StepTouch& touch : step.touches) Touch(touch.begin, touch.end, touch.access, touch.what);
    TouchReports(At<SizingPlan>(plan.sizing).reports, "step_graph");
    prepared_ = std::move(step.inputs);
    for (const auto& [input, drawn] : step.drawn) drawn_[input] = drawn;
  }

  void RunRelease(const ReleasePlan& plan) {
    if (pending_releases_ != 0) {
      --pending_releases_;
    } else if (!claimed_ || released_) {
      Complain("release_ring gives back what was not claimed");
    }
    released_ = true;
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, "release_ring reads the control block");
    Touch(kRing, kRingEnd, kReadWrite, "release_ring gives the ring away");
  }

  void RunNodes(const ExecutionGraphPipeline& pipeline, const Command& command) {
    const std::string who = "a dispatch of level " + std::to_string(level_);
    if (released_) return Complain(who + " runs when the ring has been given away");
    if (const char* wrong = WrongApplicationBytes(pushed_, *pipeline.layout, world_.expected_push_constants))
      return Complain(who + wrong);
    const std::optional<uint64_t> address = pushed_.Address(pipeline.layout->launch_offset);
    if (!address) return Complain(who + " has no launch block");
    const uint32_t form = At<LaunchBlock>(*address).form;
    if (form != kFormBatch && form != kFormCountedBatch) return RunNode(pipeline, *address, command, false);
    const LaunchBatch& batch = At<LaunchBatch>(*address);
    if (form == kFormBatch) {
      RunBatch(*address, who);
    } else {
      RunCountedBatch(batch, RegionsAround(At<LaunchBlock>(batch.members).source), who);
    }
    TouchArguments(batch.arguments, command, who);
    if (sets_.IsOfOther(At<LaunchBlock>(batch.members).source)) return;  // it has no workgroups
    for (uint32_t member = 0; member < batch.member_count; ++member)
      RunNode(pipeline, batch.members + uint64_t{member} * batch.member_bytes, command, true);
  }

  void RunNode(const ExecutionGraphPipeline& pipeline, uint64_t address, const Command& command, bool in_batch) {
    const LaunchBlock& block = At<LaunchBlock>(address);
    const std::optional<uint32_t> node = FindNode(pipeline, bound_, block.shader_index);
    if (!node) return Complain("a launch block of another node");
    const std::string who = "node " + pipeline.nodes[*node].label + " level " + std::to_string(level_);
    const Node& described = pipeline.graph.nodes[*node];
    const uint32_t slot = described.first_slot + described.info.max_recursion - block.remaining_recursion;
    if (slot >= pipeline.graph.slots.size() || pipeline.graph.slots[slot].node != *node)
      return Complain(who + " runs with the launch block of another node");
    if (!HoldsOutputs(address + sizeof(LaunchBlock), pipeline.outputs[slot]))
      Complain(who + " has the outputs of another node");
    if (block.form == kFormRegion && sets_.IsOfOther(block.source)) {
      const bool coalescing = described.info.kind == spirv::LaunchKind::kCoalescing;
      const uint64_t counters = coalescing ? offsetof(Region, workgroups) : offsetof(Region, reserved);
      return TouchArguments(block.source + counters, command, who);  // it has no workgroups
    }
    if (block.form == kFormRegion) {
      RunFromRegion(block, described.info, slot, in_batch ? nullptr : &command, who);
    } else {
      RunFromInput(block, described.info, slot, command, who);
    }
    TouchAsNode(pipeline, block, slot, who);
  }

  // A launch whose region counts for it. `command`: none in a batch, which has arguments of its own. The first one of a
  // level that no sizing kernel announced.
  void RunFromRegion(const LaunchBlock& block, const spirv::NodeInfo& info, uint32_t slot, const Command* command,
                     const std::string& who) {
    const RegionPlan* opening = std::as_const(open_).Find(block.source);
    if (opening == nullptr || opening->slot != slot) return Complain(who + " reads a region that is not its own");
    if (opening->level == level_ + 1) ++level_;
    if (opening->level != level_) Complain(who + " reads the region of another level");
    group_ = GroupOf(level_);
    const bool coalescing = info.kind == spirv::LaunchKind::kCoalescing;
    if (opening->coalesce != (coalescing ? std::min(info.coalesce, opening->capacity + 1) : 0))
      Complain(who + " has records counted for another kind");
    if (!coalescing && (opening->grid_x != info.grid[0] || opening->grid_yz != info.grid[1] * info.grid[2]))
      Complain(who + " has the grid of another node");
    PreparedInput input = Contents(block.source, *opening);
    const uint64_t counters = coalescing ? offsetof(Region, workgroups) : offsetof(Region, reserved);
    Touch(block.source, block.source + sizeof(Region), kRead, who + " reads its region");
    if (command != nullptr) TouchArguments(block.source + counters, *command, who);
    TouchInput(input, info, who);
  }

  void RunFromInput(const LaunchBlock& block, const spirv::NodeInfo& info, uint32_t slot, const Command& command,
                    const std::string& who) {
    const auto prepared = prepared_.find(block.source);
    if (prepared != prepared_.end()) level_ = prepared->second.level.value_or(level_);
    group_ = GroupOf(level_);
    if (prepared != prepared_.end()) {
      if (prepared->second.slot != slot) Complain(who + " reads the input of another node");
      Touch(block.source, block.source + sizeof(LaunchInput), kRead, who + " reads what its input is");
      if (prepared->second.arguments != 0) TouchArguments(prepared->second.arguments, command, who);
      return TouchInput(prepared->second, info, who);
    }
    // Level 0, with everything in plan memory.
    const bool in_scratch =
        std::any_of(world_.scratches.begin(), world_.scratches.end(), [&block](const CheckedScratch& scratch) {
          return block.source >= scratch.address && block.source < scratch.address + scratch.size;
        });
    if (in_scratch || command.kind != Command::Kind::kDispatch)
      return Complain(who + " runs with an input that nobody prepared");
    const LaunchInput& input = At<LaunchInput>(block.source);
    if (uint64_t{command.x} * command.y < input.workgroup_count || command.z != std::max(input.slices, 1u))
      Complain(who + " has too few workgroups");
  }

  void TouchInput(const PreparedInput& input, const spirv::NodeInfo& info, const std::string& who) {
    // The recorder does not look at sizes: an empty record is as good as one byte.
    Touch(input.records, input.records + std::max<uint64_t>(input.record_bytes, 1),
          info.writes_input ? kReadWrite : kRead, who + " uses its records");
    Touch(input.record_state, input.record_state + input.record_state_bytes, info.finishes_writing ? kReadWrite : kRead,
          who + " uses its record_state");
    Touch(input.search_index, input.search_index + input.search_index_bytes, kRead, who + " uses search_index");
    if (input.slices != 0) Touch(input.slices, input.slices + kSliceTableBytes, kRead, who + " uses slices");
    TouchPool(input, info.writes_input || info.finishes_writing ? kReadWrite : kRead, who);
  }

  void TouchArguments(uint64_t arguments, const Command& command, const std::string& who) {
    if (command.kind != Command::Kind::kDispatchIndirect && command.kind != Command::Kind::kDrawIndirect)
      return Complain(who + " is not dispatched indirectly");
    TouchIndirect(arguments, arguments + 12, who + " reads indirect arguments");
    const auto is_in = [&](const CheckedScratch& scratch) {
      const auto place = world_.device->device().scratch_buffers.Find(scratch.address);
      return place && place->buffer == command.buffer && scratch.address - place->offset + command.offset == arguments;
    };
    const std::vector<CheckedBuffer> sets = world_.device->BuffersNamed("trellis regions");
    const auto is_in_set = [&](const CheckedBuffer& set) {
      return set.buffer == command.buffer && set.address + command.offset == arguments;
    };
    if (std::none_of(world_.scratches.begin(), world_.scratches.end(), is_in) &&
        std::none_of(sets.begin(), sets.end(), is_in_set))
      Complain(who + " reads its arguments from a wrong place");
  }

  void Draw(const Command& command) {
    for (const auto& pipeline : world_.pipelines)
      for (const auto& node : pipeline->nodes)
        if (node.pipeline->handle() == bound_) return DrawNode(*pipeline, command);
    Complain("a draw of a pipeline that is no node");
  }

  void DrawNode(const ExecutionGraphPipeline& pipeline, const Command& command) {
    if (pushed_.layout() != pipeline.layout->draw_layout)
      return Complain("a draw with push constants of another layout");
    const std::optional<uint64_t> address = pushed_.Address(pipeline.layout->draw.launch_offset);
    if (!address) return Complain("a draw has no launch block");
    const LaunchBlock& block = At<LaunchBlock>(*address);
    const std::optional<uint32_t> node = FindNode(pipeline, bound_, block.shader_index);
    if (!node) return Complain("a draw with the launch block of another node");
    const Node& described = pipeline.graph.nodes[*node];
    const std::string who = "a draw of node " + pipeline.nodes[*node].label;
    if (!described.info.IsMesh()) return Complain(who + ", which is no mesh node");
    group_ = is_between_steps() ? kDrawsOfSteps + step_ : kDraws + execution_;
    TouchAsDraw(who);
    if (block.form == kFormRegion) return DrawRegion(block, described, command, who);
    const auto drawn = drawn_.find(block.source);
    if (drawn == drawn_.end()) return CheckDrawOfHost(block, command, who);
    if (drawn->second.slot != described.first_slot) Complain(who + " reads the input of another node");
    TouchInMesh(block.source, block.source + sizeof(LaunchInput), kRead, who + " reads what its input is");
    if (drawn->second.arguments != 0) TouchArguments(drawn->second.arguments, command, who);
    DrawInput(drawn->second, described.info, who);
  }

  void DrawRegion(const LaunchBlock& block, const Node& node, const Command& command, const std::string& who) {
    // It has no workgroups.
    if (sets_.WasOfOther(block.source)) return TouchArguments(block.source + offsetof(Region, reserved), command, who);
    const RegionPlan* opening = std::as_const(open_).Find(block.source);
    if (opening == nullptr || opening->slot != node.first_slot)
      return Complain(who + " reads a region that is not its own");
    if (opening->grid_x != node.info.grid[0] || opening->grid_yz != node.info.grid[1] * node.info.grid[2])
      Complain(who + " has the grid of another node");
    TouchInMesh(block.source, block.source + sizeof(Region), kRead, who + " reads its region");
    TouchArguments(block.source + offsetof(Region, reserved), command, who);
    DrawInput(Contents(block.source, *opening), node.info, who);
  }

  // Everything lies in plan memory.
  void CheckDrawOfHost(const LaunchBlock& block, const Command& command, const std::string& who) {
    if (command.kind != Command::Kind::kDraw) return Complain(who + " with an input that nobody prepared");
    const LaunchInput& input = At<LaunchInput>(block.source);
    if (command.x * command.y * command.z < input.workgroup_count - input.first_workgroup)
      Complain(who + " has too few workgroups");
  }

  void DrawInput(const PreparedInput& input, const spirv::NodeInfo& info, const std::string& who) {
    TouchInMesh(input.records, input.records + std::max<uint64_t>(input.record_bytes, 1),
                info.writes_input ? kReadWrite : kRead, who + " uses its records");
    TouchInMesh(input.record_state, input.record_state + input.record_state_bytes,
                info.finishes_writing ? kReadWrite : kRead, who + " uses its record_state");
    TouchInMesh(input.pool, input.pool + input.pool_bytes, info.writes_input ? kReadWrite : kRead,
                who + " uses what the pool gave");
  }

  void TouchInMesh(uint64_t begin, uint64_t end, VkAccessFlags access, const std::string& what) {
    Touch(begin, end, access, what, VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT);
  }

  // What it may do to the application's memory.
  void TouchAsDraw(const std::string& who) {
    const uint64_t place = kApplication + execution_;
    for (const VkPipelineStageFlags stage :
         {VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT}) {
      Touch(place, place + 1, kReadWrite, who + " uses the application's memory", stage);
      TouchAs(place, place + 1, stage, VK_ACCESS_UNIFORM_READ_BIT, false, who + " reads the application's uniforms");
    }
  }

  // What a node does through its outputs, and what it may do to the application's memory.
  void TouchAsNode(const ExecutionGraphPipeline& pipeline, const LaunchBlock& block, uint32_t slot_number,
                   const std::string& who) {
    const Slot& slot = pipeline.graph.slots[slot_number];
    // Between two graphs the application has to order its memory by itself, so each graph gets its own.
    Touch(kApplication + execution_, kApplication + execution_ + 1, kReadWrite, who + " uses the application's memory");
    if (slot.outputs.empty()) return;
    Touch(control_, control_ + sizeof(ControlBlock), kRead, who + " reads the control block");
    Touch(dump_, dump_ + pipeline.graph.largest_record, kReadWrite, who + " writes lost records");
    for (const SlotEdge& edge : slot.edges) AppendTo(block.regions, edge.slot, who);
    if (slot.heap_bytes != 0) AppendTo(block.regions, pipeline.graph.HeapSlot(), who);
  }

  // Region[] that one lies in: of all levels, or a set.
  [[nodiscard]] uint64_t RegionsAround(uint64_t region) const {
    if (sets_.IsOfCurrent(region)) return sets_.Current(sets_.at_hand());
    if (sets_.IsOfOther(region)) return sets_.Other(sets_.at_hand());
    return regions_of_levels_;
  }

  void AppendTo(uint64_t regions, uint32_t slot, const std::string& who) {
    if (regions & kAlternating) {
      TouchHeader(regions, kRead, who);
      regions = sets_.Current(regions);
    }
    const uint64_t region = regions + slot * sizeof(Region);
    const RegionPlan* opening = FindOpen(region, open_.ConsumerOf(region, slot, level_), who + " appends to");
    if (opening == nullptr) return;
    const PreparedInput written = Contents(region, *opening);
    if (written.pool_bytes != 0) {
      const uint64_t heap = region + uint64_t{heap_slot_ - slot} * sizeof(Region);
      Touch(heap, heap + sizeof(Region), kReadWrite, who + " takes from the pool");
      TouchPool(written, kReadWrite, who);
    }
    Touch(region, region + sizeof(Region), kReadWrite, who + " appends to region " + std::to_string(slot));
    if (opening->batch_count != 0) {
      const uint64_t around = RegionsAround(region);
      const uint64_t count = around + opening->batch_count;
      const uint64_t first = around + opening->batch_region * sizeof(Region);
      Touch(count, count + sizeof(uint32_t), kReadWrite, who + " counts workgroups");
      Touch(first, first + sizeof(Region), kReadWrite, who + " counts workgroups of all");
    }
    Touch(written.records, written.records + written.record_bytes, kReadWrite, who + " writes records");
  }

  // Of several levels, launches of a step do not wait for each other: those of one turn alone have workgroups.
  [[nodiscard]] uint32_t GroupOf(uint32_t level) const {
    return phase_ == kAfterSteps ? execution_ * 1000 + level + 1 : (1u << 31) + step_;
  }

  const CheckedWorld& world_;
  VkPipeline bound_ = VK_NULL_HANDLE;
  VkPipelineLayout kernel_layout_ = VK_NULL_HANDLE;  // of the first kernel
  PushedBytes pushed_;

  // The graph at hand.
  uint32_t labels_ = 0;  // that are open
  bool begun_ = false;   // begin_graph has run
  uint64_t regions_of_levels_ = 0;
  bool claimed_ = false;  // it claimed a ring
  bool released_ = false;
  uint32_t execution_ = 0;
  static constexpr uint32_t kBeforeLevelZero = ~0u;
  static constexpr uint32_t kDraws = 1u << 30;  // groups that no nodes have
  static constexpr uint32_t kDrawsOfSteps = 3u << 30;
  uint32_t level_ = 0;  // of the nodes that may run
  const EntryPlan* entry_ = nullptr;
  uint32_t step_ = 0;             // of all graphs
  uint32_t phase_ = kAfterSteps;  // of the last step
  uint64_t control_ = 0;
  uint32_t heap_slot_ = 0;
  uint64_t dump_ = 0;
  uint64_t ring_bytes_ = 0;
  std::set<uint64_t> summed_;                   // addresses of sums that wait for their sizing kernel
  std::set<uint64_t> copied_;                   // ring offsets of the inputs copied
  std::map<uint64_t, PreparedInput> prepared_;  // by address of the LaunchInput
  std::map<uint64_t, PreparedInput> drawn_;     // the same, of draws
  uint32_t pending_releases_ = 0;               // of rings that draws read
};

}  // namespace

std::vector<std::string> CheckStream(const CheckedWorld& world, const CommandStream& stream) {
  return Checker(world).Run(stream);
}

}  // namespace trellis::test
