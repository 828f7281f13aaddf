// SPDX-License-Identifier: Apache-2.0
// The pixels of a frame are sorted by material, and each material is a shader of its own.
#include <algorithm>
#include <numeric>

#include "bench/framework/texture.h"
#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/material.h"
#include "bench_nodes/material_source.h"
#include "bench_nodes/material_source_sorted.h"
#include "bench_shaders/material.h"
#include "bench_shaders/material_lists.h"
#include "bench_shaders/material_lists_sorted.h"
#include "bench_shaders/material_switch.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kTextureSide = 256;
constexpr uint32_t kStepsOfTexel = 8;
constexpr uint32_t kLargestArea = 32;  // side of an area of one material, in pixels
constexpr uint32_t kSmallestArea = 8;
constexpr uint32_t kShift[] = {3, 5};  // of the areas, so that no tiles of the classification match them
constexpr uint32_t kFray = 2;          // places that the edge of an area may have

// How the classification goes through the frame.
struct Order {
  bool is_sorted;  // in shared memory, before anything is written
  bool by_tiles;
  uint32_t invocations;
  uint32_t items;  // of an invocation

  [[nodiscard]] uint32_t pixels() const { return invocations * items; }
};
struct GraphForm : Order {
  uint32_t records;  // of a workgroup of a material; 1: thread nodes
};
constexpr GraphForm kGraphForms[] = {
    {{false, false, 256, 1}, 1},  {{false, true, 256, 1}, 1},    {{false, true, 256, 1}, 128},
    {{false, true, 256, 1}, 256}, {{false, true, 256, 4}, 1},    {{false, false, 1024, 1}, 64},
    {{false, true, 1024, 1}, 1},  {{false, true, 1024, 1}, 256}, {{true, true, 256, 4}, 1},
    {{true, true, 512, 4}, 128},  {{true, true, 1024, 4}, 1},    {{true, false, 1024, 4}, 256}};
constexpr Order kBaselineOrders[] = {{false, false, 256, 1}, {false, true, 256, 1},  {false, false, 256, 4},
                                     {false, true, 256, 4},  {false, true, 1024, 1}, {false, true, 1024, 4},
                                     {true, true, 256, 4},   {true, true, 512, 4},   {true, true, 1024, 4},
                                     {true, false, 1024, 4}};
constexpr uint32_t kBaselineInvocations[] = {64, 128, 256};
constexpr Order kSwitchOrders[] = {
    {false, false, 128, 1}, {false, true, 128, 1}, {false, false, 256, 1}, {false, true, 256, 1}};

struct Head {
  uint32_t x;
  uint32_t y;
  uint32_t z;
  uint32_t count;
  uint32_t start;
  uint32_t padding[27];
};
constexpr uint32_t kHeadWords = sizeof(Head) / 4;

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress visibility;
  VkDeviceAddress pixels;
  VkDeviceAddress heads;
  uint32_t pixels_a_step;
};

struct Size {
  uint32_t width;
  uint32_t height;
  uint32_t materials;

  [[nodiscard]] uint32_t pixels() const { return width * height; }
};

uint32_t MaterialOf(uint32_t visibility) { return visibility & 0xff; }
uint32_t StepsOf(uint32_t material) { return 5 + Hash(material) % 46; }
bool IsTextured(uint32_t material) { return material % 3 == 0; }

std::vector<uint32_t> Texels() {
  std::vector<uint32_t> texels(size_t{kTextureSide} * kTextureSide);
  for (uint32_t i = 0; i < texels.size(); ++i) texels[i] = Hash(~i);
  return texels;
}

uint32_t Shade(const std::vector<uint32_t>& texels, uint32_t width, uint32_t pixel, uint32_t visibility) {
  const uint32_t material = MaterialOf(visibility);
  uint32_t colour = visibility ^ pixel;
  for (uint32_t i = 0; i < StepsOf(material); ++i) {
    const uint32_t x = (pixel % width + i * 5) % kTextureSide;
    const uint32_t y = (pixel / width + i * 3) % kTextureSide;
    if (IsTextured(material) && i % kStepsOfTexel == 0) colour ^= texels[y * kTextureSide + x];
    colour = Hash(colour + material);
  }
  return colour;
}

// A frame of areas of 8 to 32 pixels a side with frayed edges, and a material for each by Zipf's law.
class Frame {
 public:
  explicit Frame(uint32_t materials) {
    double sum = 0;
    for (uint32_t rank = 0; rank < materials; ++rank) sums_.push_back(sum += 1.0 / (rank + 1));
  }

  [[nodiscard]] uint32_t VisibilityAt(uint32_t x, uint32_t y) const {
    const uint32_t noise = Hash(y << 16 | x);
    const uint32_t area = AreaAt(x + kShift[0] + noise % kFray, y + kShift[1] + (noise >> 8) % kFray);
    return area << 8 | MaterialOfArea(area);
  }

 private:
  // Areas are divided by four, or they are not.
  static uint32_t AreaAt(uint32_t x, uint32_t y) {
    uint32_t side = kLargestArea;
    uint32_t area = Hash((y / side) << 16 | x / side);
    for (; side > kSmallestArea && (area & 1) != 0; side /= 2)
      area = Hash(area + (y / (side / 2) % 2 * 2 + x / (side / 2) % 2));
    return area;
  }

  [[nodiscard]] uint32_t MaterialOfArea(uint32_t area) const {
    const double place = Hash(area) / 4294967296.0 * sums_.back();
    const auto rank = std::upper_bound(sums_.begin(), sums_.end(), place) - sums_.begin();
    return static_cast<uint32_t>(std::min<size_t>(rank, sums_.size() - 1));
  }

  std::vector<double> sums_;  // of 1, 1/2, 1/3, ...
};

std::vector<uint32_t> VisibilityOf(const Size& size) {
  const Frame frame(size.materials);
  std::vector<uint32_t> words;
  words.reserve(size.pixels());
  for (uint32_t y = 0; y < size.height; ++y)
    for (uint32_t x = 0; x < size.width; ++x) words.push_back(frame.VisibilityAt(x, y));
  return words;
}

std::vector<uint32_t> ColoursOf(const Size& size, const std::vector<uint32_t>& visibility,
                                const std::vector<uint32_t>& texels) {
  std::vector<uint32_t> colours(visibility.size());
  for (uint32_t pixel = 0; pixel < colours.size(); ++pixel)
    colours[pixel] = Shade(texels, size.width, pixel, visibility[pixel]);
  return colours;
}

bool Fits(const Gpu& gpu, const Order& order, const Size& size) {
  const uint32_t shared_words = order.is_sorted ? order.pixels() + 4 * size.materials : size.materials;
  return shared_words * 4 <= gpu.limits().maxComputeSharedMemorySize &&
         order.invocations <= gpu.limits().maxComputeWorkGroupInvocations && size.pixels() % order.pixels() == 0 &&
         size.pixels() / order.pixels() <= gpu.limits().maxComputeWorkGroupCount[0];
}

Constants MaterialConstants(const Size& size, uint32_t material, uint32_t invocations) {
  return {
      {0, material}, {1, invocations}, {2, StepsOf(material)}, {3, IsTextured(material) ? 1u : 0u}, {9, size.width}};
}

Constants OrderConstants(const Size& size, const Order& order) {
  const Grid grid = GridOf(size.pixels() / order.pixels());
  return {{0, grid.x},         {1, grid.y},      {2, size.materials},           {3, order.invocations},
          {4, order.pixels()}, {5, order.items}, {6, order.by_tiles ? 1u : 0u}, {9, size.width}};
}

std::vector<GraphNode> Nodes(const Size& size, const Order& order, uint32_t records) {
  std::vector<GraphNode> nodes = {{"classify", order.is_sorted ? Words(kMaterialSourceSortedNode) : kMaterialSourceNode,
                                   OrderConstants(size, order)}};
  for (uint32_t material = 0; material < size.materials; ++material)
    nodes.push_back({"material", kMaterialNode, MaterialConstants(size, material, records), material});
  return nodes;
}

class MaterialShadingWorkload final : public Workload {
 public:
  MaterialShadingWorkload(const Gpu& gpu, const Size& size)
      : gpu_(gpu),
        size_(size),
        texture_(gpu, kTextureSide, Texels()),
        results_(gpu, VkDeviceSize{size.pixels()} * 4),
        visibility_(gpu, VkDeviceSize{size.pixels()} * 4),
        pixels_(gpu, VkDeviceSize{size.pixels()} * 4),
        heads_(gpu, VkDeviceSize{size.materials} * sizeof(Head)) {
    const std::vector<uint32_t> visibility = VisibilityOf(size);
    visibility_.Write(visibility);
    expected_ = ColoursOf(size, visibility, Texels());
    empty_heads_ = EmptyHeads(visibility);
    for (const GraphForm& form : kGraphForms)
      if (Fits(gpu, form, size))
        graphs_.push_back(std::make_unique<Graph>(gpu, Nodes(size, form, form.records), texture_.layout()));
    MakeSortingBaselines();
    for (const Order& order : kSwitchOrders)
      if (Fits(gpu, order, size))
        baselines_.push_back({MakeKernel(kMaterialSwitchSpv, OrderConstants(size, order)), order, nullptr});
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    heads_.Update(commands, empty_heads_);
  }

  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }

  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override {
    gpu_.Push(commands, Push{results_.address(), visibility_.address(), 0, 0, 0});
    texture_.Bind(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX);
    graphs_[form]->Dispatch(commands, {"classify"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    gpu_.Push(commands, Push{results_.address(), visibility_.address(), pixels_.address(), heads_.address(),
                             baseline.shading == nullptr ? 0 : baseline.shading->invocations});
    texture_.Bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    baseline.first->Bind(commands);
    vkCmdDispatch(commands, size_.pixels() / baseline.order.pixels(), 1, 1);
    if (baseline.shading == nullptr) return;
    StepBarrier(commands);
    for (uint32_t material = 0; material < size_.materials; ++material) {
      baseline.shading->kernels[material]->Bind(commands);
      vkCmdDispatchIndirect(commands, heads_.handle(), VkDeviceSize{material} * sizeof(Head));
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, expected_.size(), [&](size_t pixel) { return expected_[pixel]; });
  }

  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override { return std::nullopt; }

 private:
  // A kernel for each material.
  struct Shading {
    uint32_t invocations;
    std::vector<std::unique_ptr<Kernel>> kernels;
  };
  struct Baseline {
    std::unique_ptr<Kernel> first;
    Order order;
    const Shading* shading;  // null: the first kernel does it all
  };

  [[nodiscard]] std::unique_ptr<Kernel> MakeKernel(Words words, const Constants& constants) const {
    return std::make_unique<Kernel>(gpu_, words, constants, texture_.layout());
  }

  void MakeSortingBaselines() {
    for (const uint32_t invocations : kBaselineInvocations) {
      shadings_.push_back(std::make_unique<Shading>(Shading{invocations, {}}));
      for (uint32_t material = 0; material < size_.materials; ++material)
        shadings_.back()->kernels.push_back(MakeKernel(kMaterialSpv, MaterialConstants(size_, material, invocations)));
      for (const Order& order : kBaselineOrders)
        if (Fits(gpu_, order, size_))
          baselines_.push_back({MakeKernel(order.is_sorted ? Words(kMaterialListsSortedSpv) : kMaterialListsSpv,
                                           OrderConstants(size_, order)),
                                order, shadings_.back().get()});
    }
  }

  // Lists lie one behind the other, each as long as this frame needs.
  [[nodiscard]] std::vector<uint32_t> EmptyHeads(const std::vector<uint32_t>& visibility) const {
    std::vector<uint32_t> counts(size_.materials, 0);
    for (const uint32_t word : visibility) ++counts[MaterialOf(word)];
    std::vector<uint32_t> words;
    uint32_t start = 0;
    for (const uint32_t count : counts) {
      words.insert(words.end(), {0, 1, 1, 0, start});
      words.resize((words.size() + kHeadWords - 1) / kHeadWords * kHeadWords, 0);
      start += count;
    }
    return words;
  }

  const Gpu& gpu_;
  const Size size_;
  const Texture texture_;
  const Buffer results_;
  const Buffer visibility_;
  const Buffer pixels_;
  const Buffer heads_;
  std::vector<uint32_t> expected_;
  std::vector<uint32_t> empty_heads_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<Shading>> shadings_;
  std::vector<Baseline> baselines_;
};

}  // namespace

WorkloadEntry MaterialShading(uint32_t width, uint32_t height, uint32_t materials) {
  const Size size = {width, height, materials};
  return {"material shading",
          std::to_string(width) + " x " + std::to_string(height) + ", " + std::to_string(materials) + " materials",
          std::nullopt, [=](const Gpu& gpu) { return std::make_unique<MaterialShadingWorkload>(gpu, size); }};
}

}  // namespace trellis::bench
