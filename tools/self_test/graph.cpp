// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/graph.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tools/self_test/embedded_nodes.h"

namespace trellis::self_test {
namespace {

constexpr VkDeviceSize kResultBytes = kSampleResultWords * sizeof(uint32_t);
constexpr VkMemoryPropertyFlags kHostMemory =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// What a stage of the pipeline points to.
struct Stage {
  VkPipelineShaderStageNodeCreateInfoAMDX node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
  VkSpecializationMapEntry entry = {};
  VkSpecializationInfo specialization = {};
};

class Module {
 public:
  Module(const Device& device, const SampleNode& node) : device_(device) {
    const std::span<const uint32_t> words = EmbeddedNode(node);
    if (words.empty()) throw Failure("the program holds no node " + node.file);
    auto info = MakeStruct<VkShaderModuleCreateInfo>();
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    Check(vkCreateShaderModule(device_.handle(), &info, nullptr, &handle_), "vkCreateShaderModule");
  }
  ~Module() { vkDestroyShaderModule(device_.handle(), handle_, nullptr); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  [[nodiscard]] VkShaderModule handle() const { return handle_; }

 private:
  const Device& device_;
  VkShaderModule handle_ = VK_NULL_HANDLE;
};

void Barrier(VkCommandBuffer commands, VkPipelineStageFlags to, VkAccessFlags access) {
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

const char* NameOf(DispatchCommand command) {
  switch (command) {
    case DispatchCommand::kHost:
      return "vkCmdDispatchGraphAMDX";
    case DispatchCommand::kIndirect:
      return "vkCmdDispatchGraphIndirectAMDX";
    case DispatchCommand::kIndirectCount:
      break;
  }
  return "vkCmdDispatchGraphIndirectCountAMDX";
}

Graph::Graph(const Device& device, const Sample& sample) : device_(device), sample_(sample) {
  CreateLayout();
  CreatePipeline();
  CreateBuffers();
}

Graph::~Graph() {
  vkDestroyPipeline(device_.handle(), pipeline_, nullptr);
  vkDestroyDescriptorPool(device_.handle(), descriptor_pool_, nullptr);
  vkDestroyPipelineLayout(device_.handle(), layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_.handle(), set_layout_, nullptr);
}

void Graph::CreateLayout() {
  VkDescriptorSetLayoutBinding binding = {};
  binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  binding.descriptorCount = 1;
  binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  auto set_info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
  set_info.bindingCount = 1;
  set_info.pBindings = &binding;
  Check(vkCreateDescriptorSetLayout(device_.handle(), &set_info, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout_;
  Check(vkCreatePipelineLayout(device_.handle(), &layout_info, nullptr, &layout_), "vkCreatePipelineLayout");
}

void Graph::CreatePipeline() {
  const size_t count = sample_.nodes.size();
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<Stage> stages(count);
  std::vector<VkPipelineShaderStageCreateInfo> infos(count);
  for (size_t i = 0; i < count; ++i) {
    const SampleNode& node = sample_.nodes[i];
    Stage& stage = stages[i];
    modules.push_back(std::make_unique<Module>(device_, node));
    stage.node.pName = node.name.c_str();
    stage.node.index = VK_SHADER_INDEX_UNUSED_AMDX;  // the shader's own
    infos[i] = MakeStruct<VkPipelineShaderStageCreateInfo>(&stage.node);
    infos[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
    infos[i].module = modules.back()->handle();
    infos[i].pName = "main";
    if (!node.spec0) continue;
    stage.entry.size = sizeof(uint32_t);
    stage.specialization = {1, &stage.entry, sizeof(uint32_t), &*node.spec0};
    infos[i].pSpecializationInfo = &stage.specialization;
  }
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  info.stageCount = static_cast<uint32_t>(count);
  info.pStages = infos.data();
  info.layout = layout_;
  Check(device_.graph().CreateExecutionGraphPipelines(device_.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
        "vkCreateExecutionGraphPipelinesAMDX");
}

void Graph::CreateBuffers() {
  auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
  Check(device_.graph().GetExecutionGraphPipelineScratchSize(device_.handle(), pipeline_, &size),
        "vkGetExecutionGraphPipelineScratchSizeAMDX");
  scratch_size_ = std::max<VkDeviceSize>(size.maxSize, 64);
  scratch_ = std::make_unique<Buffer>(device_, scratch_size_, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX,
                                      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  results_ = std::make_unique<Buffer>(device_, kResultBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, kHostMemory);
  const std::vector<uint32_t>& payloads = sample_.input.payloads;
  const VkDeviceSize payload_bytes = payloads.size() * sizeof(uint32_t);
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  payloads_ = std::make_unique<Buffer>(device_, std::max<VkDeviceSize>(payload_bytes, 64), kUsage, kHostMemory);
  if (payload_bytes != 0) std::memcpy(payloads_->mapped(), payloads.data(), payload_bytes);
  infos_ = std::make_unique<Buffer>(device_, sizeof(VkDispatchGraphInfoAMDX), kUsage, kHostMemory);
  counts_ = std::make_unique<Buffer>(device_, sizeof(VkDispatchGraphCountInfoAMDX), kUsage, kHostMemory);

  VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  auto pool_info = MakeStruct<VkDescriptorPoolCreateInfo>();
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &pool_size;
  Check(vkCreateDescriptorPool(device_.handle(), &pool_info, nullptr, &descriptor_pool_), "vkCreateDescriptorPool");
  auto set_info = MakeStruct<VkDescriptorSetAllocateInfo>();
  set_info.descriptorPool = descriptor_pool_;
  set_info.descriptorSetCount = 1;
  set_info.pSetLayouts = &set_layout_;
  Check(vkAllocateDescriptorSets(device_.handle(), &set_info, &set_), "vkAllocateDescriptorSets");
  const VkDescriptorBufferInfo buffer = {results_->handle(), 0, kResultBytes};
  auto write = MakeStruct<VkWriteDescriptorSet>();
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &buffer;
  vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
}

std::vector<uint32_t> Graph::Run(DispatchCommand command, uint32_t dispatches) {
  std::memset(results_->mapped(), 0, kResultBytes);
  auto info = MakeStruct<VkCommandBufferAllocateInfo>();
  info.commandPool = device_.pool();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  Check(vkAllocateCommandBuffers(device_.handle(), &info, &commands), "vkAllocateCommandBuffers");
  Record(commands, command, dispatches);
  const auto begin = std::chrono::steady_clock::now();
  device_.Run(commands);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  vkFreeCommandBuffers(device_.handle(), device_.pool(), 1, &commands);
  const auto* const words = static_cast<const uint32_t*>(results_->mapped());
  return {words, words + kSampleResultWords};
}

void Graph::Record(VkCommandBuffer commands, DispatchCommand command, uint32_t dispatches) {
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  Check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, pipeline_);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, layout_, 0, 1, &set_, 0, nullptr);
  device_.graph().CmdInitializeGraphScratchMemory(commands, pipeline_, scratch_->address(), scratch_size_);
  auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
  node.pName = sample_.input.node.c_str();
  node.index = sample_.input.index;
  info_.payloadCount = sample_.input.count;
  info_.payloadStride = sample_.input.stride;
  Check(device_.graph().GetExecutionGraphPipelineNodeIndex(device_.handle(), pipeline_, &node, &info_.nodeIndex),
        "vkGetExecutionGraphPipelineNodeIndexAMDX");
  for (uint32_t i = 0; i < dispatches; ++i) {
    Barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    RecordDispatch(commands, command);
  }
  Barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

void Graph::RecordDispatch(VkCommandBuffer commands, DispatchCommand command) {
  VkDispatchGraphCountInfoAMDX count = {};
  count.count = 1;
  count.stride = sizeof(info_);
  if (command == DispatchCommand::kHost) {
    info_.payloads.hostAddress = sample_.input.payloads.data();
    count.infos.hostAddress = &info_;
    device_.graph().CmdDispatchGraph(commands, scratch_->address(), scratch_size_, &count);
    return;
  }
  info_.payloads.deviceAddress = payloads_->address();
  std::memcpy(infos_->mapped(), &info_, sizeof(info_));
  count.infos.deviceAddress = infos_->address();
  if (command == DispatchCommand::kIndirect) {
    device_.graph().CmdDispatchGraphIndirect(commands, scratch_->address(), scratch_size_, &count);
    return;
  }
  std::memcpy(counts_->mapped(), &count, sizeof(count));
  device_.graph().CmdDispatchGraphIndirectCount(commands, scratch_->address(), scratch_size_, counts_->address());
}

}  // namespace trellis::self_test
