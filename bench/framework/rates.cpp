// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/rates.h"

#include <algorithm>

#include "bench/framework/pipelines.h"
#include "bench/framework/stopwatch.h"
#include "bench_shaders/copy.h"
#include "bench_shaders/empty.h"
#include "bench_shaders/touch.h"

namespace trellis::bench {
namespace {

// Both fit into the grid of every device.
constexpr uint32_t kRow = 4096;
constexpr uint32_t kWorkgroupSizes[] = {32, 64, 128, 256, 512, 1024};
constexpr uint32_t kSteps = 32;
// Workgroups in a row of the shader that copies.
constexpr uint32_t kCopyRow = 256;

double Fastest(const Gpu& gpu, const RecordCommands& work) {
  const TimedWork timed(
      gpu, [](VkCommandBuffer) {}, work);
  double best = timed.Run();
  for (int i = 0; i < 10; ++i) best = std::min(best, timed.Run());
  return best;
}

// By the command or by a shader, whichever is faster: drivers may give the command to a slower engine.
double MeasureCopy(const Gpu& gpu, VkDeviceSize bytes) {
  const Buffer from(gpu, bytes);
  const Buffer to(gpu, bytes);
  const VkBufferCopy region = {0, 0, bytes};
  const double command = Fastest(
      gpu, [&](VkCommandBuffer commands) { vkCmdCopyBuffer(commands, from.handle(), to.handle(), 1, &region); });
  const Kernel copy(gpu, kCopySpv);
  constexpr VkDeviceSize kRowBytes = VkDeviceSize{kCopyRow} * 256 * 4 * 16;
  const double shader = Fastest(gpu, [&](VkCommandBuffer commands) {
    copy.Bind(commands);
    const VkDeviceAddress addresses[] = {from.address(), to.address()};
    gpu.Push(commands, addresses);
    vkCmdDispatch(commands, kCopyRow, static_cast<uint32_t>(bytes / kRowBytes), 1);
  });
  return 2 * static_cast<double>(bytes) / std::min(command, shader);
}

// Empty workgroups a nanosecond. `invocations`: of a workgroup.
double MeasureLaunches(const Gpu& gpu, uint32_t rows, uint32_t invocations) {
  const Kernel empty(gpu, kEmptySpv, {{0, invocations}});
  const double time = Fastest(gpu, [&](VkCommandBuffer commands) {
    empty.Bind(commands);
    vkCmdDispatch(commands, kRow, rows, 1);
  });
  return static_cast<double>(kRow) * rows / time;
}

double MeasureStep(const Gpu& gpu) {
  const Kernel touch(gpu, kTouchSpv);
  const Buffer words(gpu, 64);
  gpu.RunOnce([&](VkCommandBuffer commands) { words.Fill(commands, 1); });
  const double time = Fastest(gpu, [&](VkCommandBuffer commands) {
    touch.Bind(commands);
    const VkDeviceAddress word = words.address() + 16;
    gpu.Push(commands, word);
    for (uint32_t i = 0; i < kSteps; ++i) {
      vkCmdDispatchIndirect(commands, words.handle(), 0);
      StepBarrier(commands);
    }
  });
  return time / kSteps;
}

}  // namespace

Rates MeasureRates(const Gpu& gpu, bool quick) {
  const uint32_t rows = quick ? 32 : 512;
  Rates rates;
  rates.bytes_per_nanosecond = MeasureCopy(gpu, quick ? 4u << 20 : 1u << 30);
  for (const uint32_t invocations : kWorkgroupSizes) {
    if (invocations > gpu.limits().maxComputeWorkGroupInvocations) continue;
    const double workgroups = MeasureLaunches(gpu, rows * kWorkgroupSizes[0] / invocations, invocations);
    rates.workgroups_per_nanosecond = std::max(rates.workgroups_per_nanosecond, workgroups);
    rates.invocations_per_nanosecond = std::max(rates.invocations_per_nanosecond, workgroups * invocations);
  }
  rates.nanoseconds_per_step = MeasureStep(gpu);
  return rates;
}

double ShareOfBound(const Rates& rates, const Needs& needs, double nanoseconds) {
  const double throughput =
      std::max({needs.bytes / rates.bytes_per_nanosecond, needs.workgroups / rates.workgroups_per_nanosecond,
                needs.invocations / rates.invocations_per_nanosecond});
  // Barriers keep what a step takes to begin and to end apart from all other work.
  return (throughput + needs.steps * rates.nanoseconds_per_step) / nanoseconds;
}

}  // namespace trellis::bench
