// SPDX-License-Identifier: Apache-2.0
// The setting `report`: all that is known of a device's graphs, as a JSON file (docs/report_schema.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "layer/objects/durations.h"
#include "layer/replay/placing/plan_counts.h"
#include "layer/replay/planning/entry_inputs.h"
#include "layer/replay/reports/describe_report.h"
#include "meta_shaders/shared/report_data.h"

namespace trellis {

class JsonWriter;
struct CommandBuffer;
struct Device;
struct DispatchPlan;

// What a graph dispatch became, in numbers.
struct Recorded {
  uint32_t dispatches = 0;
  uint32_t binds = 0;
  uint32_t barriers = 0;
  uint32_t draws = 0;
};

// Records that one recorded dispatch brings to one slot of level 0.
struct ReportedRoot {
  uint32_t slot = 0;
  uint64_t records = 0;
  uint64_t workgroups = 0;  // of a node that coalesces; else 0
  DumpedPayloads payloads;  // the first ones that the setting `dump_payloads` asks for
};

// What the CPU knows of a recorded dispatch.
struct ReportedRecording {
  std::vector<ReportedRoot> roots;  // of a dispatch from the CPU; else empty
  double nanoseconds = 0;           // what recording it took
};

// One timed step of dispatches: a phase or the launch of a slot.
struct TimedPlace {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::string what;
  uint32_t level = kNone;
  uint32_t slot = kNone;
  double nanoseconds = 0;
  auto operator<=>(const TimedPlace&) const = default;
};

// One per device with the setting. Threading: any thread.
class Report {
 public:
  // Null without the setting.
  [[nodiscard]] static std::shared_ptr<Report> Of(Device& device);

  void AddDispatch(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, DispatchCommand command,
                   const DispatchPlan& plan, const Recorded& recorded, const ReportedRecording& recording);
  // The same for a dispatch that became draws alone, or nothing: its payloads ask for no workgroup.
  void AddWithoutPlan(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, DispatchCommand command,
                      uint32_t draws, const ReportedRecording& recording);
  // `merged`: what the reports of the device said, with the message made of it.
  void AddFinding(const shared::DeviceReport& merged, const ReportMessage& message);
  void AddTimes(uint32_t graph, const std::vector<TimedPlace>& steps);

  // Writes the file if the interval has passed.
  void WriteIfDue(const Device& device);
  // `reason`: "end", "interval" or "device_lost", which stays the reason and is written for once.
  void Write(const Device& device, const char* reason);

 private:
  // Recordings of one graph by one command.
  struct Key {
    uint32_t graph = 0;
    DispatchCommand command = DispatchCommand::kHost;
    uint32_t levels = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct LiveRoots {
    std::shared_ptr<SharedDurations> submissions;
    std::vector<ReportedRoot> roots;
  };
  struct Tally {
    Durations recordings;
    Durations executions;             // submissions of recordings that are gone
    uint64_t counted_executions = 0;  // of plans that are gone
    uint32_t dispatches = 0, barriers = 0, draws = 0, steps = 0;
    uint64_t ring_bytes = 0, scratch_bytes = 0;
    const char* fit = "all";
    const char* not_counted = "";
    std::map<ReportedPlace, PlaceCount> places;
    std::map<ReportedPlace, DumpedPayloads> payloads;
    std::vector<std::shared_ptr<const PlanCounts>> plans;
    std::vector<LiveRoots> roots;
  };
  struct Finding {
    std::string id, severity, text;
    uint64_t records = 0;
    uint32_t value = 0;
  };

  // Returns the tally of a new recording. Call with mutex_ held.
  [[nodiscard]] Tally& TallyOf(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline,
                               DispatchCommand command, uint32_t levels, const ReportedRecording& recording);
  static void AddPlan(Tally& tally, const PlanCounts& plan);
  static void AddRoots(Tally& tally, const LiveRoots& roots);
  // Adds up and lets go of what no recording uses any more.
  static void FoldUnused(Tally& tally);
  // Returns members of a JSON object, from "id" on, without its braces.
  [[nodiscard]] static std::string GraphMembers(const Graph& graph, uint32_t id);
  [[nodiscard]] std::string Json(const Device& device, const char* reason);
  static void WriteTally(JsonWriter& json, const Key& key, Tally& kept);
  void WriteFindings(JsonWriter& json) const;
  void WriteTimes(JsonWriter& json) const;

  std::mutex mutex_;                        // guards what follows
  std::map<uint32_t, std::string> graphs_;  // by id: JSON, without name
  std::map<uint32_t, std::string> names_;
  std::map<Key, Tally> tallies_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, Finding> findings_;  // origin, kind, level, slot
  std::map<uint32_t, std::map<TimedPlace, Durations>> times_;                       // by graph
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool told_of_failure_ = false;
  bool is_lost_ = false;  // the device
};

// The roots of a dispatch from the CPU. Empty without the setting.
[[nodiscard]] std::vector<ReportedRoot> RootsOf(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs);

}  // namespace trellis
