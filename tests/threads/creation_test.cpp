// SPDX-License-Identifier: Apache-2.0
// Graphs, libraries, instances, devices and messengers made by many threads at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>

#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/support/on_threads.h"
#include "tests/threads/threaded_graph.h"

namespace trellis::test {
namespace {

VkPipelineCache MakeCache(const TestDevice& device) {
  auto info = MakeStruct<VkPipelineCacheCreateInfo>();
  VkPipelineCache cache = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device, CreatePipelineCache)(device.handle(), &info, nullptr, &cache), VK_SUCCESS);
  return cache;
}

class CreationThreads : public ::testing::Test {
 protected:
  FakeDriver driver_;
  const TestInstance instance_{driver_};
  const TestDevice device_{instance_};
  const GraphParts parts_{device_};
};

// All want the same three shaders, the first ones of the device, and the same ten internal kernels: one thread makes
// each, and the others wait for it.
TEST_F(CreationThreads, MakeGraphsOfOneModuleWithOneCache) {
  const VkPipelineCache cache = MakeCache(device_);
  std::vector<VkPipeline> graphs(kThreads);
  OnThreads(kThreads, [&](uint32_t thread) { graphs[thread] = MakeGraph(device_, parts_.GraphInfo(), cache); });
  EXPECT_EQ(std::set<VkPipeline>(graphs.begin(), graphs.end()).size(), kThreads);
  const auto object = FindDevice(device_.handle());
  std::set<VkPipeline> nodes;
  for (const VkPipeline graph : graphs)
    for (const auto& node : object->execution_graphs.Find(graph)->nodes) nodes.insert(node.pipeline->handle());
  EXPECT_EQ(nodes.size(), kThreads * parts_.stages().size()) << "nodes of different graphs";
  EXPECT_EQ(driver_.CountOf("CreateComputePipelines"), nodes.size() + 9);
  for (const VkPipeline graph : graphs) DestroyGraph(device_, graph);
  EXPECT_EQ(driver_.CountOf("DestroyPipeline"), kThreads * parts_.stages().size());
  TRELLIS_CALL(device_, DestroyPipelineCache)(device_.handle(), cache, nullptr);
}

// Libraries that others link while they are destroyed live as long as the last graph.
TEST_F(CreationThreads, LinkSharedLibraries) {
  std::vector<VkPipeline> libraries;
  for (size_t stage = 0; stage < parts_.stages().size(); ++stage) {
    const VkComputePipelineCreateInfo info = parts_.LibraryInfo(stage);
    ASSERT_EQ(TRELLIS_CALL(device_, CreateComputePipelines)(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr,
                                                            &libraries.emplace_back()),
              VK_SUCCESS);
  }
  const VkPipelineLibraryCreateInfoKHR list = {VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr,
                                               static_cast<uint32_t>(libraries.size()), libraries.data()};
  VkExecutionGraphPipelineCreateInfoAMDX info = parts_.GraphInfo();
  info.stageCount = 0;
  info.pLibraryInfo = &list;
  std::vector<VkPipeline> graphs(kThreads);
  OnThreads(kThreads, [&](uint32_t thread) {
    for (uint32_t round = 0; round < 10; ++round) DestroyGraph(device_, MakeGraph(device_, info));
    graphs[thread] = MakeGraph(device_, info);
  });
  for (const VkPipeline library : libraries) DestroyGraph(device_, library);
  EXPECT_EQ(driver_.CountOf("DestroyPipeline"), 0u);
  OnThreads(kThreads, [&](uint32_t thread) { DestroyGraph(device_, graphs[thread]); });
  EXPECT_EQ(driver_.CountOf("DestroyPipeline"), parts_.stages().size());
}

// Instances and devices have nothing in common but the process-wide tables.
TEST(InstanceThreads, MakeRecordAndDestroyEverything) {
  const size_t instances = Instances().Size();
  const size_t devices = Devices().Size();
  OnThreads(kThreads, [](uint32_t) {
    FakeDriver driver;
    for (uint32_t round = 0; round < 3; ++round) {
      const TestInstance instance(driver);
      const TestDevice device(instance);
      const GraphParts parts(device);
      const GraphRecorder recorder(device);
      const VkPipeline graph = MakeGraph(device, parts.GraphInfo());
      const VkCommandBuffer command_buffer = recorder.Record(graph, parts.layout());
      EXPECT_FALSE(CommandsOf(driver, command_buffer).empty());
      DestroyGraph(device, graph);
    }
    EXPECT_EQ(driver.CountOf("DestroyInstance"), 3u);
  });
  EXPECT_EQ(Instances().Size(), instances);
  EXPECT_EQ(Devices().Size(), devices);
  EXPECT_EQ(CommandBuffers().Size(), 0u);
}

// One messenger hears all that all threads have to say, while more are made: those hear a part of it.
TEST(MessengerThreads, HearEveryMessage) {
  constexpr uint32_t kMessages = 50;
  FakeDriver driver;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice device(instance);
  const auto count_in = [](std::atomic<uint32_t>& count) {
    return [&count](const HeardMessage& message) {
      EXPECT_STREQ(message.data.pMessageIdName, "TRELLIS-graph-creation");
      ++count;
    };
  };
  std::atomic<uint32_t> heard = 0, heard_by_others = 0;
  const Messenger messenger(instance, count_in(heard));
  ASSERT_EQ(messenger.result(), VK_SUCCESS);
  std::vector<std::unique_ptr<Messenger>> others(kThreads);
  OnThreads(kThreads, [&](uint32_t thread) {
    auto without_layout = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
    for (uint32_t i = 0; i < kMessages; ++i) {
      VkPipeline graph = VK_NULL_HANDLE;
      EXPECT_NE(TRELLIS_CALL(device, CreateExecutionGraphPipelinesAMDX)(device.handle(), VK_NULL_HANDLE, 1,
                                                                        &without_layout, nullptr, &graph),
                VK_SUCCESS);
      if (i == kMessages / 2) {
        others[thread] = std::make_unique<Messenger>(instance, count_in(heard_by_others));
        EXPECT_EQ(others[thread]->result(), VK_SUCCESS);
      }
    }
  });
  EXPECT_EQ(heard, kThreads * kMessages);
  EXPECT_GE(heard_by_others, kThreads * (kMessages - kMessages / 2 - 1));
}

}  // namespace
}  // namespace trellis::test
