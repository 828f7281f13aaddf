// SPDX-License-Identifier: Apache-2.0
#include "samples/hello_graph/work_graph.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "hello_graph_spv.h"
#include "samples/hello_graph/failure.h"

namespace hello {
namespace {

struct Node {
  const char* name;  // entry point in the module, and the node's name in the graph
  const char* launch;
};

constexpr std::array<Node, 3> kNodes = {{{"firstNode", "broadcast, grid from its record, 2 invocations a workgroup"},
                                         {"secondNode", "thread, one invocation a record"},
                                         {"thirdNode", "coalescing, up to 32 records a workgroup"}}};

constexpr VkDeviceSize kResultBytes = sizeof(ResultWords);

}  // namespace

WorkGraph::WorkGraph(const Gpu& gpu) : gpu_(gpu) {
  const VkDevice device = gpu_.device();

  const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                nullptr};
  auto set_layout = Struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set_layout.bindingCount = 1;
  set_layout.pBindings = &binding;
  Check(vkCreateDescriptorSetLayout(device, &set_layout, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");

  auto layout = Struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  Check(vkCreatePipelineLayout(device, &layout, nullptr, &layout_), "vkCreatePipelineLayout");

  const VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  auto descriptor_pool = Struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  descriptor_pool.maxSets = 1;
  descriptor_pool.poolSizeCount = 1;
  descriptor_pool.pPoolSizes = &pool_size;
  Check(vkCreateDescriptorPool(device, &descriptor_pool, nullptr, &descriptor_pool_), "vkCreateDescriptorPool");

  auto command_pool = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  command_pool.queueFamilyIndex = gpu_.queue_family();
  Check(vkCreateCommandPool(device, &command_pool, nullptr, &command_pool_), "vkCreateCommandPool");

  MakePipeline();
}

WorkGraph::~WorkGraph() {
  const VkDevice device = gpu_.device();
  vkDestroyPipeline(device, pipeline_, nullptr);
  vkDestroyCommandPool(device, command_pool_, nullptr);
  vkDestroyDescriptorPool(device, descriptor_pool_, nullptr);
  vkDestroyPipelineLayout(device, layout_, nullptr);
  vkDestroyDescriptorSetLayout(device, set_layout_, nullptr);
}

void WorkGraph::MakePipeline() {
  // One module holds all three shaders; each stage of the graph is one of its entry points. The records' targets are
  // named in the shaders.
  auto module_info = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = sizeof(kHelloGraphSpv);
  module_info.pCode = kHelloGraphSpv;
  VkShaderModule module = VK_NULL_HANDLE;
  Check(vkCreateShaderModule(gpu_.device(), &module_info, nullptr, &module), "vkCreateShaderModule");

  std::array<VkPipelineShaderStageCreateInfo, kNodes.size()> stages = {};
  for (size_t i = 0; i < kNodes.size(); ++i) {
    stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stages[i].module = module;
    stages[i].pName = kNodes[i].name;
  }
  auto info =
      Struct<VkExecutionGraphPipelineCreateInfoAMDX>(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.layout = layout_;
  Check(gpu_.graph().CreateExecutionGraphPipelines(gpu_.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
        "vkCreateExecutionGraphPipelinesAMDX");
  vkDestroyShaderModule(gpu_.device(), module, nullptr);
}

ResultWords WorkGraph::Run(const EntryRecords& records) {
  const VkDevice device = gpu_.device();

  auto size =
      Struct<VkExecutionGraphPipelineScratchSizeAMDX>(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX);
  Check(gpu_.graph().GetExecutionGraphPipelineScratchSize(device, pipeline_, &size),
        "vkGetExecutionGraphPipelineScratchSizeAMDX");
  const VkDeviceSize scratch_size = std::max<VkDeviceSize>(size.maxSize, 64);
  const Buffer scratch(gpu_, scratch_size,
                       VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                       VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  const Buffer results(gpu_, kResultBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  void* const mapped = results.Map();
  std::memset(mapped, 0, kResultBytes);

  auto set_info = Struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  set_info.descriptorPool = descriptor_pool_;
  set_info.descriptorSetCount = 1;
  set_info.pSetLayouts = &set_layout_;
  VkDescriptorSet set = VK_NULL_HANDLE;
  Check(vkAllocateDescriptorSets(device, &set_info, &set), "vkAllocateDescriptorSets");
  const VkDescriptorBufferInfo buffer_info = {results.handle(), 0, kResultBytes};
  auto write = Struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &buffer_info;
  vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);

  auto command_buffer_info = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  command_buffer_info.commandPool = command_pool_;
  command_buffer_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  command_buffer_info.commandBufferCount = 1;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  Check(vkAllocateCommandBuffers(device, &command_buffer_info, &command_buffer), "vkAllocateCommandBuffers");
  Record(command_buffer, scratch, scratch_size, set, records);

  auto submit = Struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  Check(vkQueueSubmit(gpu_.queue(), 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  Check(vkQueueWaitIdle(gpu_.queue()), "vkQueueWaitIdle");

  ResultWords words;
  std::memcpy(words.data(), mapped, kResultBytes);
  vkFreeCommandBuffers(device, command_pool_, 1, &command_buffer);
  vkResetDescriptorPool(device, descriptor_pool_, 0);
  return words;
}

void WorkGraph::Record(VkCommandBuffer command_buffer, const Buffer& scratch, VkDeviceSize scratch_size,
                       VkDescriptorSet set, const EntryRecords& records) {
  auto begin = Struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  Check(vkBeginCommandBuffer(command_buffer, &begin), "vkBeginCommandBuffer");
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, pipeline_);
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, layout_, 0, 1, &set, 0, nullptr);

  // Once for a graph and a scratch buffer, before the first dispatch. Both work on scratch as compute shaders' storage.
  gpu_.graph().CmdInitializeGraphScratchMemory(command_buffer, pipeline_, scratch.Address(), scratch_size);
  const VkMemoryBarrier initialized = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                       VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                       &initialized, 0, nullptr, 0, nullptr);

  // A node is launched by its index, which the pipeline gives for its name and shader index.
  auto node =
      Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  node.pName = kNodes[0].name;
  node.index = 0;
  VkDispatchGraphInfoAMDX launch = {};
  Check(gpu_.graph().GetExecutionGraphPipelineNodeIndex(gpu_.device(), pipeline_, &node, &launch.nodeIndex),
        "vkGetExecutionGraphPipelineNodeIndexAMDX");
  launch.payloadCount = static_cast<uint32_t>(records.size());
  launch.payloads.hostAddress = records.data();
  launch.payloadStride = sizeof(EntryRecord);

  VkDispatchGraphCountInfoAMDX launches = {};
  launches.count = 1;
  launches.infos.hostAddress = &launch;
  launches.stride = sizeof(launch);
  gpu_.graph().CmdDispatchGraph(command_buffer, scratch.Address(), scratch_size, &launches);

  const VkMemoryBarrier written = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                   VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &written,
                       0, nullptr, 0, nullptr);
  Check(vkEndCommandBuffer(command_buffer), "vkEndCommandBuffer");
}

void WorkGraph::Print() {
  // Each node sends records to the next one.
  std::printf("graph:   %u records from the application\n", kEntryRecords);
  for (size_t i = 0; i < kNodes.size(); ++i) {
    std::printf("         %*s└─ %-*s  %s\n", static_cast<int>(3 * i), "", static_cast<int>(16 - 3 * i), kNodes[i].name,
                kNodes[i].launch);
  }
}

}  // namespace hello
