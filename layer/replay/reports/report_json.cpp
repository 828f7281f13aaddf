// SPDX-License-Identifier: Apache-2.0
// The sections of the file.
#include <cmath>
#include <cstddef>
#include <ctime>
#include <span>

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
  json.BeginObject("device");
  json.Member("name", properties.deviceName);
  json.Member("vendor_id", properties.vendorID);
  json.Member("device_id", properties.deviceID);
  json.Member("driver_version", properties.driverVersion);
  json.Member("api_version", properties.apiVersion);
  json.Member("is_cpu", device.traits.is_cpu);
  json.EndObject();
}

void WriteOptional(JsonWriter& json, std::string_view key, uint32_t value) {
  json.Key(key);
  if (value == TimedPlace::kNone) {
    json.Null();
  } else {
    json.Number(value);
  }
}

uint64_t Whole(double nanoseconds) { return static_cast<uint64_t>(std::llround(nanoseconds)); }

std::string Hexadecimal(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

void WritePayloads(JsonWriter& json, const DumpedPayloads& dump) {
  json.BeginArray("payloads");
  const std::span<const std::byte> bytes = dump.bytes;
  for (size_t at = 0; at < bytes.size(); at += dump.payload_bytes)
    json.String(Hexadecimal(bytes.subspan(at, dump.payload_bytes)));
  json.EndArray();
}

// Members of an object; `count`: what the number is called.
void WriteDurations(JsonWriter& json, std::string_view count, const Durations& durations) {
  json.Member(count, durations.count);
  json.Member("total_ns", Whole(durations.total));
  json.Member("min_ns", Whole(durations.min));
  json.Member("max_ns", Whole(durations.max));
}

// Writes how long the CPU took, over all calls.
void WriteCpuTime(JsonWriter& json, std::string_view key, const Durations& durations) {
  json.BeginObject(key);
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
  json.BeginObject("settings");
  for (const auto& [key, value] : device.settings.given) json.Member(key, value);
  json.EndObject();
  json.Objects("graphs", graphs_, [&](const auto& graph) {
    json.Member("name", names_[graph.first]);
    json.Members(graph.second);
  });
  json.Objects("dispatches", tallies_, [&json](auto& kept) { WriteTally(json, kept.first, kept.second); });
  WriteFindings(json);
  WriteTimes(json);
  json.EndObject();
  return json.text() + "\n";
}

void Report::WriteTally(JsonWriter& json, const Key& key, Tally& kept) {
  FoldUnused(kept);
  Tally tally = kept;
  for (const std::shared_ptr<const PlanCounts>& plan : kept.plans) AddPlan(tally, *plan);
  for (const LiveRoots& roots : kept.roots) AddRoots(tally, roots);
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
  json.Objects("slots", tally.places, [&json](const auto& entry) {
    const auto& [place, count] = entry;
    json.Member("level", place.first);
    json.Member("slot", place.second);
    json.Member("records", count.records);
    json.Member("max_records", count.max_records);
    json.Member("dropped", count.dropped);
    if (count.workgroups != 0) json.Member("workgroups", count.workgroups);
    if (count.reserved_bytes != 0) json.Member("reserved_bytes", count.reserved_bytes);
  });
  json.Objects("payloads", tally.payloads, [&json](const auto& entry) {
    const auto& [place, dump] = entry;
    json.Member("level", place.first);
    json.Member("slot", place.second);
    WritePayloads(json, dump);
  });
}

void Report::WriteFindings(JsonWriter& json) const {
  json.Objects("findings", findings_, [&json](const auto& entry) {
    const auto& [key, finding] = entry;
    const auto& [origin, kind, level, slot] = key;
    const ReportOrigin from = ReportOrigin::Unpack(origin);
    json.Member("graph", from.graph);
    json.Member("command", CommandName(from.command));
    json.Member("id", finding.id);
    json.Member("severity", finding.severity);
    json.Member("level", level);
    json.Member("slot", slot);
    json.Member("records", finding.records);
    json.Member("value", finding.value);
    json.Member("text", finding.text);
  });
}

void Report::WriteTimes(JsonWriter& json) const {
  json.BeginArray("times");
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
