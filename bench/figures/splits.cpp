// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/figures/figures.h"
#include "bench/framework/image.h"
#include "bench/framework/stopwatch.h"
#include "bench/workloads/workloads.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kSplits = 64;
constexpr uint32_t kRepetitions = 20;
constexpr uint32_t kQuickRepetitions = 3;
constexpr VkFormat kColorFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;

void OrderAttachments(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                           VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                           VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
  constexpr VkAccessFlags kWrites = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  auto barrier = Struct<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = kWrites;
  barrier.dstAccessMask = kWrites | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  vkCmdPipelineBarrier(commands, kStages, kStages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

class Attachment {
 public:
  Attachment(const Gpu& gpu, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect)
      : image_(gpu, extent, format, usage, aspect),
        layout_(aspect == VK_IMAGE_ASPECT_COLOR_BIT ? VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
                                                    : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL) {
    gpu.RunOnce([&](VkCommandBuffer commands) {
      VkImageMemoryBarrier barrier = image_.Barrier();
      barrier.newLayout = layout_;
      vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                           nullptr, 0, nullptr, 1, &barrier);
    });
  }

  [[nodiscard]] VkRenderingAttachmentInfo Info(VkAttachmentLoadOp load) const {
    auto info = Struct<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
    info.imageView = image_.view();
    info.imageLayout = layout_;
    info.loadOp = load;
    info.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    return info;
  }

 private:
  const Image image_;
  const VkImageLayout layout_;
};

// A small graph in the middle of a render pass instance, again and again.
class Splits {
 public:
  Splits(const Gpu& gpu, VkExtent2D extent)
      : extent_(extent),
        color_(gpu, extent, kColorFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT),
        depth_(gpu, extent, kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT),
        graph_(Chain(2, 1).make(gpu)) {}

  void Reset(VkCommandBuffer commands) const { graph_->Reset(commands); }
  // By the layer.
  void RecordInside(VkCommandBuffer commands, uint32_t splits) const {
    Begin(commands, VK_ATTACHMENT_LOAD_OP_CLEAR);
    for (uint32_t i = 0; i < splits; ++i) graph_->RecordGraph(commands, 0);
    vkCmdEndRendering(commands);
  }
  // By the application.
  void RecordOutside(VkCommandBuffer commands, uint32_t splits) const {
    Begin(commands, VK_ATTACHMENT_LOAD_OP_CLEAR);
    for (uint32_t i = 0; i < splits; ++i) {
      vkCmdEndRendering(commands);
      graph_->RecordGraph(commands, 0);
      OrderAttachments(commands);
      Begin(commands, VK_ATTACHMENT_LOAD_OP_LOAD);
    }
    vkCmdEndRendering(commands);
  }
  // Empty if the graph's results are right.
  [[nodiscard]] std::string Mistake(const Gpu& gpu) const {
    gpu.RunOnce([&](VkCommandBuffer commands) {
      Reset(commands);
      FullBarrier(commands);
      RecordInside(commands, 1);
    });
    return graph_->Check(graph_->results().Read());
  }

 private:
  void Begin(VkCommandBuffer commands, VkAttachmentLoadOp load) const {
    const VkRenderingAttachmentInfo color = color_.Info(load);
    const VkRenderingAttachmentInfo depth = depth_.Info(load);
    auto info = Struct<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    info.renderArea.extent = extent_;
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(commands, &info);
  }

  const VkExtent2D extent_;
  const Attachment color_;
  const Attachment depth_;
  const std::unique_ptr<Workload> graph_;
};

}  // namespace

std::vector<Figure> SplitCost(const std::string& device, bool quick) {
  const Gpu gpu(device, true);
  if (!gpu.has_mesh_nodes()) return {};
  const Splits splits(gpu, quick ? VkExtent2D{64, 64} : VkExtent2D{1920, 1080});
  Figure figure = {"M3", "a graph inside a render pass instance", "", 0, 1.25, splits.Mistake(gpu)};
  if (!figure.note.empty()) return {figure};
  const auto reset = [&](VkCommandBuffer commands) { splits.Reset(commands); };
  const TimedWork inside(gpu, reset, [&](VkCommandBuffer commands) { splits.RecordInside(commands, kSplits); });
  const TimedWork outside(gpu, reset, [&](VkCommandBuffer commands) { splits.RecordOutside(commands, kSplits); });
  const auto [ours, theirs] = MediansInTurns(
      quick ? kQuickRepetitions : kRepetitions, [&] { return inside.Run(); }, [&] { return outside.Run(); });
  figure.value = ours / theirs;
  char note[128];
  std::snprintf(note, sizeof(note), "%.1f us for each; outside, between two instances: %.1f us", ours / kSplits / 1e3,
                theirs / kSplits / 1e3);
  figure.note = note;
  return {figure};
}

}  // namespace trellis::bench
