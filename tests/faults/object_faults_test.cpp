// SPDX-License-Identifier: Apache-2.0
// Instances, devices, and the objects that the layer takes note of.
#include <gtest/gtest.h>

#include "tests/faults/attempt.h"

namespace trellis::test {
namespace {

// One vkCreate* of a device and its vkDestroy*.
template <typename Handle>
class Creation : public Attempt {
 public:
  using Create = VkResult (*)(const TestDevice&, Handle*);
  using Destroy = void (*)(const TestDevice&, Handle);

  Creation(Create create, Destroy destroy) : create_(create), destroy_(destroy) {}

  VkResult Run() override { return create_(*device_, &object_); }
  void Release() override { destroy_(*device_, object_); }

 private:
  const Create create_;
  const Destroy destroy_;
  Handle object_ = VK_NULL_HANDLE;
};

template <typename Handle>
MakeAttempt CreationOf(VkResult (*create)(const TestDevice&, Handle*), void (*destroy)(const TestDevice&, Handle)) {
  return [=] { return std::make_unique<Creation<Handle>>(create, destroy); };
}

template <typename Handle>
void FailBoth(VkResult (*create)(const TestDevice&, Handle*), void (*destroy)(const TestDevice&, Handle)) {
  const MakeAttempt make = CreationOf<Handle>(create, destroy);
  FailAllocations(make);
  FailDriverCommands(make);
}

TEST(ObjectFaults, Buffers) {
  FailBoth<VkBuffer>(
      [](const TestDevice& device, VkBuffer* buffer) {
        auto info = MakeStruct<VkBufferCreateInfo>();
        info.size = 4096;
        info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
        return Call(TRELLIS_CALL(device, CreateBuffer), device.handle(), &info, nullptr, buffer);
      },
      [](const TestDevice& device, VkBuffer buffer) {
        TRELLIS_CALL(device, DestroyBuffer)(device.handle(), buffer, nullptr);
      });
}

TEST(ObjectFaults, DescriptorSetLayouts) {
  FailBoth<VkDescriptorSetLayout>(
      [](const TestDevice& device, VkDescriptorSetLayout* layout) {
        const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                      VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        auto info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
        info.bindingCount = 1;
        info.pBindings = &binding;
        return Call(TRELLIS_CALL(device, CreateDescriptorSetLayout), device.handle(), &info, nullptr, layout);
      },
      [](const TestDevice& device, VkDescriptorSetLayout layout) {
        TRELLIS_CALL(device, DestroyDescriptorSetLayout)(device.handle(), layout, nullptr);
      });
}

TEST(ObjectFaults, DescriptorUpdateTemplates) {
  FailBoth<VkDescriptorUpdateTemplate>(
      [](const TestDevice& device, VkDescriptorUpdateTemplate* update_template) {
        const VkDescriptorUpdateTemplateEntry entry = {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
        auto info = MakeStruct<VkDescriptorUpdateTemplateCreateInfo>();
        info.descriptorUpdateEntryCount = 1;
        info.pDescriptorUpdateEntries = &entry;
        info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
        info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
        return Call(TRELLIS_CALL(device, CreateDescriptorUpdateTemplate), device.handle(), &info, nullptr,
                    update_template);
      },
      [](const TestDevice& device, VkDescriptorUpdateTemplate update_template) {
        TRELLIS_CALL(device, DestroyDescriptorUpdateTemplate)(device.handle(), update_template, nullptr);
      });
}

TEST(ObjectFaults, PipelineLayouts) {
  FailBoth<VkPipelineLayout>(
      [](const TestDevice& device, VkPipelineLayout* layout) {
        const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
        auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        return Call(TRELLIS_CALL(device, CreatePipelineLayout), device.handle(), &info, nullptr, layout);
      },
      [](const TestDevice& device, VkPipelineLayout layout) {
        TRELLIS_CALL(device, DestroyPipelineLayout)(device.handle(), layout, nullptr);
      });
}

// Stored as it is, so that one more is made next to it.
// Render passes of the layer that the driver cannot make do no harm (SplitObjects.failures_below_leave_nothing_behind).
TEST(ObjectFaults, RenderPasses) {
  FailAllocations(CreationOf<VkRenderPass>(
      [](const TestDevice& device, VkRenderPass* render_pass) {
        const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        VkSubpassDescription subpass = {};
        subpass.colorAttachmentCount = 1;
        subpass.pColorAttachments = &reference;
        VkAttachmentDescription attachment = {};
        attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
        attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        auto info = MakeStruct<VkRenderPassCreateInfo>();
        info.attachmentCount = 1;
        info.pAttachments = &attachment;
        info.subpassCount = 1;
        info.pSubpasses = &subpass;
        return Call(TRELLIS_CALL(device, CreateRenderPass), device.handle(), &info, nullptr, render_pass);
      },
      [](const TestDevice& device, VkRenderPass render_pass) {
        TRELLIS_CALL(device, DestroyRenderPass)(device.handle(), render_pass, nullptr);
      }));
}

// The layer takes note of the externally synchronised ones.
TEST(ObjectFaults, PipelineCaches) {
  FailBoth<VkPipelineCache>(
      [](const TestDevice& device, VkPipelineCache* cache) {
        auto info = MakeStruct<VkPipelineCacheCreateInfo>();
        info.flags = VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT;
        return Call(TRELLIS_CALL(device, CreatePipelineCache), device.handle(), &info, nullptr, cache);
      },
      [](const TestDevice& device, VkPipelineCache cache) {
        TRELLIS_CALL(device, DestroyPipelineCache)(device.handle(), cache, nullptr);
      });
}

// `capability`: 5067 declares ShaderEnqueueAMDX, 1 Shader.
template <uint32_t capability>
VkResult CreateModule(const TestDevice& device, VkShaderModule* module) {
  const uint32_t words[] = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17, capability};
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  info.codeSize = sizeof(words);
  info.pCode = words;
  return Call(TRELLIS_CALL(device, CreateShaderModule), device.handle(), &info, nullptr, module);
}

void DestroyModule(const TestDevice& device, VkShaderModule module) {
  TRELLIS_CALL(device, DestroyShaderModule)(device.handle(), module, nullptr);
}

TEST(ObjectFaults, PlainShaderModules) { FailBoth<VkShaderModule>(CreateModule<1>, DestroyModule); }

TEST(ObjectFaults, NodeShaderModules) {
  FailAllocations([] { return std::make_unique<Creation<VkShaderModule>>(CreateModule<5067>, DestroyModule); });
}

TEST(ObjectFaults, CommandPools) {
  FailBoth<VkCommandPool>(
      [](const TestDevice& device, VkCommandPool* pool) {
        auto info = MakeStruct<VkCommandPoolCreateInfo>();
        return Call(TRELLIS_CALL(device, CreateCommandPool), device.handle(), &info, nullptr, pool);
      },
      [](const TestDevice& device, VkCommandPool pool) {
        TRELLIS_CALL(device, DestroyCommandPool)(device.handle(), pool, nullptr);
      });
}

// Three command buffers of one pool: all or none.
class CommandBufferAllocation : public Attempt {
 public:
  CommandBufferAllocation() {
    auto info = MakeStruct<VkCommandPoolCreateInfo>();
    TRELLIS_CALL(*device_, CreateCommandPool)(handle(), &info, nullptr, &pool_);
  }
  ~CommandBufferAllocation() override { TRELLIS_CALL(*device_, DestroyCommandPool)(handle(), pool_, nullptr); }

  VkResult Run() override {
    const VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                              VK_COMMAND_BUFFER_LEVEL_PRIMARY, 3};
    const VkResult result = Call(TRELLIS_CALL(*device_, AllocateCommandBuffers), handle(), &info, command_buffers_);
    for (const VkCommandBuffer command_buffer : command_buffers_)
      EXPECT_EQ(command_buffer != VK_NULL_HANDLE, result == VK_SUCCESS);
    return result;
  }
  void Release() override {
    TRELLIS_CALL(*device_, FreeCommandBuffers)(handle(), pool_, 3, command_buffers_);
    EXPECT_LE(driver_.CountOf("FreeCommandBuffers"), 2u);
  }

 private:
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffers_[3] = {};
};

TEST(ObjectFaults, CommandBuffers) {
  FailAllocations([] { return std::make_unique<CommandBufferAllocation>(); });
}

class MessengerCreation : public Attempt {
 public:
  MessengerCreation() { with_messengers_.emplace(driver_, extensions_, settings_.chain()); }

  VkResult Run() override {
    auto info = MakeStruct<VkDebugUtilsMessengerCreateInfoEXT>();
    return Call(TRELLIS_CALL(*with_messengers_, CreateDebugUtilsMessengerEXT), with_messengers_->handle(), &info,
                nullptr, &messenger_);
  }
  void Release() override {
    TRELLIS_CALL(*with_messengers_, DestroyDebugUtilsMessengerEXT)(with_messengers_->handle(), messenger_, nullptr);
  }

 private:
  const std::vector<const char*> extensions_ = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  std::optional<TestInstance> with_messengers_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

TEST(ObjectFaults, Messengers) {
  const MakeAttempt make = [] { return std::make_unique<MessengerCreation>(); };
  FailAllocations(make);
  FailDriverCommands(make);
}

class InstanceCreation : public Attempt {
 public:
  VkResult Run() override {
    {
      const ScopedShortage shortage;
      made_.emplace(driver_, extensions_, settings_.chain());
    }
    const VkResult result = made_->result();
    if (result != VK_SUCCESS) made_.reset();
    return result;
  }
  void Release() override { made_.reset(); }

 private:
  const std::vector<const char*> extensions_;
  std::optional<TestInstance> made_;
};

TEST(ObjectFaults, Instances) {
  const MakeAttempt make = [] { return std::make_unique<InstanceCreation>(); };
  FailAllocations(make);
  FailDriverCommands(make);
}

class DeviceCreation : public Attempt {
 public:
  VkResult Run() override {
    {
      const ScopedShortage shortage;
      made_.emplace(*instance_);
    }
    const VkResult result = made_->result();
    if (result != VK_SUCCESS) made_.reset();
    return result;
  }
  void Release() override { made_.reset(); }

 private:
  std::optional<TestDevice> made_;
};

TEST(ObjectFaults, Devices) {
  const MakeAttempt make = [] { return std::make_unique<DeviceCreation>(); };
  FailAllocations(make);
  FailDriverCommands(make);
}

}  // namespace
}  // namespace trellis::test
