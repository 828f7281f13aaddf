// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/describe_report.h"

#include <array>
#include <set>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/memory_plan.h"
#include "layer/pipeline/execution_graph.h"
#include "meta_shaders/shared/entry_plan.h"
#include "meta_shaders/shared/report_data.h"

namespace trellis {
namespace {

using shared::DeviceReport;

std::string GraphLabel(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  const std::string name = pipeline ? pipeline->Name() : "";
  return "execution graph " +
         (name.empty() ? std::to_string(ReportOrigin::Unpack(report.origin).graph) : "'" + name + "'");
}

bool KnowsNode(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  return pipeline && report.slot < pipeline->graph.slots.size();
}

std::string NodeOf(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  return "node " + (KnowsNode(report, pipeline) ? SlotLabel(pipeline->graph, report.slot)
                                                : "of slot " + std::to_string(report.slot));
}

// The names, behind `first` and with " or " between them.
std::string Listed(const std::set<std::string>& names, const char* first) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? first : " or ") + name;
  return text;
}

constexpr uint64_t kMiB = 1024 * 1024;

// Bytes of a ring for each byte that found no place. Half of the ring holds a level; segments of regions that grow
// waste a quarter, and a part of what is added goes to nodes that got enough (layer/graph/memory_plan.h).
constexpr uint64_t kRingBytesPerDroppedByte = 4;

// The one setting that keeps the records of a kReportLost.
std::string RemedyForLost(const DeviceReport& report, const RingSettings& settings, uint64_t level_bytes) {
  const ReportOrigin origin = ReportOrigin::Unpack(report.origin);
  // Infos that the device reads bring the records of level 0, which half of the ring holds whatever the plan is.
  const bool is_from_infos = report.level == 0 && origin.command != DispatchCommand::kHost;
  if (origin.fit == RingFit::kAll && !is_from_infos)
    return ": their producers exceeded NodeMaxPayloadsAMDX, or their launch the workgroups that the device can "
           "dispatch; "
           "no setting helps";
  const uint64_t wanted = (settings.ring_budget + kRingBytesPerDroppedByte * level_bytes) / kMiB + 1;
  if (level_bytes != 0 && !origin.is_short_of_memory && wanted <= settings.largest_ring_budget / kMiB)
    return ": the ring is too small; set ring_budget=" + std::to_string(wanted);
  if (origin.fit == RingFit::kPartOrSteps && !is_from_infos)
    return ": the ring is too small; set max_rounds, for example max_rounds=64, and the graph runs in steps";
  return ": the device has no memory for a larger ring, and no setting helps; dispatch fewer payloads at a time";
}

std::string RemedyForLeft(const RingSettings& settings) {
  return " when all steps had run; set max_rounds to more than " + std::to_string(settings.max_rounds);
}

// Nodes of the level before whose allocations may lie in the heap.
std::string HeapUsers(const Graph& graph) {
  std::set<std::string> users;
  for (const Slot& slot : graph.slots)
    if (slot.heap_bytes != 0) users.insert(NodeLabel(graph.nodes[slot.node].name, graph.nodes[slot.node].index));
  return Listed(users, " ");
}

std::string DescribeLoss(const DeviceReport& report, const ExecutionGraphPipeline* pipeline,
                         const RingSettings& settings, uint64_t level_bytes) {
  const std::string where = " in level " + std::to_string(report.level) + " of " + GraphLabel(report, pipeline);
  const std::string dropped =
      " were dropped" +
      (report.kind == shared::kReportLeft ? RemedyForLeft(settings) : RemedyForLost(report, settings, level_bytes));
  if (!pipeline || report.slot > pipeline->graph.HeapSlot())
    return std::to_string(report.records) + " records for slot " + std::to_string(report.slot) + where + dropped;
  if (report.slot == pipeline->graph.HeapSlot())
    return std::to_string(DroppedBytes(report, pipeline)) + " bytes that node" + HeapUsers(pipeline->graph) +
           " allocated in the heap for records" + where + dropped;
  const uint64_t stride = pipeline->graph.slots[report.slot].record_stride;
  return std::to_string(report.records) + " records (" + std::to_string(report.records * stride) + " bytes) for node " +
         SlotLabel(pipeline->graph, report.slot) + where + dropped;
}

// The rules of the two commands that the device reads infos for, by kind of report.
struct InfoRule {
  uint32_t kind;
  const char* of_indirect;  // null: the host checks it
  const char* of_indirect_count;
};
constexpr std::array kInfoRules = {
    InfoRule{shared::kReportNoNode, "pCountInfo-09157", "countInfo-09169"},
    InfoRule{shared::kReportNoPayloads, "pCountInfo-09154", "countInfo-09166"},
    InfoRule{shared::kReportNoInfos, nullptr, "countInfo-09162"},
    InfoRule{shared::kReportPayloadsAlignment, "pCountInfo-09156", "countInfo-09168"},
    InfoRule{shared::kReportPayloadStride, "pCountInfo-09158", "countInfo-09170"},
    InfoRule{shared::kReportInfosAlignment, nullptr, "countInfo-09164"},
    InfoRule{shared::kReportInfosStride, nullptr, "infos-09165"},
};

std::string InfoVuid(const DeviceReport& report, DispatchCommand command) {
  if (report.kind == shared::kReportPayloadCount) return "VUID-VkDispatchGraphInfoAMDX-payloadCount-09171";
  for (const InfoRule& rule : kInfoRules) {
    const char* tail = command == DispatchCommand::kIndirectCount ? rule.of_indirect_count : rule.of_indirect;
    if (rule.kind == report.kind && tail) return std::string("VUID-") + CommandName(command) + "-" + tail;
  }
  return "";
}

// What the infos are like, and what to do.
std::string InfoDefect(const DeviceReport& report) {
  switch (report.kind) {
    case shared::kReportNoNode:
      return " have a nodeIndex that is none, or whose node the application may not launch";
    case shared::kReportNoPayloads:
      return " have payloads 0, but name a node whose payload is not empty";
    case shared::kReportPayloadsAlignment:
      return " have payloads that are not a multiple of " + std::to_string(kExecutionGraphDispatchAddressAlignment) +
             " (executionGraphDispatchAddressAlignment): align them";
    case shared::kReportPayloadStride:
      return " have several payloads and a payloadStride that is less than the payload of their node: payloads overlap";
    default:
      return " have a payloadCount of up to " + std::to_string(report.value) +
             ", more than maxExecutionGraphShaderPayloadCount, " +
             std::to_string(kMaxExecutionGraphShaderPayloadCount) + ": use several infos";
  }
}

std::string CountInfoDefect(const DeviceReport& report) {
  switch (report.kind) {
    case shared::kReportNoInfos:
      return "infos is 0";
    case shared::kReportInfosAlignment:
      return "infos is not a multiple of " + std::to_string(kExecutionGraphDispatchAddressAlignment) +
             " (executionGraphDispatchAddressAlignment): align it";
    default:
      return "stride is " + std::to_string(report.value) + ", less than a VkDispatchGraphInfoAMDX (" +
             std::to_string(shared::kEntryInfoBytes) + " bytes): infos overlap";
  }
}

std::string DescribeInfos(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  const std::string count = std::to_string(report.records) + " infos";
  if (report.kind == shared::kReportNoInfos || report.kind == shared::kReportInfosAlignment ||
      report.kind == shared::kReportInfosStride)
    return "the count info that the device read for " + GraphLabel(report, pipeline) + " has " + count + ", but " +
           CountInfoDefect(report);
  return count + " that the device read for " + GraphLabel(report, pipeline) + InfoDefect(report);
}

std::string Bounds(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  if (!KnowsNode(report, pipeline)) return "";
  std::string text;
  for (const uint32_t bound : pipeline->graph.NodeOf(report.slot).info.grid)
    text += (text.empty() ? "" : ", ") + std::to_string(bound == 0 ? kMaxExecutionGraphWorkgroupCount : bound);
  return ", {" + text + "}";
}

std::string DescribeGrids(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  const std::string who = std::to_string(report.records) + " payloads for " + NodeOf(report, pipeline) + " in level " +
                          std::to_string(report.level) + " of " + GraphLabel(report, pipeline) + " ask for a grid ";
  if (report.kind == shared::kReportGridComponent)
    return who + "with a component of up to " + std::to_string(report.value) +
           ", more than MaxNumWorkgroupsAMDX or maxExecutionGraphWorkgroupCount allows" + Bounds(report, pipeline) +
           ": it is clamped";
  return who + "of up to " + std::to_string(report.value) + " workgroups, more than maxExecutionGraphWorkgroups, " +
         std::to_string(kMaxExecutionGraphWorkgroups) + ": it is clamped";
}

// Nodes that send to the slot and may not send as much as is reported.
std::string Producers(const DeviceReport& report, const ExecutionGraphPipeline& pipeline) {
  std::set<std::string> producers;
  for (const Slot& slot : pipeline.graph.slots) {
    const Node& node = pipeline.graph.nodes[slot.node];
    for (size_t i = 0; i < slot.outputs.size(); ++i)
      for (const Target& target : slot.outputs[i])
        if (target.slot == report.slot && node.info.outputs[i].max_payloads < report.value)
          producers.insert(NodeLabel(node.name, node.index));
  }
  return Listed(producers, " by ");
}

std::string DescribeAllocations(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  return std::to_string(report.records) + " allocations of up to " + std::to_string(report.value) + " payloads for " +
         NodeOf(report, pipeline) + (KnowsNode(report, pipeline) ? Producers(report, *pipeline) : "") + " in " +
         GraphLabel(report, pipeline) +
         ", more than NodeMaxPayloadsAMDX allows one workgroup: raise it, or allocate less";
}

}  // namespace

const char* CommandName(DispatchCommand command) {
  switch (command) {
    case DispatchCommand::kHost:
      return "vkCmdDispatchGraphAMDX";
    case DispatchCommand::kIndirect:
      return "vkCmdDispatchGraphIndirectAMDX";
    case DispatchCommand::kIndirectCount:
      return "vkCmdDispatchGraphIndirectCountAMDX";
  }
  return "";
}

uint64_t DroppedBytes(const DeviceReport& report, const ExecutionGraphPipeline* pipeline) {
  if (!pipeline || report.slot > pipeline->graph.HeapSlot()) return 0;
  const Graph& graph = pipeline->graph;
  if (report.slot == graph.HeapSlot()) return uint64_t{report.records} * kHeapUnit;
  return report.records * (uint64_t{graph.slots[report.slot].record_stride} +
                           uint64_t{graph.StateWords(report.slot)} * sizeof(uint32_t));
}

ReportMessage DescribeReport(const DeviceReport& report, const ExecutionGraphPipeline* pipeline,
                             const RingSettings& settings, uint64_t level_bytes) {
  const DispatchCommand command = ReportOrigin::Unpack(report.origin).command;
  const std::string call = std::string(CommandName(command)) + "(): ";
  switch (report.kind) {
    case shared::kReportSteps:
      return {"TRELLIS-dispatch-graph", ReportSeverity::kInfo,
              call + GraphLabel(report, pipeline) + " used " + std::to_string(report.records) + " of " +
                  std::to_string(report.value) + " steps"};
    case shared::kReportLost:
    case shared::kReportLeft:
      return {"TRELLIS-records-lost", ReportSeverity::kWarning, DescribeLoss(report, pipeline, settings, level_bytes)};
    case shared::kReportNoNode:
    case shared::kReportNoPayloads:
    case shared::kReportNoInfos:
      return {"TRELLIS-graph-dispatch-input", ReportSeverity::kWarning,
              call + DescribeInfos(report, pipeline) + " (" + InfoVuid(report, command) + "): ignored"};
    case shared::kReportGridComponent:
    case shared::kReportGridWorkgroups:
      return {std::string("VUID-") + CommandName(command) + "-maxComputeWorkGroupCount-09186",
              ReportSeverity::kInvalidUsage, call + DescribeGrids(report, pipeline)};
    case shared::kReportAllocation:
      return {std::string("VUID-") + CommandName(command) + "-NodeMaxPayloadsAMDX-09188", ReportSeverity::kInvalidUsage,
              call + DescribeAllocations(report, pipeline)};
    case shared::kReportNoTarget:
      return {"TRELLIS-no-such-node", ReportSeverity::kInfo,
              call + std::to_string(report.records) + " payloads in " + GraphLabel(report, pipeline) +
                  " were for nodes that do not exist, shader indices up to " + std::to_string(report.value) +
                  ": they are gone"};
    default:
      return {InfoVuid(report, command), ReportSeverity::kInvalidUsage, call + DescribeInfos(report, pipeline)};
  }
}

}  // namespace trellis
