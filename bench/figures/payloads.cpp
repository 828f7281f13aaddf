// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "bench/figures/figures.h"
#include "bench/framework/buffer.h"
#include "bench/framework/messages.h"
#include "bench/framework/pipelines.h"
#include "bench/framework/stopwatch.h"
#include "bench_nodes/payload.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kPayloadWords = 16;
constexpr uint32_t kRepetitions = 21;
constexpr uint32_t kQuickRepetitions = 3;

double TimeOf(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::vector<Figure> HostPayloads(const Gpu& gpu, bool quick) {
  const uint32_t count = quick ? 1u << 14 : 1u << 20;
  const Graph graph(gpu, {{"payload", kPayloadNode}});
  const GraphInput input = {"payload", count, std::vector<uint32_t>(size_t{count} * kPayloadWords, 1)};
  const size_t bytes = input.payloads.size() * sizeof(uint32_t);
  const Buffer results(gpu, sizeof(uint32_t));
  const auto record = [&](VkCommandBuffer commands) {
    gpu.Push(commands, results.address());
    graph.Dispatch(commands, input);
  };
  results.Write({0});
  gpu.RunOnce(record);
  if (results.Read()[0] != count) Fail("a graph with host payloads gave wrong results");

  const Buffer copy(gpu, bytes, Place::kHost);
  const VkCommandBuffer commands = gpu.AllocateCommandBuffer();
  // The first time touches memory.
  const auto [our_time, their_time] = MediansInTurns(
      quick ? kQuickRepetitions : kRepetitions,
      [&] {
        return TimeOf([&] {
          Begin(commands);
          record(commands);
          Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
        });
      },
      [&] { return TimeOf([&] { std::memcpy(copy.words().data(), input.payloads.data(), bytes); }); }, 1);
  gpu.FreeCommandBuffer(commands);
  char note[128];
  std::snprintf(note, sizeof(note), "recording %u payloads of %zu bytes: %.2f ms; one memcpy of them: %.2f ms", count,
                bytes / count, our_time / 1e6, their_time / 1e6);
  return {{"payloads", "host payloads", "", our_time / their_time, 1.3, note}};
}

}  // namespace trellis::bench
