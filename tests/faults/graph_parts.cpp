// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/graph_parts.h"

#include <gtest/gtest.h>

#include "spirv_lowering/post/post.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

const std::vector<uint32_t>& ChainWords() {
  static const std::vector<uint32_t> words = [] {
    Expected<std::vector<uint32_t>> assembled = spirv::Assemble(ChainModule(Shape::kDxc));
    EXPECT_TRUE(assembled) << assembled.error().message;
    return *std::move(assembled);
  }();
  return words;
}

// Code that no driver has to see a module object for: the layer makes one where the device lacks maintenance5.
const uint32_t kOrdinaryWords[] = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17, 1};
const VkShaderModuleCreateInfo kInlineModule = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                                sizeof(kOrdinaryWords), kOrdinaryWords};

const VkPipelineCreateFlags2CreateInfo kLibraryFlags = {
    VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
    VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR};

VkPipelineShaderStageCreateInfo ComputeStage(VkShaderModule module, const char* entry_point, const void* chain) {
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
          chain,
          0,
          VK_SHADER_STAGE_COMPUTE_BIT,
          module,
          entry_point,
          nullptr};
}

}  // namespace

GraphParts::GraphParts(const TestDevice& device) : device_(device) {
  const std::vector<uint32_t>& words = ChainWords();
  auto module_info = MakeStruct<VkShaderModuleCreateInfo>();
  module_info.codeSize = words.size() * sizeof(uint32_t);
  module_info.pCode = words.data();
  TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &module_info, nullptr, &module_);
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
  auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &range;
  TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &layout_info, nullptr, &layout_);
  for (const char* entry_point : {"Source", "Grid", "Sum"})
    stages_.push_back(ComputeStage(module_, entry_point, nullptr));
}

GraphParts::~GraphParts() {
  TRELLIS_CALL(device_, DestroyPipelineLayout)(device_.handle(), layout_, nullptr);
  TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), module_, nullptr);
}

VkExecutionGraphPipelineCreateInfoAMDX GraphParts::GraphInfo() const {
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  info.stageCount = static_cast<uint32_t>(stages_.size());
  info.pStages = stages_.data();
  info.layout = layout_;
  return info;
}

VkComputePipelineCreateInfo GraphParts::LibraryInfo(size_t stage) const {
  return {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &kLibraryFlags, 0, stages_[stage], layout_, VK_NULL_HANDLE, -1};
}

VkComputePipelineCreateInfo GraphParts::OrdinaryInfo() const {
  return {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
          nullptr,
          0,
          ComputeStage(VK_NULL_HANDLE, "main", &kInlineModule),
          layout_,
          VK_NULL_HANDLE,
          -1};
}

Scratch::Scratch(const TestDevice& device) : device_(device) {
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = kBytes;
  info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer_);
  auto allocate = MakeStruct<VkMemoryAllocateInfo>();
  allocate.allocationSize = kBytes;
  TRELLIS_CALL(device_, AllocateMemory)(device_.handle(), &allocate, nullptr, &memory_);
  TRELLIS_CALL(device_, BindBufferMemory)(device_.handle(), buffer_, memory_, 0);
  const VkBufferDeviceAddressInfo query = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer_};
  address_ = TRELLIS_CALL(device_, GetBufferDeviceAddress)(device_.handle(), &query);
}

Scratch::~Scratch() {
  TRELLIS_CALL(device_, DestroyBuffer)(device_.handle(), buffer_, nullptr);
  TRELLIS_CALL(device_, FreeMemory)(device_.handle(), memory_, nullptr);
}

}  // namespace trellis::test
