// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/device_reports.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "layer/memory/ring_pool.h"
#include "layer/objects/device.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/reports/describe_report.h"
#include "layer/replay/reports/report.h"
#include "meta_shaders/shared/report_data.h"

namespace trellis {
namespace {

constexpr VkDeviceSize kBufferBytes =
    sizeof(shared::DeviceReportHeader) + shared::kDeviceReportCapacity * sizeof(shared::DeviceReport);

std::atomic_ref<uint32_t> Word(std::byte* place) {
  return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(place));
}

// Workgroups tell of broken rules one by one; of losses and steps there is one report for all of them.
bool IsSameFinding(const shared::DeviceReport& a, const shared::DeviceReport& b) {
  const bool is_whole =
      a.kind == shared::kReportLost || a.kind == shared::kReportLeft || a.kind == shared::kReportSteps;
  return !is_whole && a.origin == b.origin && a.kind == b.kind && a.slot == b.slot && a.level == b.level;
}

}  // namespace

Expected<std::shared_ptr<DeviceReports>> DeviceReports::Of(Device& device) {
  if (std::shared_ptr<DeviceReports> reports = device.components.Get<DeviceReports>()) return reports;
  Expected<DeviceBuffer> buffer =
      DeviceBuffer::Create(device, kBufferBytes, BufferMemory::kHost, "trellis device reports");
  if (!buffer) return buffer.error();
  auto made = std::make_shared<DeviceReports>(*std::move(buffer));
  return device.components.GetOrCreate<DeviceReports>([&made] { return made; });
}

void DeviceReports::Register(const std::shared_ptr<const ExecutionGraphPipeline>& graph) {
  std::lock_guard lock(mutex_);
  const auto [entry, inserted] = graphs_.try_emplace(graph->id, graph);
  if (inserted) std::erase_if(graphs_, [](const auto& known) { return known.second.expired(); });
}

std::vector<DeviceReports::Loss> DeviceReports::TakeNew(uint32_t& dropped) {
  std::vector<Loss> losses;
  std::lock_guard lock(mutex_);
  const uint32_t all_dropped =
      Word(buffer_.data() + offsetof(shared::DeviceReportHeader, dropped)).load(std::memory_order_acquire);
  dropped = all_dropped - std::exchange(dropped_, all_dropped);
  const uint32_t written =
      Word(buffer_.data() + offsetof(shared::DeviceReportHeader, written)).load(std::memory_order_acquire);
  for (; read_ != written; ++read_) {
    std::byte* place = buffer_.data() + sizeof(shared::DeviceReportHeader) +
                       read_ % shared::kDeviceReportCapacity * sizeof(shared::DeviceReport);
    // Written last by the device: 0 means that the report is still on its way, and comes with the next poll.
    if (Word(place + offsetof(shared::DeviceReport, records)).load(std::memory_order_acquire) == 0) break;
    Loss& loss = losses.emplace_back();
    std::memcpy(&loss.report, place, sizeof(loss.report));
    Word(place + offsetof(shared::DeviceReport, records)).store(0, std::memory_order_release);
    const uint32_t graph = ReportOrigin::Unpack(loss.report.origin).graph;
    if (const auto known = graphs_.find(graph); known != graphs_.end()) loss.graph = known->second.lock();
  }
  Word(buffer_.data() + offsetof(shared::DeviceReportHeader, read)).store(read_, std::memory_order_release);
  return losses;
}

std::vector<DeviceReports::Loss> DeviceReports::Merge(const std::vector<Loss>& losses) {
  std::vector<Loss> merged;
  for (const Loss& loss : losses) {
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&loss](const Loss& other) { return IsSameFinding(loss.report, other.report); });
    if (same == merged.end()) {
      merged.push_back(loss);
      continue;
    }
    same->report.records = static_cast<uint32_t>(
        std::min(uint64_t{same->report.records} + loss.report.records, uint64_t{std::numeric_limits<uint32_t>::max()}));
    same->report.value = std::max(same->report.value, loss.report.value);
  }
  return merged;
}

uint64_t DeviceReports::LevelBytes(const Loss& loss, const std::vector<Loss>& losses) {
  if (loss.report.kind != shared::kReportLost) return 0;
  std::unordered_map<uint32_t, uint64_t> bytes_of_slot;
  for (const Loss& other : losses) {
    const shared::DeviceReport& report = other.report;
    if (report.kind != shared::kReportLost || report.origin != loss.report.origin || report.level != loss.report.level)
      continue;
    uint64_t& bytes = bytes_of_slot[report.slot];
    bytes = std::max(bytes, DroppedBytes(report, other.graph.get()));
  }
  uint64_t total = 0;
  for (const auto& [slot, bytes] : bytes_of_slot) total += bytes;
  return total;
}

void DeviceReports::Poll(Device& device) {
  uint32_t dropped = 0;
  // Without the lock from here on: the application's callbacks may call Vulkan, and `losses` may hold the last
  // reference to a graph.
  const std::vector<Loss> losses = Merge(TakeNew(dropped));
  if (dropped != 0)
    device.diagnostics.Warning("TRELLIS-records-lost",
                               std::to_string(dropped) +
                                   " reports of the device were dropped, so that messages about dropped records may be "
                                   "missing: wait for a fence or a queue after fewer dispatches");
  if (losses.empty()) return;
  const RingSettings settings = {RingBudget(device), LargestRingBudget(device), device.settings.max_rounds};
  const std::shared_ptr<Report> report = Report::Of(device);
  for (const Loss& loss : losses) {
    const ReportMessage message = DescribeReport(loss.report, loss.graph.get(), settings, LevelBytes(loss, losses));
    if (report) report->AddFinding(loss.report, message);
    const MessageObject object = {VK_OBJECT_TYPE_PIPELINE, HandleToU64(HandleFromObject<VkPipeline>(loss.graph.get()))};
    switch (message.severity) {
      case ReportSeverity::kInfo:
        device.diagnostics.Info(message.id, message.text, {object});
        break;
      case ReportSeverity::kWarning:
        device.diagnostics.Warning(message.id, message.text, {object});
        break;
      case ReportSeverity::kInvalidUsage:
        device.diagnostics.InvalidUsage(message.id, message.text, {object});
        break;
    }
  }
}

}  // namespace trellis
