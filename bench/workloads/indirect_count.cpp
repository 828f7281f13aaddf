// SPDX-License-Identifier: Apache-2.0
// Input that the device reads: infos of very different sizes, with their payloads, for one node of as many as the
// device could name.
#include <cstring>

#include "bench/workloads/hash.h"
#include "bench/workloads/records.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/consume_batch.h"
#include "bench_shaders/consume_chunk.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kChunkRecords = 256;
constexpr uint32_t kMaxChunksOfInfo = 7;

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress chunks;
};

struct Chunk {
  VkDeviceAddress records;
  uint32_t count;
  uint32_t unused;
};

// Payloads of each info: 1 to 1,792, and seldom a multiple of what a workgroup takes.
std::vector<uint32_t> PayloadCounts(uint32_t infos) {
  std::vector<uint32_t> counts;
  for (uint32_t info = 0; info < infos; ++info) counts.push_back(1 + Hash(info) % (kChunkRecords * kMaxChunksOfInfo));
  return counts;
}

std::vector<GraphNode> Entries(uint32_t count) {
  std::vector<GraphNode> nodes;
  for (uint32_t i = 0; i < count; ++i) nodes.push_back({.name = "consume", .words = kConsumeBatchNode, .index = i});
  return nodes;
}

uint32_t Sum(const std::vector<uint32_t>& numbers) {
  uint32_t sum = 0;
  for (const uint32_t number : numbers) sum += number;
  return sum;
}

template <typename T>
void Upload(const Buffer& buffer, const std::vector<T>& elements) {
  std::vector<uint32_t> words(elements.size() * sizeof(T) / 4);
  std::memcpy(words.data(), elements.data(), words.size() * 4);
  buffer.Write(words);
}

class IndirectCountWorkload final : public Workload {
 public:
  IndirectCountWorkload(const Gpu& gpu, uint32_t infos, uint32_t entries)
      : gpu_(gpu),
        counts_(PayloadCounts(infos)),
        records_(Sum(counts_)),
        graph_(gpu, Entries(entries)),
        results_(gpu, VkDeviceSize{records_} * kRecordBytes),
        payloads_(gpu, VkDeviceSize{records_} * kRecordBytes),
        infos_(gpu, infos * sizeof(VkDispatchGraphInfoAMDX)),
        count_info_(gpu, sizeof(VkDispatchGraphCountInfoAMDX)),
        chunks_(gpu, VkDeviceSize{infos} * kMaxChunksOfInfo * sizeof(Chunk)),
        arguments_(gpu, sizeof(VkDispatchIndirectCommand)),
        consume_(gpu, kConsumeChunkSpv) {
    WritePayloads();
    WriteInfos();
    WriteChunks();
  }

  void Reset(VkCommandBuffer commands) const override { results_.Fill(commands, 0); }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0});
    graph_.Bind(commands);
    gpu_.graph().CmdDispatchGraphIndirectCount(commands, graph_.scratch().address(), graph_.scratch().size(),
                                               count_info_.address());
  }

  void RecordBaseline(VkCommandBuffer commands, uint32_t) const override {
    gpu_.Push(commands, Push{results_.address(), chunks_.address()});
    consume_.Bind(commands);
    vkCmdDispatchIndirect(commands, arguments_.handle(), 0);
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckRecords(results, records_, LightResult);
  }

  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    return Needs{2.0 * records_ * kRecordBytes, double(records_) / kChunkRecords, 1};
  }

 private:
  void WritePayloads() const {
    std::vector<RecordWords> records;
    for (uint32_t index = 0; index < records_; ++index) records.push_back(MakeRecord(index));
    Upload(payloads_, records);
  }

  void WriteInfos() const {
    std::vector<VkDispatchGraphInfoAMDX> infos;
    VkDeviceAddress address = payloads_.address();
    for (const uint32_t count : counts_) {
      VkDispatchGraphInfoAMDX& info = infos.emplace_back();
      info.nodeIndex = graph_.NodeIndex("consume");
      info.payloadCount = count;
      info.payloads.deviceAddress = address;
      info.payloadStride = kRecordBytes;
      address += VkDeviceSize{count} * kRecordBytes;
    }
    Upload(infos_, infos);
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = static_cast<uint32_t>(counts_.size());
    count_info.infos.deviceAddress = infos_.address();
    count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
    Upload(count_info_, std::vector{count_info});
  }

  // What a producer of the baseline's would have written instead of infos.
  void WriteChunks() const {
    std::vector<Chunk> chunks;
    VkDeviceAddress address = payloads_.address();
    for (uint32_t left : counts_) {
      while (left != 0) {
        const uint32_t count = left < kChunkRecords ? left : kChunkRecords;
        chunks.push_back({address, count, 0});
        address += VkDeviceSize{count} * kRecordBytes;
        left -= count;
      }
    }
    Upload(chunks_, chunks);
    arguments_.Write({static_cast<uint32_t>(chunks.size()), 1, 1});
  }

  const Gpu& gpu_;
  const std::vector<uint32_t> counts_;
  const uint32_t records_;
  const Graph graph_;
  const Buffer results_;
  const Buffer payloads_;
  const Buffer infos_;
  const Buffer count_info_;
  const Buffer chunks_;
  const Buffer arguments_;
  const Kernel consume_;
};

}  // namespace

WorkloadEntry IndirectCount(uint32_t infos, uint32_t entries) {
  const std::string size =
      Amount(infos, "infos") + (entries > 1 ? ", one of " + Amount(entries, "entries") : std::string());
  return {"indirect count", size, std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<IndirectCountWorkload>(gpu, infos, entries); }};
}

}  // namespace trellis::bench
