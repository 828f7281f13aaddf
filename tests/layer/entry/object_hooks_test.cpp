// SPDX-License-Identifier: Apache-2.0
// Buffers, shader modules, layouts and pipelines of a device with execution graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/device/buffer_usage.h"
#include "layer/objects/handle_table.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/objects/registry.h"
#include "layer/objects/shader_module.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

const std::vector<uint32_t> kNodeModule = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17, 1, 2u << 16 | 17, 5067};
const std::vector<uint32_t> kPlainModule = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17, 1};

class ObjectHooks : public ::testing::Test {
 protected:
  VkShaderModule MakeModule(const std::vector<uint32_t>& words) {
    auto info = MakeStruct<VkShaderModuleCreateInfo>();
    info.codeSize = words.size() * sizeof(uint32_t);
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &info, nullptr, &module), VK_SUCCESS);
    return module;
  }

  VkComputePipelineCreateInfo PipelineInfo(VkShaderModule module) {
    auto info = MakeStruct<VkComputePipelineCreateInfo>();
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    return info;
  }

  FakeDriver driver_;
  TestInstance instance_{driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}};
  TestDevice device_{instance_};
};

TEST_F(ObjectHooks, scratch_buffer_is_translated_and_found_by_address) {
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = 4096;
  info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer), VK_SUCCESS);
  EXPECT_EQ(driver_.CallsOf("CreateBuffer").at(0).flags, TranslateBufferUsage(info.usage));

  auto allocate = MakeStruct<VkMemoryAllocateInfo>();
  allocate.allocationSize = 4096;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, AllocateMemory)(device_.handle(), &allocate, nullptr, &memory);
  TRELLIS_CALL(device_, BindBufferMemory)(device_.handle(), buffer, memory, 0);
  const VkBufferDeviceAddressInfo query = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  const VkDeviceAddress address = TRELLIS_CALL(device_, GetBufferDeviceAddress)(device_.handle(), &query);
  const auto object = FindDevice(device_.handle());
  ASSERT_TRUE(object->scratch_buffers.Find(address + 64));
  EXPECT_EQ(object->scratch_buffers.Find(address + 64)->buffer, buffer);
  EXPECT_EQ(object->scratch_buffers.Find(address + 64)->offset, 64u);

  TRELLIS_CALL(device_, DestroyBuffer)(device_.handle(), buffer, nullptr);
  EXPECT_FALSE(object->scratch_buffers.Find(address));
}

TEST(BufferAddresses, buffers_that_overlap_are_all_known) {
  const auto buffer = [](uint64_t number) { return HandleFromU64<VkBuffer>(number); };
  BufferTable map;
  map.Insert(buffer(1), 0x1000);
  map.TellAddress(buffer(1), 0x1000);
  map.Insert(buffer(2), 0x40);
  map.TellAddress(buffer(2), 0x1000);
  map.Insert(buffer(3), 0x100);
  map.TellAddress(buffer(3), 0x1400);
  map.Insert(buffer(4), 0x2000);
  map.TellAddress(buffer(4), 0x1400);
  map.Insert(buffer(3), 0x100);
  map.TellAddress(buffer(3), 0x1400);  // asked for again
  const auto at = [&](VkDeviceAddress address) {
    const std::optional<BufferPlace> place = map.Find(address);
    return place ? std::pair(place->buffer, place->offset) : std::pair(VkBuffer{VK_NULL_HANDLE}, VkDeviceSize{0});
  };
  EXPECT_EQ(at(0xfff), std::pair(VkBuffer{VK_NULL_HANDLE}, VkDeviceSize{0}));
  EXPECT_EQ(at(0x1000), std::pair(buffer(1), VkDeviceSize{0})) << "the longer one, not the one that came last";
  EXPECT_EQ(at(0x1440), std::pair(buffer(4), VkDeviceSize{0x40}));
  map.Erase(buffer(4));
  EXPECT_EQ(at(0x1440), std::pair(buffer(1), VkDeviceSize{0x440}));
  EXPECT_EQ(at(0x1fff), std::pair(buffer(1), VkDeviceSize{0xfff}));
  EXPECT_EQ(at(0x2000), std::pair(VkBuffer{VK_NULL_HANDLE}, VkDeviceSize{0}));
  map.Erase(buffer(1));
  EXPECT_EQ(at(0x1020), std::pair(buffer(2), VkDeviceSize{0x20}));
  EXPECT_EQ(at(0x1440), std::pair(buffer(3), VkDeviceSize{0x40}));
}

TEST_F(ObjectHooks, failed_buffer_is_not_tracked) {
  VkBufferCreateInfo info = {};
  info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
  VkBuffer buffer = VK_NULL_HANDLE;
  driver_.next_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer),
            VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(FindDevice(device_.handle())->scratch_buffers.Size(), 0u);
}

TEST_F(ObjectHooks, memory_requirements_query_is_translated) {
  VkBufferCreateInfo info = {};
  info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
  const VkDeviceBufferMemoryRequirements query = {VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr, &info};
  VkMemoryRequirements2 requirements = {};
  TRELLIS_CALL(device_, GetDeviceBufferMemoryRequirements)(device_.handle(), &query, &requirements);
  EXPECT_EQ(driver_.CallsOf("GetDeviceBufferMemoryRequirements").at(0).flags, TranslateBufferUsage(info.usage));
}

TEST_F(ObjectHooks, node_module_never_reaches_the_driver) {
  const VkShaderModule module = MakeModule(kNodeModule);
  EXPECT_NE(module, VkShaderModule{VK_NULL_HANDLE});
  EXPECT_EQ(driver_.CountOf("CreateShaderModule"), 0u);
  EXPECT_EQ(FindDevice(device_.handle())->shader_modules.Find(module)->words, kNodeModule);
  TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), module, nullptr);
  EXPECT_EQ(driver_.CountOf("DestroyShaderModule"), 0u);
  EXPECT_FALSE(FindDevice(device_.handle())->shader_modules.Find(module));
}

TEST_F(ObjectHooks, plain_module_goes_down_and_its_words_are_kept) {
  const VkShaderModule module = MakeModule(kPlainModule);
  EXPECT_EQ(driver_.CallsOf("CreateShaderModule").at(0).object, HandleToU64(module));
  EXPECT_EQ(FindDevice(device_.handle())->shader_modules.Find(module)->words, kPlainModule);
  TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), module, nullptr);
  EXPECT_EQ(driver_.CallsOf("DestroyShaderModule").at(0).object, HandleToU64(module));
}

TEST_F(ObjectHooks, compute_pipeline_of_a_node_module_is_refused) {
  VkComputePipelineCreateInfo info = PipelineInfo(MakeModule(kNodeModule));
  VkPipeline pipeline = HandleFromU64<VkPipeline>(1);
  EXPECT_NE(TRELLIS_CALL(device_, CreateComputePipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(driver_.CountOf("CreateComputePipelines"), 0u);
}

TEST_F(ObjectHooks, compute_library_never_reaches_the_driver_as_it_is) {
  auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  VkComputePipelineCreateInfo info = PipelineInfo(MakeModule(kPlainModule));
  info.pNext = &flags;
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_NE(TRELLIS_CALL(device_, CreateComputePipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("CreateComputePipelines"), 0u);
}

TEST_F(ObjectHooks, graphics_pipeline_for_graphs_is_refused) {
  auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  auto info = MakeStruct<VkGraphicsPipelineCreateInfo>(&flags);
  VkPipeline pipeline = HandleFromU64<VkPipeline>(1);
  std::vector<std::string> heard;
  const Messenger messenger(instance_,
                            [&heard](const HeardMessage& message) { heard.emplace_back(message.data.pMessage); });
  EXPECT_EQ(TRELLIS_CALL(device_, CreateGraphicsPipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_THAT(heard, ElementsAre(::testing::HasSubstr("VUID-VkGraphicsPipelineCreateInfo-shaderMeshEnqueue-10187")));
  EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(driver_.CountOf("CreateGraphicsPipelines"), 0u);
}

TEST_F(ObjectHooks, ordinary_compute_pipeline_goes_down) {
  VkComputePipelineCreateInfo info = PipelineInfo(MakeModule(kPlainModule));
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateComputePipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), pipeline, nullptr);
  EXPECT_EQ(driver_.CallsOf("DestroyPipeline").at(0).object, HandleToU64(pipeline));
}

TEST_F(ObjectHooks, names_of_node_modules_do_not_reach_the_driver) {
  TestInstance instance(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice device(instance);
  VkShaderModuleCreateInfo info = {};
  info.codeSize = kNodeModule.size() * sizeof(uint32_t);
  info.pCode = kNodeModule.data();
  VkShaderModule module = VK_NULL_HANDLE;
  TRELLIS_CALL(device, CreateShaderModule)(device.handle(), &info, nullptr, &module);
  VkDebugUtilsObjectNameInfoEXT name = {};
  name.objectType = VK_OBJECT_TYPE_SHADER_MODULE;
  name.objectHandle = HandleToU64(module);
  name.pObjectName = "node";
  EXPECT_EQ(TRELLIS_CALL(device, SetDebugUtilsObjectNameEXT)(device.handle(), &name), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("SetDebugUtilsObjectNameEXT"), 0u);
  name.objectType = VK_OBJECT_TYPE_BUFFER;
  TRELLIS_CALL(device, SetDebugUtilsObjectNameEXT)(device.handle(), &name);
  EXPECT_EQ(driver_.CountOf("SetDebugUtilsObjectNameEXT"), 1u);
}

TEST_F(ObjectHooks, private_data_of_node_modules_is_kept_by_the_layer) {
  const uint64_t module = HandleToU64(MakeModule(kNodeModule));
  const auto slot = HandleFromU64<VkPrivateDataSlot>(5);
  TRELLIS_CALL(device_, SetPrivateData)(device_.handle(), VK_OBJECT_TYPE_SHADER_MODULE, module, slot, 77);
  uint64_t value = 0;
  TRELLIS_CALL(device_, GetPrivateData)(device_.handle(), VK_OBJECT_TYPE_SHADER_MODULE, module, slot, &value);
  EXPECT_EQ(value, 77u);
  EXPECT_EQ(driver_.CountOf("SetPrivateData"), 0u);

  // A new slot may get the old one's handle, and starts with zeros.
  TRELLIS_CALL(device_, DestroyPrivateDataSlot)(device_.handle(), slot, nullptr);
  EXPECT_EQ(driver_.CallsOf("DestroyPrivateDataSlot").at(0).object, HandleToU64(slot));
  TRELLIS_CALL(device_, GetPrivateData)(device_.handle(), VK_OBJECT_TYPE_SHADER_MODULE, module, slot, &value);
  EXPECT_EQ(value, 0u);
}

TEST_F(ObjectHooks, node_modules_have_no_identifier) {
  const auto identifier_size = [&](VkShaderModule module) {
    auto identifier = MakeStruct<VkShaderModuleIdentifierEXT>();
    identifier.identifierSize = 7;
    TRELLIS_CALL(device_, GetShaderModuleIdentifierEXT)(device_.handle(), module, &identifier);
    return identifier.identifierSize;
  };
  EXPECT_EQ(identifier_size(MakeModule(kNodeModule)), 0u);
  EXPECT_EQ(driver_.CountOf("GetShaderModuleIdentifierEXT"), 0u);
  EXPECT_EQ(identifier_size(MakeModule(kPlainModule)), 1u) << "the driver's answer";
}

class LayoutHooks : public ObjectHooks {
 protected:
  VkPipelineLayout MakeLayout(const VkPushConstantRange& range) {
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 3, VK_SHADER_STAGE_ALL, {}};
    auto set_info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
    set_info.bindingCount = 1;
    set_info.pBindings = &binding;
    TRELLIS_CALL(device_, CreateDescriptorSetLayout)(device_.handle(), &set_info, nullptr, &set_layout_);
    const VkDescriptorSetLayout sets[] = {set_layout_, VK_NULL_HANDLE};
    auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
    info.flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
    info.setLayoutCount = 2;
    info.pSetLayouts = sets;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout), VK_SUCCESS);
    return layout;
  }

  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
};

TEST_F(LayoutHooks, node_layout_is_made_at_once_with_one_range) {
  const VkPipelineLayout layout = MakeLayout({VK_SHADER_STAGE_ALL, 0, 12});
  const auto calls = driver_.CallsOf("CreatePipelineLayout");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].objects, calls[0].objects) << "the same sets";
  EXPECT_EQ(calls[1].flags, calls[0].flags);
  EXPECT_THAT(calls[1].dynamic_offsets, ElementsAre(VK_SHADER_STAGE_COMPUTE_BIT, 0u, 24u));
  const auto object = FindDevice(device_.handle())->pipeline_layouts.Find(layout);
  EXPECT_EQ(object->launch_offset, 16u);
  ASSERT_EQ(object->sets.size(), 2u);
  EXPECT_EQ(object->sets[0]->dynamic_offset_count, 3u);
  EXPECT_EQ(object->sets[1], nullptr);
}

TEST_F(LayoutHooks, node_layout_lives_as_long_as_someone_holds_it) {
  const VkPipelineLayout layout = MakeLayout({VK_SHADER_STAGE_COMPUTE_BIT, 0, 16});
  auto object = FindDevice(device_.handle())->pipeline_layouts.Find(layout);
  const uint64_t node_layout = HandleToU64(object->node_layout);
  TRELLIS_CALL(device_, DestroyPipelineLayout)(device_.handle(), layout, nullptr);
  ASSERT_EQ(driver_.CountOf("DestroyPipelineLayout"), 1u);
  EXPECT_EQ(driver_.CallsOf("DestroyPipelineLayout")[0].object, HandleToU64(layout));
  object.reset();
  ASSERT_EQ(driver_.CountOf("DestroyPipelineLayout"), 2u);
  EXPECT_EQ(driver_.CallsOf("DestroyPipelineLayout")[1].object, node_layout);
}

TEST_F(LayoutHooks, full_push_constants_leave_the_nodes_two_addresses) {
  const VkPipelineLayout layout = MakeLayout({VK_SHADER_STAGE_COMPUTE_BIT, 0, 128});
  const auto object = FindDevice(device_.handle())->pipeline_layouts.Find(layout);
  EXPECT_TRUE(object->copy_offset);
  EXPECT_THAT(driver_.CallsOf("CreatePipelineLayout").at(1).dynamic_offsets,
              ElementsAre(VK_SHADER_STAGE_COMPUTE_BIT, 0u, 16u));
}

TEST_F(LayoutHooks, leaked_layouts_go_before_the_device) {
  {
    TestDevice device(instance_);
    VkPipelineLayoutCreateInfo info = {};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    TRELLIS_CALL(device, CreatePipelineLayout)(device.handle(), &info, nullptr, &layout);
    driver_.ForgetCalls();
  }
  ASSERT_EQ(driver_.calls().size(), 2u);
  EXPECT_EQ(driver_.calls()[0].name, "DestroyPipelineLayout") << "the node layout, which is ours";
  EXPECT_EQ(driver_.calls()[1].name, "DestroyDevice");
}

}  // namespace
}  // namespace trellis::test
