// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/plan_counts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/graph/graph.h"
#include "layer/objects/device.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"

namespace trellis {
namespace {

constexpr uint64_t kMaxDumpBytes = 16u << 20;

template <typename T>
T Read(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(value));
  return value;
}

// From the beginning of the buffer.
size_t CountPlace(size_t region) { return sizeof(shared::RegionCountsHeader) + region * sizeof(shared::RegionCount); }
size_t DumpPlace(size_t regions, size_t dump) { return CountPlace(regions) + dump * sizeof(shared::PayloadDump); }

// Returns 0 if the node of the slot does not coalesce, or the slot is the heap.
uint32_t CoalesceOf(const Graph& graph, uint32_t slot) {
  if (slot >= graph.HeapSlot()) return 0;
  const spirv::NodeInfo& info = graph.NodeOf(slot).info;
  return info.kind == spirv::LaunchKind::kCoalescing ? info.coalesce : 0;
}

uint32_t WordsOf(const shared::RegionPlan& opening) { return opening.stride / 4 + (opening.stride % 4 != 0 ? 1 : 0); }

size_t BytesOf(const shared::PayloadDump& dump) { return size_t{dump.capacity} * dump.words * sizeof(uint32_t); }

// Returns what is to be copied of regions, at most kMaxDumpBytes of it.
std::vector<DumpRequest> RequestDumps(const Graph& graph, std::span<const shared::RegionPlan> openings,
                                      std::span<const PayloadDumpSetting> dumps) {
  std::vector<DumpRequest> requests;
  uint64_t left = dumps.empty() ? 0 : kMaxDumpBytes;
  for (uint32_t i = 0; i < openings.size() && left != 0; ++i) {
    const uint64_t asked = DumpedRecordsOf(graph, openings[i].slot, dumps);
    const uint64_t record_bytes = uint64_t{openings[i].stride} + 3;
    const auto records = static_cast<uint32_t>(std::min(asked, left / record_bytes));
    if (records == 0) continue;
    requests.push_back({i, records, graph.nodes[graph.slots[openings[i].slot].node].input_bytes});
    left -= records * record_bytes;
  }
  return requests;
}

}  // namespace

void PlaceCount::Add(const PlaceCount& other) {
  records += other.records;
  dropped += other.dropped;
  max_records = std::max(max_records, other.max_records);
  workgroups += other.workgroups;
  reserved_bytes = std::max(reserved_bytes, other.reserved_bytes);
}

void DumpedPayloads::Append(const DumpedPayloads& other) {
  capacity = std::max(capacity, other.capacity);
  payload_bytes = other.payload_bytes;
  const size_t room = size_t{capacity} * payload_bytes - bytes.size();
  const auto taken = std::span(other.bytes).first(std::min(room, other.bytes.size()));
  bytes.insert(bytes.end(), taken.begin(), taken.end());
}

uint32_t DumpedRecordsOf(const Graph& graph, uint32_t slot, std::span<const PayloadDumpSetting> dumps) {
  if (slot >= graph.slots.size()) return 0;  // the heap
  const Node& node = graph.nodes[graph.slots[slot].node];
  if (node.input_bytes == 0) return 0;
  uint32_t max_count = 0;
  for (const PayloadDumpSetting& dump : dumps)
    if (dump.Names(node.name, node.index)) max_count = std::max(max_count, dump.count);
  return max_count;
}

Expected<std::shared_ptr<const PlanCounts>> PlanCounts::Create(const Device& device, const Graph& graph,
                                                               std::span<const shared::RegionPlan> openings) {
  std::vector<DumpRequest> requests = RequestDumps(graph, openings, device.settings.dump_payloads);
  std::vector<shared::PayloadDump> dumps;
  size_t bytes = DumpPlace(openings.size(), requests.size());
  for (const DumpRequest& request : requests) {
    const shared::RegionPlan& opening = openings[request.opening];
    dumps.push_back({bytes, opening.slot, request.capacity, WordsOf(opening), 0});
    bytes += BytesOf(dumps.back());
  }
  // The kernel reads what it adds to; the host reads seldom.
  Expected<DeviceBuffer> buffer = DeviceBuffer::Create(device, bytes, BufferMemory::kHostLocal, "trellis counts");
  if (!buffer) return buffer.error();
  auto counts = std::make_shared<PlanCounts>();
  counts->buffer = *std::move(buffer);
  counts->requests = std::move(requests);
  for (size_t i = 0; i < openings.size(); ++i) {
    shared::RegionCount count = {};
    count.slot = openings[i].slot;
    count.level = openings[i].level;
    count.coalesce = CoalesceOf(graph, count.slot);
    counts->levels.push_back(count.level);
    counts->reserved_bytes.push_back(uint64_t{std::min(openings[i].capacity, openings[i].dense)} * openings[i].stride);
    std::memcpy(counts->buffer.data() + CountPlace(i), &count, sizeof(count));
  }
  for (size_t i = 0; i < dumps.size(); ++i) {
    dumps[i].data += counts->buffer.address();
    std::memcpy(counts->buffer.data() + DumpPlace(openings.size(), i), &dumps[i], sizeof(dumps[i]));
  }
  return std::shared_ptr<const PlanCounts>(std::move(counts));
}

shared::CountPlan PlanCounts::PlanOf(uint32_t level) const {
  const auto region = std::equal_range(levels.begin(), levels.end(), level);
  const auto before = [this](const DumpRequest& request, uint32_t of) { return levels[request.opening] < of; };
  const auto dump = std::lower_bound(requests.begin(), requests.end(), level, before);
  const auto dump_end = std::lower_bound(requests.begin(), requests.end(), level + 1, before);
  shared::CountPlan plan = {};
  plan.header = buffer.address();
  plan.counts = buffer.address() + CountPlace(static_cast<size_t>(region.first - levels.begin()));
  plan.dumps = buffer.address() + DumpPlace(levels.size(), static_cast<size_t>(dump - requests.begin()));
  plan.region_count = static_cast<uint32_t>(region.second - region.first);
  plan.dump_count = static_cast<uint32_t>(dump_end - dump);
  return plan;
}

uint32_t PlanCounts::Executions() const {
  return buffer ? Read<shared::RegionCountsHeader>(buffer.data()).executions : 0;
}

std::vector<std::pair<ReportedPlace, PlaceCount>> PlanCounts::Totals() const {
  std::vector<std::pair<ReportedPlace, PlaceCount>> totals;
  for (size_t i = 0; i < levels.size(); ++i) {
    const auto count = Read<shared::RegionCount>(buffer.data() + CountPlace(i));
    const PlaceCount total = {count.records, count.dropped, count.max_records, count.workgroups, reserved_bytes[i]};
    totals.push_back({{count.level, count.slot}, total});
  }
  return totals;
}

std::vector<std::pair<ReportedPlace, DumpedPayloads>> PlanCounts::Dumps() const {
  std::vector<std::pair<ReportedPlace, DumpedPayloads>> dumps;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto dump = Read<shared::PayloadDump>(buffer.data() + DumpPlace(levels.size(), i));
    const auto count = Read<shared::RegionCount>(buffer.data() + CountPlace(requests[i].opening));
    const std::byte* record = buffer.data() + (dump.data - buffer.address());
    DumpedPayloads payloads = {dump.capacity, requests[i].payload_bytes, {}};
    for (uint32_t rank = 0; rank < dump.written; ++rank, record += dump.words * sizeof(uint32_t))
      payloads.bytes.insert(payloads.bytes.end(), record, record + payloads.payload_bytes);
    dumps.push_back({{count.level, count.slot}, std::move(payloads)});
  }
  return dumps;
}

}  // namespace trellis
