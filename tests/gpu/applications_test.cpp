// SPDX-License-Identifier: Apache-2.0
// Applications of every version of Vulkan that has graphs, which ask for features in every form; and a device group.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/gpu/own_device.h"
#include "tests/support/basic_modules.h"
#include "tests/support/pipelines.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

// SPIR-V of the newest version that the application's version of Vulkan knows.
std::vector<uint32_t> ChainWordsFor(uint32_t api_version) {
  std::string error;
  std::vector<uint32_t> words = AssembleModule(ChainModule(Shape::kDxc), error);
  EXPECT_EQ(error, "");
  if (api_version < VK_API_VERSION_1_3 && !words.empty()) words[1] = 0x00010500;
  return words;
}

void RunChain(Context& context, uint32_t api_version, RunOptions options = {}) {
  GraphRun run(context, std::move(options));
  for (const char* entry : {"Source", "Grid", "Sum"})
    run.Node({.text = "", .entry = entry, .words = ChainWordsFor(api_version)});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult()));
}

using Application = std::tuple<uint32_t, FeatureForm>;

class Applications : public OwnDeviceTest, public testing::WithParamInterface<Application> {
 protected:
  void SetUp() override {
    ASSERT_NE(SharedContext(), nullptr) << SharedContextError();
    if (std::get<0>(GetParam()) > SharedContext()->properties.apiVersion) GTEST_SKIP() << "the device is older";
    if (std::get<0>(GetParam()) < VK_API_VERSION_1_3 &&
        !HasExtension(SharedContext()->physical_device, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME))
      GTEST_SKIP() << "the device has no VK_KHR_synchronization2 for applications of Vulkan 1.2";
    OwnDeviceTest::SetUp();
  }
  [[nodiscard]] ContextOptions Options() const override {
    return {.api_version = std::get<0>(GetParam()), .features = std::get<1>(GetParam())};
  }
};

TEST_P(Applications, RunGraphs) {
  for (const DispatchCommand command :
       {DispatchCommand::kHost, DispatchCommand::kIndirect, DispatchCommand::kIndirectCount})
    RunChain(context(), std::get<0>(GetParam()), {.command = command});
}

std::string ApplicationName(const testing::TestParamInfo<Application>& info) {
  const auto [version, form] = info.param;
  const char* form_name = form == FeatureForm::kCore ? "core" : form == FeatureForm::kSingle ? "single" : "minimal";
  return "vulkan1" + std::to_string(VK_API_VERSION_MINOR(version)) + "_" + form_name;
}

INSTANTIATE_TEST_SUITE_P(Versions, Applications,
                         testing::Combine(testing::Values(VK_API_VERSION_1_2, VK_API_VERSION_1_3, VK_API_VERSION_1_4),
                                          testing::Values(FeatureForm::kCore, FeatureForm::kSingle,
                                                          FeatureForm::kMinimal)),
                         ApplicationName);

class DeviceGroup : public OwnDeviceTest {
 protected:
  [[nodiscard]] ContextOptions Options() const override { return {.device_group = true}; }
};

// A compute pipeline for vkCmdDispatchBase: adds 1 to the word with the number of the workgroup.
class BasePipeline {
 public:
  BasePipeline(const Context& context, VkPipelineLayout layout) : context_(context) {
    NodeAsm m(Shape::kDxc, false);
    const Id words = m.StorageBuffer(0);
    m.BeginNode({.name = "main", .local_size = {1, 1, 1}});
    m.AddWord(words, m.GroupId(0), 1);
    m.EndNode();
    std::string error;
    const VkShaderModule module = CreateModule(context, AssembleModule(m.Text(), error), error);
    EXPECT_EQ(error, "");
    auto info = MakeStruct<VkComputePipelineCreateInfo>();
    info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    info.stage = MakeStruct<VkPipelineShaderStageCreateInfo>();
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout;
    EXPECT_EQ(vkCreateComputePipelines(context.device, VK_NULL_HANDLE, 1, &info, nullptr, &handle_), VK_SUCCESS);
    vkDestroyShaderModule(context.device, module, nullptr);
  }
  ~BasePipeline() { vkDestroyPipeline(context_.device, handle_, nullptr); }
  BasePipeline(const BasePipeline&) = delete;
  BasePipeline& operator=(const BasePipeline&) = delete;

  [[nodiscard]] VkPipeline handle() const { return handle_; }

 private:
  const Context& context_;
  VkPipeline handle_ = VK_NULL_HANDLE;
};

// Device masks and dispatches with a base, before and behind a graph.
TEST_F(DeviceGroup, MasksAndBasesStandBesideAGraph) {
  const LayoutOptions options = {};
  const Layout layout(context(), options);
  const BasePipeline pipeline(context(), layout.handle());
  std::vector<GuardedBuffer> buffers;
  buffers.emplace_back(context(), 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const DescriptorSets sets(context(), layout, options, buffers);
  RunChain(context(), VK_API_VERSION_1_3,
           {.before =
                [&](VkCommandBuffer command_buffer) {
                  vkCmdSetDeviceMask(command_buffer, 1);
                  vkCmdBindPipeline(command_buffer, kCompute, pipeline.handle());
                  vkCmdBindDescriptorSets(command_buffer, kCompute, layout.handle(), 0, 1, sets.sets().data(), 0,
                                          nullptr);
                  vkCmdDispatchBase(command_buffer, 3, 0, 0, 2, 1, 1);
                },
            .after =
                [&](VkCommandBuffer command_buffer) {
                  vkCmdDispatchBase(command_buffer, 8, 0, 0, 3, 1, 1);
                  vkCmdSetDeviceMask(command_buffer, 1);
                }});
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(buffers[0].words()[i], (i >= 3 && i < 5) || (i >= 8 && i < 11) ? 1u : 0u) << i;
  EXPECT_TRUE(buffers[0].GuardsIntact());
}

TEST_F(DeviceGroup, SubmissionsNameTheirDevice) {
  GraphRun run(context());
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Prepare());
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  const uint32_t mask = 1;
  auto masks = MakeStruct<VkDeviceGroupSubmitInfo>();
  masks.commandBufferCount = 1;
  masks.pCommandBufferDeviceMasks = &mask;
  auto submit = MakeStruct<VkSubmitInfo>(&masks);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  ASSERT_EQ(vkQueueSubmit(context().queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(context().queue), VK_SUCCESS);
  EXPECT_TRUE(run.Matches(ChainResult()));
  EXPECT_TRUE(run.GuardsIntact());
}

}  // namespace
}  // namespace trellis::test
