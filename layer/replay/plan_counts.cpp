#include "layer/replay/plan_counts.h"

#include <cstring>
#include <utility>

#include "layer/objects/device.h"

namespace trellis {
namespace {

uint64_t Joined(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

}  // namespace

Expected<std::shared_ptr<const PlanCounts>> PlanCounts::Create(const Device& device,
                                                               std::span<const shared::RegionPlan> openings) {
  const VkDeviceSize bytes = sizeof(shared::RegionCountsHeader) + openings.size() * sizeof(shared::RegionCount);
  Expected<DeviceBuffer> buffer = DeviceBuffer::Create(device, bytes, BufferMemory::kHost, "trellis counts");
  if (!buffer) return buffer.error();
  auto counts = std::make_shared<PlanCounts>();
  counts->buffer = *std::move(buffer);
  counts->regions = static_cast<uint32_t>(openings.size());
  std::byte* place = counts->buffer.data() + sizeof(shared::RegionCountsHeader);
  for (const shared::RegionPlan& opening : openings) {
    shared::RegionCount count = {};
    count.slot = opening.slot;
    count.level = opening.level;
    std::memcpy(place, &count, sizeof(count));
    place += sizeof(count);
  }
  return std::shared_ptr<const PlanCounts>(std::move(counts));
}

uint32_t PlanCounts::Executions() const {
  shared::RegionCountsHeader header = {};
  if (buffer) std::memcpy(&header, buffer.data(), sizeof(header));
  return header.executions;
}

std::vector<RegionTotal> PlanCounts::Totals() const {
  std::vector<RegionTotal> totals;
  if (!buffer) return totals;
  const std::byte* place = buffer.data() + sizeof(shared::RegionCountsHeader);
  for (uint32_t i = 0; i < regions; ++i, place += sizeof(shared::RegionCount)) {
    shared::RegionCount count = {};
    std::memcpy(&count, place, sizeof(count));
    totals.push_back({count.level, count.slot, Joined(count.records_low, count.records_high),
                      Joined(count.dropped_low, count.dropped_high), count.max_records});
  }
  return totals;
}

}  // namespace trellis
