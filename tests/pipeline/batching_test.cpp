// SPDX-License-Identifier: Apache-2.0
// Which nodes are lowered for batches.
#include "layer/pipeline/batching.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace trellis::test {
namespace {

class Batching : public testing::Test {
 protected:
  static std::shared_ptr<CachedModule> MakeModule() {
    return std::make_shared<CachedModule>(std::vector<uint32_t>{1, 2, 3});
  }

  // Nodes of `recursion` + 1 slots each.
  void AddNodes(size_t count, const std::shared_ptr<CachedModule>& module,
                spirv::LaunchKind kind = spirv::LaunchKind::kStaticGrid, uint32_t recursion = 0) {
    for (size_t i = 0; i < count; ++i) {
      StageNode& stage = stages_.emplace_back(create_info_, "");
      stage.module = module;
      stage.source.info.kind = kind;
      AddNode(stage.source.info, recursion);
    }
  }
  // A node that was compiled before.
  void AddLibraryNode() { AddNode({}, 0); }

  void Reset() {
    for (Node& node : graph_.nodes) node.info.in_batches = true;
    for (StageNode& stage : stages_) stage.source.info.in_batches = true;
  }

  // By node: whether it may have launches in batches.
  std::vector<bool> InBatches() {
    LeaveOutOfBatches(settings_, stages_, graph_);
    std::vector<bool> result;
    for (const Node& node : graph_.nodes) result.push_back(node.info.in_batches);
    for (size_t i = 0; i < stages_.size(); ++i) EXPECT_EQ(stages_[i].source.info.in_batches, result[i]) << i;
    return result;
  }

  Settings settings_;
  Graph graph_;

 private:
  void AddNode(const spirv::NodeInfo& info, uint32_t recursion) {
    Node& node = graph_.nodes.emplace_back();
    node.info = info;
    node.first_slot = static_cast<uint32_t>(graph_.slots.size());
    node.slot_count = recursion + 1;
    for (uint32_t i = 0; i <= recursion; ++i)
      graph_.slots.emplace_back().node = static_cast<uint32_t>(graph_.nodes.size() - 1);
  }

  const VkPipelineShaderStageCreateInfo create_info_ = {};
  std::vector<StageNode> stages_;
};

TEST_F(Batching, SixteenLaunchesOfOneModuleAreWorthwhile) {
  AddNodes(16, MakeModule());
  AddNodes(15, MakeModule());
  AddNodes(1, MakeModule());  // equal words, but another module has pipelines of its own
  AddLibraryNode();
  std::vector<bool> expected(33, true);
  for (size_t i = 16; i < 32; ++i) expected[i] = false;
  EXPECT_EQ(InBatches(), expected);
}

TEST_F(Batching, EverySlotHasALaunch) {
  AddNodes(4, MakeModule(), spirv::LaunchKind::kCoalescing, 3);
  EXPECT_EQ(InBatches(), std::vector<bool>(4, true));
}

TEST_F(Batching, LaunchesThatAreSizedDoNotCount) {
  const std::shared_ptr<CachedModule> module = MakeModule();
  AddNodes(15, module);
  AddNodes(20, module, spirv::LaunchKind::kDynamicGrid);
  EXPECT_EQ(InBatches(), std::vector<bool>(35, false));
  AddNodes(1, module);
  Reset();
  std::vector<bool> expected(36, true);
  for (size_t i = 15; i < 35; ++i) expected[i] = false;
  EXPECT_EQ(InBatches(), expected);
}

TEST_F(Batching, Settings) {
  AddNodes(20, MakeModule());
  AddNodes(2, MakeModule());
  AddNodes(1, MakeModule());
  settings_.launch_batches = LaunchBatches::kAlways;
  std::vector<bool> expected(23, true);
  expected[22] = false;
  EXPECT_EQ(InBatches(), expected);
}

TEST_F(Batching, NoneAtAll) {
  AddNodes(20, MakeModule());
  settings_.launch_batches = LaunchBatches::kNever;
  EXPECT_EQ(InBatches(), std::vector<bool>(20, false));
}

TEST_F(Batching, NoneWhereTimesAreToldByNode) {
  AddNodes(20, MakeModule());
  settings_.timing = true;
  EXPECT_EQ(InBatches(), std::vector<bool>(20, false));
}

}  // namespace
}  // namespace trellis::test
