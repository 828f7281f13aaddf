// A whole graph through the exported functions: created, asked, bound, dispatched, submitted, destroyed. What the
// replay records is tested in tests/replay, what it computes in tests/gpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/objects/handle_table.h"
#include "spirv_lowering/post/post.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

class GraphThroughTheLayer : public ::testing::Test {
 protected:
  void SetUp() override {
    auto words = spirv::Assemble(ChainModule(Shape::kDxc));
    ASSERT_TRUE(words) << words.error().message;
    VkShaderModuleCreateInfo module_info = {};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = words->size() * sizeof(uint32_t);
    module_info.pCode = words->data();
    VkShaderModule module = VK_NULL_HANDLE;
    ASSERT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &module_info, nullptr, &module), VK_SUCCESS);
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo layout_info = {};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &layout_info, nullptr, &layout);

    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const char* entry_point : {"Source", "Grid", "Sum"})
      stages.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT,
                        module, entry_point, nullptr});
    VkExecutionGraphPipelineCreateInfoAMDX info = {};
    info.sType = VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX;
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
    VkBufferCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size;
    info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer);
    VkMemoryAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
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

  FakeDriver driver_;
  TestInstance instance_{driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}};
  TestDevice device_{instance_};
  VkPipeline graph_ = VK_NULL_HANDLE;
};

TEST_F(GraphThroughTheLayer, driver_gets_one_compute_pipeline_a_node_and_no_node_shader) {
  EXPECT_GE(driver_.CountOf("CreateComputePipelines"), 3u);
  EXPECT_EQ(driver_.CountOf("CreateExecutionGraphPipelinesAMDX"), 0u);
  driver_.ForgetCalls();
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph_, nullptr);
  EXPECT_EQ(driver_.CountOf("DestroyPipeline"), 3u);
  for (const DriverCall& call : driver_.CallsOf("DestroyPipeline")) EXPECT_NE(call.object, HandleToU64(graph_));
}

TEST_F(GraphThroughTheLayer, dispatch_becomes_labelled_dispatches_and_compute_state_survives) {
  VkExecutionGraphPipelineScratchSizeAMDX size = {};
  size.sType = VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX;
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
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 2u);
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph_, nullptr);
}

TEST_F(GraphThroughTheLayer, names_of_graphs_do_not_reach_the_driver) {
  driver_.ForgetCalls();
  VkDebugUtilsObjectNameInfoEXT name = {};
  name.objectType = VK_OBJECT_TYPE_PIPELINE;
  name.objectHandle = HandleToU64(graph_);
  name.pObjectName = "my graph";
  EXPECT_EQ(TRELLIS_CALL(device_, SetDebugUtilsObjectNameEXT)(device_.handle(), &name), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("SetDebugUtilsObjectNameEXT"), 0u);
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
