// SPDX-License-Identifier: Apache-2.0
// The chain, the fan-out and the Koch curve of trellis_bench with CUDA's dynamic parallelism, to run next to it on the same GPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bench/workloads/hash.h"

namespace trellis::bench {
namespace {

constexpr int kWarmUps = 3;
constexpr int kRepetitions = 20;

void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "trellis_cuda_peer: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// ---- chain: each level is launched by the one before, when that one ends

constexpr uint32_t kChainInvocations = 64;

__global__ void ChainLevel(uint32_t* results, uint32_t level, uint32_t levels, uint32_t value) {
  atomicAdd(results + level, value);
  if (threadIdx.x == 0 && level + 1 < levels)
    ChainLevel<<<1, kChainInvocations, 0, cudaStreamTailLaunch>>>(results, level + 1, levels, Hash(value));
}

// ---- fan-out: 16-byte records, a block of 32 for each

constexpr uint32_t kProducerInvocations = 256;
constexpr uint32_t kConsumerInvocations = 32;

__device__ uint4 MakeRecord(uint32_t index) { return make_uint4(index, Hash(index), index * 3, ~index); }

__device__ void Consume(uint32_t* results, uint4 record) {
  const uint32_t words[4] = {record.x, record.y, record.z, record.w};
  if (threadIdx.x < 4) results[record.x * 4 + threadIdx.x] = Hash(words[threadIdx.x] + threadIdx.x);
}

__global__ void ConsumeOne(uint32_t* results, uint4 record) { Consume(results, record); }

__global__ void ConsumeMany(uint32_t* results, const uint4* records) { Consume(results, records[blockIdx.x]); }

// A launch a record.
__global__ void ProduceOne(uint32_t* results) {
  const uint32_t index = blockIdx.x * kProducerInvocations + threadIdx.x;
  ConsumeOne<<<1, kConsumerInvocations, 0, cudaStreamFireAndForget>>>(results, MakeRecord(index));
}

// A launch for the records of a block.
__global__ void ProduceMany(uint32_t* results, uint4* records) {
  uint4* const mine = records + blockIdx.x * kProducerInvocations;
  mine[threadIdx.x] = MakeRecord(blockIdx.x * kProducerInvocations + threadIdx.x);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    ConsumeMany<<<kProducerInvocations, kConsumerInvocations, 0, cudaStreamFireAndForget>>>(results, mine);
}

// ---- Koch curve: each block divides its edges and launches blocks for what comes of them

constexpr uint32_t kKochInvocations = 64;
constexpr uint32_t kKochEdges = 3;
constexpr float kTolerance = 1e-4f;

struct Edge {
  float2 begin;
  float2 end;
};

__host__ __device__ Edge Child(Edge edge, uint32_t i) {
  const float2 third = make_float2((edge.end.x - edge.begin.x) / 3, (edge.end.y - edge.begin.y) / 3);
  float2 points[5];
  points[0] = edge.begin;
  points[1] = make_float2(edge.begin.x + third.x, edge.begin.y + third.y);
  points[2] = make_float2(points[1].x + third.x / 2 + third.y * 0.8660254f,
                          points[1].y + third.y / 2 - third.x * 0.8660254f);
  points[3] = make_float2(edge.end.x - third.x, edge.end.y - third.y);
  points[4] = edge.end;
  return {points[i], points[i + 1]};
}

// `edges` are those of this level, `first` and `count` the part that this launch divides; the next level's lie behind them.
__global__ void KochLevel(Edge* results, Edge* edges, uint32_t level_edges, uint32_t first, uint32_t count,
                          uint32_t levels_left) {
  const uint32_t block_first = first + blockIdx.x * kKochInvocations;
  const uint32_t block_count = min(count - blockIdx.x * kKochInvocations, kKochInvocations);
  Edge* const next = levels_left == 1 ? results : edges + level_edges;
  if (threadIdx.x < block_count) {
    const Edge edge = edges[block_first + threadIdx.x];
    for (uint32_t i = 0; i < 4; ++i) next[(block_first + threadIdx.x) * 4 + i] = Child(edge, i);
  }
  if (levels_left == 1) return;
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  const uint32_t children = block_count * 4;
  const uint32_t blocks = (children + kKochInvocations - 1) / kKochInvocations;
  KochLevel<<<blocks, kKochInvocations, 0, cudaStreamFireAndForget>>>(results, next, level_edges * 4, block_first * 4,
                                                                      children, levels_left - 1);
}

// ---- host

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { Check(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  void Clear() const { Check(cudaMemset(data_, 0, count_ * sizeof(T)), "cudaMemset"); }
  std::vector<T> Read() const {
    std::vector<T> copy(count_);
    Check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return copy;
  }

 private:
  const size_t count_;
  T* data_ = nullptr;
};

struct Row {
  std::string name;
  std::string size;
  double median = 0;
  double minimum = 0;
  bool is_correct = false;
};

double RunOnce(const std::function<void()>& reset, const std::function<void()>& launch, cudaEvent_t begin,
               cudaEvent_t end) {
  reset();
  Check(cudaDeviceSynchronize(), "reset");
  Check(cudaEventRecord(begin), "cudaEventRecord");
  launch();
  Check(cudaGetLastError(), "launch");
  Check(cudaEventRecord(end), "cudaEventRecord");
  Check(cudaDeviceSynchronize(), "run");
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return double(milliseconds) * 1e6;
}

Row Measure(const std::string& name, const std::string& size, const std::function<void()>& reset,
            const std::function<void()>& launch, const std::function<bool()>& is_correct) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  Check(cudaEventCreate(&begin), "cudaEventCreate");
  Check(cudaEventCreate(&end), "cudaEventCreate");
  for (int i = 0; i < kWarmUps; ++i) RunOnce(reset, launch, begin, end);
  std::vector<double> samples;
  for (int i = 0; i < kRepetitions; ++i) samples.push_back(RunOnce(reset, launch, begin, end));
  std::sort(samples.begin(), samples.end());
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  const Row row = {name, size, (samples[kRepetitions / 2 - 1] + samples[kRepetitions / 2]) / 2, samples.front(),
                   is_correct()};
  std::printf("%-26s %-16s %12.1f us %12.1f us%s\n", name.c_str(), size.c_str(), row.median / 1e3, row.minimum / 1e3,
              row.is_correct ? "" : "  WRONG");
  return row;
}

Row MeasureChain(uint32_t levels) {
  const DeviceArray<uint32_t> results(levels);
  const auto is_correct = [&] {
    const std::vector<uint32_t> words = results.Read();
    uint32_t value = 1;
    for (uint32_t level = 0; level < levels; ++level, value = Hash(value))
      if (words[level] != kChainInvocations * value) return false;
    return true;
  };
  return Measure(
      "chain", std::to_string(levels) + " levels", [&] { results.Clear(); },
      [&] { ChainLevel<<<1, kChainInvocations>>>(results.get(), 0, levels, 1); }, is_correct);
}

bool IsFanOutCorrect(const std::vector<uint32_t>& words) {
  for (uint32_t index = 0; index < words.size() / 4; ++index) {
    const uint32_t record[4] = {index, Hash(index), index * 3, ~index};
    for (uint32_t i = 0; i < 4; ++i)
      if (words[index * 4 + i] != Hash(record[i] + i)) return false;
  }
  return true;
}

Row MeasureFanOut(uint32_t records, bool launch_a_record) {
  const DeviceArray<uint32_t> results(size_t{records} * 4);
  const DeviceArray<uint4> list(records);
  const uint32_t blocks = records / kProducerInvocations;
  const auto launch = [&] {
    if (launch_a_record)
      ProduceOne<<<blocks, kProducerInvocations>>>(results.get());
    else
      ProduceMany<<<blocks, kProducerInvocations>>>(results.get(), list.get());
  };
  return Measure(
      launch_a_record ? "fan-out, a launch a record" : "fan-out, a launch a block", std::to_string(records) + " records",
      [&] { results.Clear(); }, launch, [&] { return IsFanOutCorrect(results.Read()); });
}

std::vector<Edge> Triangle() {
  const float2 corners[kKochEdges + 1] = {{-1.0f, -0.5f}, {1.0f, -0.5f}, {0.0f, 1.2320508f}, {-1.0f, -0.5f}};
  std::vector<Edge> edges;
  for (uint32_t i = 0; i < kKochEdges; ++i) edges.push_back({corners[i], corners[i + 1]});
  return edges;
}

bool IsKochCorrect(const std::vector<Edge>& lines, uint32_t depth) {
  std::vector<Edge> edges = Triangle();
  for (uint32_t level = 0; level < depth; ++level) {
    std::vector<Edge> next;
    for (const Edge& edge : edges)
      for (uint32_t i = 0; i < 4; ++i) next.push_back(Child(edge, i));
    edges = std::move(next);
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    const float difference = std::abs(lines[i].begin.x - edges[i].begin.x) + std::abs(lines[i].begin.y - edges[i].begin.y) +
                             std::abs(lines[i].end.x - edges[i].end.x) + std::abs(lines[i].end.y - edges[i].end.y);
    if (!(difference < kTolerance)) return false;
  }
  return true;
}

Row MeasureKoch(uint32_t depth) {
  const uint32_t leaves = kKochEdges << (2 * depth);
  const DeviceArray<Edge> results(leaves);
  const DeviceArray<Edge> edges(leaves);  // 3 + 12 + 48 + ... of all levels but the last
  const std::vector<Edge> triangle = Triangle();
  const auto reset = [&] {
    results.Clear();
    Check(cudaMemcpy(edges.get(), triangle.data(), triangle.size() * sizeof(Edge), cudaMemcpyHostToDevice), "cudaMemcpy");
  };
  const auto launch = [&] {
    KochLevel<<<1, kKochInvocations>>>(results.get(), edges.get(), kKochEdges, 0, kKochEdges, depth);
  };
  return Measure("Koch curve", "depth " + std::to_string(depth), reset, launch,
                 [&] { return IsKochCorrect(results.Read(), depth); });
}

void WriteJson(const std::string& file, const std::string& device, const std::vector<Row>& rows) {
  std::FILE* const out = file == "-" ? stdout : std::fopen(file.c_str(), "w");
  if (out == nullptr) {
    std::fprintf(stderr, "trellis_cuda_peer: cannot write %s\n", file.c_str());
    std::exit(1);
  }
  std::fputs("[", out);
  for (size_t i = 0; i < rows.size(); ++i)
    std::fprintf(out, "%s\n {\"name\": \"%s\", \"size\": \"%s\", \"device\": \"%s\", \"cuda_ns\": %.0f, \"cuda_min_ns\": %.0f}",
                 i == 0 ? "" : ",", rows[i].name.c_str(), rows[i].size.c_str(), device.c_str(), rows[i].median,
                 rows[i].minimum);
  std::fputs("\n]\n", out);
  if (out != stdout) std::fclose(out);
}

int Main(const std::string& json) {
  constexpr uint32_t kMostLaunches = 1u << 18;  // waiting at a time; each takes memory
  cudaDeviceProp properties;
  Check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  Check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, kMostLaunches), "cudaDeviceSetLimit");
  std::printf("device: %s\n%-26s %-16s %15s %15s\n", properties.name, "CUDA dynamic parallelism", "size", "median", "min");
  const std::vector<Row> rows = {MeasureChain(4),
                                 MeasureChain(16),
                                 MeasureChain(32),
                                 MeasureFanOut(1u << 10, true),
                                 MeasureFanOut(1u << 16, true),
                                 MeasureFanOut(1u << 10, false),
                                 MeasureFanOut(1u << 16, false),
                                 MeasureFanOut(1u << 20, false),
                                 MeasureKoch(4),
                                 MeasureKoch(8)};
  if (!json.empty()) WriteJson(json, properties.name, rows);
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_correct; }) ? 0 : 1;
}

}  // namespace
}  // namespace trellis::bench

int main(int argc, char** argv) {
  if (argc == 1) return trellis::bench::Main("");
  if (argc == 3 && std::strcmp(argv[1], "--json") == 0) return trellis::bench::Main(argv[2]);
  std::fputs("usage: trellis_cuda_peer [--json FILE]\n", stderr);
  return 2;
}
