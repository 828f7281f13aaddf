// SPDX-License-Identifier: Apache-2.0
// Render pass instances that cannot be split: the dispatch is refused by name, nothing of it goes down, and nothing
// about them is edited.
#include <functional>

#include "layer/objects/handle_table.h"
#include "tests/layer/entry/split_fixture.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SplitRefusals : public SplitTest {
 protected:
  // Inside of an instance: the dispatch records nothing and gives `why`.
  void ExpectRefusal(const std::string& why) {
    driver_.ForgetCalls();
    messages_.clear();
    Dispatch();
    EXPECT_THAT(TakeCommands(), IsEmpty()) << why;
    EXPECT_THAT(messages_, ElementsAre(HasSubstr(why)));
    EXPECT_TRUE(!messages_.empty() && messages_[0].starts_with("TRELLIS-render-pass-split: ")) << why;
    EXPECT_EQ(EndRecording(), VK_ERROR_UNKNOWN);
  }

  void ExpectDynamicRefusal(const DynamicInstance& instance, const std::string& why) {
    TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
    EXPECT_THAT(Last("CmdBeginRendering").text, HasSubstr("color clear/any")) << "not edited: " << why;
    ExpectRefusal(why);
  }

  template <typename Info>
  void ExpectObjectRefusal(const Info& info, const std::string& why) {
    driver_.ForgetCalls();
    const VkRenderPass render_pass = MakeRenderPass(info.info);
    EXPECT_EQ(driver_.calls().size(), 1u) << "no other render pass: " << why;
    BeginObject(render_pass);
    EXPECT_EQ(Last("CmdBeginRenderPass").object, HandleToU64(render_pass)) << why;
    ExpectRefusal(why);
  }
};

// A structure that says only what it is.
VkBaseInStructure Structure(VkStructureType type) { return {type, nullptr}; }

TEST_F(SplitRefusals, what_begins_inside_has_to_end_first) {
  Start();
  const auto pool = HandleFromU64<VkQueryPool>(16);
  const std::pair<std::function<void()>, const char*> rows[] = {
      {[&] {
         TRELLIS_CALL(*device_, CmdBeginQuery)
         (command_buffer_, pool, 0, 0);
       },
       "a query that began inside"},
      {[&] {
         TRELLIS_CALL(*device_, CmdBeginQuery)(command_buffer_, pool, 0, 0);
         TRELLIS_CALL(*device_, CmdBeginQuery)(command_buffer_, pool, 1, 0);
         TRELLIS_CALL(*device_, CmdEndQuery)(command_buffer_, pool, 1);
       },
       "a query that began inside"},
      {[&] { Get<PFN_vkCmdBeginQueryIndexedEXT>("vkCmdBeginQueryIndexedEXT")(command_buffer_, pool, 0, 0, 1); },
       "a query that began inside"},
      {[&] {
         Get<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT")(command_buffer_, 0, 0, nullptr,
                                                                                   nullptr);
       },
       "transform feedback that began inside"}};
  for (const auto& [begin, why] : rows) {
    const DynamicInstance instance;
    TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
    begin();
    ExpectRefusal(why);
  }
}

TEST_F(SplitRefusals, flags_of_dynamic_instances) {
  Start();
  DynamicInstance instance;
  instance.info.flags = VK_RENDERING_SUSPENDING_BIT;
  ExpectDynamicRefusal(instance, "VK_RENDERING_SUSPENDING_BIT");
  instance.info.flags = VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT;
  ExpectDynamicRefusal(instance, "VK_RENDERING_SUSPENDING_BIT");
  instance.info.flags = VK_RENDERING_RESUMING_BIT;
  ExpectDynamicRefusal(instance, "its attachments are not all stored");
  instance.info.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
  ExpectDynamicRefusal(instance, "its contents are secondary command buffers");
  instance.info.flags = 0x40000000;
  ExpectDynamicRefusal(instance, "flags with which attachments differ");
  instance.info.flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_CONTENTS_INLINE_BIT_KHR;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  EXPECT_EQ(EndRecording(), VK_SUCCESS) << "commands may be inline";
}

TEST_F(SplitRefusals, chains_of_dynamic_instances) {
  Start();
  const std::pair<VkStructureType, const char*> rows[] = {
      {VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT, "single-sampled"},
      {VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT, "fragment density map"},
      {VK_STRUCTURE_TYPE_RENDER_PASS_STRIPE_BEGIN_INFO_ARM, "stripes"},
      {static_cast<VkStructureType>(2000123456), "does not know to be harmless there (sType 2000123456)"}};
  for (const auto& [type, why] : rows) {
    DynamicInstance instance;
    const VkBaseInStructure structure = Structure(type);
    instance.info.pNext = &structure;
    ExpectDynamicRefusal(instance, why);
    instance.info.pNext = nullptr;
    instance.depth.pNext = &structure;
    ExpectDynamicRefusal(instance, why);
  }
  DynamicInstance instance;
  const VkBaseInStructure structure = Structure(static_cast<VkStructureType>(2000123456));
  VkRenderingAttachmentLocationInfo locations = {};
  locations.pNext = &structure;
  VkRenderingInputAttachmentIndexInfo indices = {};
  indices.pNext = &structure;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Get<PFN_vkCmdSetRenderingAttachmentLocations>("vkCmdSetRenderingAttachmentLocations")(command_buffer_, &locations);
  ExpectRefusal("does not know");
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Get<PFN_vkCmdSetRenderingInputAttachmentIndices>("vkCmdSetRenderingInputAttachmentIndices")(command_buffer_,
                                                                                              &indices);
  ExpectRefusal("does not know");
}

TEST_F(SplitRefusals, resolves_of_dynamic_instances) {
  Start();
  for (const VkResolveModeFlagBits mode :
       {VK_RESOLVE_MODE_EXTERNAL_FORMAT_DOWNSAMPLE_ANDROID, static_cast<VkResolveModeFlagBits>(0x20)}) {
    DynamicInstance instance;
    instance.color.resolveMode = mode;
    ExpectDynamicRefusal(instance, "custom or external resolve");
  }
  DynamicInstance instance;
  instance.color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  instance.color.resolveImageView = HandleFromU64<VkImageView>(64);
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  EXPECT_THAT(Last("CmdBeginRendering").text, HasSubstr("color load/store in 2 resolved")) << "both parts resolve";
}

TEST_F(SplitRefusals, attachments_that_are_not_stored) {
  for (const char* setting : {"off", "default"}) {
    Start(setting);
    const DynamicInstance instance;
    ExpectDynamicRefusal(instance, "its attachments are not all stored");
    const ObjectInfo1 info;
    ExpectObjectRefusal(info, "its attachments are not all stored");
    // One aspect is enough.
    ObjectInfo1 stencil;
    stencil.StoreAll();
    stencil.attachments[1].stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    ExpectObjectRefusal(stencil, "its attachments are not all stored");
    TearDown();
  }
}

TEST_F(SplitRefusals, render_pass_objects) {
  Start();
  ObjectInfo1 subpasses;
  subpasses.info.subpassCount = 2;
  ExpectObjectRefusal(subpasses, "several subpasses");
  ObjectInfo1 alias;
  alias.attachments[1].flags = VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT;
  ExpectObjectRefusal(alias, "VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT");
  ObjectInfo1 transformed;
  transformed.info.flags = VK_RENDER_PASS_CREATE_TRANSFORM_BIT_QCOM;
  ExpectObjectRefusal(transformed, "its render pass has flags");
  ObjectInfo1 resolving;
  resolving.subpasses[0].flags = VK_SUBPASS_DESCRIPTION_SHADER_RESOLVE_BIT_QCOM;
  ExpectObjectRefusal(resolving, "its render pass has flags");
  ObjectInfo1 computing;
  computing.subpasses[0].pipelineBindPoint = VK_PIPELINE_BIND_POINT_SUBPASS_SHADING_HUAWEI;
  ExpectObjectRefusal(computing, "a subpass that is not for graphics");
  ObjectInfo1 density;
  const VkBaseInStructure map = Structure(VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT);
  density.info.pNext = &map;
  ExpectObjectRefusal(density, "fragment density map");
}

// Every place of VkRenderPassCreateInfo2 that has a chain.
TEST_F(SplitRefusals, chains_of_render_pass_objects) {
  Start();
  const VkBaseInStructure unknown = Structure(static_cast<VkStructureType>(2000123456));
  const auto expect = [this](const std::function<void(ObjectInfo2&)>& edit, const std::string& why) {
    ObjectInfo2 info;
    edit(info);
    ExpectObjectRefusal(info, why);
  };
  const std::string why = "does not know to be harmless there (sType 2000123456)";
  VkSubpassDependency2 dependency = {};
  dependency.pNext = &unknown;
  VkAttachmentReference2 input = {};
  input.pNext = &unknown;
  expect([&](ObjectInfo2& info) { info.info.pNext = &unknown; }, why);
  expect([&](ObjectInfo2& info) { info.attachments[0].pNext = &unknown; }, why);
  expect([&](ObjectInfo2& info) { info.subpasses[0].pNext = &unknown; }, why);
  expect([&](ObjectInfo2& info) { info.color_reference.pNext = &unknown; }, why);
  expect([&](ObjectInfo2& info) { info.depth_reference.pNext = &unknown; }, why);
  expect(
      [&](ObjectInfo2& info) {
        info.subpasses[0].inputAttachmentCount = 1;
        info.subpasses[0].pInputAttachments = &input;
      },
      why);
  expect([&](ObjectInfo2& info) { info.subpasses[0].pResolveAttachments = &input; }, why);
  expect(
      [&](ObjectInfo2& info) {
        info.info.dependencyCount = 1;
        info.info.pDependencies = &dependency;
      },
      why);
  const VkBaseInStructure single = Structure(VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
  expect([&](ObjectInfo2& info) { info.subpasses[0].pNext = &single; }, "single-sampled");
}

TEST_F(SplitRefusals, begins_of_render_pass_objects) {
  Start();
  const ObjectInfo1 info;
  const VkRenderPass render_pass = MakeRenderPass(info.info);
  BeginObject(render_pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  EXPECT_EQ(Last("CmdBeginRenderPass").object, HandleToU64(render_pass));
  ExpectRefusal("its contents are secondary command buffers");
  for (const auto& [type, why] :
       {std::pair(VK_STRUCTURE_TYPE_RENDER_PASS_STRIPE_BEGIN_INFO_ARM, "stripes"),
        std::pair(VK_STRUCTURE_TYPE_RENDER_PASS_TRANSFORM_BEGIN_INFO_QCOM, "does not know to be harmless")}) {
    const VkBaseInStructure structure = Structure(type);
    BeginObject(render_pass, VK_SUBPASS_CONTENTS_INLINE, &structure);
    EXPECT_EQ(Last("CmdBeginRenderPass").object, HandleToU64(render_pass));
    ExpectRefusal(why);
    BeginObject2(render_pass, &structure);
    EXPECT_EQ(Last("CmdBeginRenderPass2").object, HandleToU64(render_pass));
    ExpectRefusal(why);
  }
  BeginObject(HandleFromU64<VkRenderPass>(0x123450));
  ExpectRefusal("its render pass is not known");
}

// A refusal belongs to its instance; vkEndCommandBuffer still tells of it.
TEST_F(SplitRefusals, the_next_instance_is_split) {
  Start();
  DynamicInstance instance;
  instance.info.flags = VK_RENDERING_SUSPENDING_BIT;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  TRELLIS_CALL(*device_, CmdBeginQuery)(command_buffer_, HandleFromU64<VkQueryPool>(16), 0, 0);
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  instance.info.flags = 0;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
  EXPECT_THAT(messages_, IsEmpty());
}

// Loaders ask for all names at once: only a command that may end a render pass instance leaves open whether there is
// one. The dispatch is recorded then as if there were none.
TEST_F(SplitRefusals, only_unknown_ends_leave_open_whether_there_is_an_instance) {
  const auto refused = [this](std::vector<const char*> extensions, const std::vector<const char*>& commands) {
    extensions.insert(extensions.end(), kGraphExtensions.begin(), kGraphExtensions.end());
    Start("on", extensions);
    for (const char* command : commands) EXPECT_NE(Get<PFN_vkVoidFunction>(command), nullptr) << command;
    DynamicInstance instance;
    instance.info.flags = VK_RENDERING_SUSPENDING_BIT;
    TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
    Dispatch();
    const VkResult result = EndRecording();
    TearDown();
    return result != VK_SUCCESS;
  };
  constexpr char kNewer[] = "VK_EXT_newer_than_trellis";
  EXPECT_TRUE(refused({kNewer}, {}));
  EXPECT_TRUE(refused({kNewer}, {"vkCmdNewerThanTrellis"}));
  EXPECT_FALSE(refused({kNewer}, {"vkCmdEndNewerThanTrellis"}));
  EXPECT_FALSE(refused({kNewer}, {"vkCmdNewerThanTrellis", "vkCmdEndNewerThanTrellis"}))
      << "an end counts after the one message too";
  EXPECT_TRUE(refused({}, {"vkCmdEndNewerThanTrellis"})) << "no extension that the layer does not follow";
}

}  // namespace
}  // namespace trellis::test
