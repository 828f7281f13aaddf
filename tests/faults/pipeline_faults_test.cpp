// SPDX-License-Identifier: Apache-2.0
// Execution graphs, libraries of nodes, and compute pipelines next to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/faults/attempt.h"
#include "tests/faults/graph_parts.h"

namespace trellis::test {
namespace {

const auto kStale = reinterpret_cast<VkPipeline>(uintptr_t{0xdead});

// Commands that make `count` pipelines at once.
template <size_t count>
class PipelineCreation : public Attempt {
 public:
  explicit PipelineCreation(uint32_t threads) : Attempt(threads) { parts_.emplace(*device_); }
  ~PipelineCreation() override { parts_.reset(); }

  // Of the pipelines some may have been made, if others failed.
  VkResult Run() override {
    pipelines_.fill(kStale);
    const VkResult result = Create();
    for (VkPipeline& pipeline : pipelines_) EXPECT_NE(pipeline, kStale);
    if (result != VK_SUCCESS) {
      EXPECT_EQ(std::count(pipelines_.begin(), pipelines_.end(), VkPipeline{VK_NULL_HANDLE}) > 0, true);
      Release();
    }
    return result;
  }
  void Release() override {
    for (VkPipeline& pipeline : pipelines_)
      if (pipeline && pipeline != kStale) TRELLIS_CALL(*device_, DestroyPipeline)(handle(), pipeline, nullptr);
    pipelines_.fill(VK_NULL_HANDLE);
  }

 protected:
  virtual VkResult Create() = 0;

  std::optional<GraphParts> parts_;
  std::array<VkPipeline, count> pipelines_ = {};
};

class GraphCreation : public PipelineCreation<2> {
 public:
  using PipelineCreation::PipelineCreation;

 private:
  VkResult Create() override {
    const std::array infos = {parts_->GraphInfo(), parts_->GraphInfo()};
    return Call(TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX), handle(), VkPipelineCache{VK_NULL_HANDLE}, 2,
                infos.data(), nullptr, pipelines_.data());
  }
};

// Two libraries, and what has nothing to do with graphs.
class MixedCreation : public PipelineCreation<3> {
 public:
  using PipelineCreation::PipelineCreation;

 private:
  VkResult Create() override {
    const std::array infos = {parts_->LibraryInfo(0), parts_->OrdinaryInfo(), parts_->LibraryInfo(1)};
    return Call(TRELLIS_CALL(*device_, CreateComputePipelines), handle(), VkPipelineCache{VK_NULL_HANDLE}, 3,
                infos.data(), nullptr, pipelines_.data());
  }
};

class OrdinaryCreation : public PipelineCreation<2> {
 public:
  using PipelineCreation::PipelineCreation;

 private:
  VkResult Create() override {
    const std::array infos = {parts_->OrdinaryInfo(), parts_->OrdinaryInfo()};
    return Call(TRELLIS_CALL(*device_, CreateComputePipelines), handle(), VkPipelineCache{VK_NULL_HANDLE}, 2,
                infos.data(), nullptr, pipelines_.data());
  }
};

// A graph of libraries alone.
class LinkedCreation : public PipelineCreation<1> {
 public:
  explicit LinkedCreation(uint32_t threads) : PipelineCreation(threads) {
    const std::array infos = {parts_->LibraryInfo(0), parts_->LibraryInfo(1), parts_->LibraryInfo(2)};
    TRELLIS_CALL(*device_, CreateComputePipelines)
    (handle(), VK_NULL_HANDLE, 3, infos.data(), nullptr, libraries_.data());
  }
  ~LinkedCreation() override {
    for (const VkPipeline library : libraries_) TRELLIS_CALL(*device_, DestroyPipeline)(handle(), library, nullptr);
  }

 private:
  VkResult Create() override {
    const VkPipelineLibraryCreateInfoKHR list = {VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr, 3,
                                                 libraries_.data()};
    VkExecutionGraphPipelineCreateInfoAMDX info = parts_->GraphInfo();
    info.stageCount = 0;
    info.pLibraryInfo = &list;
    return Call(TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX), handle(), VkPipelineCache{VK_NULL_HANDLE}, 1,
                &info, nullptr, pipelines_.data());
  }

  std::array<VkPipeline, 3> libraries_ = {};
};

template <typename Creation>
MakeAttempt With(uint32_t threads) {
  return [threads] { return std::make_unique<Creation>(threads); };
}

TEST(PipelineFaults, GraphsWithoutMemory) { FailAllocations(With<GraphCreation>(1)); }
// Which allocation fails depends on timing, and without memory for a thread the others do its work.
TEST(PipelineFaults, GraphsWithoutMemoryOnThreads) {
  FailAllocations(With<GraphCreation>(4), Consequence::kMaySurvive);
}
TEST(PipelineFaults, GraphsOnAFailingDriver) { FailDriverCommands(With<GraphCreation>(1)); }
TEST(PipelineFaults, GraphsOnAFailingDriverOnThreads) { FailDriverCommands(With<GraphCreation>(4)); }
TEST(PipelineFaults, LibrariesAndOthersWithoutMemory) { FailAllocations(With<MixedCreation>(1)); }
TEST(PipelineFaults, LibrariesAndOthersOnAFailingDriver) { FailDriverCommands(With<MixedCreation>(1)); }
TEST(PipelineFaults, OrdinaryPipelinesWithoutMemory) { FailAllocations(With<OrdinaryCreation>(1)); }
TEST(PipelineFaults, OrdinaryPipelinesOnAFailingDriver) { FailDriverCommands(With<OrdinaryCreation>(1)); }
TEST(PipelineFaults, GraphsOfLibrariesWithoutMemory) { FailAllocations(With<LinkedCreation>(1)); }
TEST(PipelineFaults, GraphsOfLibrariesOnAFailingDriver) { FailDriverCommands(With<LinkedCreation>(1)); }

}  // namespace
}  // namespace trellis::test
