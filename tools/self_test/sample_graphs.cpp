// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/sample_graphs.h"

#include <functional>

namespace trellis::self_test {
namespace {

// The example of the same name from the proposal for work graphs in Slang.
Sample HelloWorld() {
  Sample sample{"HelloWorld",
                {{"hello_world/root", "MyGraphRoot"}, {"hello_world/child", "MyChildNode"}},
                {"MyGraphRoot", 0, 1, {}, 0},
                {}};
  sample.expected.assign(8 * 8, 123456);
  return sample;
}

// The other example there, with the barriers that its HLSL lacks.
Sample HelloWorkGraphs() {
  Sample sample{"D3D12HelloWorkGraphs",
                {{"hello/first", "firstNode"}, {"hello/second", "secondNode"}, {"hello/third", "thirdNode"}},
                {"firstNode", 0, 4, {}, 8},
                {}};
  sample.expected.resize(kSampleResultWords);
  for (uint32_t record = 0; record < 4; ++record) {
    const uint32_t grid = record + 1;
    sample.input.payloads.insert(sample.input.payloads.end(), {grid, record});
    for (uint32_t invocation = 0; invocation < 2 * grid; ++invocation) {
      sample.expected[record] += invocation * 2 + invocation % 2 + 1;
      sample.expected[4 + record] += 1;
    }
  }
  return sample;
}

// Three launches of 64 workgroups, every second of which sends an empty payload.
Sample Ticks() {
  Sample sample{"Ticks", {{"ticks/work", "work"}, {"ticks/count", "count"}}, {"work", 0, 3, {}, 0}, {}};
  sample.expected = {3 * 32};
  return sample;
}

Sample Handles() {
  Sample sample{"Handles",
                {{"handles/source", "source"}, {"handles/sink", "sink", 0}, {"handles/sink", "sink", 1}},
                {"source", 0, 5, {0, 9, 20, 33, 100}, 4},
                {}};
  sample.expected.resize(kSampleResultWords);
  const auto add = [&](uint32_t index, uint32_t slot, uint32_t value) { sample.expected[index * 256 + slot] += value; };
  for (const uint32_t start : sample.input.payloads) {
    for (uint32_t i = 0; i < 4; ++i) {
      add(0, start + i, 1);
      add(1, start + i, 2);
    }
    const bool even = start % 2 == 0;
    for (uint32_t i = 0; i < (even ? 1u : 2u); ++i) add(even ? 0 : 1, start + i, 100);
    add(1, start, 1000);  // of invocation 3
  }
  return sample;
}

struct Part {
  uint32_t x = 0, y = 0;
  float weights[2][3] = {};
  float direction[2][3] = {};
  float turn[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  uint32_t value = 0;

  [[nodiscard]] uint32_t Checksum() const {
    float sum = 0;
    for (uint32_t k = 0; k < 2; ++k) {
      sum += direction[k][0] + 3 * direction[k][1] + 5 * direction[k][2];
      for (uint32_t w = 0; w < 3; ++w) sum += weights[k][w] * static_cast<float>(w + 1);
    }
    for (const auto& column : turn) sum += column[0] + 2 * column[1] + 3 * column[2];
    return static_cast<uint32_t>(sum) + x + 2 * y;
  }
};

Sample Layouts(bool scalar) {
  const auto node = [&](const char* file, const char* name, std::optional<uint32_t> index) {
    return SampleNode{file, name, index, scalar};
  };
  Sample sample{scalar ? "LayoutsScalar" : "LayoutsStd430",
                {node("layouts/producer", "producer", {}), node("layouts/consumer", "consumer", 0),
                 node("layouts/consumer", "consumer", 1), node("layouts/consumer", "consumer", 2)},
                {"producer", 0, 3, {}, scalar ? 16u : 32u},
                {}};
  sample.expected.resize(kSampleResultWords);
  constexpr uint32_t kGrids[3][2] = {{3, 2}, {8, 4}, {0, 1}};
  for (uint32_t job = 0; job < 3; ++job) {
    const uint32_t first = 40 * job;
    std::vector<uint32_t> record = {first};
    if (!scalar) record.resize(4);
    record.insert(record.end(), {kGrids[job][0], kGrids[job][1], 1});
    record.resize(sample.input.stride / 4);
    sample.input.payloads.insert(sample.input.payloads.end(), record.begin(), record.end());
    for (uint32_t y = 0; y < kGrids[job][1]; ++y) {
      for (uint32_t x = 0; x < kGrids[job][0]; ++x) {
        const uint32_t workgroup = y * 8 + x;
        Part parts[5];
        for (uint32_t i = 0; i < 4; ++i) {
          Part& part = parts[i];
          part.x = x * 8 + i;
          part.y = y;
          part.value = first + i;
          part.turn[i % 3][1] = 4;
          for (uint32_t k = 0; k < 2; ++k) {
            part.direction[k][0] = static_cast<float>(k);
            part.direction[k][1] = static_cast<float>(i);
            part.direction[k][2] = static_cast<float>(workgroup);
            for (uint32_t w = 0; w < 3; ++w) part.weights[k][w] = static_cast<float>(10 * k + w);
          }
        }
        parts[4] = parts[3];
        parts[1] = parts[2];
        for (uint32_t i = 0; i < 3; ++i) {
          parts[1].weights[1][i] = parts[2].weights[0][i];
          parts[1].direction[1][i] = parts[2].direction[0][i];
        }
        parts[4].value += 7;
        for (const Part& part : parts) sample.expected[workgroup % 3 * 256 + part.value] += part.Checksum();
      }
    }
  }
  return sample;
}

// Halved as often as levels are left.
Sample Recursion() {
  Sample sample{"Recursion",
                {{"recursion/divide", "divide"}, {"recursion/leaf", "leaf"}},
                {"divide", 2, 4, {0, 16, 50, 3, 60, 1, 70, 100}, 8},
                {}};
  sample.expected.resize(kSampleResultWords);
  const std::function<void(uint32_t, uint32_t, uint32_t)> divide = [&](uint32_t first, uint32_t count,
                                                                       uint32_t remaining) {
    sample.expected[256 + remaining] += 1;
    if (remaining > 0 && count > 1) {
      divide(first, count / 2, remaining - 1);
      divide(first + count / 2, count - count / 2, remaining - 1);
      return;
    }
    for (uint32_t i = 0; i < count; ++i) sample.expected[first + i] += count;
  };
  for (size_t i = 0; i < sample.input.payloads.size(); i += 2)
    divide(sample.input.payloads[i], sample.input.payloads[i + 1], 3);
  return sample;
}

// Each of three launches adds up the numbers of its invocations.
Sample Finish() {
  Sample sample{"Finish",
                {{"finish/start", "start"}, {"finish/add", "add"}, {"finish/report", "report"}},
                {"start", 0, 2, {}, 0},
                {}};
  for (uint32_t slot = 0; slot < 3; ++slot) {
    const uint32_t invocations = 64 * 4 * (slot + 1);
    sample.expected.push_back(2 * (invocations * (invocations - 1) / 2));
  }
  return sample;
}

// "watch" sees what "sum" gets, with its own grid.
Sample Sharing() {
  Sample sample{"Sharing",
                {{"sharing/scatter", "scatter"}, {"sharing/sum", "sum"}, {"sharing/watch", "watch"}},
                {"scatter", 0, 2, {}, 0},
                {}};
  sample.expected.resize(kSampleResultWords);
  for (uint32_t slot = 0; slot < 4; ++slot) {
    sample.expected[slot] = 2 * slot;
    sample.expected[64 + slot] = 2 * (10 + 11);
  }
  return sample;
}

}  // namespace

std::vector<Sample> AllSamples() {
  return {HelloWorld(), HelloWorkGraphs(), Ticks(), Handles(), Layouts(false), Layouts(true), Recursion(), Sharing()};
}

std::vector<Sample> SamplesForNodesOnly() { return {Finish()}; }

void PrintTo(const Sample& sample, std::ostream* stream) { *stream << sample.name; }

}  // namespace trellis::self_test
