// SPDX-License-Identifier: Apache-2.0
// What Vulkan leaves undefined and applications do all the same: where it can be told, a message and no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/faults/graph_parts.h"
#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
const std::vector<const char*> kDebugUtils = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};

// A graph, memory for it, and everything that the layer says.
class Misuse : public ::testing::Test {
 protected:
  Misuse() {
    const VkExecutionGraphPipelineCreateInfoAMDX graph_info = parts_.GraphInfo();
    EXPECT_EQ(Create(graph_info, graph_), VK_SUCCESS);
    EXPECT_EQ(ScratchSizeOf(graph_), VK_SUCCESS);
    counts_.count = 1;
    counts_.infos.hostAddress = &node_;
    counts_.stride = sizeof(node_);
    node_.payloadCount = 1;
  }
  ~Misuse() override {
    if (graph_) TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph_, nullptr);
  }

  VkResult Create(const VkExecutionGraphPipelineCreateInfoAMDX& info, VkPipeline& pipeline) {
    return TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr,
                                                                    &pipeline);
  }
  VkResult ScratchSizeOf(VkPipeline pipeline) {
    return TRELLIS_CALL(device_, GetExecutionGraphPipelineScratchSizeAMDX)(device_.handle(), pipeline, &size_);
  }
  VkResult NodeIndexOf(VkPipeline pipeline) {
    const VkPipelineShaderStageNodeCreateInfoAMDX node = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX,
                                                          nullptr, "Source", 0};
    uint32_t index = 0;
    return TRELLIS_CALL(device_, GetExecutionGraphPipelineNodeIndexAMDX)(device_.handle(), pipeline, &node, &index);
  }
  void DestroyGraph() {
    TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph_, nullptr);
    destroyed_ = std::exchange(graph_, VkPipeline{VK_NULL_HANDLE});
  }

  // Records a dispatch of `graph` with the members as they are. Returns what vkEndCommandBuffer does.
  VkResult Dispatch(VkPipeline graph, VkDeviceAddress scratch, VkDeviceSize size) {
    const VkCommandBuffer command_buffer = device_.Begin();
    TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph);
    TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(command_buffer, scratch, size, counts_pointer_);
    return TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer);
  }
  VkResult Dispatch() { return Dispatch(graph_, scratch_.address(), Scratch::kBytes); }

  // The last thing was refused with a message that contains `text`, and the driver got nothing to run.
  void ExpectRefused(VkResult result, const std::string& text) {
    EXPECT_LT(result, 0);
    EXPECT_THAT(messages_, Contains(HasSubstr(text)));
    EXPECT_EQ(driver_.CountOf("CmdDispatch") + driver_.CountOf("CmdDispatchIndirect"), 0u);
    messages_.clear();
  }
  // It was left out with a message.
  void ExpectIgnored(VkResult result, const std::string& text) {
    EXPECT_EQ(result, VK_SUCCESS);
    EXPECT_THAT(messages_, Contains(HasSubstr(text)));
    EXPECT_EQ(driver_.CountOf("CmdDispatch") + driver_.CountOf("CmdDispatchIndirect"), 0u);
    messages_.clear();
  }

  std::vector<std::string> messages_;
  FakeDriver driver_;
  const TestInstance instance_{driver_, kDebugUtils};
  const Messenger messenger_{instance_,
                             [this](const HeardMessage& message) { messages_.emplace_back(message.data.pMessage); }};
  const TestDevice device_{instance_};
  const GraphParts parts_{device_};
  const Scratch scratch_{device_};
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkPipeline destroyed_ = VK_NULL_HANDLE;
  VkExecutionGraphPipelineScratchSizeAMDX size_ = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
  VkDispatchGraphInfoAMDX node_ = {};
  VkDispatchGraphCountInfoAMDX counts_ = {};
  const VkDispatchGraphCountInfoAMDX* counts_pointer_ = &counts_;
};

TEST_F(Misuse, NothingIsWrongToBeginWith) {
  EXPECT_EQ(Dispatch(), VK_SUCCESS);
  EXPECT_THAT(messages_, IsEmpty());
  EXPECT_GT(driver_.CountOf("CmdDispatchIndirect"), 0u);
}

TEST_F(Misuse, NoGraphIsBound) {
  ExpectRefused(Dispatch(VK_NULL_HANDLE, scratch_.address(), Scratch::kBytes), "None-08606");
  ExpectRefused(Dispatch(HandleFromU64<VkPipeline>(0x777), scratch_.address(), Scratch::kBytes), "None-08606");
}

TEST_F(Misuse, TheBoundGraphIsDestroyed) {
  DestroyGraph();
  ExpectRefused(Dispatch(destroyed_, scratch_.address(), Scratch::kBytes), "None-08606");
}

TEST_F(Misuse, TheGraphIsDestroyedBetweenBindAndDispatch) {
  const VkCommandBuffer command_buffer = device_.Begin();
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph_);
  DestroyGraph();
  TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(command_buffer, scratch_.address(), Scratch::kBytes, &counts_);
  ExpectRefused(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), "None-08606");
}

TEST_F(Misuse, QueriesOfWhatIsNoGraph) {
  DestroyGraph();
  for (const VkPipeline pipeline : {VkPipeline{VK_NULL_HANDLE}, destroyed_, HandleFromU64<VkPipeline>(0x777)}) {
    ExpectRefused(ScratchSizeOf(pipeline), "the pipeline is not an execution graph");
    ExpectRefused(NodeIndexOf(pipeline), "the pipeline is not an execution graph");
  }
}

TEST_F(Misuse, ScratchOffByOne) {
  const VkDeviceAddress address = scratch_.address();
  EXPECT_EQ(Dispatch(graph_, address, size_.minSize), VK_SUCCESS);
  EXPECT_THAT(messages_, IsEmpty());
  driver_.ForgetCalls();
  ExpectRefused(Dispatch(graph_, address, size_.minSize - 1), "scratchSize-10193");
  const VkDeviceAddress last = address + (Scratch::kBytes - size_.minSize) / 64 * 64;
  ExpectRefused(Dispatch(graph_, last + 64, size_.minSize), "scratch-10192");
}

// The layout has room to round the address up, so there is nothing to refuse.
TEST_F(Misuse, ScratchThatIsAlignedLess) {
  for (const VkDeviceSize offset : {1, 4, 16, 32, 63}) {
    driver_.ForgetCalls();
    EXPECT_EQ(Dispatch(graph_, scratch_.address() + offset, size_.minSize), VK_SUCCESS) << offset;
    EXPECT_GT(driver_.CountOf("CmdDispatchIndirect"), 0u) << offset;
  }
  ASSERT_EQ(messages_.size(), 1u) << "once";
  EXPECT_THAT(messages_.front(), HasSubstr("VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144"));
  const VkDeviceAddress end = scratch_.address() + Scratch::kBytes;
  EXPECT_EQ(Dispatch(graph_, end - size_.minSize, size_.minSize), VK_SUCCESS);
  messages_.clear();
  driver_.ForgetCalls();
  ExpectRefused(Dispatch(graph_, end - size_.minSize + 1, size_.minSize), "scratch-10192");
}

TEST_F(Misuse, ScratchThatIsNone) {
  ExpectRefused(Dispatch(graph_, 0, Scratch::kBytes), "scratch-09184");
  ExpectRefused(Dispatch(graph_, scratch_.address() - 64, Scratch::kBytes), "scratch-09184");
  ExpectRefused(Dispatch(graph_, scratch_.address() + Scratch::kBytes, Scratch::kBytes), "scratch-09184");
}

TEST_F(Misuse, ScratchWhoseBufferIsDestroyed) {
  VkDeviceAddress address = 0;
  {
    const Scratch gone(device_);
    address = gone.address();
  }
  ExpectRefused(Dispatch(graph_, address, Scratch::kBytes), "scratch-09184");
}

TEST_F(Misuse, InitialisationOfScratchWithoutAGraph) {
  DestroyGraph();
  for (const VkPipeline pipeline : {VkPipeline{VK_NULL_HANDLE}, destroyed_}) {
    const VkCommandBuffer command_buffer = device_.Begin();
    TRELLIS_CALL(device_, CmdInitializeGraphScratchMemoryAMDX)
    (command_buffer, pipeline, scratch_.address(), Scratch::kBytes);
    ExpectRefused(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), "executionGraph-parameter");
  }
}

TEST_F(Misuse, NodeIndicesOutOfRange) {
  for (const uint32_t index : {3u, UINT32_MAX}) {
    node_.nodeIndex = index;
    ExpectIgnored(Dispatch(), "pCountInfo-09148");
  }
}

TEST_F(Misuse, NullInputs) {
  node_.nodeIndex = 1;  // a node with payloads
  ExpectIgnored(Dispatch(), "pCountInfo-09149");
  counts_.infos.hostAddress = nullptr;
  ExpectIgnored(Dispatch(), "pCountInfo-09145");
  counts_pointer_ = nullptr;
  ExpectRefused(Dispatch(), "vkCmdDispatchGraphAMDX-pCountInfo-parameter");
}

TEST_F(Misuse, NullInputsOfIndirectDispatches) {
  const VkCommandBuffer command_buffer = device_.Begin();
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph_);
  TRELLIS_CALL(device_, CmdDispatchGraphIndirectAMDX)(command_buffer, scratch_.address(), Scratch::kBytes, nullptr);
  ExpectRefused(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer),
                "vkCmdDispatchGraphIndirectAMDX-pCountInfo-parameter");
}

TEST_F(Misuse, LibrariesThatAreNone) {
  VkPipelineLibraryCreateInfoKHR list = {VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr, 1, nullptr};
  VkExecutionGraphPipelineCreateInfoAMDX info = parts_.GraphInfo();
  info.pLibraryInfo = &list;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ExpectRefused(Create(info, pipeline), "pLibraries is NULL");
  DestroyGraph();
  for (const VkPipeline library : {VkPipeline{VK_NULL_HANDLE}, destroyed_}) {
    list.pLibraries = &library;
    ExpectRefused(Create(info, pipeline), "VUID 09133");
    EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
  }
}

TEST_F(Misuse, NullStagesModulesAndNames) {
  VkExecutionGraphPipelineCreateInfoAMDX info = parts_.GraphInfo();
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::vector<VkPipelineShaderStageCreateInfo> stages = parts_.stages();
  info.pStages = stages.data();
  stages[1].module = VK_NULL_HANDLE;
  ExpectRefused(Create(info, pipeline), "pStages[1]");
  stages = parts_.stages();
  stages[1].pName = nullptr;
  ExpectRefused(Create(info, pipeline), "pStages[1]");
  info = parts_.GraphInfo();
  info.layout = VK_NULL_HANDLE;
  ExpectRefused(Create(info, pipeline), "there is no pipeline layout");
  EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
}

TEST_F(Misuse, NullHandlesAreDestroyed) {
  const VkDevice device = device_.handle();
  TRELLIS_CALL(device_, DestroyPipeline)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyBuffer)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyShaderModule)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyPipelineLayout)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyDescriptorSetLayout)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyDescriptorUpdateTemplate)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyPipelineCache)(device, VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(device_, DestroyCommandPool)(device, VK_NULL_HANDLE, nullptr);
  const VkCommandBuffer none = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, FreeCommandBuffers)(device, VK_NULL_HANDLE, 1, &none);
  TRELLIS_CALL(device_, DestroyDevice)(VK_NULL_HANDLE, nullptr);
  TRELLIS_CALL(instance_, DestroyInstance)(VK_NULL_HANDLE, nullptr);
  EXPECT_EQ(Dispatch(), VK_SUCCESS) << "nothing has come to harm";
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(Misuse, SubmissionOfUnknownCommandBuffers) {
  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, 0, &queue);
  const VkCommandBuffer command_buffers[] = {VK_NULL_HANDLE, HandleFromU64<VkCommandBuffer>(0x770)};
  VkSubmitInfo submit = {};
  submit.commandBufferCount = 2;
  submit.pCommandBuffers = command_buffers;
  EXPECT_EQ(TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS)
      << "whatever the driver makes of it";
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 1u);
}

}  // namespace
}  // namespace trellis::test
