// SPDX-License-Identifier: Apache-2.0
// Names, tags and private data of objects that drivers do not know: node modules, libraries, graphs.
#include <gtest/gtest.h>

#include <utility>

#include "tests/gpu/chain_nodes.h"
#include "tests/gpu/own_device.h"
#include "tests/support/libraries.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Object = std::pair<VkObjectType, uint64_t>;

template <typename Handle>
Object ObjectOf(VkObjectType type, Handle handle) {
  return {type, reinterpret_cast<uint64_t>(handle)};
}

// A handle of these that reached the driver would be none of its own: validation layers say so.
class ObjectData : public OwnDeviceTest {
 protected:
  ObjectData() { features_.privateData = VK_TRUE; }

  // Vulkan 1.3 demands the feature.
  [[nodiscard]] ContextOptions Options() const override { return {.feature_chain = &features_}; }

  void SetUp() override {
    ASSERT_NE(SharedContext(), nullptr) << SharedContextError();
    if (SharedContext()->properties.apiVersion < VK_API_VERSION_1_3) GTEST_SKIP() << "no Vulkan 1.3";
    OwnDeviceTest::SetUp();
    if (HasFatalFailure()) return;
    layout_ = std::make_unique<Layout>(context(), LayoutOptions{});
    stages_ = std::make_unique<GraphStages>(context(), ChainNodes());
    ASSERT_EQ(stages_->error(), "");
    ASSERT_EQ(CreateNodeLibraries(context(), *stages_, *layout_, VK_NULL_HANDLE, libraries_), VK_SUCCESS);
    ASSERT_EQ(LinkLibraries(context(), libraries_, GraphStages(context(), {}), *layout_, VK_NULL_HANDLE, 0, graph_),
              VK_SUCCESS);
  }
  void TearDown() override {
    for (VkPipeline library : libraries_) vkDestroyPipeline(context().device, library, nullptr);
    stages_.reset();
    layout_.reset();
    OwnDeviceTest::TearDown();
  }

  [[nodiscard]] std::vector<Object> Objects() const {
    return {ObjectOf(VK_OBJECT_TYPE_SHADER_MODULE, stages_->stages()[0].module),
            ObjectOf(VK_OBJECT_TYPE_PIPELINE, libraries_[1]), ObjectOf(VK_OBJECT_TYPE_PIPELINE, graph_)};
  }
  // The graph goes with its run.
  void ExpectThatTheGraphRuns() {
    GraphRun run(context());
    run.Pipeline(graph_).Input({.node = "Source"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ChainResult()));
  }

 private:
  mutable VkPhysicalDevicePrivateDataFeatures features_ = MakeStruct<VkPhysicalDevicePrivateDataFeatures>();
  std::unique_ptr<Layout> layout_;
  std::unique_ptr<GraphStages> stages_;
  std::vector<VkPipeline> libraries_;
  VkPipeline graph_ = VK_NULL_HANDLE;
};

TEST_F(ObjectData, NamesAndTags) {
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetInstanceProcAddr(context().instance, "vkSetDebugUtilsObjectNameEXT"));
  const auto set_tag = reinterpret_cast<PFN_vkSetDebugUtilsObjectTagEXT>(
      vkGetInstanceProcAddr(context().instance, "vkSetDebugUtilsObjectTagEXT"));
  for (const auto& [type, handle] : Objects()) {
    auto name = MakeStruct<VkDebugUtilsObjectNameInfoEXT>();
    name.objectType = type;
    name.objectHandle = handle;
    for (const char* text : {"a name", "another", static_cast<const char*>(nullptr), "the last"}) {
      name.pObjectName = text;
      EXPECT_EQ(set_name(context().device, &name), VK_SUCCESS);
    }
    auto tag = MakeStruct<VkDebugUtilsObjectTagInfoEXT>();
    tag.objectType = type;
    tag.objectHandle = handle;
    tag.tagName = 7;
    tag.tagSize = sizeof(tag.tagName);
    tag.pTag = &tag.tagName;
    EXPECT_EQ(set_tag(context().device, &tag), VK_SUCCESS);
  }
  ExpectThatTheGraphRuns();
}

TEST_F(ObjectData, PrivateData) {
  const auto info = MakeStruct<VkPrivateDataSlotCreateInfo>();
  VkPrivateDataSlot slots[2] = {};
  for (VkPrivateDataSlot& slot : slots)
    ASSERT_EQ(vkCreatePrivateDataSlot(context().device, &info, nullptr, &slot), VK_SUCCESS);
  // Beside them one of an object that the driver knows.
  auto objects = Objects();
  objects.push_back(ObjectOf(VK_OBJECT_TYPE_DEVICE, context().device));
  const auto value_of = [&](const Object& object, VkPrivateDataSlot slot) {
    uint64_t value = ~0ull;
    vkGetPrivateData(context().device, object.first, object.second, slot, &value);
    return value;
  };
  for (size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(value_of(objects[i], slots[0]), 0u) << i;
    EXPECT_EQ(vkSetPrivateData(context().device, objects[i].first, objects[i].second, slots[0], 1000 + i), VK_SUCCESS);
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(value_of(objects[i], slots[0]), 1000 + i);
    EXPECT_EQ(value_of(objects[i], slots[1]), 0u) << i;
  }
  for (VkPrivateDataSlot slot : slots) vkDestroyPrivateDataSlot(context().device, slot, nullptr);
  ExpectThatTheGraphRuns();
}

}  // namespace
}  // namespace trellis::test
