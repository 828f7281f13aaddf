// SPDX-License-Identifier: Apache-2.0
// Creation on several threads: which node gets which pipeline, which failure is reported, and which thread calls the
// driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <thread>

#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "tests/layer/fake_driver/read_only_memory.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/pipeline/rendezvous.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

using testing::SizeIs;

constexpr uint32_t kIndexConstant = 1;  // only in ShaderIndexAMDX: gone after lowering
constexpr uint32_t kWordConstant = 2;   // in the code
constexpr uint32_t kThreads = 4;        // the setting `threads`, whatever the machine has

class ManyNodes : public GraphCreation {
 protected:
  explicit ManyNodes(uint32_t threads = kThreads) : GraphCreation(threads), layout_(MakeLayout()) {
    NodeAsm m;
    const Id words = m.StorageBuffer(0);
    m.BeginNode({.name = "main", .shader_index = m.SpecConstant(kIndexConstant, 0)});
    m.AddWord(words, m.SpecConstant(kWordConstant, 0), 1);
    m.EndNode();
    module_ = MakeModule(Assemble(m.Text()));
  }

  // Node i of the name "main" has index i; its code is specialised to i, or to 0 if `same_code`.
  std::vector<VkPipelineShaderStageCreateInfo> Stages(uint32_t count, bool same_code = false) {
    static constexpr VkSpecializationMapEntry kEntries[] = {{kIndexConstant, 0, 4}, {kWordConstant, 4, 4}};
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (uint32_t i = 0; i < count; ++i) {
      data_.push_back({i, same_code ? 0 : i});
      specializations_.push_back({2, kEntries, sizeof(data_.back()), &data_.back()});
      stages.push_back(Stage(module_, "main"));
      stages.back().pSpecializationInfo = &specializations_.back();
    }
    return stages;
  }

  std::set<std::thread::id> DriverThreads() const {
    std::set<std::thread::id> threads;
    for (const ComputeRequest& request : requests_) threads.insert(request.thread);
    return threads;
  }

  // The driver holds each request back until `threads` threads have one. All of them must have been there at once.
  void ExpectDriverThreads(size_t threads) {
    Rendezvous rendezvous(threads);
    on_request_ = [&rendezvous] { rendezvous.Arrive(); };
    ASSERT_EQ(Create({GraphInfo(Stages(static_cast<uint32_t>(2 * threads)), layout_)}), VK_SUCCESS);
    EXPECT_EQ(rendezvous.Arrived(), threads);
    EXPECT_THAT(DriverThreads(), SizeIs(threads));
  }

  const VkPipelineLayout layout_;
  VkShaderModule module_ = VK_NULL_HANDLE;

 private:
  std::deque<std::array<uint32_t, 2>> data_;
  std::deque<VkSpecializationInfo> specializations_;
};

TEST_F(ManyNodes, EveryNodeGetsItsOwnPipeline) {
  constexpr uint32_t kCount = 100;
  ASSERT_EQ(Create({GraphInfo(Stages(kCount), layout_)}), VK_SUCCESS);
  ASSERT_THAT(requests_, SizeIs(kCount));
  std::set<uint32_t> words;
  for (const ComputeRequest& request : requests_) {
    EXPECT_THAT(request.specialized_ids, testing::ElementsAre(kWordConstant));
    words.insert(request.specialized_words.at(0));
    const auto& nodes = FindDevice(device_.handle())->execution_graphs.Find(pipelines_[0])->nodes;
    EXPECT_EQ(nodes[request.specialized_words.at(0)].pipeline->handle(), request.answered);
  }
  EXPECT_THAT(words, SizeIs(kCount));
}

TEST_F(ManyNodes, TheDriverCompilesOnAsManyThreadsAsTheSettingAllows) { ExpectDriverThreads(kThreads); }

// The setting's default, 0.
class ManyNodesByDefault : public ManyNodes {
 protected:
  ManyNodesByDefault() : ManyNodes(0) {}
};

TEST_F(ManyNodesByDefault, TheDriverCompilesOnAllCores) {
  ExpectDriverThreads(std::max(std::thread::hardware_concurrency(), 1u));
}

TEST_F(ManyNodes, NodesThatDifferInTheirIndexOnlyShareOnePipeline) {
  ASSERT_EQ(Create({GraphInfo(Stages(100, true), layout_)}), VK_SUCCESS);
  EXPECT_THAT(requests_, SizeIs(1));
  EXPECT_NE(NodeIndex(pipelines_[0], "main", 99), NodeIndex(pipelines_[0], "main", 98));
}

// Words are found by content, so a second module with the same words needs no new lowering; what the driver makes
// belongs to its graph, though.
TEST_F(ManyNodes, PipelinesAreNotSharedAcrossCommands) {
  ASSERT_EQ(Create({GraphInfo(Stages(3), layout_)}), VK_SUCCESS);
  ASSERT_EQ(Create({GraphInfo(Stages(3), layout_)}), VK_SUCCESS);
  EXPECT_THAT(requests_, SizeIs(6));
}

TEST_F(ManyNodes, TheFirstNodeThatFailsIsTheOneReported) {
  answers_by_constant_[10] = VK_ERROR_OUT_OF_HOST_MEMORY;
  for (uint32_t word : {11u, 12u, 13u, 40u, 63u}) answers_by_constant_[word] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(Create({GraphInfo(Stages(64), layout_)}), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_THAT(live_, testing::IsEmpty());
}

TEST_F(ManyNodes, AnAllocatorStaysOnTheCallingThread) {
  VkAllocationCallbacks allocator = {};
  ASSERT_EQ(Create({GraphInfo(Stages(64), layout_)}, &allocator), VK_SUCCESS);
  EXPECT_THAT(DriverThreads(), testing::ElementsAre(std::this_thread::get_id()));
  EXPECT_EQ(requests_[17].specialized_words.at(0), 17u) << "in order";
  Destroy(pipelines_[0], &allocator);
}

// Every thread makes a chain of its own, without the flags that nodes do not get.
TEST_F(ManyNodes, ConstantStructuresOfUnknownSizeArePassedOnByAllThreads) {
  ReadOnlyMemory memory;
  auto flags2 = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  const auto* end = memory.Store(flags2);
  const auto* unknown = memory.Store(
      VkBaseInStructure{static_cast<VkStructureType>(0x7ffffff1), reinterpret_cast<const VkBaseInStructure*>(end)});
  memory.Seal();
  ASSERT_EQ(Create({GraphInfo(Stages(64), layout_, unknown)}), VK_SUCCESS);
  for (const ComputeRequest& request : requests_) EXPECT_THAT(request.chain, testing::ElementsAre(unknown->sType));
}

TEST_F(ManyNodes, AnExternallySynchronizedCacheStaysOnTheCallingThread) {
  auto info = MakeStruct<VkPipelineCacheCreateInfo>();
  info.flags = VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
  ASSERT_EQ(TRELLIS_CALL(device_, CreatePipelineCache)(device_.handle(), &info, nullptr, &cache_), VK_SUCCESS);
  ASSERT_EQ(Create({GraphInfo(Stages(64), layout_)}), VK_SUCCESS);
  EXPECT_THAT(DriverThreads(), testing::ElementsAre(std::this_thread::get_id()));
  for (const ComputeRequest& request : requests_) EXPECT_EQ(request.cache, cache_);
  TRELLIS_CALL(device_, DestroyPipelineCache)(device_.handle(), cache_, nullptr);
  EXPECT_EQ(driver_.CountOf("DestroyPipelineCache"), 1u);
  EXPECT_EQ(FindDevice(device_.handle())->externally_synchronized_caches.Size(), 0u);
}

}  // namespace
}  // namespace trellis::test
