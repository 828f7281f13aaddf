// SPDX-License-Identifier: Apache-2.0
// A whole graph through the exported functions: created, asked, bound, dispatched, submitted, destroyed. What the
// replay records is tested in tests/replay, what it computes in tests/gpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "layer/objects/handle_table.h"
#include "layer/objects/registry.h"
#include "spirv_lowering/post/post.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_handles.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

constexpr size_t kInternalKernels = 9;  // of the graph, on a device with one queue

class GraphThroughTheLayer : public ::testing::Test {
 protected:
  explicit GraphThroughTheLayer(const void* instance_chain = nullptr)
      : instance_(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, instance_chain) {}

  void SetUp() override {
    auto words = spirv::Assemble(ChainModule(Shape::kDxc));
    ASSERT_TRUE(words) << words.error().message;
    auto module_info = MakeStruct<VkShaderModuleCreateInfo>();
    module_info.codeSize = words->size() * sizeof(uint32_t);
    module_info.pCode = words->data();
    VkShaderModule module = VK_NULL_HANDLE;
    ASSERT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &module_info, nullptr, &module), VK_SUCCESS);
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &layout_info, nullptr, &layout);

    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const char* entry_point : {"Source", "Grid", "Sum"})
      stages.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT,
                        module, entry_point, nullptr});
    auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.layout = layout;
    ASSERT_EQ(
        TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(device_.handle(), {}, 1, &info, nullptr, &graph_),
        VK_SUCCESS);
    // Modules and layouts may go as soon as the pipeline exists.
    TRELLIS_CALL(device_, DestroyPipelineLayout)(device_.handle(), layout, nullptr);
    TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), module, nullptr);
  }

  VkDeviceAddress MakeScratch(VkDeviceSize size) {
    auto info = MakeStruct<VkBufferCreateInfo>();
    info.size = size;
    info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer);
    auto allocate = MakeStruct<VkMemoryAllocateInfo>();
    allocate.allocationSize = size;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, AllocateMemory)(device_.handle(), &allocate, nullptr, &memory);
    TRELLIS_CALL(device_, BindBufferMemory)(device_.handle(), buffer, memory, 0);
    const VkBufferDeviceAddressInfo query = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    return TRELLIS_CALL(device_, GetBufferDeviceAddress)(device_.handle(), &query);
  }

  uint32_t NodeIndex(const char* name) {
    const VkPipelineShaderStageNodeCreateInfoAMDX node = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX,
                                                          nullptr, name, 0};
    uint32_t index = VK_SHADER_INDEX_UNUSED_AMDX;
    EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineNodeIndexAMDX)(device_.handle(), graph_, &node, &index),
              VK_SUCCESS);
    return index;
  }

  // A dispatch of one record to "Source".
  void DispatchOnce(VkCommandBuffer command_buffer) {
    constexpr VkDeviceSize kScratchBytes = 65536;
    const VkDeviceAddress scratch = MakeScratch(kScratchBytes);
    TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph_);
    VkDispatchGraphInfoAMDX node = {};
    node.nodeIndex = NodeIndex("Source");
    node.payloadCount = 1;
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = 1;
    count_info.infos.hostAddress = &node;
    count_info.stride = sizeof(node);
    TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(command_buffer, scratch, kScratchBytes, &count_info);
  }

  FakeDriver driver_;
  TestInstance instance_;
  TestDevice device_{instance_};
  VkPipeline graph_ = VK_NULL_HANDLE;
};

TEST_F(GraphThroughTheLayer, driver_gets_one_compute_pipeline_a_node_and_no_node_shader) {
  EXPECT_EQ(driver_.CountOf("CreateComputePipelines"), 3u + kInternalKernels);
  EXPECT_EQ(driver_.CountOf("CreateExecutionGraphPipelinesAMDX"), 0u);
  driver_.ForgetCalls();
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph_, nullptr);
  EXPECT_EQ(driver_.CountOf("DestroyPipeline"), 3u);
  for (const DriverCall& call : driver_.CallsOf("DestroyPipeline")) EXPECT_NE(call.object, HandleToU64(graph_));
}

TEST_F(GraphThroughTheLayer, queues_of_the_device_are_known) {
  const std::shared_ptr<Device> device = FindDevice(device_.handle());
  EXPECT_TRUE(device->HasOneQueue(0));
  EXPECT_FALSE(device->HasOneQueue(1)) << "there is no such family";
}

TEST_F(GraphThroughTheLayer, dispatch_becomes_labelled_dispatches_and_compute_state_survives) {
  auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
  ASSERT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineScratchSizeAMDX)(device_.handle(), graph_, &size),
            VK_SUCCESS);
  EXPECT_GE(size.maxSize, size.minSize);
  EXPECT_GT(size.maxSize, 0u);
  EXPECT_GT(size.sizeGranularity, 0u);
  const VkDeviceAddress scratch = MakeScratch(size.maxSize);

  const VkCommandBuffer command_buffer = device_.Begin();
  const auto application_pipeline = HandleFromU64<VkPipeline>(0x777);
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, application_pipeline);
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph_);
  TRELLIS_CALL(device_, CmdInitializeGraphScratchMemoryAMDX)(command_buffer, graph_, scratch, size.maxSize);
  VkDispatchGraphInfoAMDX node = {};
  node.nodeIndex = NodeIndex("Source");
  node.payloadCount = 1;
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = 1;
  count_info.infos.hostAddress = &node;
  count_info.stride = sizeof(node);
  driver_.ForgetCalls();
  TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(command_buffer, scratch, size.maxSize, &count_info);
  EXPECT_GE(driver_.CountOf("CmdDispatchIndirect"), 2u) << "Grid and Sum";
  EXPECT_GE(driver_.CountOf("CmdPipelineBarrier"), 3u);
  EXPECT_GE(driver_.CountOf("CmdBeginDebugUtilsLabelEXT"), 3u);
  EXPECT_EQ(driver_.CountOf("CmdBeginDebugUtilsLabelEXT"), driver_.CountOf("CmdEndDebugUtilsLabelEXT"));
  EXPECT_EQ(driver_.CallsOf("CmdBindPipeline").back().object, HandleToU64(application_pipeline));
  for (const DriverCall& call : driver_.CallsOf("CmdBindPipeline")) EXPECT_NE(call.object, HandleToU64(graph_));
  EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);

  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, 0, &queue);
  auto submit = MakeStruct<VkSubmitInfo>();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 2u);
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph_, nullptr);
}

class TimedGraph : public GraphThroughTheLayer {
 protected:
  TimedGraph() : GraphThroughTheLayer(&kSettings) {}

 private:
  static constexpr VkBool32 kOn = VK_TRUE;
  static constexpr VkLayerSettingEXT kTiming = {kLayerName, "timing", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &kOn};
  static constexpr VkLayerSettingsCreateInfoEXT kSettings = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr,
                                                             1, &kTiming};
};

// The host may read them for as long as the next execution runs.
TEST_F(TimedGraph, times_stay_until_the_next_ones_are_copied) {
  const VkCommandBuffer command_buffer = device_.Begin();
  driver_.ForgetCalls();
  DispatchOnce(command_buffer);
  std::vector<std::string> last;
  for (const DriverCall& call : driver_.calls()) {
    if (call.name == "CmdWriteTimestamp") last.clear();
    last.push_back(call.name);
  }
  ASSERT_EQ(driver_.CountOf("CmdFillBuffer"), 1u);
  ASSERT_GE(last.size(), 7u);
  last.resize(7);
  EXPECT_THAT(last, ::testing::ElementsAre("CmdWriteTimestamp", "CmdEndDebugUtilsLabelEXT", "CmdPipelineBarrier",
                                           "CmdFillBuffer", "CmdPipelineBarrier", "CmdCopyQueryPoolResults",
                                           "CmdPipelineBarrier"));
}

TEST_F(GraphThroughTheLayer, names_of_graphs_do_not_reach_the_driver) {
  driver_.ForgetCalls();
  VkDebugUtilsObjectNameInfoEXT name = {};
  name.objectType = VK_OBJECT_TYPE_PIPELINE;
  name.objectHandle = HandleToU64(graph_);
  name.pObjectName = "my graph";
  EXPECT_EQ(TRELLIS_CALL(device_, SetDebugUtilsObjectNameEXT)(device_.handle(), &name), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("SetDebugUtilsObjectNameEXT"), 0u);
  DispatchOnce(device_.Begin());
  EXPECT_EQ(driver_.CallsOf("CmdBeginDebugUtilsLabelEXT").at(0).text, "execution graph 'my graph' from Source[0]");
  name.pObjectName = nullptr;
  EXPECT_EQ(TRELLIS_CALL(device_, SetDebugUtilsObjectNameEXT)(device_.handle(), &name), VK_SUCCESS);
  driver_.ForgetCalls();
  DispatchOnce(device_.Begin());
  EXPECT_EQ(driver_.CallsOf("CmdBeginDebugUtilsLabelEXT").at(0).text, "execution graph from Source[0]");
}

TEST_F(GraphThroughTheLayer, executables_are_those_of_the_nodes) {
  std::vector<uint64_t> nodes;
  for (const DriverCall& call : driver_.CallsOf("CreateComputePipelines")) nodes.push_back(call.object);
  nodes.resize(3);  // internal kernels are behind
  auto info = MakeStruct<VkPipelineInfoKHR>();
  info.pipeline = graph_;
  const auto properties_of = TRELLIS_CALL(device_, GetPipelineExecutablePropertiesKHR);
  uint32_t count = 0;
  EXPECT_EQ(properties_of(device_.handle(), &info, &count, nullptr), VK_SUCCESS);
  EXPECT_EQ(count, 6u);
  std::vector<VkPipelineExecutablePropertiesKHR> properties(6);
  EXPECT_EQ(properties_of(device_.handle(), &info, &count, properties.data()), VK_SUCCESS);
  EXPECT_EQ(count, 6u);
  for (const auto& executable : properties) EXPECT_EQ(executable.stages, VK_SHADER_STAGE_COMPUTE_BIT);
  for (const uint32_t room : {0u, 3u, 4u}) {
    properties.assign(6, {});
    count = room;
    EXPECT_EQ(properties_of(device_.handle(), &info, &count, properties.data()), VK_INCOMPLETE);
    EXPECT_EQ(count, room);
    for (uint32_t i = 0; i < 6; ++i) EXPECT_EQ(properties[i].stages != 0, i < room) << i;
  }
  for (const DriverCall& call : driver_.CallsOf("GetPipelineExecutablePropertiesKHR"))
    EXPECT_NE(call.object, HandleToU64(graph_));

  auto executable = MakeStruct<VkPipelineExecutableInfoKHR>();
  executable.pipeline = graph_;
  const auto statistics_of = TRELLIS_CALL(device_, GetPipelineExecutableStatisticsKHR);
  for (executable.executableIndex = 0; executable.executableIndex < 6; ++executable.executableIndex) {
    EXPECT_EQ(statistics_of(device_.handle(), &executable, &count, nullptr), VK_SUCCESS);
    const DriverCall call = driver_.CallsOf("GetPipelineExecutableStatisticsKHR").back();
    EXPECT_EQ(call.first, executable.executableIndex % 2);
    EXPECT_THAT(nodes, ::testing::Contains(call.object));
  }
  EXPECT_EQ(statistics_of(device_.handle(), &executable, &count, nullptr), VK_SUCCESS) << "there is no seventh";
  EXPECT_EQ(count, 0u);
}

// What the driver cannot answer for a graph never reaches it; what it can for its own pipelines does.
TEST_F(GraphThroughTheLayer, other_queries_of_a_graph_do_not_reach_the_driver) {
  const VkDevice device = device_.handle();
  const VkPipeline plain = HandleFromU64<VkPipeline>(0x770);
  auto identifier = MakeStruct<VkPipelinePropertiesIdentifierEXT>();
  identifier.pipelineIdentifier[3] = 77;
  auto info = MakeStruct<VkPipelineInfoEXT>();
  size_t size = 0;
  auto binaries = MakeStruct<VkPipelineBinaryCreateInfoKHR>();
  VkPipelineBinaryHandlesInfoKHR handles = {};
  handles.pipelineBinaryCount = 5;
  auto graph_info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  auto create_info = MakeStruct<VkPipelineCreateInfoKHR>(&graph_info);
  VkPipelineBinaryKeyKHR key = {};
  VkReleaseCapturedPipelineDataInfoKHR release = {};
  const auto query = [&](VkPipeline pipeline) {
    info.pipeline = binaries.pipeline = release.pipeline = pipeline;
    const auto out = reinterpret_cast<VkBaseOutStructure*>(&identifier);
    return std::array{TRELLIS_CALL(device_, GetPipelinePropertiesEXT)(device, &info, out),
                      TRELLIS_CALL(device_, GetShaderInfoAMD)(device, pipeline, VK_SHADER_STAGE_COMPUTE_BIT,
                                                              VK_SHADER_INFO_TYPE_STATISTICS_AMD, &size, nullptr),
                      TRELLIS_CALL(device_, CreatePipelineBinariesKHR)(device, &binaries, nullptr, &handles),
                      TRELLIS_CALL(device_, ReleaseCapturedPipelineDataKHR)(device, &release, nullptr)};
  };
  driver_.ForgetCalls();
  EXPECT_THAT(query(graph_), ::testing::ElementsAre(VK_SUCCESS, VK_ERROR_FEATURE_NOT_PRESENT,
                                                    VK_ERROR_INITIALIZATION_FAILED, VK_SUCCESS));
  EXPECT_EQ(identifier.pipelineIdentifier[3], 0);
  EXPECT_EQ(handles.pipelineBinaryCount, 0u);
  binaries.pPipelineCreateInfo = &create_info;
  EXPECT_NE(TRELLIS_CALL(device_, CreatePipelineBinariesKHR)(device, &binaries, nullptr, &handles), VK_SUCCESS);
  EXPECT_NE(TRELLIS_CALL(device_, GetPipelineKeyKHR)(device, &create_info, &key), VK_SUCCESS);
  EXPECT_TRUE(driver_.calls().empty());

  binaries.pPipelineCreateInfo = nullptr;
  EXPECT_THAT(query(plain), ::testing::Each(VK_SUCCESS));
  EXPECT_EQ(TRELLIS_CALL(device_, GetPipelineKeyKHR)(device, nullptr, &key), VK_SUCCESS);
  EXPECT_EQ(driver_.calls().size(), 5u);
}

TEST_F(GraphThroughTheLayer, unknown_node_is_an_error) {
  const VkPipelineShaderStageNodeCreateInfoAMDX node = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX,
                                                        nullptr, "Nobody", 0};
  uint32_t index = 0;
  EXPECT_NE(TRELLIS_CALL(device_, GetExecutionGraphPipelineNodeIndexAMDX)(device_.handle(), graph_, &node, &index),
            VK_SUCCESS);
}

}  // namespace
}  // namespace trellis::test
