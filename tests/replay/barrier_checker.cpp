#include "tests/replay/barrier_checker.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "layer/graph/describe.h"
#include "layer/graph/memory_plan.h"
#include "meta_shaders/kernels.h"
#include "meta_shaders/shared/entry_plan.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/input_copy.h"
#include "tests/replay/hazard_tracker.h"

namespace trellis::test {
namespace {

using namespace shared;

// The ring has no address before execution, and the application's memory is anywhere: both get places that no host
// allocation has.
constexpr uint64_t kRing = 1ull << 60;
constexpr uint64_t kRingEnd = kRing + (1ull << 50);
constexpr uint64_t kApplication = 1ull << 62;

constexpr VkAccessFlags kRead = VK_ACCESS_SHADER_READ_BIT;
constexpr VkAccessFlags kWrite = VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kReadWrite = kRead | kWrite;

template <typename T>
const T& At(uint64_t address, uint64_t index = 0) {
  return reinterpret_cast<const T*>(address)[index];
}

// A launch that a close kernel, or the copy kernel, prepared.
struct PreparedLaunch {
  uint32_t slot = kNoSlot;  // that runs; its records may be another one's
  uint64_t arguments = 0;   // 0 for level 0
  uint64_t records = 0;     // offset in the ring
  uint64_t record_bytes = 0;
  uint64_t notes = 0;
  uint64_t notes_bytes = 0;
};

class Checker {
 public:
  explicit Checker(const CheckedWorld& world) : world_(world) {}

  std::vector<std::string> Run(const CommandStream& stream) {
    AddUnknownPast();
    for (const Command& command : stream) Step(command);
    if (running_) Complain("no end_graph");
    Touch(reports_, reports_ + kReportBytes, kRead, "host reads loss reports", VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
    return std::move(complaints_);
  }

 private:
  static constexpr uint64_t kReportBytes = sizeof(LossReportHeader) + kLossReportCapacity * sizeof(LossReport);

  void AddUnknownPast() {
    in_command_ = true;
    for (const CheckedScratch& scratch : world_.scratches) {
      Touch(scratch.address, scratch.address + scratch.size, kReadWrite, "an earlier graph's use of scratch");
      Touch(scratch.address, scratch.address + scratch.size, kRead, "an earlier graph's indirect arguments",
            VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    }
    Touch(kRing, kRingEnd, kReadWrite, "an earlier graph's use of the ring");
    in_command_ = false;
    Commit();
  }

  void Complain(const std::string& text) { complaints_.push_back(text); }

  // Adds accesses of the command at hand. `access` with both bits is a read and a write.
  void Touch(uint64_t begin, uint64_t end, VkAccessFlags access, const std::string& what,
             VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VkAccessFlags access_bit = 0) {
    if (begin == end) return;
    Access one;
    one.begin = begin;
    one.end = end;
    one.stage = stage;
    one.group = group_;
    one.what = what;
    if (access & kRead) {
      one.write = false;
      one.access = access_bit ? access_bit : kRead;
      pending_.push_back(one);
    }
    if (access & kWrite) {
      one.write = true;
      one.access = kWrite;
      pending_.push_back(one);
    }
    if (!in_command_) Commit();
  }
  // The accesses of one command do not conflict with each other.
  void Commit() {
    for (const Access& access : pending_) tracker_.Check(access, complaints_);
    for (const Access& access : pending_) tracker_.Add(access);
    pending_.clear();
  }

  void Step(const Command& command) {
    switch (command.kind) {
      case Command::Kind::kBindPipeline:
        bound_ = command.pipeline;
        break;
      case Command::Kind::kPushConstants:
        Push(command);
        break;
      case Command::Kind::kBarrier:
        tracker_.Barrier(command.source_stages, command.source_access, command.destination_stages,
                         command.destination_access);
        break;
      case Command::Kind::kDispatch:
      case Command::Kind::kDispatchIndirect:
        in_command_ = true;
        Dispatch(command);
        pushed_since_dispatch_ = false;
        in_command_ = false;
        Commit();
        break;
      default:
        break;
    }
  }

  // Pushing with another layout leaves the bytes pushed before undefined.
  void Push(const Command& command) {
    if (command.layout != pushed_layout_) pushed_.clear();
    pushed_layout_ = command.layout;
    pushed_since_dispatch_ = true;
    for (size_t i = 0; i < command.bytes.size(); ++i)
      pushed_[command.first + static_cast<uint32_t>(i)] = command.bytes[i];
  }
  std::optional<uint8_t> PushedByte(uint32_t offset) const {
    const auto byte = pushed_.find(offset);
    return byte == pushed_.end() ? std::nullopt : std::optional<uint8_t>(byte->second);
  }
  // Every dispatch has an address of its own: one that is left over from the dispatch before points to something else.
  std::optional<uint64_t> PushedAddress(uint32_t offset) const {
    if (!pushed_since_dispatch_) return std::nullopt;
    uint64_t address = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      const std::optional<uint8_t> byte = PushedByte(offset + i);
      if (!byte) return std::nullopt;
      address |= uint64_t{*byte} << (8 * i);
    }
    return address;
  }

  void Dispatch(const Command& command) {
    const std::string name = world_.device->NameOf(HandleToU64(bound_));
    for (uint32_t kernel = 0; kernel < kKernelCount; ++kernel)
      if (name == KernelName(static_cast<Kernel>(kernel))) return RunKernel(static_cast<Kernel>(kernel), command);
    for (const auto& pipeline : world_.pipelines)
      for (uint32_t node = 0; node < pipeline->nodes.size(); ++node)
        if (pipeline->nodes[node].pipeline->handle() == bound_) return RunNode(*pipeline, node, command);
    Complain("a dispatch of a pipeline that is neither a kernel nor a node");
  }

  void RunKernel(Kernel kernel, const Command& command) {
    group_ = 0;
    const std::optional<uint64_t> plan = PushedAddress(0);
    if (!plan) return Complain(std::string(KernelName(kernel)) + " has no plan");
    if ((command.kind == Command::Kind::kDispatch) == (kernel == Kernel::kCopyChunks))
      return Complain(std::string(KernelName(kernel)) + " is dispatched in the wrong way");
    if (pushed_layout_ != kernel_layout_ && kernel_layout_)
      return Complain(std::string(KernelName(kernel)) + " has the plan of a node");
    kernel_layout_ = pushed_layout_;
    switch (kernel) {
      case Kernel::kBeginGraph:
        return RunBegin(At<BeginPlan>(*plan));
      case Kernel::kCopyInputs:
        return RunCopy(At<CopyPlan>(*plan), command.y);
      case Kernel::kCountInfos:
        return RunCountInfos(At<EntryPlan>(*plan));
      case Kernel::kPlaceEntries:
        return RunPlaceEntries(At<EntryPlan>(*plan));
      case Kernel::kAppendInfos:
        return RunAppendInfos(At<EntryPlan>(*plan));
      case Kernel::kCopyChunks:
        return RunCopyChunks(At<EntryPlan>(*plan));
      case Kernel::kCloseLevel:
        return RunClose(At<ClosePlan>(*plan), command.x * command.y);
      case Kernel::kEndGraph:
        return RunEnd(At<EndPlan>(*plan));
    }
  }

  void Open(uint64_t regions, uint64_t openings, uint32_t count, const std::string& who) {
    for (uint32_t i = 0; i < count; ++i) {
      const RegionPlan& plan = At<RegionPlan>(openings, i);
      const uint64_t address = regions + plan.slot * sizeof(Region);
      Touch(address, address + sizeof(Region), kWrite, who + " opens region " + std::to_string(plan.slot));
      open_[address] = plan;
      if (kRing + plan.offset + uint64_t{plan.stride} * plan.capacity > kRing + ring_bytes_)
        Complain("region " + std::to_string(plan.slot) + " leaves the ring");
    }
  }

  void RunBegin(const BeginPlan& plan) {
    if (running_) Complain("begin_graph while a graph is running");
    running_ = plan.ring_bytes != 0;
    open_.clear();
    prepared_.clear();
    copied_.clear();
    ++execution_;
    level_ = 0;
    control_ = plan.control;
    dump_ = plan.dump;
    produced_ = plan.regions;
    ring_bytes_ = plan.ring_bytes;
    heap_slot_ = plan.heap_slot;
    Touch(plan.control, plan.control + sizeof(ControlBlock), kWrite, "begin writes the control block");
    if (plan.ring_bytes != 0) Touch(kRing, kRingEnd, kReadWrite, "begin takes over the ring");
    Open(plan.regions, plan.openings, plan.opening_count, "begin");
  }

  void RunCopy(const CopyPlan& plan, uint32_t copies) {
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, "copy reads the control block");
    TouchReports(plan.reports, "copy");
    for (uint32_t i = 0; i < copies; ++i) {
      const InputCopy& copy = At<InputCopy>(plan.copies, i);
      const LaunchBlock& block = At<LaunchBlock>(copy.block_template);
      const uint64_t bytes = uint64_t{copy.pieces} * 16;
      Touch(kRing + copy.ring_offset, kRing + copy.ring_offset + bytes, kWrite, "copy writes inputs");
      Touch(copy.block, copy.block + sizeof(LaunchBlock), kWrite, "copy writes a launch block");
      if (copy.ring_offset + bytes > ring_bytes_) Complain("a copied input leaves the ring");
      PreparedLaunch launch;
      launch.slot = copy.slot;
      launch.records = kRing + copy.ring_offset;
      launch.record_bytes = uint64_t{block.record_count} * block.record_stride;
      if (block.notes != 0) {
        launch.notes = kRing + copy.notes_offset;
        launch.notes_bytes = uint64_t{block.record_count} * sizeof(uint32_t);  // at least
      }
      if (!copied_.count(copy.ring_offset) && bytes < launch.record_bytes) Complain("an input is not copied whole");
      copied_.insert(copy.ring_offset);
      prepared_[copy.block] = launch;
    }
  }

  void TouchEntryRegions(const EntryPlan& plan, VkAccessFlags access, const std::string& who) {
    for (uint32_t i = 0; i < plan.root_count; ++i) {
      const uint64_t region = plan.regions + At<EntryRoot>(plan.roots, i).slot * sizeof(Region);
      if (!open_.count(region)) Complain(who + " uses a region that nobody opened");
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
  }

  // Which region lies where is known on the device alone: as if each had all of the half.
  void RunPlaceEntries(const EntryPlan& plan) {
    if (entry_ != &plan) Complain("entries are placed that were not counted");
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, "place_entries reads the control block");
    Touch(plan.state, plan.state + sizeof(EntryState), kWrite, "place_entries writes the entry state");
    TouchEntryRegions(plan, kReadWrite, "place_entries");
    if (plan.half_offset + uint64_t{plan.half_units} * 16 > ring_bytes_) Complain("entries leave the ring");
    for (uint32_t i = 0; i < plan.root_count; ++i) {
      RegionPlan& opened = open_[plan.regions + At<EntryRoot>(plan.roots, i).slot * sizeof(Region)];
      opened.offset = plan.half_offset;
      opened.capacity =
          plan.half_units * 16 / std::max(opened.stride + 4 * At<EntryRoot>(plan.roots, i).note_words, 16u) / 2;
    }
  }

  void RunAppendInfos(const EntryPlan& plan) {
    TouchEntryRegions(plan, kReadWrite, "append_infos");
    Touch(plan.state, plan.state + sizeof(EntryState), kReadWrite, "append_infos counts chunks");
    TouchChunks(plan, kWrite, "append_infos");
    TouchEntryHalf(plan, "append_infos");
  }

  void RunCopyChunks(const EntryPlan& plan) {
    Touch(plan.state, plan.state + sizeof(VkDispatchIndirectCommand), kRead, "copy_chunks reads its indirect arguments",
          VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    TouchChunks(plan, kRead, "copy_chunks");
    TouchEntryHalf(plan, "copy_chunks");
  }

  void RunClose(const ClosePlan& plan, uint32_t workgroups) {
    ++level_;
    if (plan.level != level_)
      Complain("close of level " + std::to_string(plan.level) + " where level " + std::to_string(level_) + " is due");
    if (workgroups < plan.launch_count + (plan.opening_count + kCloseLevelWorkgroup - 1) / kCloseLevelWorkgroup)
      Complain("close_level has too few workgroups");
    if (plan.consumed != produced_) Complain("a level is closed whose producers appended elsewhere");
    if (plan.produced == plan.consumed) Complain("a level appends to the regions that it consumes");
    const std::string who = "close of level " + std::to_string(plan.level);
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, who + " reads the control block");
    TouchReports(plan.reports, who);
    prepared_.clear();
    for (uint32_t i = 0; i < plan.launch_count; ++i) CloseLaunch(plan, i, who);
    if (plan.heap_slot != kNoSlot) {
      const uint64_t heap = plan.consumed + plan.heap_slot * sizeof(Region);
      Touch(heap, heap + sizeof(Region), kRead, who + " reads the heap's region");
      if (!open_.count(heap)) Complain(who + " reads a heap that nobody opened");
    }
    for (auto region = open_.begin(); region != open_.end();) {
      const bool reopened =
          region->first >= plan.produced && region->first < plan.produced + (heap_slot_ + 1) * sizeof(Region);
      region = reopened ? open_.erase(region) : std::next(region);
    }
    produced_ = plan.produced;
    Open(plan.produced, plan.openings, plan.opening_count, who);
  }

  void CloseLaunch(const ClosePlan& plan, uint32_t index, const std::string& who) {
    const LaunchPlan& launch = At<LaunchPlan>(plan.launches, index);
    const uint64_t region = plan.consumed + launch.slot * sizeof(Region);
    const auto opened = open_.find(region);
    if (opened == open_.end())
      return Complain(who + " consumes slot " + std::to_string(launch.slot) + ", which nobody opened");
    const uint64_t block = plan.blocks + index * sizeof(LaunchBlock);
    const uint64_t arguments = plan.arguments + index * sizeof(DispatchArguments);
    PreparedLaunch prepared;
    prepared.slot = launch.identity;
    prepared.arguments = arguments;
    prepared.records = kRing + opened->second.offset;
    prepared.record_bytes = uint64_t{opened->second.stride} * opened->second.capacity;
    Touch(region, region + sizeof(Region), kRead, who + " reads region " + std::to_string(launch.slot));
    Touch(block, block + sizeof(LaunchBlock), kWrite, who + " writes a launch block");
    Touch(arguments, arguments + sizeof(DispatchArguments), kWrite, who + " writes indirect arguments");
    if (launch.kind == kLaunchDynamicGrid)
      Touch(prepared.records, prepared.records + prepared.record_bytes, kRead, who + " reads grids");
    if (launch.note_words != kNoNotes) {
      const RegionPlan& opening = opened->second;
      prepared.notes = prepared.records + RegionBytes(opening.stride, launch.notes_before, opening.capacity);
      prepared.notes_bytes = uint64_t{opened->second.capacity} * launch.note_words * 4;
      Touch(prepared.notes, prepared.notes + prepared.notes_bytes, kWrite, who + " writes notes");
      if (prepared.notes + prepared.notes_bytes > kRing + ring_bytes_) Complain("notes leave the ring");
    }
    prepared_[block] = prepared;
  }

  void RunEnd(const EndPlan& plan) {
    if (!running_) Complain("end_graph without begin_graph");
    running_ = false;
    Touch(plan.control, plan.control + sizeof(ControlBlock), kRead, "end reads the control block");
    Touch(kRing, kRingEnd, kReadWrite, "end gives the ring away");
    CheckHostSeesReports();
    ++execution_;  // what follows without a begin is another graph
    level_ = 0;
    prepared_.clear();
  }

  // The submission may end here, and the host looks. It reads other words than those that later graphs write, so this
  // is no access of its own.
  void CheckHostSeesReports() {
    Access poll;
    poll.begin = reports_;
    poll.end = reports_ + kReportBytes;
    poll.stage = VK_PIPELINE_STAGE_HOST_BIT;
    poll.access = VK_ACCESS_HOST_READ_BIT;
    poll.what = "host reads loss reports";
    tracker_.Check(poll, complaints_);
  }

  void TouchReports(uint64_t reports, const std::string& who) {
    reports_ = reports;
    Touch(reports, reports + kReportBytes, kReadWrite, who + " reports losses");
  }

  void RunNode(const ExecutionGraphPipeline& pipeline, uint32_t node, const Command& command) {
    const std::string who = "node " + pipeline.nodes[node].label + " level " + std::to_string(level_);
    CheckApplicationBytes(*pipeline.layout, who);
    const std::optional<uint64_t> block = PushedAddress(pipeline.layout->launch_offset);
    if (!block) return Complain(who + " has no launch block");
    const bool has_outputs = !pipeline.graph.nodes[node].info.outputs.empty();
    const auto prepared = prepared_.find(*block);
    if (prepared == prepared_.end()) {
      // Level 0: the block and its records are in plan memory.
      if (command.kind != Command::Kind::kDispatch)
        return Complain(who + " runs with a launch block that nobody prepared");
      const LaunchBlock& root = At<LaunchBlock>(*block);
      if (has_outputs && root.regions != produced_) Complain(who + " appends to regions that nobody opened");
      if (uint64_t{command.x} * command.y < root.workgroup_count) Complain(who + " has too few workgroups");
      group_ = GroupOf(0);
      return TouchAsNode(pipeline, node, pipeline.graph.EntrySlot(node), who);
    }
    const PreparedLaunch& launch = prepared->second;
    group_ = GroupOf(level_);
    Touch(*block, *block + sizeof(LaunchBlock), kRead, who + " reads its launch block");
    if (launch.arguments != 0) TouchArguments(launch, command, who);
    const spirv::NodeInfo& info = pipeline.graph.nodes[node].info;
    Touch(launch.records, launch.records + launch.record_bytes, info.writes_input ? kReadWrite : kRead,
          who + " uses its records");
    Touch(launch.notes, launch.notes + launch.notes_bytes, info.finishes_writing ? kReadWrite : kRead,
          who + " uses its notes");
    TouchAsNode(pipeline, node, launch.slot, who);
  }

  void TouchArguments(const PreparedLaunch& launch, const Command& command, const std::string& who) {
    if (command.kind != Command::Kind::kDispatchIndirect) return Complain(who + " is not dispatched indirectly");
    Touch(launch.arguments, launch.arguments + 12, kRead, who + " reads indirect arguments",
          VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
    bool found = false;
    for (const CheckedScratch& scratch : world_.scratches) {
      const auto place = world_.device->device().scratch_addresses.Find(scratch.address);
      found |= place && place->buffer == command.buffer &&
               scratch.address - place->offset + command.offset == launch.arguments;
    }
    if (!found) Complain(who + " reads its arguments from a wrong place");
  }

  // Common to all levels: what a node does through its outputs, and what it may do to the application's memory.
  void TouchAsNode(const ExecutionGraphPipeline& pipeline, uint32_t node, uint32_t slot_number,
                   const std::string& who) {
    const Slot& slot = pipeline.graph.slots[slot_number];
    if (slot.node != node) Complain(who + " runs with the launch block of another node");
    // Between two graphs the application has to order its memory by itself, so each graph gets its own.
    Touch(kApplication + execution_, kApplication + execution_ + 1, kReadWrite, who + " uses the application's memory");
    if (pipeline.graph.nodes[node].info.outputs.empty()) return;
    Touch(control_, control_ + sizeof(ControlBlock), kRead, who + " reads the control block");
    Touch(dump_, dump_ + pipeline.graph.largest_record, kReadWrite, who + " writes lost records");
    for (const SlotEdge& edge : slot.edges) AppendTo(edge.slot, who);
    if (slot.heap_bytes != 0) AppendTo(pipeline.graph.HeapSlot(), who);
  }

  void AppendTo(uint32_t slot, const std::string& who) {
    const uint64_t region = produced_ + slot * sizeof(Region);
    const auto opened = open_.find(region);
    if (opened == open_.end())
      return Complain(who + " appends to slot " + std::to_string(slot) + ", which nobody opened");
    const uint64_t records = kRing + opened->second.offset;
    Touch(region, region + sizeof(Region), kReadWrite, who + " appends to region " + std::to_string(slot));
    Touch(records, records + uint64_t{opened->second.stride} * opened->second.capacity, kReadWrite,
          who + " writes records");
  }

  void CheckApplicationBytes(const PipelineLayout& layout, const std::string& who) {
    if (pushed_layout_ != layout.node_layout) return Complain(who + " runs with push constants of another layout");
    const auto& expected = world_.expected_push_constants;
    const std::optional<uint64_t> copy = layout.copy_offset ? PushedAddress(*layout.copy_offset) : std::nullopt;
    for (uint32_t i = 0; i < layout.push_constant_end; ++i) {
      const std::optional<uint8_t> byte = copy ? At<uint8_t>(*copy, i) : PushedByte(i);
      if (!byte) return Complain(who + " lacks the application's push constants");
      if (i < expected.size() && *byte != expected[i]) return Complain(who + " sees wrong push constants");
    }
  }

  [[nodiscard]] uint32_t GroupOf(uint32_t level) const { return execution_ * 1000 + level + 1; }

  const CheckedWorld& world_;
  HazardTracker tracker_;
  std::vector<std::string> complaints_;
  std::vector<Access> pending_;
  bool in_command_ = false;
  uint32_t group_ = 0;

  VkPipeline bound_ = VK_NULL_HANDLE;
  VkPipelineLayout pushed_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout kernel_layout_ = VK_NULL_HANDLE;  // of the first kernel
  bool pushed_since_dispatch_ = false;
  std::map<uint32_t, uint8_t> pushed_;

  // The graph at hand.
  bool running_ = false;
  uint32_t execution_ = 0;
  static constexpr uint32_t kBeforeLevelZero = ~0u;
  uint32_t level_ = 0;  // of the nodes that may run
  const EntryPlan* entry_ = nullptr;
  uint64_t control_ = 0;
  uint64_t dump_ = 0;
  uint64_t produced_ = 0;
  uint64_t ring_bytes_ = 0;
  uint64_t reports_ = 0;
  uint32_t heap_slot_ = 0;
  std::map<uint64_t, RegionPlan> open_;          // by address of the Region, as it was opened last
  std::set<uint64_t> copied_;                    // ring offsets of the inputs copied
  std::map<uint64_t, PreparedLaunch> prepared_;  // by address of the LaunchBlock
};

}  // namespace

std::vector<std::string> CheckStream(const CheckedWorld& world, const CommandStream& stream) {
  return Checker(world).Run(stream);
}

}  // namespace trellis::test
