// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "bench/figures/figures.h"
#include "bench/framework/mesh_pipelines.h"
#include "bench/framework/stopwatch.h"
#include "bench/workloads/hash.h"
#include "bench_nodes/pick.h"
#include "bench_nodes/picked.h"
#include "bench_shaders/pick.h"
#include "bench_shaders/picked_mesh.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kRepetitions = 20;
constexpr uint32_t kQuickRepetitions = 3;
constexpr uint32_t kInvocations = 256;
constexpr uint32_t kSums = 1024;

// What bench/shaders/shared/picked.glsl has.
struct Picking {
  uint32_t items;
  uint32_t nodes;
  uint32_t used;
  uint32_t every;

  // Of a list: as if all were picked.
  [[nodiscard]] uint32_t Capacity() const { return items / used; }
  [[nodiscard]] bool IsPicked(uint32_t item) const { return (Hash(item) & (every - 1)) == 0; }
  [[nodiscard]] Constants Specialization() const {
    return {{0, items / kInvocations}, {1, nodes}, {2, used}, {3, every}};
  }
};

void OrderDraws(VkCommandBuffer commands) {
  auto barrier = Struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
}

// Compute picks items for mesh shaders: as a graph, and as a dispatch, a barrier and an indirect draw for each node.
class PickedDraws {
 public:
  PickedDraws(const Gpu& gpu, const Picking& picking)
      : gpu_(gpu),
        picking_(picking),
        pipelines_(gpu, picking.nodes, "picked", kPickedNode, kPickedMeshSpv),
        graph_(gpu, {{"pick", kPickNode, picking.Specialization()}}, pipelines_.nodes(), pipelines_.layout()),
        kernel_(gpu, kPickSpv, picking.Specialization(), pipelines_.layout()),
        sums_(gpu, kSums * 4),
        // Cleared by a reset that no time is taken of.
        draws_(gpu, picking.nodes * 16),
        lists_(gpu, VkDeviceSize{picking.nodes} * picking.Capacity() * 4) {}

  void Reset(VkCommandBuffer commands) const {
    std::vector<uint32_t> draws;
    for (uint32_t i = 0; i < picking_.nodes; ++i) draws.insert(draws.end(), {0, 1, 1, 0});
    draws_.Update(commands, draws);
    sums_.Fill(commands, 0);
  }
  void RecordGraph(VkCommandBuffer commands) const {
    BeginEmptyRendering(commands);
    const VkDeviceAddress sums = sums_.address();
    vkCmdPushConstants(commands, pipelines_.layout(), kMeshStages, 0, sizeof(sums), &sums);
    graph_.Dispatch(commands, GraphInput{"pick"});
    vkCmdEndRendering(commands);
  }
  void RecordByHand(VkCommandBuffer commands) const {
    const uint32_t capacity = picking_.Capacity();
    const struct {
      VkDeviceAddress draws, lists;
      uint32_t capacity, unused;
    } compute = {draws_.address(), lists_.address(), capacity, 0};
    vkCmdPushConstants(commands, pipelines_.layout(), kMeshStages, 0, sizeof(compute), &compute);
    kernel_.Bind(commands);
    vkCmdDispatch(commands, picking_.items / kInvocations, 1, 1);
    OrderDraws(commands);
    BeginEmptyRendering(commands);
    for (uint32_t i = 0; i < picking_.nodes; ++i) {
      const VkDeviceAddress mesh[] = {sums_.address(), lists_.address() + VkDeviceSize{i} * capacity * 4};
      vkCmdPushConstants(commands, pipelines_.layout(), kMeshStages, 0, sizeof(mesh), mesh);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.by_hand(i));
      draw_(commands, draws_.handle(), VkDeviceSize{i} * 16, 1, 0);
    }
    vkCmdEndRendering(commands);
  }

  // Whether both draw each picked item once.
  [[nodiscard]] bool Work() const {
    std::vector<uint32_t> expected(kSums);
    for (uint32_t item = 0; item < picking_.items; ++item)
      if (picking_.IsPicked(item)) expected[item % kSums] += item + 1;
    for (const bool by_hand : {false, true}) {
      gpu_.RunOnce([&](VkCommandBuffer commands) {
        Reset(commands);
        FullBarrier(commands);
        by_hand ? RecordByHand(commands) : RecordGraph(commands);
        FullBarrier(commands);
      });
      if (sums_.Read() != expected) return false;
    }
    return true;
  }

 private:
  const Gpu& gpu_;
  const Picking picking_;
  const MeshPipelines pipelines_;
  const Graph graph_;
  const Kernel kernel_;
  const Buffer sums_;
  const Buffer draws_;
  const Buffer lists_;
  const PFN_vkCmdDrawMeshTasksIndirectEXT draw_ = DrawMeshTasksIndirectOf(gpu_);
};

Figure Measure(const Gpu& gpu, const char* id, const std::string& name, const Picking& picking, uint32_t repetitions) {
  Figure figure = {id, name, "", 0, 1.25, "the results are wrong"};
  const PickedDraws draws(gpu, picking);
  if (!draws.Work()) return figure;
  const auto reset = [&](VkCommandBuffer commands) { draws.Reset(commands); };
  const TimedWork graph(gpu, reset, [&](VkCommandBuffer commands) { draws.RecordGraph(commands); });
  const TimedWork by_hand(gpu, reset, [&](VkCommandBuffer commands) { draws.RecordByHand(commands); });
  // As often before, while clocks rise.
  const auto [ours, theirs] = MediansInTurns(
      repetitions, [&] { return graph.Run(); }, [&] { return by_hand.Run(); }, repetitions);
  figure.value = ours / theirs;
  char note[128];
  std::snprintf(note, sizeof(note), "%.1f us; hand-written: %.1f us", ours / 1e3, theirs / 1e3);
  figure.note = note;
  return figure;
}

}  // namespace

std::vector<Figure> PickedDrawCost(const std::string& device, bool quick) {
  const Gpu gpu(device, true);
  if (!gpu.has_mesh_nodes()) return {};
  auto mesh =
      Struct<VkPhysicalDeviceMeshShaderPropertiesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT);
  auto properties = Struct<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &mesh);
  vkGetPhysicalDeviceProperties2(gpu.physical_device(), &properties);
  uint32_t items = quick ? 1u << 14 : 1u << 20;
  // A row of workgroups has one for each that is picked, about a sixteenth of them.
  while (items / 8 > mesh.maxMeshWorkGroupCount[0]) items /= 2;
  return {Measure(gpu, "M2", "draws of a sixteenth of " + std::to_string(items) + " items", {items, 1, 1, 16},
                  quick ? kQuickRepetitions : kRepetitions)};
}

std::vector<Figure> FewOfManyDrawCost(const std::string& device, bool quick) {
  const Gpu gpu(device, true);
  if (!gpu.has_mesh_nodes()) return {};
  return {Measure(gpu, "M4", "draws of 4 of 128 nodes", {4096, 128, 4, 4}, quick ? kQuickRepetitions : kRepetitions)};
}

}  // namespace trellis::bench
