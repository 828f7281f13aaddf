// SPDX-License-Identifier: Apache-2.0
// How internal kernels are made: with what, by which thread, how often; and graphs that cannot have theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/pipeline/rendezvous.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t kKernelsOfLeaf = 6;
constexpr size_t kKernelsOfChain = 9;
constexpr VkPipelineCreateFlags kFailOnCompile = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;

class InternalKernelsTest : public GraphCreation {
 protected:
  explicit InternalKernelsTest(uint32_t threads = 1) : GraphCreation(threads), layout_(MakeLayout()) {
    const VkShaderModule leaf = MakeModule(Assemble(ThreadModule(Shape::kDxc)));
    const VkShaderModule chain = MakeModule(Assemble(ChainModule(Shape::kDxc)));
    leaf_ = {Stage(leaf, "ThreadNode")};
    chain_ = {Stage(chain, "Source"), Stage(chain, "Grid"), Stage(chain, "Sum")};
  }

  [[nodiscard]] VkExecutionGraphPipelineCreateInfoAMDX Leaf(VkPipelineCreateFlags flags = 0) const {
    return WithFlags(GraphInfo(leaf_, layout_), flags);
  }
  [[nodiscard]] VkExecutionGraphPipelineCreateInfoAMDX Chain(VkPipelineCreateFlags flags = 0) const {
    return WithFlags(GraphInfo(chain_, layout_), flags);
  }

  [[nodiscard]] std::set<std::thread::id> KernelThreads() const {
    std::set<std::thread::id> threads;
    for (const ComputeRequest& request : kernel_requests_) threads.insert(request.thread);
    return threads;
  }

  const VkPipelineLayout layout_;
  std::vector<VkPipelineShaderStageCreateInfo> leaf_, chain_;

 private:
  static VkExecutionGraphPipelineCreateInfoAMDX WithFlags(VkExecutionGraphPipelineCreateInfoAMDX info,
                                                          VkPipelineCreateFlags flags) {
    info.flags = flags;
    return info;
  }
};

TEST_F(InternalKernelsTest, AreMadeWithTheApplicationsCacheAndNothingElseOfTheGraph) {
  cache_ = reinterpret_cast<VkPipelineCache>(uintptr_t{0x7000});
  VkAllocationCallbacks allocator = {};
  auto robustness = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  auto info = Leaf(VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT);
  info.pNext = &robustness;
  ASSERT_EQ(Create({info}, &allocator), VK_SUCCESS);
  ASSERT_THAT(kernel_requests_, SizeIs(kKernelsOfLeaf));
  const VkPipelineLayout kernel_layout = kernel_requests_[0].layout;
  for (const ComputeRequest& request : kernel_requests_) {
    EXPECT_EQ(request.cache, cache_);
    EXPECT_EQ(request.allocator, nullptr) << "they outlive the graph";
    EXPECT_EQ(request.flags, 0u);
    EXPECT_THAT(request.chain, IsEmpty());
    EXPECT_EQ(request.entry_point, "main");
    EXPECT_EQ(request.layout, kernel_layout);
    EXPECT_THAT(request.specialized_ids, ElementsAre(0u));
    EXPECT_THAT(request.specialized_words, ElementsAre(0u)) << "the setting `validate`";
  }
  Destroy(pipelines_[0], &allocator);
  EXPECT_THAT(live_, IsEmpty());
}

TEST_F(InternalKernelsTest, LaterGraphsHaveThemMadeThatAreMissing) {
  Make(Leaf());
  EXPECT_THAT(kernel_requests_, SizeIs(kKernelsOfLeaf));
  kernel_requests_.clear();
  const VkPipeline chain = Make(Chain());
  EXPECT_THAT(RequestedKernels(), ElementsAre("open_regions", "sum_grids", "step_graph"));
  const auto& kernels = FindDevice(device_.handle())->execution_graphs.Find(chain)->kernels;
  EXPECT_EQ(std::count(kernels.by_kernel.begin(), kernels.by_kernel.end(), VkPipeline{VK_NULL_HANDLE}), 4)
      << "the graph knows what earlier graphs had made, too";
  Make(Leaf());
  Destroy(chain);
  Make(Chain());
  EXPECT_THAT(kernel_requests_, SizeIs(3));
}

TEST_F(InternalKernelsTest, SeveralGraphsOfOneCommandShareThem) {
  ASSERT_EQ(Create({Chain(), Leaf(), Chain()}), VK_SUCCESS);
  EXPECT_THAT(kernel_requests_, SizeIs(kKernelsOfChain));
}

// Those of every graph that they may become part of, so that linking compiles nothing.
TEST_F(InternalKernelsTest, LibrariesBringAllOfThem) {
  const std::vector<VkPipeline> libraries = {MakeLibrary(chain_[0], layout_), MakeLibrary(chain_[1], layout_),
                                             MakeLibrary(chain_[2], layout_)};
  const VkPipelineLibraryCreateInfoKHR list = LibraryList(libraries);
  auto part = GraphInfo({}, layout_);
  part.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  part.pLibraryInfo = &list;
  constexpr size_t kAll = 12;
  EXPECT_THAT(kernel_requests_, SizeIs(kAll));
  const std::vector<VkPipeline> parts = {Make(part)};
  const VkPipelineLibraryCreateInfoKHR part_list = LibraryList(parts);
  auto whole = GraphInfo({}, layout_);
  whole.pLibraryInfo = &part_list;
  Make(whole);
  EXPECT_THAT(kernel_requests_, SizeIs(kAll));
  EXPECT_THAT(requests_, SizeIs(3)) << "no node is compiled again";
}

TEST_F(InternalKernelsTest, GraphsWhoseNodesFailNeedNone) {
  answers_[0] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(Create({Leaf()}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_THAT(kernel_requests_, IsEmpty());
}

TEST_F(InternalKernelsTest, WithoutOneThereIsNoGraphAndTheMessageNamesIt) {
  const HeardTexts heard(instance_);
  kernel_answers_[Kernel::kCopyChunks] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(Create({Leaf()}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_THAT(live_, IsEmpty()) << "the node is gone";
  EXPECT_THAT(heard.texts(),
              ElementsAre(AllOf(HasSubstr("the execution graph pipeline was not created"),
                                HasSubstr("the internal kernel 'trellis copy_chunks'"),
                                HasSubstr("vkCreateComputePipelines failed with VK_ERROR_OUT_OF_DEVICE_MEMORY"))));
}

// On several threads the last one is then a small one.
TEST_F(InternalKernelsTest, TheLargestComeFirst) {
  Make(Chain());
  std::vector<size_t> sizes;
  for (const ComputeRequest& request : kernel_requests_) sizes.push_back(KernelWords(*request.kernel).size());
  ASSERT_THAT(sizes, SizeIs(kKernelsOfChain));
  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
}

TEST_F(InternalKernelsTest, OtherResultsThanTheCommandMayReturnBecomeUnknown) {
  kernel_answers_[Kernel::kBeginGraph] = VK_ERROR_INVALID_SHADER_NV;
  EXPECT_EQ(Create({Leaf()}), VK_ERROR_UNKNOWN);
}

TEST_F(InternalKernelsTest, OneGraphWithoutThemDoesNotSpoilTheOthers) {
  kernel_answers_[Kernel::kSumGrids] = VK_ERROR_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(Create({Leaf(), Chain(), Leaf()}), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_NE(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(pipelines_[1], VkPipeline{VK_NULL_HANDLE});
  EXPECT_NE(pipelines_[2], VkPipeline{VK_NULL_HANDLE});
}

TEST_F(InternalKernelsTest, CompileRequiredIsAskedForAndPassedOnWithoutAMessage) {
  const HeardTexts heard(instance_);
  kernel_answers_[Kernel::kCopyChunks] = VK_PIPELINE_COMPILE_REQUIRED;
  EXPECT_EQ(Create({Leaf(kFailOnCompile)}), VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_THAT(heard.texts(), IsEmpty());
  for (const ComputeRequest& request : kernel_requests_) EXPECT_EQ(request.flags, kFailOnCompile);
  kernel_answers_.clear();
  kernel_requests_.clear();
  EXPECT_EQ(Create({Leaf()}), VK_SUCCESS);
  for (const ComputeRequest& request : kernel_requests_) EXPECT_EQ(request.flags, 0u);
  kernel_requests_.clear();
  EXPECT_EQ(Create({Leaf(kFailOnCompile)}), VK_SUCCESS) << "they exist";
  EXPECT_THAT(kernel_requests_, IsEmpty());
}

TEST_F(InternalKernelsTest, ValidationIsSpecialized) {
  FindDevice(device_.handle())->instance->settings.validate = true;
  Make(Leaf());
  ASSERT_THAT(kernel_requests_, SizeIs(kKernelsOfLeaf));
  for (const ComputeRequest& request : kernel_requests_) EXPECT_THAT(request.specialized_words, ElementsAre(1u));
}

// Each on a device of its own.
class FailingKernel : public InternalKernelsTest, public testing::WithParamInterface<Kernel> {};

TEST_P(FailingKernel, LeavesTheOthersForTheNextGraph) {
  kernel_answers_[GetParam()] = VK_ERROR_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(Create({Chain()}), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_THAT(live_, IsEmpty()) << "the nodes are gone";
  ASSERT_FALSE(kernel_requests_.empty());
  EXPECT_EQ(kernel_requests_.back().kernel, GetParam());
  kernel_answers_.clear();
  EXPECT_EQ(Create({Chain()}), VK_SUCCESS);
  EXPECT_THAT(kernel_requests_, SizeIs(kKernelsOfChain + 1)) << "one twice, the others once";
}

INSTANTIATE_TEST_SUITE_P(Kernels, FailingKernel,
                         testing::Values(Kernel::kBeginGraph, Kernel::kOpenRegions, Kernel::kCountInfos,
                                         Kernel::kAppendInfos, Kernel::kCopyChunks, Kernel::kSumGrids,
                                         Kernel::kSizeLaunches, Kernel::kStepGraph, Kernel::kReportLosses));

class InternalKernelThreads : public InternalKernelsTest {
 protected:
  static constexpr uint32_t kThreads = 4;
  InternalKernelThreads() : InternalKernelsTest(kThreads) {}
};

TEST_F(InternalKernelThreads, TheDriverCompilesThemOnAsManyThreadsAsTheSettingAllows) {
  Rendezvous rendezvous(kThreads);
  on_kernel_request_ = [&rendezvous](Kernel) { rendezvous.Arrive(); };
  Make(Chain());
  EXPECT_EQ(rendezvous.Arrived(), kThreads);
  EXPECT_THAT(KernelThreads(), SizeIs(kThreads));
  EXPECT_THAT(kernel_requests_, SizeIs(kKernelsOfChain));
}

TEST_F(InternalKernelThreads, AnExternallySynchronizedCacheStaysOnTheCallingThread) {
  auto info = MakeStruct<VkPipelineCacheCreateInfo>();
  info.flags = VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
  ASSERT_EQ(TRELLIS_CALL(device_, CreatePipelineCache)(device_.handle(), &info, nullptr, &cache_), VK_SUCCESS);
  Make(Chain());
  EXPECT_THAT(KernelThreads(), ElementsAre(std::this_thread::get_id()));
  for (const ComputeRequest& request : kernel_requests_) EXPECT_EQ(request.cache, cache_);
  TRELLIS_CALL(device_, DestroyPipelineCache)(device_.handle(), cache_, nullptr);
}

TEST_F(InternalKernelThreads, TheFirstThatFailsIsTheOneReported) {
  kernel_answers_[Kernel::kSizeLaunches] = VK_ERROR_OUT_OF_HOST_MEMORY;  // the largest
  for (const Kernel kernel : {Kernel::kAppendInfos, Kernel::kCopyChunks, Kernel::kReportLosses})
    kernel_answers_[kernel] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  for (int round = 0; round < 20; ++round) EXPECT_EQ(Create({Leaf()}), VK_ERROR_OUT_OF_HOST_MEMORY);
}

// The fixture is no thread's own here: nothing but Create is called by several.
class SimultaneousCreations : public InternalKernelsTest {
 protected:
  // Creates a graph, without keeping its handle in the fixture.
  VkResult CreateApart(const VkExecutionGraphPipelineCreateInfoAMDX& info, VkPipeline& pipeline) const {
    return TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr,
                                                                    &pipeline);
  }

  // Starts a creation on another thread that stays in the driver with its first kernel until Continue.
  void StartSlowCreation() {
    on_kernel_request_ = [this](Kernel) {
      if (is_slow_.exchange(true)) return;
      in_driver_.set_value();
      go_on_.get_future().wait();
    };
    slow_ = std::async(std::launch::async, [this] { return CreateApart(Leaf(), graphs_[0]); });
    in_driver_.get_future().wait();
  }
  VkResult Continue() {
    go_on_.set_value();
    return slow_.get();
  }
  void DestroyGraphs() {
    for (const VkPipeline graph : graphs_) TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph, nullptr);
  }

  VkPipeline graphs_[2] = {};

 private:
  std::atomic<bool> is_slow_ = false;
  std::promise<void> in_driver_, go_on_;
  std::future<VkResult> slow_;
};

TEST_F(SimultaneousCreations, CompileEachKernelOnce) {
  StartSlowCreation();
  auto other = std::async(std::launch::async, [this] { return CreateApart(Leaf(), graphs_[1]); });
  EXPECT_EQ(other.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout) << "it waits for the first";
  EXPECT_EQ(Continue(), VK_SUCCESS);
  EXPECT_EQ(other.get(), VK_SUCCESS);
  EXPECT_THAT(kernel_requests_, SizeIs(kKernelsOfLeaf));
  const auto& graphs = FindDevice(device_.handle())->execution_graphs;
  EXPECT_EQ(graphs.Find(graphs_[0])->kernels.by_kernel, graphs.Find(graphs_[1])->kernels.by_kernel);
  DestroyGraphs();
}

TEST_F(SimultaneousCreations, OneThatWaitedCompilesWhatFailed) {
  kernel_answers_[Kernel::kBeginGraph] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  StartSlowCreation();
  auto other = std::async(std::launch::async, [this] { return CreateApart(Leaf(), graphs_[1]); });
  EXPECT_EQ(Continue(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(other.get(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  const auto asked = [this](Kernel kernel) {
    return std::count_if(kernel_requests_.begin(), kernel_requests_.end(),
                         [kernel](const ComputeRequest& request) { return request.kernel == kernel; });
  };
  EXPECT_EQ(asked(Kernel::kBeginGraph), 2);
  EXPECT_EQ(asked(Kernel::kReportLosses), 1) << "larger, so it is compiled first";
}

TEST_F(SimultaneousCreations, OneThatMayNotCompileDoesNotWait) {
  StartSlowCreation();
  EXPECT_EQ(CreateApart(Leaf(kFailOnCompile), graphs_[1]), VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(Continue(), VK_SUCCESS);
  EXPECT_EQ(CreateApart(Leaf(kFailOnCompile), graphs_[1]), VK_SUCCESS);
  DestroyGraphs();
}

}  // namespace
}  // namespace trellis::test
