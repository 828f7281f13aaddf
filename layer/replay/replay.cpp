// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/replay.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/diagnostics/exception.h"
#include "layer/diagnostics/label.h"
#include "layer/graph/describe.h"
#include "layer/memory/ring_pool.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/objects/queue.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/placing/dispatch_plan.h"
#include "layer/replay/placing/draw_plan.h"
#include "layer/replay/placing/plan_within_memory.h"
#include "layer/replay/recording/draws.h"
#include "layer/replay/recording/record_dispatch.h"
#include "layer/replay/recording/recorder.h"
#include "layer/replay/recording/split.h"
#include "layer/replay/recording/timing.h"
#include "layer/replay/reports/describe_report.h"
#include "layer/replay/reports/device_reports.h"
#include "layer/replay/reports/report.h"

namespace trellis {
namespace {

MessageObject ObjectOf(const CommandBuffer& command_buffer) {
  return {VK_OBJECT_TYPE_COMMAND_BUFFER, HandleToU64(command_buffer.handle)};
}

void RefuseMisuse(CommandBuffer& command_buffer, const std::string& text) {
  command_buffer.Refuse("TRELLIS-graph-dispatch-misuse", text, VK_ERROR_VALIDATION_FAILED_EXT);
}

void RefuseForMemory(CommandBuffer& command_buffer, const Error& error) {
  command_buffer.Refuse("TRELLIS-graph-dispatch-memory", "the graph dispatch was not recorded: " + error.message,
                        VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

// With one of the few results that vkEndCommandBuffer may return.
void RefuseToSplit(CommandBuffer& command_buffer, const std::string& why) {
  command_buffer.Refuse(
      "TRELLIS-render-pass-split",
      "the graph dispatch was not recorded: the render pass instance around it cannot be ended and begun again, "
      "because " +
          why + "; record the dispatch outside of it",
      VK_ERROR_UNKNOWN);
}

// Where a graph's scratch lies: the application's address, rounded up.
struct ScratchPlace {
  VkDeviceAddress address = 0;
  BufferPlace buffer;
};

// Empty if a graph can use this scratch memory; else what is wrong with it.
std::string FindScratch(const Device& device, const ExecutionGraphPipeline& graph, VkDeviceAddress scratch,
                        VkDeviceSize scratch_size, ScratchPlace& place) {
  const uint64_t needed = graph.scratch_layout().size;
  const auto at = [scratch] { return "the scratch address " + std::to_string(scratch); };
  if (scratch_size < needed)
    return "scratchSize is " + std::to_string(scratch_size) + ", but the graph needs " + std::to_string(needed) +
           " bytes (VUID-vkCmdDispatchGraphAMDX-scratchSize-10193)";
  const auto found = device.scratch_buffers.Find(scratch);
  if (!found)
    return at() +
           " does not lie in a buffer with VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX whose address was asked "
           "for (VUID-vkCmdDispatchGraphAMDX-scratch-09184)";
  if (found->room() < needed)
    return at() + " is too near to the end of its buffer (VUID-vkCmdDispatchGraphAMDX-scratch-10192)";
  place.address = AlignScratchAddress(scratch);
  place.buffer = {found->buffer, found->offset + (place.address - scratch)};
  return {};
}

// What is told once for a device.
struct ScratchWarnings {
  std::atomic<bool> alignment = false;
};

// It works all the same.
void TellOfAlignment(CommandBuffer& command_buffer, VkDeviceAddress scratch) {
  if (scratch % kScratchAlignment == 0) return;
  const auto told =
      command_buffer.device.components.GetOrCreate<ScratchWarnings>([] { return std::make_shared<ScratchWarnings>(); });
  if (told->alignment.exchange(true)) return;
  command_buffer.device.diagnostics.Warning(
      "TRELLIS-scratch-alignment",
      "the scratch address " + std::to_string(scratch) + " is not a multiple of " + std::to_string(kScratchAlignment) +
          " (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144): the graph runs all the same, but other "
          "implementations may need that. This is said once",
      {ObjectOf(command_buffer)});
}

// Null, after a message, if a graph dispatch cannot be recorded here at all.
std::shared_ptr<ExecutionGraphPipeline> BoundGraph(CommandBuffer& command_buffer) {
  if (command_buffer.level != VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    RefuseMisuse(
        command_buffer,
        "graphs cannot be dispatched in secondary command buffers (VUID-vkCmdDispatchGraphAMDX-commandBuffer-09182)");
    return nullptr;
  }
  std::shared_ptr<ExecutionGraphPipeline> pipeline =
      command_buffer.device.execution_graphs.Find(command_buffer.execution_graph.pipeline);
  if (!pipeline)
    RefuseMisuse(command_buffer,
                 "no execution graph pipeline is bound at VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX "
                 "(VUID-vkCmdDispatchGraphAMDX-None-08606)");
  return pipeline;
}

DrawLimits DrawLimitsOf(const Device& device) {
  return {device.traits.max_mesh_workgroup_count, device.traits.max_mesh_workgroup_total_count};
}

LaunchLimits LimitsOf(const Device& device) {
  const VkPhysicalDeviceLimits& limits = device.traits.limits;
  return {limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1], limits.maxComputeWorkGroupCount[2],
          kMaxExecutionGraphWorkgroups};
}

void TellOfDispatch(CommandBuffer& command_buffer, const DispatchPlan& plan, const Recorded& recorded) {
  command_buffer.device.diagnostics.Info(
      "TRELLIS-dispatch-graph",
      std::to_string(recorded.dispatches) + " dispatches, " + std::to_string(plan.placed->levels.size()) + " levels, " +
          std::to_string(recorded.binds) + " pipelines bound, " + std::to_string(recorded.barriers) + " barriers" +
          (plan.placed->steps ? ", " + std::to_string(plan.placed->steps->count) + " steps" : "") +
          (recorded.draws != 0 ? ", " + std::to_string(recorded.draws) + " draws" : ""),
      {ObjectOf(command_buffer)});
}

// What a dispatch needs of the device; kept by the command buffer.
struct DeviceParts {
  std::shared_ptr<PlanBlockPool> plan_blocks;
  std::shared_ptr<RingPool> rings;
  std::shared_ptr<DeviceReports> reports;
  bool may_prepare = false;  // executions may prepare regions for one another
};

Expected<std::shared_ptr<DeviceParts>> PartsOf(CommandBuffer& command_buffer) {
  if (std::shared_ptr<DeviceParts> found = command_buffer.components.Get<DeviceParts>()) return found;
  Device& device = command_buffer.device;
  Expected<std::shared_ptr<RingPool>> rings = RingPoolOf(device, command_buffer.queue_family);
  if (!rings) return rings.error();
  Expected<std::shared_ptr<DeviceReports>> reports = DeviceReports::Of(device);
  if (!reports) return reports.error();
  const bool may_prepare = device.settings.prepare_regions && device.HasOneQueue(command_buffer.queue_family) &&
                           DeviceBuffer::MayBeWrittenOnce(device);
  return command_buffer.components.GetOrCreate<DeviceParts>([&] {
    return std::make_shared<DeviceParts>(DeviceParts{PlanBlockPool::Of(device), *rings, *reports, may_prepare});
  });
}

// What a dispatch runs on.
struct DispatchTarget {
  std::shared_ptr<ExecutionGraphPipeline> pipeline;
  ScratchPlace scratch;
  CpuClock clock;  // setting `report`: running since the command began
};

// Nothing, after a message, if a graph dispatch cannot be recorded here.
std::optional<DispatchTarget> FindTarget(CommandBuffer& command_buffer, VkDeviceAddress scratch,
                                         VkDeviceSize scratch_size) {
  const bool is_reported = !command_buffer.device.settings.report.empty();
  DispatchTarget target = {BoundGraph(command_buffer), {}, CpuClock(is_reported)};
  if (!target.pipeline) return std::nullopt;
  const std::string wrong = FindScratch(command_buffer.device, *target.pipeline, scratch, scratch_size, target.scratch);
  if (!wrong.empty()) {
    RefuseMisuse(command_buffer, wrong);
    return std::nullopt;
  }
  // Graphs with mesh nodes belong into a render pass instance, whatever nodes the dispatch runs.
  if (target.pipeline->graph.has_mesh_nodes && !command_buffer.render_pass.is_open()) {
    RefuseMisuse(command_buffer,
                 "the execution graph has mesh nodes, and no render pass instance is open "
                 "(VUID-vkCmdDispatchGraphAMDX-None-10195)");
    return std::nullopt;
  }
  TellOfAlignment(command_buffer, scratch);
  return target;
}

// Only the device knows what these bring.
std::vector<ReportedRoot> RootsOf(const ExecutionGraphPipeline&, const DeviceInputs&) { return {}; }

// `inputs`: EntryInputs or DeviceInputs, here and below.
template <typename Inputs>
ReportedRecording RecordingOf(const DispatchTarget& target, const Inputs& inputs) {
  const double nanoseconds = target.clock.Nanoseconds();
  return {RootsOf(*target.pipeline, inputs), nanoseconds};
}

// Reports a dispatch that became draws alone, or nothing.
template <typename Inputs>
void ReportWithoutPlan(CommandBuffer& command_buffer, const DispatchTarget& target, DispatchCommand command,
                       uint32_t draws, const Inputs& inputs) {
  if (const std::shared_ptr<Report> report = Report::Of(command_buffer.device))
    report->AddWithoutPlan(command_buffer, *target.pipeline, command, draws, RecordingOf(target, inputs));
}

template <typename Inputs>
void PlanAndRecord(CommandBuffer& command_buffer, const DispatchTarget& target, DispatchCommand command,
                   const Inputs& inputs) {
  Device& device = command_buffer.device;
  const Expected<std::shared_ptr<DeviceParts>> found = PartsOf(command_buffer);
  if (!found) return RefuseForMemory(command_buffer, found.error());
  const DeviceParts& parts = **found;
  const bool is_heard = device.diagnostics.Wants(LogLevel::kInfo);
  const DispatchEnvironment environment = {target.scratch.address,
                                           parts.rings->table(),
                                           parts.reports->address(),
                                           ReportOrigin{target.pipeline->id, command}.Pack(),
                                           0,  // both budgets are PlanWithinMemory's
                                           0,
                                           device.settings.max_rounds,
                                           device.settings.validate,
                                           !device.HasOneQueue(command_buffer.queue_family),
                                           is_heard,
                                           device.traits.is_cpu,
                                           LimitsOf(device),
                                           DrawLimitsOf(device),
                                           command_buffer.push_constants.ComputeBytes(),
                                           parts.may_prepare ? parts.rings.get() : nullptr,
                                           !device.settings.report.empty()};
  const auto plan_with = [&](const DispatchEnvironment& with, PlanArena& arena) {
    return PlanDispatch(*target.pipeline, inputs, with, arena);
  };
  const Expected<PlannedDispatch> planned = PlanWithinMemory(environment, *parts.rings, parts.plan_blocks, plan_with);
  if (!planned) return RefuseForMemory(command_buffer, planned.error());
  const DispatchPlan& plan = planned->plan;
  const SecondPart second = plan.has_draws() ? SecondPart::kWithDraws : SecondPart::kOfApplication;
  if (const std::string why = WhyNotSplit(command_buffer, second); plan.placed && !why.empty())
    return RefuseToSplit(command_buffer, why);
  for (const std::string& complaint : plan.complaints)
    device.diagnostics.Warning("TRELLIS-graph-dispatch-limit", complaint, {ObjectOf(command_buffer)});
  if (!plan.placed) return ReportWithoutPlan(command_buffer, target, command, 0, inputs);

  parts.reports->Register(target.pipeline);
  command_buffer.keep_alive.push_back(target.pipeline);
  command_buffer.keep_alive.push_back(plan.placed);
  command_buffer.keep_alive.push_back(planned->arena);
  command_buffer.holds_graph = true;
  command_buffer.ring_bytes = std::max(command_buffer.ring_bytes, plan.placed->ring_bytes);
  const Recorded recorded = RecordDispatch(command_buffer, *target.pipeline, plan, target.scratch.buffer);
  if (is_heard) TellOfDispatch(command_buffer, plan, recorded);
  if (const std::shared_ptr<Report> report = Report::Of(device))
    report->AddDispatch(command_buffer, *target.pipeline, command, plan, recorded, RecordingOf(target, inputs));
}

void PlanAndDraw(CommandBuffer& command_buffer, const DispatchTarget& target, const EntryInputs& inputs) {
  const std::shared_ptr<ExecutionGraphPipeline>& pipeline = target.pipeline;
  Device& device = command_buffer.device;
  const auto arena = std::make_shared<PlanArena>(PlanBlockPool::Of(device), PlanLifetime::kRecording);
  const Expected<DrawPlan> plan = PlanDraws(pipeline->graph, inputs, DrawLimitsOf(device), *arena);
  if (!plan) return RefuseForMemory(command_buffer, plan.error());
  arena->Close();
  for (const std::string& complaint : plan->complaints)
    device.diagnostics.Warning("TRELLIS-graph-dispatch-limit", complaint, {ObjectOf(command_buffer)});
  const auto draws = static_cast<uint32_t>(plan->draws.size());
  if (draws == 0) return ReportWithoutPlan(command_buffer, target, DispatchCommand::kHost, 0, inputs);
  command_buffer.keep_alive.push_back(pipeline);
  command_buffer.keep_alive.push_back(arena);
  std::string label;
  if (LabelsEnabled(device)) {
    std::vector<uint32_t> slots;
    for (const RootInput& root : inputs.roots) slots.push_back(root.slot);
    label = GraphLabel(*pipeline, RootLabels(pipeline->graph, slots));
  }
  RecordDraws(command_buffer, *pipeline, {}, {plan->draws}, label);
  ReportWithoutPlan(command_buffer, target, DispatchCommand::kHost, draws, inputs);
  if (device.diagnostics.Wants(LogLevel::kInfo))
    device.diagnostics.Info("TRELLIS-dispatch-graph", std::to_string(draws) + " draws in place",
                            {ObjectOf(command_buffer)});
}

}  // namespace

void DispatchGraph(CommandBuffer& command_buffer, VkDeviceAddress scratch, VkDeviceSize scratch_size,
                   const VkDispatchGraphCountInfoAMDX& count_info) {
  const std::optional<DispatchTarget> target = FindTarget(command_buffer, scratch, scratch_size);
  if (!target) return;
  const EntryInputs inputs = CollectEntryInputs(target->pipeline->graph, count_info);
  for (const std::string& complaint : inputs.complaints)
    command_buffer.device.diagnostics.Warning("TRELLIS-graph-dispatch-input", complaint, {ObjectOf(command_buffer)});
  if (inputs.roots.empty()) return;
  if (IsDrawnInPlace(target->pipeline->graph, inputs)) return PlanAndDraw(command_buffer, *target, inputs);
  PlanAndRecord(command_buffer, *target, DispatchCommand::kHost, inputs);
}

void DispatchGraphIndirect(CommandBuffer& command_buffer, VkDeviceAddress scratch, VkDeviceSize scratch_size,
                           const VkDispatchGraphCountInfoAMDX& count_info) {
  const std::optional<DispatchTarget> target = FindTarget(command_buffer, scratch, scratch_size);
  if (!target) return;
  DeviceInputs inputs;
  inputs.infos = count_info.infos.deviceAddress;
  inputs.info_stride = count_info.stride;
  inputs.info_count = count_info.count;
  if (inputs.infos == 0 && inputs.info_count != 0)
    return command_buffer.device.diagnostics.Warning(
        "TRELLIS-graph-dispatch-input",
        "pCountInfo->infos is 0 (VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09150): nothing is dispatched",
        {ObjectOf(command_buffer)});
  PlanAndRecord(command_buffer, *target, DispatchCommand::kIndirect, inputs);
}

void DispatchGraphIndirectCount(CommandBuffer& command_buffer, VkDeviceAddress scratch, VkDeviceSize scratch_size,
                                VkDeviceAddress count_info) {
  const std::optional<DispatchTarget> target = FindTarget(command_buffer, scratch, scratch_size);
  if (!target) return;
  if (count_info == 0)
    return RefuseMisuse(command_buffer, "countInfo is 0 (VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09159)");
  DeviceInputs inputs;
  inputs.count_info = count_info;
  PlanAndRecord(command_buffer, *target, DispatchCommand::kIndirectCount, inputs);
}

void InitializeGraphScratch(CommandBuffer& command_buffer, VkPipeline graph, VkDeviceAddress scratch,
                            VkDeviceSize scratch_size) {
  const std::shared_ptr<const ExecutionGraphPipeline> pipeline = command_buffer.device.execution_graphs.Find(graph);
  if (!pipeline)
    return RefuseMisuse(command_buffer,
                        "vkCmdInitializeGraphScratchMemoryAMDX: executionGraph is not an execution graph pipeline "
                        "(VUID-vkCmdInitializeGraphScratchMemoryAMDX-executionGraph-parameter)");
  if (pipeline->is_library)
    return RefuseMisuse(
        command_buffer,
        "vkCmdInitializeGraphScratchMemoryAMDX: executionGraph is a library, which cannot be dispatched");
  ScratchPlace place;
  if (const std::string wrong = FindScratch(command_buffer.device, *pipeline, scratch, scratch_size, place);
      !wrong.empty())
    return RefuseMisuse(command_buffer, "vkCmdInitializeGraphScratchMemoryAMDX: " + wrong);
  TellOfAlignment(command_buffer, scratch);
}

void RecordEndOfGraphs(CommandBuffer& command_buffer) {
  RecordReleases(command_buffer);
  if (command_buffer.graphs.may_report) {
    RecordBarrier(command_buffer, GraphBarrier::kLeaveWithReports);
  } else if (command_buffer.graphs.need_leaving) {
    RecordBarrier(command_buffer, GraphBarrier::kLeave);
  }
  command_buffer.graphs = {};
}

void LeaveInstance(CommandBuffer& command_buffer) { RecordReleases(command_buffer); }

void PollReports(Device& device) noexcept {
  try {
    if (const std::shared_ptr<DeviceReports> losses = device.components.Get<DeviceReports>()) losses->Poll(device);
    if (const std::shared_ptr<GraphTimers> timers = device.components.Get<GraphTimers>()) timers->Poll(device);
    if (const std::shared_ptr<Report> report = device.components.Get<Report>()) report->WriteIfDue(device);
  } catch (...) {
    // A message that finds no memory is left out: the command that is on its way has done its work, or must do it.
    (void)HandleException(device.diagnostics, "reports of finished work");
  }
}

void WriteReport(Device& device, const char* reason) noexcept {
  try {
    if (const std::shared_ptr<Report> report = Report::Of(device)) report->Write(device, reason);
  } catch (...) {
    (void)HandleException(device.diagnostics, "the report");
  }
}

VkResult PrepareGraphSubmission(Queue& queue, VkDeviceSize ring_bytes) {
  if (ring_bytes == 0) return VK_SUCCESS;
  const Expected<std::shared_ptr<RingPool>> rings = RingPoolOf(*queue.device, queue.family);
  if (!rings) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return (*rings)->EnsureRings(queue.handle, ring_bytes);
}

}  // namespace trellis
