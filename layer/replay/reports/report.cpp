// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/report.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/platform/platform.h"
#include "layer/replay/placing/dispatch_plan.h"
#include "layer/replay/planning/relocatable_plan.h"
#include "meta_shaders/shared/report_data.h"
#include "trellis_report_page.h"

namespace trellis {
namespace {

const char* SeverityName(ReportSeverity severity) {
  switch (severity) {
    case ReportSeverity::kInfo:
      return "info";
    case ReportSeverity::kWarning:
      return "warning";
    case ReportSeverity::kInvalidUsage:
      return "error";
  }
  return "";
}

// Returns 0 if the node does not coalesce.
uint64_t WorkgroupsOf(const Graph& graph, const RootInput& root) {
  const spirv::NodeInfo& info = graph.nodes[root.node].info;
  if (info.kind != spirv::LaunchKind::kCoalescing) return 0;
  return (uint64_t{root.record_count} + info.coalesce - 1) / info.coalesce;
}

// The first payloads that a dispatch from the CPU brings.
DumpedPayloads FirstPayloads(const Graph& graph, const RootInput& root, std::span<const PayloadDumpSetting> dumps) {
  DumpedPayloads dump;
  dump.capacity = DumpedRecordsOf(graph, root.slot, dumps);
  if (dump.capacity == 0) return dump;
  dump.payload_bytes = graph.nodes[root.node].input_bytes;
  for (const PayloadRun& run : root.runs)
    for (uint32_t i = 0; i < run.count && dump.bytes.size() < size_t{dump.capacity} * dump.payload_bytes; ++i) {
      const std::byte* const payload = run.payloads + i * run.stride;
      dump.bytes.insert(dump.bytes.end(), payload, payload + dump.payload_bytes);
    }
  return dump;
}

// Returns the page with `json` in it, or `json` if `path` is not that of a page.
std::string PageOf(const std::filesystem::path& path, std::string json) {
  if (path.extension() != ".html") return json;
  std::string page(reinterpret_cast<const char*>(kReportPageHead), sizeof(kReportPageHead));
  page += json;
  page.append(reinterpret_cast<const char*>(kReportPageTail), sizeof(kReportPageTail));
  return page;
}

// Returns 0, or an errno. Readers see the old file or the new one, never a part.
int ReplaceWhole(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path part = path;
  part += ".part";
  {
    const OutputFile file = ReplaceFile(part);
    if (!file) return errno;
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0)
      return errno;
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  return error.value();
}

}  // namespace

std::vector<ReportedRoot> RootsOf(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs) {
  const Settings& settings = pipeline.device.settings;
  std::vector<ReportedRoot> roots;
  if (settings.report.empty()) return roots;
  for (const RootInput& root : inputs.roots)
    roots.push_back({root.slot, root.record_count, WorkgroupsOf(pipeline.graph, root),
                     FirstPayloads(pipeline.graph, root, settings.dump_payloads)});
  return roots;
}

std::shared_ptr<Report> Report::Of(Device& device) {
  if (device.settings.report.empty()) return nullptr;
  return device.components.GetOrCreate<Report>([] { return std::make_shared<Report>(); });
}

void Report::AddDispatch(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, DispatchCommand command,
                         const DispatchPlan& plan, const Recorded& recorded, const ReportedRecording& recording) {
  std::lock_guard lock(mutex_);
  const auto levels = static_cast<uint32_t>(plan.placed->levels.size());
  Tally& tally = TallyOf(command_buffer, pipeline, command, levels, recording);
  tally.dispatches = recorded.dispatches;
  tally.barriers = recorded.barriers;
  tally.draws = recorded.draws;
  tally.ring_bytes = std::max(tally.ring_bytes, uint64_t{plan.placed->ring_bytes});
  tally.scratch_bytes = pipeline.scratch_layout().size;
  // The maximum over all recordings, not the latest alone.
  if (plan.placed->steps) {
    tally.steps = std::max(tally.steps, plan.placed->steps->count);
    tally.fit = "steps";
    tally.not_counted = "the graph runs in steps, which reuse their regions";
  } else if (!plan.placed->counted->memory.bounded) {
    tally.fit = "part";
  }
  if (std::find(tally.plans.begin(), tally.plans.end(), plan.placed->counts) == tally.plans.end())
    tally.plans.push_back(plan.placed->counts);
}

void Report::AddWithoutPlan(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline,
                            DispatchCommand command, uint32_t draws, const ReportedRecording& recording) {
  std::lock_guard lock(mutex_);
  Tally& tally = TallyOf(command_buffer, pipeline, command, 1, recording);
  tally.draws = std::max(tally.draws, draws);
}

Report::Tally& Report::TallyOf(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline,
                               DispatchCommand command, uint32_t levels, const ReportedRecording& recording) {
  if (std::string& graph = graphs_[pipeline.id]; graph.empty()) graph = GraphMembers(pipeline.graph, pipeline.id);
  names_[pipeline.id] = pipeline.Name();
  Tally& tally = tallies_[{pipeline.id, command, levels}];
  FoldUnused(tally);
  tally.recordings.Add(recording.nanoseconds);
  const auto submissions = std::make_shared<SharedDurations>();
  tally.roots.push_back({submissions, recording.roots});
  command_buffer.submissions.push_back(submissions);
  return tally;
}

void Report::AddFinding(const shared::DeviceReport& merged, const ReportMessage& message) {
  std::lock_guard lock(mutex_);
  Finding& finding = findings_[{merged.origin, merged.kind, merged.level, merged.slot}];
  finding.id = message.id;
  finding.severity = SeverityName(message.severity);
  finding.text = message.text;
  finding.records += merged.records;
  finding.value = std::max(finding.value, merged.value);
}

void Report::AddTimes(uint32_t graph, const std::vector<TimedPlace>& steps) {
  // A launch may be recorded for several sets of regions.
  std::map<TimedPlace, double> sums;
  for (const TimedPlace& step : steps) sums[{step.what, step.level, step.slot, 0}] += step.nanoseconds;
  std::lock_guard lock(mutex_);
  for (const auto& [place, nanoseconds] : sums) times_[graph][place].Add(nanoseconds);
}

void Report::AddPlan(Tally& tally, const PlanCounts& plan) {
  tally.counted_executions += plan.Executions();
  for (const auto& [place, count] : plan.Totals()) tally.places[place].Add(count);
  for (const auto& [place, dump] : plan.Dumps()) tally.payloads[place].Append(dump);
}

void Report::AddRoots(Tally& tally, const LiveRoots& roots) {
  const Durations submissions = roots.submissions->Sums();
  tally.executions.Add(submissions);
  if (submissions.count == 0) return;
  for (const ReportedRoot& root : roots.roots) {
    tally.places[{0, root.slot}].Add(
        {root.records * submissions.count, 0, root.records, root.workgroups * submissions.count, 0});
    if (root.payloads.capacity != 0) tally.payloads[{0, root.slot}].Append(root.payloads);
  }
}

void Report::FoldUnused(Tally& tally) {
  std::erase_if(tally.plans, [&tally](const std::shared_ptr<const PlanCounts>& plan) {
    if (plan.use_count() != 1) return false;
    AddPlan(tally, *plan);
    return true;
  });
  std::erase_if(tally.roots, [&tally](const LiveRoots& roots) {
    if (roots.submissions.use_count() != 1) return false;
    AddRoots(tally, roots);
    return true;
  });
}

void Report::WriteIfDue(const Device& device) {
  if (device.settings.report_interval == 0) return;
  {
    std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(device.settings.report_interval)) return;
    last_ = now;
  }
  Write(device, "interval");
}

void Report::Write(const Device& device, const char* reason) {
  int error = 0;
  {
    std::lock_guard lock(mutex_);
    const bool is_loss = std::string_view(reason) == "device_lost";
    if (is_loss && is_lost_) return;
    is_lost_ |= is_loss;
    if (is_lost_) reason = "device_lost";
    error = ReplaceWhole(device.settings.report, PageOf(device.settings.report, Json(device, reason)));
    if (error == 0 || std::exchange(told_of_failure_, true)) return;
  }
  device.diagnostics.Warning("TRELLIS-report", "the report '" + device.settings.report +
                                                   "' cannot be written: " + std::strerror(error) +
                                                   "; name a file in a folder that can be written to");
}

}  // namespace trellis
