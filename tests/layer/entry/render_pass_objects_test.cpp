// SPDX-License-Identifier: Apache-2.0
// Render pass objects: what is made next to the application's, what begins with it, and what devices without graphs or
// without splits see.
#include "layer/objects/handle_table.h"
#include "tests/layer/entry/split_fixture.h"
#include "tests/layer/fake_driver/driver_function.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SplitObjects : public SplitTest {
 protected:
  [[nodiscard]] std::vector<std::string> Created(const char* command) const {
    std::vector<std::string> texts;
    for (const DriverCall& call : driver_.CallsOf(command)) texts.push_back(call.text);
    return texts;
  }
};

TEST_F(SplitObjects, three_compatible_render_passes_are_made) {
  Start();
  const size_t before = driver_.LiveObjects();
  const ObjectInfo1 info;
  const VkRenderPass render_pass = MakeRenderPass(info.info);
  EXPECT_THAT(
      Created("CreateRenderPass"),
      ElementsAre("clear/any stencil clear/any layout 0 to 1000001002, clear/any stencil clear/any layout 0 to 3",
                  "clear/store stencil clear/any layout 0 to 1000001002, "
                  "clear/store stencil clear/store layout 0 to 3",
                  "load/store stencil load/any layout 1000001002 to 1000001002, "
                  "load/store stencil load/store layout 3 to 3"));
  TRELLIS_CALL(*device_, DestroyRenderPass)(device_->handle(), render_pass, nullptr);
  EXPECT_EQ(driver_.CountOf("DestroyRenderPass"), 3u);
  EXPECT_EQ(driver_.LiveObjects(), before);
}

TEST_F(SplitObjects, instances_of_objects_are_split) {
  Start();
  const ObjectInfo1 info;
  const VkRenderPass render_pass = MakeRenderPass(info.info);
  const auto made = driver_.CallsOf("CreateRenderPass");
  ASSERT_EQ(HandleToU64(render_pass), made.at(0).object);
  BeginObject(render_pass);
  EXPECT_EQ(Last("CmdBeginRenderPass").object, made.at(1).object);
  EXPECT_EQ(Last("CmdBeginRenderPass").offset, 2u) << "clear values";
  Dispatch();
  const DriverCall second = Last("CmdBeginRenderPass");
  EXPECT_EQ(second.object, made.at(2).object);
  EXPECT_EQ(second.layout, 0x70u) << "the application's framebuffer";
  EXPECT_EQ(second.offset, 0u) << "no clear value";
  // finalLayout's transition comes behind the attachment stages.
  constexpr uint32_t kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  EXPECT_THAT(
      Last("CmdPipelineBarrier").dynamic_offsets,
      ElementsAre(kAll, kAll, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT));
  TRELLIS_CALL(*device_, CmdEndRenderPass)(command_buffer_);
  EXPECT_THAT(TakeCommands(), ElementsAre("CmdBeginRenderPass", "CmdEndRenderPass", "graph", "CmdPipelineBarrier",
                                          "CmdBeginRenderPass", "CmdEndRenderPass"));
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(SplitObjects, the_second_form_of_the_commands_is_used_where_the_application_uses_it) {
  Start();
  ObjectInfo2 info;
  auto stencil = MakeStruct<VkAttachmentDescriptionStencilLayout>();
  stencil.stencilFinalLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
  info.attachments[1].pNext = &stencil;
  VkRenderPassCreationFeedbackInfoEXT merged = {};
  auto feedback = MakeStruct<VkRenderPassCreationFeedbackCreateInfoEXT>();
  feedback.pRenderPassFeedback = &merged;
  VkRenderPassSubpassFeedbackInfoEXT subpass_merged = {};
  auto subpass_feedback = MakeStruct<VkRenderPassSubpassFeedbackCreateInfoEXT>();
  subpass_feedback.pSubpassFeedback = &subpass_merged;
  info.info.pNext = &feedback;
  info.subpasses[0].pNext = &subpass_feedback;
  const VkRenderPass render_pass = MakeRenderPass(info.info);
  const auto made = driver_.CallsOf("CreateRenderPass2");
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].chain.size(), 2u);
  EXPECT_THAT(made[1].chain, IsEmpty()) << "feedback is about the application's";
  EXPECT_THAT(made[2].chain, IsEmpty());
  EXPECT_TRUE(made[1].text.ends_with("stencil layout 0 to 1000241002")) << made[1].text;
  EXPECT_TRUE(made[2].text.ends_with("layout 3 to 3 stencil layout 1000241002 to 1000241002")) << made[2].text;
  BeginObject2(render_pass);
  Dispatch();
  EXPECT_EQ(Last("CmdBeginRenderPass2").object, made[2].object);
  const VkSubpassEndInfo end = {VK_STRUCTURE_TYPE_SUBPASS_END_INFO, nullptr};
  TRELLIS_CALL(*device_, CmdEndRenderPass2)(command_buffer_, &end);
  EXPECT_THAT(TakeCommands(), ElementsAre("CmdBeginRenderPass2", "CmdEndRenderPass2", "graph", "CmdPipelineBarrier",
                                          "CmdBeginRenderPass2", "CmdEndRenderPass2"));
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
}

// Nothing has to be edited in the first part then, on any device with graphs.
TEST_F(SplitObjects, what_is_stored_anyhow_begins_as_it_is) {
  for (const char* setting : {"on", "off", "default"}) {
    Start(setting);
    ObjectInfo1 info;
    info.StoreAll();
    info.attachments[0].stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;  // of an attachment without stencil
    const VkRenderPass render_pass = MakeRenderPass(info.info);
    const auto made = driver_.CallsOf("CreateRenderPass");
    ASSERT_EQ(made.size(), 2u) << setting;
    BeginObject(render_pass);
    EXPECT_EQ(Last("CmdBeginRenderPass").object, made[0].object);
    Dispatch();
    EXPECT_EQ(Last("CmdBeginRenderPass").object, made[1].object);
    TRELLIS_CALL(*device_, CmdEndRenderPass)(command_buffer_);
    DynamicInstance instance;
    instance.StoreAll();
    TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
    Dispatch();
    TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
    EXPECT_EQ(EndRecording(), VK_SUCCESS) << setting;
    EXPECT_THAT(messages_, IsEmpty()) << setting;
    TearDown();
    driver_.ForgetCalls();
  }
}

// Read-only and unused attachments need no store.
TEST_F(SplitObjects, what_nothing_writes_need_not_be_stored) {
  Start("off");
  ObjectInfo1 info;
  info.StoreAll();
  info.depth_reference.layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
  info.attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_NONE;
  info.attachments[1].stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  info.attachments[1].storeOp = info.attachments[1].stencilStoreOp = VK_ATTACHMENT_STORE_OP_NONE;
  (void)MakeRenderPass(info.info);
  EXPECT_EQ(driver_.CallsOf("CreateRenderPass").at(1).text,
            "load/store stencil load/store layout 1000001002 to 1000001002, none/none stencil load/none layout 3 to 3");
  info.depth_reference.attachment = VK_ATTACHMENT_UNUSED;
  info.attachments[1].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  driver_.ForgetCalls();
  (void)MakeRenderPass(info.info);
  EXPECT_EQ(driver_.CallsOf("CreateRenderPass").at(1).text,
            "load/store stencil load/store layout 1000001002 to 1000001002, none/any stencil load/none layout 3 to 3");
}

// There are no clear values for them in the second part.
TEST_F(SplitObjects, unused_attachments_are_not_cleared_again) {
  Start();
  ObjectInfo1 info;
  info.depth_reference.attachment = VK_ATTACHMENT_UNUSED;
  (void)MakeRenderPass(info.info);
  EXPECT_EQ(driver_.CallsOf("CreateRenderPass").back().text.find("clear"), std::string::npos);
}

// Memory that the application leaves alone is not written, even if nothing else can be split then.
TEST_F(SplitObjects, what_must_not_be_stored_is_not) {
  Start();
  ObjectInfo1 info;
  info.attachments[1].loadOp = VK_ATTACHMENT_LOAD_OP_NONE;
  info.attachments[1].storeOp = VK_ATTACHMENT_STORE_OP_NONE;
  const VkRenderPass render_pass = MakeRenderPass(info.info);
  EXPECT_EQ(driver_.CountOf("CreateRenderPass"), 1u);
  BeginObject(render_pass);
  EXPECT_EQ(Last("CmdBeginRenderPass").object, HandleToU64(render_pass));
  Dispatch();
  TRELLIS_CALL(*device_, CmdEndRenderPass)(command_buffer_);
  EXPECT_LT(EndRecording(), 0);
  EXPECT_THAT(messages_, ElementsAre(::testing::HasSubstr("VK_ATTACHMENT_STORE_OP_NONE")));
}

// Shading rates are read in the second part too.
TEST_F(SplitObjects, shading_rate_attachments_are_stored) {
  Start();
  ObjectInfo2 info;
  info.StoreAll();
  VkAttachmentDescription2 attachments[3] = {info.attachments[0], info.attachments[1], info.attachments[0]};
  attachments[2].format = VK_FORMAT_R8_UINT;
  attachments[2].loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  attachments[2].storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  info.info.attachmentCount = 3;
  info.info.pAttachments = attachments;
  VkAttachmentReference2 reference = info.color_reference;
  reference.attachment = 2;
  reference.layout = VK_IMAGE_LAYOUT_FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR;
  auto rate = MakeStruct<VkFragmentShadingRateAttachmentInfoKHR>();
  rate.pFragmentShadingRateAttachment = &reference;
  info.subpasses[0].pNext = &rate;
  (void)MakeRenderPass(info.info);
  const auto made = driver_.CallsOf("CreateRenderPass2");
  ASSERT_EQ(made.size(), 3u);
  for (size_t part = 1; part < 3; ++part)
    EXPECT_NE(made[part].text.rfind(", load/store"), std::string::npos) << made[part].text;
}

// Views of imageless framebuffers; the sample locations that the first part ends with.
TEST_F(SplitObjects, chains_are_copied_with_their_arrays) {
  Start();
  const ObjectInfo1 info;
  const VkRenderPass render_pass = MakeRenderPass(info.info);
  std::vector<VkImageView> views = {HandleFromU64<VkImageView>(16), HandleFromU64<VkImageView>(32)};
  VkSampleLocationEXT location = {0.25f, 0.5f};
  VkSubpassSampleLocationsEXT after = {};
  after.sampleLocationsInfo.sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT;
  after.sampleLocationsInfo.sampleLocationsCount = 1;
  after.sampleLocationsInfo.pSampleLocations = &location;
  auto locations = MakeStruct<VkRenderPassSampleLocationsBeginInfoEXT>();
  locations.postSubpassSampleLocationsCount = 1;
  locations.pPostSubpassSampleLocations = &after;
  auto imageless = MakeStruct<VkRenderPassAttachmentBeginInfo>(&locations);
  imageless.attachmentCount = 2;
  imageless.pAttachments = views.data();
  BeginObject(render_pass, VK_SUBPASS_CONTENTS_INLINE, &imageless);
  views = {VK_NULL_HANDLE, VK_NULL_HANDLE};
  location = {};
  after = {};
  locations = {};
  imageless = {};
  Dispatch();
  EXPECT_THAT(Last("CmdBeginRenderPass").objects, ElementsAre(16u, 32u));
  EXPECT_EQ(Last("CmdBeginRenderPass").text, "initial 1 x 0.250000") << "attachment 1 is the depth attachment";
}

// Instances without a graph in them become nothing else.
TEST_F(SplitObjects, nothing_is_edited_on_devices_without_mesh_nodes) {
  for (const bool mesh_nodes : {false, true}) {
    auto features = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
    features.shaderEnqueue = VK_TRUE;
    features.shaderMeshEnqueue = mesh_nodes;
    Start("default", kGraphExtensions, &features);
    const ObjectInfo1 info;
    const VkRenderPass render_pass = MakeRenderPass(info.info);
    EXPECT_EQ(driver_.CountOf("CreateRenderPass"), mesh_nodes ? 3u : 1u);
    BeginObject(render_pass);
    EXPECT_EQ(Last("CmdBeginRenderPass").object == HandleToU64(render_pass), !mesh_nodes);
    TRELLIS_CALL(*device_, CmdEndRenderPass)(command_buffer_);
    DynamicInstance instance;
    TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
    EXPECT_EQ(Last("CmdBeginRendering").text.find("clear/any") != std::string::npos, !mesh_nodes);
    TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
    EXPECT_THAT(TakeCommands(),
                ElementsAre("CmdBeginRenderPass", "CmdEndRenderPass", "CmdBeginRendering", "CmdEndRendering"));
    EXPECT_EQ(EndRecording(), VK_SUCCESS);
    TearDown();
    driver_.ForgetCalls();
  }
}

// None of the commands is hooked there, whatever the setting.
TEST_F(SplitObjects, devices_without_graphs_call_the_driver) {
  const char* const on = "on";
  const VkLayerSettingEXT setting = {kLayerName, "split_render_passes", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &on};
  const VkLayerSettingsCreateInfoEXT settings = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1,
                                                 &setting};
  const TestInstance instance(driver_, {}, &settings);
  for (const std::vector<const char*>& extensions :
       {std::vector<const char*>{}, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME}}) {
    const TestDevice device(instance, extensions);
    for (const char* name :
         {"vkCreateRenderPass", "vkCreateRenderPass2", "vkDestroyRenderPass", "vkCmdBeginRenderPass",
          "vkCmdBeginRenderPass2", "vkCmdBeginRendering", "vkCmdEndRenderPass", "vkCmdEndRenderPass2",
          "vkCmdEndRendering", "vkCmdBeginQuery", "vkCmdEndQuery", "vkCmdBeginQueryIndexedEXT",
          "vkCmdEndQueryIndexedEXT", "vkCmdBeginTransformFeedbackEXT", "vkCmdEndTransformFeedbackEXT",
          "vkCmdSetRenderingAttachmentLocations", "vkCmdSetRenderingInputAttachmentIndices"})
      EXPECT_EQ(device.Get<PFN_vkVoidFunction>(name), driver_.DeviceFunction(name)) << name;
  }
}

// Where a part cannot be made, the application has its render pass all the same, which cannot be split.
TEST_F(SplitObjects, failures_below_leave_nothing_behind) {
  Start();
  const size_t before = driver_.LiveObjects();
  const ObjectInfo1 info;
  for (int64_t failing = 0; failing < 3; ++failing) {
    driver_.ForgetCalls();
    FailDriverCommand(failing, Failures::kOnce, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    VkRenderPass render_pass = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(*device_, CreateRenderPass)(device_->handle(), &info.info, nullptr, &render_pass),
              failing == 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS);
    EXPECT_TRUE(StopDriverFailures());
    if (failing != 0) {
      BeginObject(render_pass);
      EXPECT_EQ(Last("CmdBeginRenderPass").object, HandleToU64(render_pass));
      TRELLIS_CALL(*device_, CmdEndRenderPass)(command_buffer_);
      TRELLIS_CALL(*device_, DestroyRenderPass)(device_->handle(), render_pass, nullptr);
    }
    EXPECT_EQ(driver_.LiveObjects(), before) << failing;
  }
}

}  // namespace
}  // namespace trellis::test
