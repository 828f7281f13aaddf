// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/stopwatch.h"

#include <algorithm>
#include <chrono>

namespace trellis::bench {
namespace {

VkQueryPool CreateTimestamps(const Gpu& gpu) {
  auto info = Struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  VkQueryPool pool = VK_NULL_HANDLE;
  Check(vkCreateQueryPool(gpu.device(), &info, nullptr, &pool), "vkCreateQueryPool");
  return pool;
}

VkCommandBuffer Record(const Gpu& gpu, const RecordCommands& record) {
  const VkCommandBuffer commands = Begin(gpu.AllocateCommandBuffer());
  record(commands);
  Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  return commands;
}

}  // namespace

TimedWork::TimedWork(const Gpu& gpu, const RecordCommands& reset, const RecordCommands& work) : gpu_(gpu) {
  if (gpu.timestamp_bits() != 0) queries_ = CreateTimestamps(gpu);
  reset_ = Record(gpu, [&](VkCommandBuffer commands) {
    reset(commands);
    if (queries_ != VK_NULL_HANDLE) vkCmdResetQueryPool(commands, queries_, 0, 2);
    FullBarrier(commands);
  });
  work_ = Record(gpu, [&](VkCommandBuffer commands) {
    WriteTimestamp(commands, 0);
    work(commands);
  });
  end_ = Record(gpu, [&](VkCommandBuffer commands) {
    WriteTimestamp(commands, 1);
    FullBarrier(commands);
  });
}

void TimedWork::WriteTimestamp(VkCommandBuffer commands, uint32_t number) const {
  if (queries_ != VK_NULL_HANDLE) vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, number);
}

TimedWork::~TimedWork() {
  gpu_.FreeCommandBuffer(reset_);
  gpu_.FreeCommandBuffer(work_);
  gpu_.FreeCommandBuffer(end_);
  vkDestroyQueryPool(gpu_.device(), queries_, nullptr);
}

double TimedWork::Run() const { return queries_ != VK_NULL_HANDLE ? RunWithTimestamps() : RunWithClock(); }

double TimedWork::RunWithTimestamps() const {
  gpu_.Submit({reset_, work_, end_});
  uint64_t ticks[2] = {};
  Check(vkGetQueryPoolResults(gpu_.device(), queries_, 0, 2, sizeof(ticks), ticks, sizeof(ticks[0]),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  const uint32_t unused_bits = 64 - gpu_.timestamp_bits();
  return static_cast<double>(((ticks[1] - ticks[0]) << unused_bits) >> unused_bits) *
         static_cast<double>(gpu_.limits().timestampPeriod);
}

double TimedWork::RunWithClock() const {
  gpu_.Submit({reset_});
  const auto begin = std::chrono::steady_clock::now();
  gpu_.Submit({work_, end_});
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

double Median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t middle = samples.size() / 2;
  return samples.size() % 2 != 0 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

Times Summarise(double cold, std::vector<double> samples) {
  const double minimum = *std::min_element(samples.begin(), samples.end());
  return {cold, Median(std::move(samples)), minimum};
}

MedianPair MediansInTurns(uint32_t count, const std::function<double()>& ours, const std::function<double()>& theirs,
                          uint32_t warm_up) {
  std::vector<double> our_times;
  std::vector<double> their_times;
  for (uint32_t i = 0; i < warm_up + count; ++i) {
    const double our_time = ours(), their_time = theirs();
    if (i < warm_up) continue;
    our_times.push_back(our_time);
    their_times.push_back(their_time);
  }
  return {Median(our_times), Median(their_times)};
}

}  // namespace trellis::bench
