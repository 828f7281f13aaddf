// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/host_roots.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/saturating.h"
#include "layer/graph/tables.h"

namespace trellis {
namespace {

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

class RootPreparation {
 public:
  RootPreparation(const Graph& graph, const LaunchLimits& limits, PlanArena& arena,
                  std::vector<std::string>& complaints)
      : graph_(graph), limits_(limits), arena_(arena), complaints_(complaints) {}

  Expected<std::vector<Root>> Run(const EntryInputs& inputs) {
    roots_.reserve(inputs.roots.size());
    for (const RootInput& input : inputs.roots)
      if (Expected<void> done = Prepare(input); !done) return done.error();
    return std::move(roots_);
  }

 private:
  [[nodiscard]] const spirv::NodeInfo& InfoOf(Launch launch) const { return graph_.NodeOf(launch.slot).info; }
  [[nodiscard]] uint64_t StateBytes(Launch launch, uint64_t records) const {
    return SaturatingRoundUp(records * InfoOf(launch).StateWords() * sizeof(uint32_t), 16);
  }
  [[nodiscard]] Expected<void> Prepare(const RootInput& input);
  [[nodiscard]] Expected<void> PrepareLaunch(Launch launch, const RecordArray& payloads, uint64_t record_state_offset,
                                             Root& root);

  const Graph& graph_;
  const LaunchLimits& limits_;
  PlanArena& arena_;
  std::vector<std::string>& complaints_;
  std::vector<Root> roots_;
  std::vector<Launch> launches_;        // of the root in question
  std::vector<uint32_t> record_state_;  // of the launch in question
};

Expected<void> RootPreparation::Prepare(const RootInput& input) {
  launches_.clear();
  graph_.AppendLaunches(input.slot, launches_);
  const uint32_t stride = graph_.slots[input.slot].record_stride;
  const size_t bytes = size_t{input.record_count} * stride;
  Root root;
  root.input = &input;
  // Copies move whole pieces of 16 bytes.
  uint64_t end = SaturatingRoundUp(bytes, 16);
  for (Launch launch : launches_) end += StateBytes(launch, input.record_count);
  Expected<PlanSpan> records = arena_.Allocate(end);
  if (!records) return records.error();
  root.records = *records;
  WriteRecords(graph_, input, std::span(records->host, bytes), stride);
  // Plan memory may be slow to read, so grids are read elsewhere.
  std::vector<std::byte> gathered;
  RecordArray payloads = {{}, input.record_count, stride};
  if (std::any_of(launches_.begin(), launches_.end(),
                  [this](Launch launch) { return InfoOf(launch).kind == spirv::LaunchKind::kDynamicGrid; }))
    payloads = PayloadsOf(graph_, input, gathered);

  uint64_t record_state_offset = SaturatingRoundUp(bytes, 16);
  for (Launch launch : launches_) {
    if (Expected<void> done = PrepareLaunch(launch, payloads, record_state_offset, root); !done) return done;
    record_state_offset += StateBytes(launch, input.record_count);
    root.copied |= InfoOf(launch).writes_input && end != 0;
  }
  if (!root.launches.empty()) roots_.push_back(std::move(root));
  return {};
}

Expected<void> RootPreparation::PrepareLaunch(Launch launch, const RecordArray& payloads, uint64_t record_state_offset,
                                              Root& root) {
  record_state_.clear();
  RootLaunch prepared;
  prepared.launch = launch;
  prepared.described = DescribeLaunch(graph_, launch, kMaxExecutionGraphGrid);
  prepared.size =
      SizeLaunch(prepared.described, payloads, InfoOf(launch).IsMesh() ? LimitsOfDraws() : limits_, record_state_);
  if (prepared.size.records < payloads.count)
    complaints_.push_back(std::to_string(payloads.count - prepared.size.records) + " payloads for " +
                          NodeLabel(graph_.NodeOf(launch.slot).name, graph_.NodeOf(launch.slot).index) +
                          " were dropped: they have more workgroups than a launch can run");
  if (prepared.size.workgroups == 0) return {};

  shared::LaunchInput& launch_input = prepared.input;
  launch_input.records =
      shared::DenseRecords(root.records.address, graph_.slots[launch.input].record_stride, prepared.size.records);
  launch_input.workgroup_count = prepared.size.workgroups;
  launch_input.slices = prepared.size.slices;
  if (!prepared.size.table.empty()) {
    Expected<PlanSpan> table = arena_.Upload(std::span<const shared::Slice>(prepared.size.table));
    if (!table) return table.error();
    launch_input.search_index = table->address;
  }
  if (!record_state_.empty()) {
    std::memcpy(root.records.host + record_state_offset, record_state_.data(), record_state_.size() * sizeof(uint32_t));
    prepared.record_state_offset = record_state_offset;
    launch_input.record_state = root.records.address + record_state_offset;
  }
  root.launches.push_back(std::move(prepared));
  return {};
}

}  // namespace

Expected<std::vector<Root>> PrepareRoots(const Graph& graph, const EntryInputs& inputs, const LaunchLimits& limits,
                                         PlanArena& arena, std::vector<std::string>& complaints) {
  return RootPreparation(graph, limits, arena, complaints).Run(inputs);
}

}  // namespace trellis
