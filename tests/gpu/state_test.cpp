// SPDX-License-Identifier: Apache-2.0
// What is bound and begun for everything else survives a graph: nothing is bound again, and the results are the same to
// the bit.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "tests/gpu/binding_nodes.h"
#include "tests/state_comp_spv.h"
#include "tests/state_frag_spv.h"
#include "tests/state_vert_spv.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/pipelines.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;

using State = GpuTest;

// A compute shader that adds push constant i to word i, with one invocation a word.
std::string AddPushConstantsModule(uint32_t count) {
  NodeAsm m(Shape::kDxc, false);
  const Id words = m.StorageBuffer(0);
  const Id push = m.PushConstants(count);
  m.BeginNode({.name = "main", .local_size = {1, 1, 1}});
  for (uint32_t i = 0; i < count; ++i) m.AddWord(words, i, m.PushWord(push, i));
  m.EndNode();
  return m.Text();
}

// AddPushConstantsModule with all push constants that there are, and what it needs.
class AddingPipeline {
 public:
  explicit AddingPipeline(const Context& context)
      : push_(context.properties.limits.maxPushConstantsSize / 4),
        options_{.push_constant_bytes = static_cast<uint32_t>(push_.size() * 4)},
        layout_(context, options_),
        pipeline_(context) {
    pipeline_.MakeCompute(AddPushConstantsModule(static_cast<uint32_t>(push_.size())), layout_.handle());
    buffers_.emplace_back(context, 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    sets_ = std::make_unique<DescriptorSets>(context, layout_, options_, buffers_);
    std::iota(push_.begin(), push_.end(), 1000u);
  }

  void Bind(VkCommandBuffer command_buffer) const {
    vkCmdBindPipeline(command_buffer, kCompute, pipeline_.handle());
    vkCmdBindDescriptorSets(command_buffer, kCompute, layout_.handle(), 0, 1, sets_->sets().data(), 0, nullptr);
    vkCmdPushConstants(command_buffer, layout_.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, options_.push_constant_bytes,
                       push_.data());
  }
  // After `times` workgroups.
  void Expect(uint32_t times) const {
    const auto words = buffers_[0].words();
    for (size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i < push_.size() ? times * push_[i] : 0u) << i;
    EXPECT_TRUE(buffers_[0].GuardsIntact());
  }

 private:
  std::vector<uint32_t> push_;
  const LayoutOptions options_;
  const Layout layout_;
  Pipeline pipeline_;
  std::vector<GuardedBuffer> buffers_;
  std::unique_ptr<DescriptorSets> sets_;
};

// A compute pipeline with a set and push constants is bound, the graph runs, the compute pipeline is dispatched: as if
// nothing had been in between. The graph has no push constants, so the layer's lie where the application's do.
TEST_F(State, ComputeStateSurvivesTheGraph) {
  const AddingPipeline adding(context());
  GraphRun run(context(), {.before = [&](VkCommandBuffer command_buffer) { adding.Bind(command_buffer); },
                           .after = [&](VkCommandBuffer command_buffer) { vkCmdDispatch(command_buffer, 2, 1, 1); }});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult()));
  adding.Expect(2);
}

// A secondary command buffer with compute work of its own.
class Secondary {
 public:
  Secondary(const Context& context, const std::function<void(VkCommandBuffer)>& record) : context_(context) {
    auto pool = MakeStruct<VkCommandPoolCreateInfo>();
    pool.queueFamilyIndex = context.queue_family;
    EXPECT_EQ(vkCreateCommandPool(context.device, &pool, nullptr, &pool_), VK_SUCCESS);
    auto allocation = MakeStruct<VkCommandBufferAllocateInfo>();
    allocation.commandPool = pool_;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    allocation.commandBufferCount = 1;
    EXPECT_EQ(vkAllocateCommandBuffers(context.device, &allocation, &handle_), VK_SUCCESS);
    const auto inheritance = MakeStruct<VkCommandBufferInheritanceInfo>();
    auto begin = MakeStruct<VkCommandBufferBeginInfo>();
    begin.pInheritanceInfo = &inheritance;
    EXPECT_EQ(vkBeginCommandBuffer(handle_, &begin), VK_SUCCESS);
    record(handle_);
    EXPECT_EQ(vkEndCommandBuffer(handle_), VK_SUCCESS);
  }
  ~Secondary() { vkDestroyCommandPool(context_.device, pool_, nullptr); }
  Secondary(const Secondary&) = delete;
  Secondary& operator=(const Secondary&) = delete;

  [[nodiscard]] const VkCommandBuffer& handle() const { return handle_; }

 private:
  const Context& context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer handle_ = VK_NULL_HANDLE;
};

// It leaves nothing bound: what is bound anew behind it survives the next graph.
TEST_F(State, SecondaryCommandBuffersBetweenGraphs) {
  const AddingPipeline adding(context());
  const Secondary secondary(context(), [&](VkCommandBuffer command_buffer) {
    adding.Bind(command_buffer);
    vkCmdDispatch(command_buffer, 1, 1, 1);
  });
  GraphRun run(context(), {.before = [&](VkCommandBuffer command_buffer) { adding.Bind(command_buffer); },
                           .after =
                               [&](VkCommandBuffer command_buffer) {
                                 vkCmdDispatch(command_buffer, 1, 1, 1);
                                 OrderComputeWork(command_buffer);
                                 vkCmdExecuteCommands(command_buffer, 1, &secondary.handle());
                                 OrderComputeWork(command_buffer);
                                 run.RecordGraph(command_buffer);
                                 adding.Bind(command_buffer);
                                 run.DispatchGraph(command_buffer);
                                 vkCmdDispatch(command_buffer, 1, 1, 1);
                               }});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult(3)));
  adding.Expect(3);
}

// Graph and compute pipeline see the same push constants, all that there are.
TEST_F(State, PushConstantsSharedWithTheGraph) {
  const uint32_t count = context().properties.limits.maxPushConstantsSize / 4;
  const LayoutOptions options = {.sets = 2, .buffers_per_set = 2, .push_constant_bytes = count * 4};
  const Layout layout(context(), options);
  Pipeline pipeline(context());
  pipeline.MakeCompute(AddPushConstantsModule(count), layout.handle());
  std::vector<GuardedBuffer> buffers;
  for (int i = 0; i < 4; ++i) buffers.emplace_back(context(), 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const DescriptorSets sets(context(), layout, options, buffers);
  std::vector<uint32_t> push(count);
  std::iota(push.begin(), push.end(), 50u);
  GraphRun run(context(), {.layout = options,
                           .push_constants = push,
                           .before =
                               [&](VkCommandBuffer command_buffer) {
                                 vkCmdBindPipeline(command_buffer, kCompute, pipeline.handle());
                                 vkCmdBindDescriptorSets(command_buffer, kCompute, layout.handle(), 0, 2,
                                                         sets.sets().data(), 0, nullptr);
                               },
                           .after = [&](VkCommandBuffer command_buffer) { vkCmdDispatch(command_buffer, 1, 1, 1); }});
  run.Nodes(BindingsModule(count), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, push[2]), 2));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, push.back()), 3));
  for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(buffers[0].words()[i], push[i]);
}

// Layout, sets and buffers of the shaders in shaders/state.*, for one bind point: set 0 has a storage buffer with a
// dynamic offset and a uniform buffer, set 1 a storage buffer, pushed where the device can.
class BoundThings {
 public:
  static constexpr uint32_t kOffset = 256;
  static constexpr uint32_t kWords = 64;

  BoundThings(const Context& context, VkDescriptorSetLayout set0, VkDescriptorSetLayout set1, uint32_t seed)
      : context_(context),
        words_(context, 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
        identity_(context, 64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT),
        table_(context, kWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) {
    const std::array<VkDescriptorPoolSize, 3> sizes = {{{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}}};
    auto pool = MakeStruct<VkDescriptorPoolCreateInfo>();
    pool.maxSets = 2;
    pool.poolSizeCount = sizes.size();
    pool.pPoolSizes = sizes.data();
    EXPECT_EQ(vkCreateDescriptorPool(context.device, &pool, nullptr, &pool_), VK_SUCCESS);
    sets_[0] = Allocate(set0);
    Write(sets_[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, {words_.handle(), words_.offset(), kWords * 4});
    Write(sets_[0], 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {identity_.handle(), 0, 64});
    if (!Pushes()) {
      sets_[1] = Allocate(set1);
      Write(sets_[1], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, Table());
    }
    identity_.words()[0] = seed;
    for (uint32_t i = 0; i < kWords; ++i) {
      words()[i] = seed * 3;
      table_.words()[i] = seed * 1000 + i;
    }
  }
  ~BoundThings() { vkDestroyDescriptorPool(context_.device, pool_, nullptr); }
  BoundThings(const BoundThings&) = delete;
  BoundThings& operator=(const BoundThings&) = delete;

  void Bind(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point, VkPipelineLayout layout) const {
    const uint32_t offset = kOffset;
    vkCmdBindDescriptorSets(command_buffer, bind_point, layout, 0, 1, sets_.data(), 1, &offset);
    if (!Pushes()) return vkCmdBindDescriptorSets(command_buffer, bind_point, layout, 1, 1, &sets_[1], 0, nullptr);
    const VkDescriptorBufferInfo info = Table();
    const VkWriteDescriptorSet write = WriteOf(VK_NULL_HANDLE, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, info);
    context_.optional.CmdPushDescriptorSet(command_buffer, bind_point, layout, 1, 1, &write);
  }

  // What the shaders see of the buffer with the dynamic offset.
  [[nodiscard]] std::span<uint32_t> words() const { return words_.words().subspan(kOffset / 4, kWords); }
  [[nodiscard]] bool GuardsIntact() const { return words_.GuardsIntact(); }

 private:
  [[nodiscard]] bool Pushes() const { return context_.optional.CmdPushDescriptorSet != nullptr; }
  [[nodiscard]] VkDescriptorBufferInfo Table() const { return {table_.handle(), 0, kWords * 4}; }
  [[nodiscard]] VkDescriptorSet Allocate(VkDescriptorSetLayout layout) const {
    auto allocation = MakeStruct<VkDescriptorSetAllocateInfo>();
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = 1;
    allocation.pSetLayouts = &layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    EXPECT_EQ(vkAllocateDescriptorSets(context_.device, &allocation, &set), VK_SUCCESS);
    return set;
  }
  static VkWriteDescriptorSet WriteOf(VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                                      const VkDescriptorBufferInfo& info) {
    auto write = MakeStruct<VkWriteDescriptorSet>();
    write.dstSet = set;
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pBufferInfo = &info;
    return write;
  }
  void Write(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, const VkDescriptorBufferInfo& info) const {
    const VkWriteDescriptorSet write = WriteOf(set, binding, type, info);
    vkUpdateDescriptorSets(context_.device, 1, &write, 0, nullptr);
  }

  const Context& context_;
  GuardedBuffer words_;
  Buffer identity_;
  Buffer table_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::array<VkDescriptorSet, 2> sets_ = {};
};

class QueryPool {
 public:
  QueryPool(const Context& context, VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics = 0)
      : context_(context), count_(count) {
    auto info = MakeStruct<VkQueryPoolCreateInfo>();
    info.queryType = type;
    info.queryCount = count;
    info.pipelineStatistics = statistics;
    EXPECT_EQ(vkCreateQueryPool(context.device, &info, nullptr, &handle_), VK_SUCCESS);
  }
  ~QueryPool() { vkDestroyQueryPool(context_.device, handle_, nullptr); }
  QueryPool(const QueryPool&) = delete;
  QueryPool& operator=(const QueryPool&) = delete;

  [[nodiscard]] VkQueryPool handle() const { return handle_; }
  void Reset(VkCommandBuffer command_buffer) const { vkCmdResetQueryPool(command_buffer, handle_, 0, count_); }
  [[nodiscard]] std::vector<uint64_t> Results() const {
    std::vector<uint64_t> results(count_);
    EXPECT_EQ(vkGetQueryPoolResults(context_.device, handle_, 0, count_, count_ * 8, results.data(), 8,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    return results;
  }

 private:
  const Context& context_;
  const uint32_t count_;
  VkQueryPool handle_ = VK_NULL_HANDLE;
};

// Everything at once: pipelines, sets with dynamic offsets, pushed sets, push constants of all stages, dynamic state,
// vertex and index buffers, queries, a label, conditional rendering.
class Everything : public GpuTest {
 protected:
  static constexpr VkExtent2D kExtent = {8, 8};
  static constexpr uint32_t kPushWords = 32;
  static constexpr VkShaderStageFlags kGraphicsStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  static constexpr VkShaderStageFlags kStages = kGraphicsStages | VK_SHADER_STAGE_COMPUTE_BIT;

  void SetUp() override {
    GpuTest::SetUp();
    if (!context().has_graphics) GTEST_SKIP() << "the queue has no graphics";
    MakeLayouts();
    std::iota(push_.begin(), push_.end(), 10000u);
    const std::array<Vertex, 4> corners = {{{9, 9, 9}, {-1, -1, 500}, {-1, 3, 500}, {3, -1, 500}}};
    std::copy(corners.begin(), corners.end(), reinterpret_cast<Vertex*>(vertices_.bytes().data()));
    const std::array<uint32_t, 4> indices = {0, 0, 1, 2};
    std::copy(indices.begin(), indices.end(), indices_.words().begin());
  }
  void TearDown() override {
    vkDestroyPipelineLayout(context().device, layout_, nullptr);
    for (VkDescriptorSetLayout set : set_layouts_) vkDestroyDescriptorSetLayout(context().device, set, nullptr);
    vertices_ = {};
    indices_ = {};
    GpuTest::TearDown();
  }

  void MakeLayouts() {
    const std::array<VkDescriptorSetLayoutBinding, 2> set0 = {
        {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, kStages, nullptr},
         {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, kStages, nullptr}}};
    const VkDescriptorSetLayoutBinding set1 = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kStages, nullptr};
    auto set_info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
    set_info.bindingCount = 2;
    set_info.pBindings = set0.data();
    ASSERT_EQ(vkCreateDescriptorSetLayout(context().device, &set_info, nullptr, set_layouts_.data()), VK_SUCCESS);
    set_info.bindingCount = 1;
    set_info.pBindings = &set1;
    if (context().optional.CmdPushDescriptorSet != nullptr)
      set_info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    ASSERT_EQ(vkCreateDescriptorSetLayout(context().device, &set_info, nullptr, &set_layouts_[1]), VK_SUCCESS);
    const std::array<VkPushConstantRange, 2> ranges = {
        {{kGraphicsStages, 0, 32}, {VK_SHADER_STAGE_COMPUTE_BIT, 32, kPushWords * 4 - 32}}};
    auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
    info.setLayoutCount = 2;
    info.pSetLayouts = set_layouts_.data();
    info.pushConstantRangeCount = ranges.size();
    info.pPushConstantRanges = ranges.data();
    ASSERT_EQ(vkCreatePipelineLayout(context().device, &info, nullptr, &layout_), VK_SUCCESS);
  }

  void BindAll(VkCommandBuffer command_buffer, const Pipeline& compute, const Pipeline& graphics,
               const BoundThings& compute_things, const BoundThings& graphics_things) const {
    vkCmdBindPipeline(command_buffer, kCompute, compute.handle());
    vkCmdBindPipeline(command_buffer, kGraphics, graphics.handle());
    compute_things.Bind(command_buffer, kCompute, layout_);
    graphics_things.Bind(command_buffer, kGraphics, layout_);
    vkCmdPushConstants(command_buffer, layout_, kGraphicsStages, 0, 32, push_.data());
    vkCmdPushConstants(command_buffer, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 32, kPushWords * 4 - 32, push_.data() + 8);
    const VkViewport viewport = {0, 0, kExtent.width, kExtent.height, 0, 1};
    const VkRect2D scissor = {{2, 1}, {4, 6}};
    vkCmdSetViewport(command_buffer, 0, 1, &viewport);
    vkCmdSetScissor(command_buffer, 0, 1, &scissor);
    const VkDeviceSize vertex_offset = sizeof(Vertex);
    const VkBuffer vertices = vertices_.handle();
    vkCmdBindVertexBuffers(command_buffer, 0, 1, &vertices, &vertex_offset);
    vkCmdBindIndexBuffer(command_buffer, indices_.handle(), 4, VK_INDEX_TYPE_UINT32);
  }

  void BeginLabel(VkCommandBuffer command_buffer) const {
    const auto begin = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(
        vkGetInstanceProcAddr(context().instance, "vkCmdBeginDebugUtilsLabelEXT"));
    auto label = MakeStruct<VkDebugUtilsLabelEXT>();
    label.pLabelName = "the application's";
    begin(command_buffer, &label);
  }
  void EndLabel(VkCommandBuffer command_buffer) const {
    reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(
        vkGetInstanceProcAddr(context().instance, "vkCmdEndDebugUtilsLabelEXT"))(command_buffer);
  }

  std::array<uint32_t, kPushWords> push_ = {};
  std::array<VkDescriptorSetLayout, 2> set_layouts_ = {};
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  Buffer vertices_{context(), 4 * sizeof(Vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
  Buffer indices_{context(), 16, VK_BUFFER_USAGE_INDEX_BUFFER_BIT};
};

TEST_F(Everything, SurvivesTheGraph) {
  Pipeline compute(context());
  compute.MakeCompute(kStateCompSpv, layout_);
  Pipeline graphics(context());
  graphics.MakeGraphics(kStateVertSpv, kStateFragSpv, layout_);
  const BoundThings compute_things(context(), set_layouts_[0], set_layouts_[1], 7);
  const BoundThings graphics_things(context(), set_layouts_[0], set_layouts_[1], 11);
  ColorImage image(context(), kExtent);
  const Buffer pixels(context(), kExtent.width * kExtent.height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const QueryPool times(context(), VK_QUERY_TYPE_TIMESTAMP, 2);
  const QueryPool samples(context(), VK_QUERY_TYPE_OCCLUSION, 1);
  const bool counts = context().features.pipeline_statistics;
  std::optional<QueryPool> invocations;
  if (counts)
    invocations.emplace(context(), VK_QUERY_TYPE_PIPELINE_STATISTICS, 1,
                        VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);

  GraphRun run(context(), {.dispatches = 0});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Prepare());

  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  BeginLabel(command_buffer);
  times.Reset(command_buffer);
  samples.Reset(command_buffer);
  if (counts) invocations->Reset(command_buffer);
  vkCmdWriteTimestamp(command_buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, times.handle(), 0);
  if (counts) vkCmdBeginQuery(command_buffer, invocations->handle(), 0, 0);
  BindAll(command_buffer, compute, graphics, compute_things, graphics_things);
  const OptionalCommands& optional = context().optional;
  const Buffer predicate(context(), 64,
                         optional.CmdBeginConditionalRendering != nullptr
                             ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
                             : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  predicate.words()[0] = 1;
  auto condition = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
  condition.buffer = predicate.handle();
  run.RecordGraph(command_buffer);
  if (optional.CmdBeginConditionalRendering != nullptr)
    optional.CmdBeginConditionalRendering(command_buffer, &condition);
  run.DispatchGraph(command_buffer);
  vkCmdDispatch(command_buffer, 4, 1, 1);
  OrderComputeWork(command_buffer);
  run.DispatchGraph(command_buffer);
  vkCmdDispatch(command_buffer, 2, 1, 1);
  if (optional.CmdEndConditionalRendering != nullptr) optional.CmdEndConditionalRendering(command_buffer);
  if (counts) vkCmdEndQuery(command_buffer, invocations->handle(), 0);
  image.BeginRendering(command_buffer);
  vkCmdBeginQuery(command_buffer, samples.handle(), 0, 0);
  vkCmdDrawIndexed(command_buffer, 3, 1, 0, 0, 0);
  vkCmdEndQuery(command_buffer, samples.handle(), 0);
  image.EndRendering(command_buffer);
  image.CopyTo(command_buffer, pixels.handle());
  vkCmdWriteTimestamp(command_buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times.handle(), 1);
  EndLabel(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);

  ASSERT_TRUE(run.GuardsIntact());
  EXPECT_EQ(run.Words()[415], 2u);
  const uint32_t added = 7 + push_[8] + push_[31];
  for (uint32_t i = 0; i < BoundThings::kWords; ++i) {
    const uint32_t times_added = i < 16 ? 2 : i < 32 ? 1 : 0;
    EXPECT_EQ(compute_things.words()[i], 21 + times_added * (added + 7000 + i)) << i;
    EXPECT_EQ(graphics_things.words()[i], 33u) << i;
  }
  const uint32_t color = 500 + push_[1] + 11 + 11003 + push_[6] + 33;
  for (uint32_t y = 0; y < kExtent.height; ++y) {
    for (uint32_t x = 0; x < kExtent.width; ++x) {
      const bool inside = x >= 2 && x < 6 && y >= 1 && y < 7;
      EXPECT_EQ(pixels.words()[y * kExtent.width + x], inside ? color : 0u) << x << ", " << y;
    }
  }
  EXPECT_GT(samples.Results()[0], 0u);
  // The nodes' invocations count too, and those of the layer's own kernels.
  if (counts) {
    EXPECT_GE(invocations->Results()[0], 6 * 8u);
  }
  if (context().properties.limits.timestampComputeAndGraphics) {
    EXPECT_GE(times.Results()[1], times.Results()[0]);
  }
  EXPECT_TRUE(compute_things.GuardsIntact());
}

}  // namespace
}  // namespace trellis::test
