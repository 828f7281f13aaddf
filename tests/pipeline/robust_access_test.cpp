// SPDX-License-Identifier: Apache-2.0
// Who decides whether a node's indices into payloads are bounded: the stage, then the pipeline, then the device.
#include <gmock/gmock.h>

#include "layer/objects/registry.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

constexpr auto kDefault = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT;
constexpr auto kDisabled = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED;
constexpr auto kRobust = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS;
constexpr auto kRobust2 = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;

// "Node" writes to an array in its payload, at an index that is no constant.
std::string WritingNode() {
  NodeAsm m;
  const Id record = m.Struct({{m.Array(m.Uint(), 4, 4), 0}, {m.Uint(), 16}});
  m.BeginNode({.name = "Node", .launch = Launch::kCoalescing, .input = m.Input(record)});
  m.Store(m.Field(m.NodeInput(), m.Uint(), 0, {0, m.Get(m.NodeInput(), 0, 1)}), m.Constant(1));
  m.EndNode();
  return m.Text();
}

size_t CountSelections(std::span<const uint32_t> words) {
  constexpr uint32_t kOpSelect = 169, kHeaderWords = 5;
  size_t count = 0;
  for (size_t at = kHeaderWords; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16)
    if ((words[at] & 0xffff) == kOpSelect) ++count;
  return count;
}

class RobustCreation : public GraphCreation {
 protected:
  RobustCreation() {
    Device& device = *FindDevice(device_.handle());
    driver_command_ = device.dispatch.CreateShaderModule;
    device.dispatch.CreateShaderModule = &CreateShaderModule;
  }

  // Whether a node is lowered with bounds; nothing means that there is no VkPipelineRobustnessCreateInfo.
  using Behavior = std::optional<VkPipelineRobustnessBufferBehavior>;
  bool IsBounded(bool device, Behavior pipeline, Behavior stage) {
    FindDevice(device_.handle())->traits.robust_buffer_access = device;
    const VkPipelineRobustnessCreateInfo of_pipeline = Robustness(pipeline), of_stage = Robustness(stage);
    const std::vector<VkPipelineShaderStageCreateInfo> stages = {Stage(module_, "Node", stage ? &of_stage : nullptr)};
    auto info = GraphInfo(stages, layout_, pipeline ? &of_pipeline : nullptr);
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    Make(info);
    return selections_ > unbounded_selections_.value_or(selections_);
  }
  // To be called first.
  void MeasureWithoutBounds() {
    for (int i = 0; i < 2; ++i) IsBounded(false, {}, {});  // the first one brings the internal kernels, too
    unbounded_selections_ = selections_;
  }

 private:
  static VkPipelineRobustnessCreateInfo Robustness(Behavior behavior) {
    auto info = MakeStruct<VkPipelineRobustnessCreateInfo>();
    info.storageBuffers = behavior.value_or(kDefault);
    return info;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                           const VkAllocationCallbacks* allocator,
                                                           VkShaderModule* module) {
    selections_ = CountSelections({info->pCode, info->codeSize / sizeof(uint32_t)});
    return driver_command_(device, info, allocator, module);
  }

  static inline PFN_vkCreateShaderModule driver_command_ = nullptr;
  static inline size_t selections_ = 0;  // in the lowered node
  std::optional<size_t> unbounded_selections_;
  const VkShaderModule module_ = MakeModule(Assemble(WritingNode()));
  const VkPipelineLayout layout_ = MakeLayout();
};

TEST_F(RobustCreation, TheDeviceDecidesIfNobodyElseDoes) {
  MeasureWithoutBounds();
  for (const bool device : {false, true}) {
    EXPECT_EQ(IsBounded(device, {}, {}), device);
    EXPECT_EQ(IsBounded(device, kDefault, {}), device);
    EXPECT_EQ(IsBounded(device, {}, kDefault), device);
  }
}

TEST_F(RobustCreation, ThePipelineOverrulesTheDevice) {
  MeasureWithoutBounds();
  EXPECT_TRUE(IsBounded(false, kRobust, {}));
  EXPECT_TRUE(IsBounded(false, kRobust2, {}));
  EXPECT_FALSE(IsBounded(true, kDisabled, {}));
}

TEST_F(RobustCreation, TheStageOverrulesThePipeline) {
  MeasureWithoutBounds();
  EXPECT_TRUE(IsBounded(false, kDisabled, kRobust));
  EXPECT_TRUE(IsBounded(false, {}, kRobust2));
  EXPECT_FALSE(IsBounded(true, kRobust, kDisabled));
  EXPECT_FALSE(IsBounded(false, kRobust, kDefault)) << "the device's behaviour, for the structure is there";
}

}  // namespace
}  // namespace trellis::test
