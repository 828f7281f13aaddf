// SPDX-License-Identifier: Apache-2.0
// What extensions bind for compute besides pipelines and sets survives a graph: shader objects and descriptor buffers.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "tests/gpu/own_device.h"
#include "tests/gpu/recent_extension_test.h"
#include "tests/support/basic_modules.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphs = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
constexpr uint32_t kPushWords = 8;

// A compute shader with one invocation: adds push constant i to word i.
std::vector<uint32_t> AddPushConstantsWords() {
  NodeAsm m(Shape::kDxc, false);
  const Id words = m.StorageBuffer(0);
  const Id push = m.PushConstants(kPushWords);
  m.BeginNode({.name = "main", .local_size = {1, 1, 1}});
  for (uint32_t i = 0; i < kPushWords; ++i) m.AddWord(words, i, m.PushWord(push, i));
  m.EndNode();
  std::string error;
  std::vector<uint32_t> assembled = AssembleModule(m.Text(), error);
  EXPECT_EQ(error, "");
  return assembled;
}

std::vector<uint32_t> PushConstants() {
  std::vector<uint32_t> values(kPushWords);
  std::iota(values.begin(), values.end(), 100u);
  return values;
}

// On a device with an extension that the others do not enable.
class ExtensionState : public OwnDeviceTest {
 protected:
  // `first_version`: of the validation layer, that can cope with it.
  ExtensionState(const char* extension, uint32_t first_version)
      : extension_(extension), first_version_(first_version) {}
  [[nodiscard]] ContextOptions OptionsWith(void* feature_chain) const {
    return {.settings = ValidationSince(first_version_), .extensions = {extension_}, .feature_chain = feature_chain};
  }
  void SetUp() override {
    ASSERT_NE(SharedContext(), nullptr) << SharedContextError();
    if (!HasExtension(SharedContext()->physical_device, extension_)) GTEST_SKIP() << "no " << extension_;
    OwnDeviceTest::SetUp();
  }
  template <typename Function>
  [[nodiscard]] Function Load(const char* name) const {
    const auto function = reinterpret_cast<Function>(vkGetDeviceProcAddr(context().device, name));
    EXPECT_NE(function, nullptr) << name;
    return function;
  }

 private:
  const char* const extension_;
  const uint32_t first_version_;
};

class ShaderObjects : public ExtensionState {
 protected:
  ShaderObjects() : ExtensionState(VK_EXT_SHADER_OBJECT_EXTENSION_NAME, VK_MAKE_API_VERSION(0, 1, 3, 246)) {
    features_.shaderObject = VK_TRUE;
  }
  [[nodiscard]] ContextOptions Options() const override { return OptionsWith(&features_); }
  [[nodiscard]] VkShaderEXT MakeShader(const std::vector<uint32_t>& words, const VkDescriptorSetLayout& set_layout,
                                       const VkPushConstantRange& range) const {
    auto info = MakeStruct<VkShaderCreateInfoEXT>();
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = words.size() * sizeof(uint32_t);
    info.pCode = words.data();
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkShaderEXT shader = VK_NULL_HANDLE;
    EXPECT_EQ(Load<PFN_vkCreateShadersEXT>("vkCreateShadersEXT")(context().device, 1, &info, nullptr, &shader),
              VK_SUCCESS);
    return shader;
  }

 private:
  mutable VkPhysicalDeviceShaderObjectFeaturesEXT features_ = MakeStruct<VkPhysicalDeviceShaderObjectFeaturesEXT>();
};

TEST_F(ShaderObjects, SurviveTheGraph) {
  const LayoutOptions options = {.push_constant_bytes = kPushWords * 4};
  const Layout layout(context(), options);
  std::vector<GuardedBuffer> buffers;
  buffers.emplace_back(context(), 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const DescriptorSets sets(context(), layout, options, buffers);
  const VkShaderEXT shader =
      MakeShader(AddPushConstantsWords(), layout.set_layout(), {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4});
  const std::vector<uint32_t> push = PushConstants();
  GraphRun run(context(), {.before =
                               [&](VkCommandBuffer command_buffer) {
                                 const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
                                 Load<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT")(command_buffer, 1, &stage,
                                                                                      &shader);
                                 vkCmdBindDescriptorSets(command_buffer, kCompute, layout.handle(), 0, 1,
                                                         sets.sets().data(), 0, nullptr);
                                 vkCmdPushConstants(command_buffer, layout.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                                    kPushWords * 4, push.data());
                               },
                           .after = [](VkCommandBuffer command_buffer) { vkCmdDispatch(command_buffer, 1, 1, 1); }});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult()));
  for (uint32_t i = 0; i < kPushWords; ++i) EXPECT_EQ(buffers[0].words()[i], push[i]);
  for (uint32_t i = kPushWords; i < buffers[0].words().size(); ++i) EXPECT_EQ(buffers[0].words()[i], 0u);
  EXPECT_TRUE(buffers[0].GuardsIntact());
  Load<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT")(context().device, shader, nullptr);
}

class DescriptorBuffers : public ExtensionState {
 protected:
  DescriptorBuffers() : ExtensionState(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, VK_MAKE_API_VERSION(0, 1, 3, 240)) {
    features_.descriptorBuffer = VK_TRUE;
  }
  [[nodiscard]] ContextOptions Options() const override { return OptionsWith(&features_); }
  void SetUp() override {
    ExtensionState::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    properties_ = MakeStruct<VkPhysicalDeviceDescriptorBufferPropertiesEXT>();
    auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&properties_);
    vkGetPhysicalDeviceProperties2(context().physical_device, &properties);
    MakeLayout();
  }
  void TearDown() override {
    if (!IsSkipped() && !HasFatalFailure()) {
      vkDestroyPipelineLayout(context().device, layout_, nullptr);
      vkDestroyDescriptorSetLayout(context().device, set_layout_, nullptr);
    }
    OwnDeviceTest::TearDown();
  }

  // Bytes from one set of this layout to the next, in a descriptor buffer.
  [[nodiscard]] VkDeviceSize SetStride() const {
    VkDeviceSize size = 0;
    Load<PFN_vkGetDescriptorSetLayoutSizeEXT>("vkGetDescriptorSetLayoutSizeEXT")(context().device, set_layout_, &size);
    const VkDeviceSize alignment = properties_.descriptorBufferOffsetAlignment;
    return (size + alignment - 1) / alignment * alignment;
  }
  // Makes set `number` of a descriptor buffer name a buffer of words.
  void WriteSet(const Buffer& descriptors, uint32_t number, const GuardedBuffer& words) const {
    auto address = MakeStruct<VkDescriptorAddressInfoEXT>();
    address.address = words.address();
    address.range = words.size();
    auto info = MakeStruct<VkDescriptorGetInfoEXT>();
    info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    info.data.pStorageBuffer = &address;
    VkDeviceSize offset = 0;
    Load<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>("vkGetDescriptorSetLayoutBindingOffsetEXT")(
        context().device, set_layout_, 0, &offset);
    Load<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT")(context().device, &info, properties_.storageBufferDescriptorSize,
                                                       descriptors.bytes().data() + number * SetStride() + offset);
  }
  void Bind(VkCommandBuffer command_buffer, const Buffer& descriptors) const {
    auto info = MakeStruct<VkDescriptorBufferBindingInfoEXT>();
    info.address = descriptors.address();
    info.usage = kUsage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    Load<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(command_buffer, 1, &info);
  }
  void SetOffset(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point, uint32_t number) const {
    const uint32_t buffer = 0;
    const VkDeviceSize offset = number * SetStride();
    Load<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT")(command_buffer, bind_point,
                                                                                       layout_, 0, 1, &buffer, &offset);
  }
  [[nodiscard]] VkPipeline MakeCompute(const std::vector<uint32_t>& words) const {
    std::string error;
    const VkShaderModule module = CreateModule(context(), words, error);
    auto info = MakeStruct<VkComputePipelineCreateInfo>();
    info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.stage = MakeStruct<VkPipelineShaderStageCreateInfo>();
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(context().device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    vkDestroyShaderModule(context().device, module, nullptr);
    return pipeline;
  }
  [[nodiscard]] VkPipeline MakeGraph(const std::string& text, const std::vector<const char*>& entries) const {
    std::vector<GraphNode> nodes;
    for (const char* entry : entries) nodes.push_back({.text = text, .entry = entry});
    const GraphStages stages(context(), nodes);
    EXPECT_EQ(stages.error(), "");
    VkExecutionGraphPipelineCreateInfoAMDX info = stages.CreateInfo(layout_);
    info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(
        context().graph.CreateExecutionGraphPipelines(context().device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        VK_SUCCESS);
    return pipeline;
  }

  static constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;

 private:
  // One storage buffer, and push constants.
  void MakeLayout() {
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                  nullptr};
    auto set = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
    set.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    set.bindingCount = 1;
    set.pBindings = &binding;
    ASSERT_EQ(vkCreateDescriptorSetLayout(context().device, &set, nullptr, &set_layout_), VK_SUCCESS);
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4};
    auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    ASSERT_EQ(vkCreatePipelineLayout(context().device, &info, nullptr, &layout_), VK_SUCCESS);
  }

  mutable VkPhysicalDeviceDescriptorBufferFeaturesEXT features_ =
      MakeStruct<VkPhysicalDeviceDescriptorBufferFeaturesEXT>();
  VkPhysicalDeviceDescriptorBufferPropertiesEXT properties_ = {};
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
};

// Graph and compute pipeline take their sets out of one descriptor buffer, each with an offset of its own.
TEST_F(DescriptorBuffers, ServeGraphAndComputePipeline) {
  const GuardedBuffer graph_words(context(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const GuardedBuffer compute_words(context(), 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Buffer descriptors(context(), 2 * SetStride(), kUsage);
  WriteSet(descriptors, 0, compute_words);
  WriteSet(descriptors, 1, graph_words);
  const VkPipeline compute = MakeCompute(AddPushConstantsWords());
  const Graph graph(context(), MakeGraph(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"}));
  const GuardedBuffer scratch(context(), graph.ScratchSize().minSize, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  const std::vector<uint32_t> push = PushConstants();

  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  Bind(command_buffer, descriptors);
  vkCmdBindPipeline(command_buffer, kCompute, compute);
  vkCmdBindPipeline(command_buffer, kGraphs, graph.handle());
  SetOffset(command_buffer, kCompute, 0);
  SetOffset(command_buffer, kGraphs, 1);
  vkCmdPushConstants(command_buffer, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4, push.data());
  vkCmdDispatch(command_buffer, 1, 1, 1);
  RecordScratchInitialization(context(), command_buffer, graph, scratch);
  RecordGraphDispatch(context(), command_buffer, graph, scratch, {{.node = "Source", .count = 1}});
  OrderComputeWork(command_buffer);
  vkCmdDispatch(command_buffer, 1, 1, 1);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);

  std::vector<uint32_t> expected = ChainResult();
  expected.resize(graph_words.words().size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), graph_words.words().begin()));
  for (uint32_t i = 0; i < compute_words.words().size(); ++i)
    EXPECT_EQ(compute_words.words()[i], i < kPushWords ? 2 * push[i] : 0u) << i;
  EXPECT_TRUE(graph_words.GuardsIntact() && compute_words.GuardsIntact() && scratch.GuardsIntact());
  vkDestroyPipeline(context().device, compute, nullptr);
}

}  // namespace
}  // namespace trellis::test
