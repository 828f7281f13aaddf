// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "bench/figures/figures.h"
#include "bench/framework/mesh_pipelines.h"
#include "bench/framework/recording.h"
#include "bench_nodes/mesh_touch.h"
#include "bench_shaders/mesh_touch.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kDispatches = 64;
constexpr uint32_t kRecordings = 101;
constexpr uint32_t kQuickRecordings = 3;

void OrderEverything(VkCommandBuffer commands) {
  auto barrier = Struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier,
                       0, nullptr, 0, nullptr);
}

// What the hand-written draws push.
struct Pushed {
  VkDeviceAddress words;
  uint32_t value;
  uint32_t unused = 0;
};

// So many mesh nodes, and as many pipelines of the same work.
class MeshNodes {
 public:
  MeshNodes(const Gpu& gpu, uint32_t count)
      : gpu_(gpu),
        count_(count),
        pipelines_(gpu, count, "touch", kMeshTouchNode, kMeshTouchSpv),
        graph_(gpu, {}, pipelines_.nodes(), pipelines_.layout()),
        labels_(gpu),
        words_(gpu, 64) {
    for (uint32_t i = 0; i < count; ++i) {
      payloads_.push_back(1);
      VkDispatchGraphInfoAMDX& info = infos_.emplace_back();
      info.nodeIndex = graph_.NodeIndex("touch", i);
      info.payloadCount = 1;
      info.payloadStride = 4;
    }
    for (uint32_t i = 0; i < count; ++i) infos_[i].payloads.hostAddress = &payloads_[i];
  }

  // Each dispatch has a payload for every node.
  void RecordGraph(VkCommandBuffer commands) const {
    BeginEmptyRendering(commands);
    const Pushed pushed = {words_.address(), 1};
    vkCmdPushConstants(commands, pipelines_.layout(), kMeshStages, 0, sizeof(pushed), &pushed);
    graph_.Bind(commands);
    for (uint32_t dispatch = 0; dispatch < kDispatches; ++dispatch) graph_.Dispatch(commands, infos_);
    vkCmdEndRendering(commands);
  }
  // The same draws, under the labels that the layer sets.
  void RecordDraws(VkCommandBuffer commands) const {
    BeginEmptyRendering(commands);
    for (uint32_t dispatch = 0; dispatch < kDispatches; ++dispatch) {
      labels_.Begin(commands, "execution graph");
      for (uint32_t i = 0; i < count_; ++i) {
        labels_.Begin(commands, "node");
        const Pushed pushed = {words_.address(), payloads_[i]};
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.by_hand(i));
        vkCmdPushConstants(commands, pipelines_.layout(), kMeshStages, 0, sizeof(pushed), &pushed);
        draw_mesh_tasks_(commands, 1, 1, 1);
        labels_.End(commands);
      }
      labels_.End(commands);
    }
    vkCmdEndRendering(commands);
  }

  // Whether both do what they should.
  [[nodiscard]] bool Work() const {
    for (const bool graph : {true, false}) {
      gpu_.RunOnce([&](VkCommandBuffer commands) {
        words_.Fill(commands, 0);
        OrderEverything(commands);
        graph ? RecordGraph(commands) : RecordDraws(commands);
        OrderEverything(commands);
      });
      if (words_.Read()[0] != kDispatches * count_) return false;
    }
    return true;
  }

 private:
  const Gpu& gpu_;
  const uint32_t count_;
  const MeshPipelines pipelines_;
  const Graph graph_;
  const Labels labels_;
  const Buffer words_;
  const PFN_vkCmdDrawMeshTasksEXT draw_mesh_tasks_ = DrawMeshTasksOf(gpu_);
  std::vector<uint32_t> payloads_;
  std::vector<VkDispatchGraphInfoAMDX> infos_;
};

Figure Measure(const Gpu& gpu, uint32_t nodes, uint32_t recordings) {
  const MeshNodes mesh_nodes(gpu, nodes);
  const std::string name = "recording, draws of " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
  if (!mesh_nodes.Work()) return {"M1", name, "", 0, 1.5, "the results are wrong"};
  const Recording recording(gpu);
  const auto [ours, theirs] = MediansInTurns(
      recordings, [&] { return recording.Time([&](VkCommandBuffer commands) { mesh_nodes.RecordGraph(commands); }); },
      [&] { return recording.Time([&](VkCommandBuffer commands) { mesh_nodes.RecordDraws(commands); }); });
  const double our_time = ours / kDispatches;
  const double their_time = theirs / kDispatches;
  char note[128];
  std::snprintf(note, sizeof(note), "%.2f us for each dispatch; hand-written: %.2f us", our_time / 1e3,
                their_time / 1e3);
  return {"M1", name, "", our_time / their_time, 1.5, note};
}

}  // namespace

std::vector<Figure> DrawCost(const std::string& device, bool quick) {
  const Gpu gpu(device, true);
  if (!gpu.has_mesh_nodes()) return {};
  std::vector<Figure> figures;
  for (const uint32_t nodes : quick ? std::vector<uint32_t>{1, 4} : std::vector<uint32_t>{1, 4, 16, 128})
    figures.push_back(Measure(gpu, nodes, quick ? kQuickRecordings : kRecordings));
  return figures;
}

}  // namespace trellis::bench
