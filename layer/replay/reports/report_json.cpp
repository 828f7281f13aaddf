// SPDX-License-Identifier: Apache-2.0
// The sections of the file.
#include <cmath>
#include <ctime>

#include "layer/objects/device.h"
#include "layer/objects/instance.h"
#include "layer/objects/physical_device.h"
#include "layer/replay/reports/json_writer.h"
#include "layer/replay/reports/report.h"
#include "trellis_version.h"

namespace trellis {
namespace {

constexpr uint32_t kSchema = 1;

void WriteDevice(JsonWriter& json, const Device& device) {
  VkPhysicalDeviceProperties properties = {};
  device.instance->dispatch.GetPhysicalDeviceProperties(device.physical_device->handle, &properties);
  json.Key("device");
  json.BeginObject();
  json.Member("name", properties.deviceName);
  json.Member("vendor_id", properties.vendorID);
  json.Member("device_id", properties.deviceID);
  json.Member("driver_version", properties.driverVersion);
  json.Member("api_version", properties.apiVersion);
  json.Member("is_cpu", device.traits.is_cpu);
  json.EndObject();
}

void WriteSettings(JsonWriter& json, const Settings& settings) {
  json.Key("settings");
  json.BeginObject();
  for (const auto& [key, value] : settings.given) json.Member(key, value);
  json.EndObject();
}

void WriteOptional(JsonWriter& json, std::string_view key, uint32_t value) {
  json.Key(key);
  if (value == UINT32_MAX) {
    json.Null();
  } else {
    json.Number(value);
  }
}

uint64_t Whole(double nanoseconds) { return static_cast<uint64_t>(std::llround(nanoseconds)); }

// Members of an object; `count`: what the number is called.
void WriteDurations(JsonWriter& json, std::string_view count, const Durations& durations) {
  json.Member(count, durations.count);
  json.Member("total_ns", Whole(durations.total));
  json.Member("min_ns", Whole(durations.min));
  json.Member("max_ns", Whole(durations.max));
}

// Of what the CPU did.
void WriteCpuTime(JsonWriter& json, std::string_view key, const Durations& durations) {
  json.Key(key);
  json.BeginObject();
  WriteDurations(json, "count", durations);
  json.EndObject();
}

}  // namespace

std::string Report::Json(const Device& device, const char* reason) {
  JsonWriter json;
  json.BeginObject();
  json.Member("schema", kSchema);
  json.Member("generator", "Trellis " TRELLIS_VERSION);
  json.Member("written", static_cast<uint64_t>(std::time(nullptr)));
  json.Member("reason", reason);
  WriteDevice(json, device);
  WriteSettings(json, device.settings);
  json.Key("graphs");
  json.BeginArray();
  for (const auto& [id, members] : graphs_) json.ObjectOf("name", names_[id], members);
  json.EndArray();
  WriteDispatches(json);
  WriteFindings(json);
  WriteTimes(json);
  json.EndObject();
  return json.text() + "\n";
}

void Report::WriteDispatches(JsonWriter& json) {
  json.Key("dispatches");
  json.BeginArray();
  for (auto& [key, kept] : tallies_) {
    FoldUnused(kept);
    Tally tally = kept;
    for (const std::shared_ptr<const PlanCounts>& plan : kept.plans) AddPlan(tally, *plan);
    for (const LiveRoots& roots : kept.roots) AddRoots(tally, roots);
    json.BeginObject();
    json.Member("graph", key.graph);
    json.Member("command", CommandName(key.command));
    json.Member("levels", key.levels);
    json.Member("recordings", tally.recordings.count);
    json.Member("executions", tally.executions.count);
    WriteCpuTime(json, "recording", tally.recordings);
    WriteCpuTime(json, "submission", tally.executions);
    json.Member("counted_executions", tally.counted_executions);
    json.Member("not_counted", tally.not_counted);
    json.Member("dispatches", tally.dispatches);
    json.Member("barriers", tally.barriers);
    json.Member("draws", tally.draws);
    json.Member("steps", tally.steps);
    json.Member("fit", tally.fit);
    json.Member("ring_bytes", tally.ring_bytes);
    json.Member("scratch_bytes", tally.scratch_bytes);
    json.Key("slots");
    json.BeginArray();
    for (const auto& [place, count] : tally.places) {
      json.BeginObject();
      json.Member("level", place.first);
      json.Member("slot", place.second);
      json.Member("records", count.records);
      json.Member("max_records", count.max_records);
      json.Member("dropped", count.dropped);
      if (count.workgroups != 0) json.Member("workgroups", count.workgroups);
      if (count.reserved_bytes != 0) json.Member("reserved_bytes", count.reserved_bytes);
      json.EndObject();
    }
    json.EndArray();
    json.Key("payloads");
    json.BeginArray();
    for (const auto& [place, dump] : tally.payloads) WriteDump(json, place.first, place.second, dump);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void Report::WriteFindings(JsonWriter& json) const {
  json.Key("findings");
  json.BeginArray();
  for (const auto& [key, finding] : findings_) {
    const auto& [origin, kind, level, slot] = key;
    const ReportOrigin from = ReportOrigin::Unpack(origin);
    json.BeginObject();
    json.Member("graph", from.graph);
    json.Member("command", CommandName(from.command));
    json.Member("id", finding.id);
    json.Member("severity", finding.severity);
    json.Member("level", level);
    json.Member("slot", slot);
    json.Member("records", finding.records);
    json.Member("value", finding.value);
    json.Member("text", finding.text);
    json.EndObject();
  }
  json.EndArray();
}

void Report::WriteTimes(JsonWriter& json) const {
  json.Key("times");
  json.BeginArray();
  for (const auto& [graph, steps] : times_)
    for (const auto& [step, time] : steps) {
      json.BeginObject();
      json.Member("graph", graph);
      json.Member("what", step.what);
      WriteOptional(json, "level", step.level);
      WriteOptional(json, "slot", step.slot);
      WriteDurations(json, "executions", time);
      json.EndObject();
    }
  json.EndArray();
}

}  // namespace trellis
