// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/queues.h"

namespace trellis::bench {
namespace {

// Ids of append.glsl.
constexpr uint32_t kRecordsAStep = 20;
constexpr uint32_t kGrowsByRows = 21;
constexpr uint32_t kRow = 1024;
constexpr uint32_t kHeadWords = 4;
constexpr uint32_t kMaxWorkgroupsInX = 65535;  // of every device

}  // namespace

Constants QueueShape::WithConstants(Constants more) const {
  more.push_back({kRecordsAStep, records_a_step});
  more.push_back({kGrowsByRows, row != 0 ? 1u : 0u});
  return more;
}

QueueShape ShapeOfQueue(const Gpu& gpu, uint64_t records, uint32_t records_a_workgroup) {
  const uint64_t workgroups = (records + records_a_workgroup - 1) / records_a_workgroup;
  if (workgroups <= gpu.limits().maxComputeWorkGroupCount[0]) return {records_a_workgroup, 0};
  return {records_a_workgroup * kRow, kRow};
}

Queues::Queues(const Gpu& gpu, uint32_t count) : count_(count), buffer_(gpu, VkDeviceSize{count} * kHeadWords * 4) {}

std::vector<uint32_t> Queues::Heads(const QueueShape& shape) const {
  std::vector<uint32_t> heads;
  const bool by_rows = shape.row != 0;
  for (uint32_t i = 0; i < count_; ++i) heads.insert(heads.end(), {shape.row, by_rows ? 0u : 1u, 1u, 0u});
  return heads;
}

void Queues::Reset(VkCommandBuffer commands, const QueueShape& shape) const { buffer_.Update(commands, Heads(shape)); }

void Queues::ResetFilled(VkCommandBuffer commands, uint32_t workgroups, uint32_t records) const {
  std::vector<uint32_t> heads = Heads({});
  heads[0] = workgroups;
  heads[3] = records;
  buffer_.Update(commands, heads);
}

void Queues::Dispatch(VkCommandBuffer commands, uint32_t queue) const {
  vkCmdDispatchIndirect(commands, buffer_.handle(), VkDeviceSize{queue} * kHeadWords * 4);
}

Grid GridOf(uint32_t workgroups) {
  if (workgroups <= kMaxWorkgroupsInX) return {workgroups, 1};
  return {kRow, (workgroups + kRow - 1) / kRow};
}

}  // namespace trellis::bench
