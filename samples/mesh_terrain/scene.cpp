// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/scene.h"

#include <array>

#include "samples/hello_graph/failure.h"

namespace terrain {

using hello::Check;
using hello::Struct;

namespace {

constexpr VkMemoryPropertyFlags kShared = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

}  // namespace

Scene::Scene(const hello::Gpu& gpu, VkExtent2D extent)
    : gpu_(gpu),
      frame_(gpu, sizeof(Frame), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
             VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
      tiles_(gpu, kMaxTiles * sizeof(Tile), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, kShared),
      mapped_tiles_(static_cast<Tile*>(tiles_.Map())) {
  Resize(extent);
  MakeLayout();
  MakeSet();
  auto command_pool = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  command_pool.queueFamilyIndex = gpu.queue_family();
  Check(vkCreateCommandPool(gpu.device(), &command_pool, nullptr, &command_pool_), "vkCreateCommandPool");
}

Scene::~Scene() {
  vkDestroyCommandPool(gpu_.device(), command_pool_, nullptr);
  vkDestroyDescriptorPool(gpu_.device(), descriptor_pool_, nullptr);
  vkDestroyPipelineLayout(gpu_.device(), layout_, nullptr);
  vkDestroyDescriptorSetLayout(gpu_.device(), set_layout_, nullptr);
}

void Scene::Resize(VkExtent2D extent) { canvas_.emplace(gpu_, extent); }

void Scene::MakeLayout() {
  const std::array<VkDescriptorSetLayoutBinding, 2> bindings = {
      {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1,
        VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
       {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_MESH_BIT_EXT, nullptr}}};
  auto set_layout = Struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set_layout.bindingCount = bindings.size();
  set_layout.pBindings = bindings.data();
  Check(vkCreateDescriptorSetLayout(gpu_.device(), &set_layout, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange number = {VK_SHADER_STAGE_MESH_BIT_EXT, 0, sizeof(uint32_t)};
  auto layout = Struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &number;
  Check(vkCreatePipelineLayout(gpu_.device(), &layout, nullptr, &layout_), "vkCreatePipelineLayout");
}

void Scene::MakeSet() {
  const std::array<VkDescriptorPoolSize, 2> sizes = {
      {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}}};
  auto pool = Struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool.maxSets = 1;
  pool.poolSizeCount = sizes.size();
  pool.pPoolSizes = sizes.data();
  Check(vkCreateDescriptorPool(gpu_.device(), &pool, nullptr, &descriptor_pool_), "vkCreateDescriptorPool");
  auto set = Struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  set.descriptorPool = descriptor_pool_;
  set.descriptorSetCount = 1;
  set.pSetLayouts = &set_layout_;
  Check(vkAllocateDescriptorSets(gpu_.device(), &set, &set_), "vkAllocateDescriptorSets");

  const std::array<VkDescriptorBufferInfo, 2> buffers = {
      {{frame_.handle(), 0, VK_WHOLE_SIZE}, {tiles_.handle(), 0, VK_WHOLE_SIZE}}};
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    auto write = Struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = set_;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = sizes[i].type;
    write.pBufferInfo = &buffers[i];
    vkUpdateDescriptorSets(gpu_.device(), 1, &write, 0, nullptr);
  }
}

void Scene::BindSet(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point) const {
  vkCmdBindDescriptorSets(command_buffer, bind_point, layout_, 0, 1, &set_, 0, nullptr);
}

void Scene::Run(const Recording& record) const {
  auto allocation = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = command_pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  Check(vkAllocateCommandBuffers(gpu_.device(), &allocation, &command_buffer), "vkAllocateCommandBuffers");
  auto begin = Struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  Check(vkBeginCommandBuffer(command_buffer, &begin), "vkBeginCommandBuffer");
  record(command_buffer);
  Check(vkEndCommandBuffer(command_buffer), "vkEndCommandBuffer");
  auto submit = Struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  Check(vkQueueSubmit(gpu_.queue(), 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  Check(vkQueueWaitIdle(gpu_.queue()), "vkQueueWaitIdle");
  vkFreeCommandBuffers(gpu_.device(), command_pool_, 1, &command_buffer);
}

void Scene::Record(VkCommandBuffer command_buffer, const Frame& frame, const Recording& draw) const {
  constexpr VkPipelineStageFlags kReaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                            VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT |
                                            VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
  // The last frame may still read its own data, and its graph uses the same scratch memory.
  const VkMemoryBarrier reused = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdPipelineBarrier(command_buffer, kReaders, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       0, 1, &reused, 0, nullptr, 0, nullptr);
  vkCmdUpdateBuffer(command_buffer, frame_.handle(), 0, sizeof(frame), &frame);
  const VkMemoryBarrier written = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                   VK_ACCESS_UNIFORM_READ_BIT};
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, kReaders, 0, 1, &written, 0, nullptr, 0,
                       nullptr);
  canvas_->BeginRendering(command_buffer);
  draw(command_buffer);
  canvas_->EndRendering(command_buffer);
}

Picture Scene::Render(const Frame& frame, const Recording& draw) const {
  Run([&](VkCommandBuffer command_buffer) {
    Record(command_buffer, frame, draw);
    canvas_->CopyPixels(command_buffer);
  });
  return canvas_->Read();
}

}  // namespace terrain
