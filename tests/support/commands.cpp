// SPDX-License-Identifier: Apache-2.0
// Commands, DescriptorSets and recording of run.h.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/run.h"
#include "tests/support/submission.h"

namespace trellis::test {

void OrderComputeWork(VkCommandBuffer command_buffer) {
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                       &barrier, 0, nullptr, 0, nullptr);
}

void RecordGraphDispatch(const Context& context, VkCommandBuffer command_buffer, const Graph& graph,
                         const GuardedBuffer& scratch, const std::vector<GraphInput>& inputs, uint64_t info_stride,
                         uint32_t info_count) {
  // What the application hands over is dead when the command returns: all of it is on the heap here and overwritten
  // afterwards.
  std::vector<std::vector<uint8_t>> payloads;
  const auto stride = static_cast<size_t>(info_stride);
  std::vector<uint8_t> infos(std::max(inputs.size() * stride, inputs.size() * sizeof(VkDispatchGraphInfoAMDX)), 0xDD);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const GraphInput& input = inputs[i];
    payloads.push_back(input.payloads);
    VkDispatchGraphInfoAMDX info = {};
    info.nodeIndex = graph.NodeIndex(input.node, input.index);
    info.payloadCount = input.count;
    info.payloads.hostAddress = input.payloads.empty() ? nullptr : payloads.back().data();
    info.payloadStride = input.stride;
    EXPECT_NE(info.nodeIndex, ~0u) << "no node " << input.node << " " << input.index;
    std::memcpy(infos.data() + i * stride, &info, sizeof(info));
  }
  VkDispatchGraphCountInfoAMDX counts = {};
  counts.count = info_count != ~0u ? info_count : static_cast<uint32_t>(inputs.size());
  counts.infos.hostAddress = infos.data();
  counts.stride = info_stride;
  context.graph.CmdDispatchGraph(command_buffer, scratch.address(), scratch.size(), &counts);
  std::fill(infos.begin(), infos.end(), 0xDD);
  for (auto& bytes : payloads) std::fill(bytes.begin(), bytes.end(), 0xDD);
  std::memset(&counts, 0xDD, sizeof(counts));
}

DeviceInputs RecordIndirectDispatch(const Context& context, VkCommandBuffer command_buffer, const Graph& graph,
                                    const GuardedBuffer& scratch, const std::vector<GraphInput>& inputs,
                                    DispatchCommand command, uint64_t info_stride, uint32_t info_count) {
  constexpr size_t kMisalignment = 4;
  DeviceInputs kept;
  const auto upload = [&](std::span<const uint8_t> bytes) {
    GuardedBuffer& buffer = kept.buffers.emplace_back(context, (kMisalignment + bytes.size() + 3) / 4 * 4,
                                                      VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    if (!bytes.empty())
      std::memcpy(reinterpret_cast<uint8_t*>(buffer.words().data()) + kMisalignment, bytes.data(), bytes.size());
    return buffer.address() + kMisalignment;
  };
  const auto stride = static_cast<size_t>(info_stride);
  std::vector<uint8_t> infos(std::max(inputs.size() * stride, inputs.size() * sizeof(VkDispatchGraphInfoAMDX)), 0xDD);
  for (size_t i = 0; i < inputs.size(); ++i) {
    VkDispatchGraphInfoAMDX info = {};
    info.nodeIndex = graph.NodeIndex(inputs[i].node, inputs[i].index);
    info.payloadCount = inputs[i].count;
    info.payloads.deviceAddress = inputs[i].payloads.empty() ? 0 : upload(inputs[i].payloads);
    info.payloadStride = inputs[i].stride;
    EXPECT_NE(info.nodeIndex, ~0u) << "no node " << inputs[i].node << " " << inputs[i].index;
    std::memcpy(infos.data() + i * stride, &info, sizeof(info));
  }
  VkDispatchGraphCountInfoAMDX counts = {};
  counts.count = info_count != ~0u ? info_count : static_cast<uint32_t>(inputs.size());
  counts.infos.deviceAddress = upload(infos);
  counts.stride = info_stride;
  if (command == DispatchCommand::kIndirectCount) {
    const VkDeviceAddress place = upload({reinterpret_cast<const uint8_t*>(&counts), sizeof(counts)});
    context.graph.CmdDispatchGraphIndirectCount(command_buffer, scratch.address(), scratch.size(), place);
  } else {
    context.graph.CmdDispatchGraphIndirect(command_buffer, scratch.address(), scratch.size(), &counts);
  }
  return kept;
}

void RecordScratchInitialization(const Context& context, VkCommandBuffer command_buffer, const Graph& graph,
                                 const GuardedBuffer& scratch) {
  context.graph.CmdInitializeGraphScratchMemory(command_buffer, graph.handle(), scratch.address(), scratch.size());
  OrderComputeWork(command_buffer);
}

Commands::Commands(const Context& context) : context_(context) {
  auto pool = MakeStruct<VkCommandPoolCreateInfo>();
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = context.queue_family;
  EXPECT_EQ(vkCreateCommandPool(context.device, &pool, nullptr, &pool_), VK_SUCCESS);
  auto allocation = MakeStruct<VkCommandBufferAllocateInfo>();
  allocation.commandPool = pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  EXPECT_EQ(vkAllocateCommandBuffers(context.device, &allocation, &command_buffer_), VK_SUCCESS);
  auto fence = MakeStruct<VkFenceCreateInfo>();
  EXPECT_EQ(vkCreateFence(context.device, &fence, nullptr, &fence_), VK_SUCCESS);
}

Commands::~Commands() {
  vkDestroyFence(context_.device, fence_, nullptr);
  vkDestroyCommandPool(context_.device, pool_, nullptr);
}

VkCommandBuffer Commands::Begin(VkCommandBufferUsageFlags flags) {
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  begin.flags = flags;
  EXPECT_EQ(vkBeginCommandBuffer(command_buffer_, &begin), VK_SUCCESS);
  return command_buffer_;
}

VkResult Commands::End() {
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(command_buffer_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                       &barrier, 0, nullptr, 0, nullptr);
  return vkEndCommandBuffer(command_buffer_);
}

VkResult Commands::Submit() {
  auto submit = MakeStruct<VkSubmitInfo>();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer_;
  if (const VkResult result = vkQueueSubmit(context_.queue, 1, &submit, fence_); result != VK_SUCCESS) return result;
  const VkResult waited = vkWaitForFences(context_.device, 1, &fence_, VK_TRUE, kTimeoutNanoseconds);
  if (waited == VK_TIMEOUT) {
    std::fprintf(stderr, "the device did not finish in time\n");
    std::abort();
  }
  if (waited != VK_SUCCESS) return waited;
  return vkResetFences(context_.device, 1, &fence_);
}

DescriptorSets::DescriptorSets(const Context& context, const Layout& layout, const LayoutOptions& options,
                               const std::vector<GuardedBuffer>& buffers)
    : context_(context), sets_(options.sets) {
  const VkDescriptorType type =
      options.dynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorPoolSize size = {type, options.sets * options.buffers_per_set};
  auto pool = MakeStruct<VkDescriptorPoolCreateInfo>();
  pool.maxSets = options.sets;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  EXPECT_EQ(vkCreateDescriptorPool(context.device, &pool, nullptr, &pool_), VK_SUCCESS);
  const std::vector<VkDescriptorSetLayout> layouts(options.sets, layout.set_layout());
  auto allocation = MakeStruct<VkDescriptorSetAllocateInfo>();
  allocation.descriptorPool = pool_;
  allocation.descriptorSetCount = options.sets;
  allocation.pSetLayouts = layouts.data();
  EXPECT_EQ(vkAllocateDescriptorSets(context.device, &allocation, sets_.data()), VK_SUCCESS);
  for (uint32_t set = 0; set < options.sets; ++set) {
    for (uint32_t binding = 0; binding < options.buffers_per_set; ++binding) {
      const GuardedBuffer& buffer = buffers[set * options.buffers_per_set + binding];
      // With a dynamic offset the range is what is left for the largest offset that the tests use.
      const VkDeviceSize range = options.dynamic ? buffer.size() / 2 : buffer.size();
      const VkDescriptorBufferInfo info = {buffer.handle(), buffer.offset(), range};
      auto write = MakeStruct<VkWriteDescriptorSet>();
      write.dstSet = sets_[set];
      write.dstBinding = binding;
      write.descriptorCount = 1;
      write.descriptorType = type;
      write.pBufferInfo = &info;
      vkUpdateDescriptorSets(context.device, 1, &write, 0, nullptr);
    }
  }
}

DescriptorSets::~DescriptorSets() { vkDestroyDescriptorPool(context_.device, pool_, nullptr); }

}  // namespace trellis::test
