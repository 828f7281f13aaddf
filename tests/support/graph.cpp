// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph.h"

#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/validator_view.h"
#include "tests/support/accepted_words.h"
#include "tests/support/environment.h"

namespace trellis::test {

Specialization Spec(uint32_t id, uint32_t value) {
  Specialization specialization = {id, std::vector<uint8_t>(sizeof(value))};
  std::memcpy(specialization.data.data(), &value, sizeof(value));
  return specialization;
}

Specialization Spec(uint32_t id, std::string_view text) {
  Specialization specialization = {id, std::vector<uint8_t>(text.begin(), text.end())};
  specialization.data.push_back(0);
  return specialization;
}

Layout::Layout(const Context& context, const LayoutOptions& options) : context_(context) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < options.buffers_per_set; ++i) {
    const VkDescriptorType type =
        options.dynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings.push_back({i, type, 1, options.stages, nullptr});
  }
  auto set_info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
  if (options.push_descriptors) set_info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  set_info.bindingCount = options.buffers_per_set;
  set_info.pBindings = bindings.data();
  if (vkCreateDescriptorSetLayout(context.device, &set_info, nullptr, &set_layout_) != VK_SUCCESS) return;
  const std::vector<VkDescriptorSetLayout> sets(options.sets, set_layout_);
  const VkPushConstantRange range = {options.push_constant_stages, 0, options.push_constant_bytes};
  auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
  info.setLayoutCount = options.sets;
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = options.push_constant_bytes != 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  if (vkCreatePipelineLayout(context.device, &info, nullptr, &layout_) != VK_SUCCESS) layout_ = VK_NULL_HANDLE;
}

Layout::~Layout() {
  vkDestroyPipelineLayout(context_.device, layout_, nullptr);
  vkDestroyDescriptorSetLayout(context_.device, set_layout_, nullptr);
}

namespace {

// What SPIRV-Tools 2025.1 refuses though compilers emit it.
bool IsValidatorsMistake(const std::string& message) {
  // Barriers over output records, as DXC emits them in GLSL450 modules.
  return message.find("OutputMemoryKHR requires capability") != std::string::npos ||
         // Pointers to payloads, or into them, as arguments: DXC without optimisation.
         message.find("Invalid storage class for pointer operand") != std::string::npos ||
         message.find("must be a memory object declaration") != std::string::npos;
}

// The module as it is or, where the validator is wrong about the extension, as it understands it.
Expected<void> ValidateNode(const std::vector<uint32_t>& words) {
  Expected<void> valid = spirv::Validate(words);
  if (valid) return valid;
  const Expected<spirv::Module> module = spirv::ReadModule(words);
  if (!module) return valid;
  return spirv::Validate(spirv::WriteModule(spirv::ForValidator(*module)));
}

}  // namespace

std::vector<uint32_t> AssembleModule(const std::string& text, std::string& error, bool must_be_valid) {
  if (const std::string folder = ReadTestVariables().dump; !folder.empty())
    std::ofstream(folder + "/" + std::to_string(std::hash<std::string>{}(text)) + ".spvasm") << text;
  auto words = spirv::Assemble(text);
  if (!words) {
    error = "assembling: " + words.error().message + "\n" + text;
    return {};
  }
  if (!must_be_valid) return *words;
  if (const auto valid = ValidateNode(*words); !valid && !IsValidatorsMistake(valid.error().message)) {
    error = "spirv-val: " + valid.error().message + "\n" + text;
    return {};
  }
  return *words;
}

VkShaderModule CreateModule(const Context& context, const std::vector<uint32_t>& words, std::string& error) {
  const std::vector<uint32_t> accepted = AcceptedWords(context, words);
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  info.codeSize = accepted.size() * 4;
  info.pCode = accepted.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (const VkResult result = vkCreateShaderModule(context.device, &info, nullptr, &module); result != VK_SUCCESS) {
    error = "vkCreateShaderModule returned " + std::to_string(result);
    return VK_NULL_HANDLE;
  }
  return module;
}

GraphStages::GraphStages(const Context& context, const std::vector<GraphNode>& nodes, bool must_be_valid)
    : context_(context), nodes_(nodes), extras_(nodes.size()), stages_(nodes.size()) {
  std::map<std::pair<std::string, std::vector<uint32_t>>, VkShaderModule> made;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const GraphNode& node = nodes_[i];
    VkShaderModule module = node.module;
    if (module == VK_NULL_HANDLE) {
      VkShaderModule& own = made[{node.text, node.words}];
      if (own == VK_NULL_HANDLE) own = CreateModule(node, must_be_valid);
      if (own == VK_NULL_HANDLE) return;
      module = own;
    }
    Extra& extra = extras_[i];
    extra.node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
    extra.node.pNext = node.chain;
    extra.node.pName = node.name ? node.name->c_str() : nullptr;
    extra.node.index = node.index.value_or(VK_SHADER_INDEX_UNUSED_AMDX);
    for (const Specialization& specialization : node.specialization) {
      extra.entries.push_back(
          {specialization.id, static_cast<uint32_t>(extra.data.size()), specialization.data.size()});
      extra.data.insert(extra.data.end(), specialization.data.begin(), specialization.data.end());
    }
    extra.specialization = {static_cast<uint32_t>(extra.entries.size()), extra.entries.data(), extra.data.size(),
                            extra.data.data()};
    VkPipelineShaderStageCreateInfo& stage = stages_[i];
    stage = MakeStruct<VkPipelineShaderStageCreateInfo>();
    stage.pNext = node.name || node.index ? &extra.node : node.chain;
    stage.stage = nodes_[i].is_mesh ? VK_SHADER_STAGE_MESH_BIT_EXT : VK_SHADER_STAGE_COMPUTE_BIT;
    stage.module = module;
    stage.pName = node.entry.c_str();
    if (!extra.entries.empty()) stage.pSpecializationInfo = &extra.specialization;
  }
}

VkShaderModule GraphStages::CreateModule(const GraphNode& node, bool must_be_valid) {
  const std::vector<uint32_t> words =
      node.words.empty() ? AssembleModule(node.text, error_, must_be_valid) : node.words;
  if (words.empty()) return VK_NULL_HANDLE;
  const VkShaderModule module = test::CreateModule(context_, words, error_);
  if (module != VK_NULL_HANDLE) modules_.push_back(module);
  return module;
}

GraphStages::~GraphStages() {
  for (VkShaderModule module : modules_) vkDestroyShaderModule(context_.device, module, nullptr);
}

VkExecutionGraphPipelineCreateInfoAMDX GraphStages::CreateInfo(VkPipelineLayout layout) const {
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  info.stageCount = static_cast<uint32_t>(stages_.size());
  info.pStages = stages_.data();
  info.layout = layout;
  return info;
}

Graph::Graph(const Context& context, const std::vector<GraphNode>& nodes, const LayoutOptions& layout_options,
             bool must_be_valid)
    : context_(context) {
  Create(GraphStages(context, nodes, must_be_valid), Layout(context, layout_options), VK_NULL_HANDLE);
}

Graph::Graph(const Context& context, const std::vector<GraphNode>& nodes, const Layout& layout, VkPipelineCache cache)
    : context_(context) {
  Create(GraphStages(context, nodes), layout, cache);
}

void Graph::Create(const GraphStages& stages, const Layout& layout, VkPipelineCache cache) {
  error_ = stages.error();
  if (!error_.empty()) return;
  const VkExecutionGraphPipelineCreateInfoAMDX info = stages.CreateInfo(layout.handle());
  result_ = context_.graph.CreateExecutionGraphPipelines(context_.device, cache, 1, &info, nullptr, &pipeline_);
}

Graph::~Graph() { vkDestroyPipeline(context_.device, pipeline_, nullptr); }

uint32_t Graph::NodeIndex(const std::string& name, uint32_t index) const {
  auto info = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
  info.pName = name.c_str();
  info.index = index;
  uint32_t node = ~0u;
  const VkResult result = context_.graph.GetExecutionGraphPipelineNodeIndex(context_.device, pipeline_, &info, &node);
  return result == VK_SUCCESS ? node : ~0u;
}

VkExecutionGraphPipelineScratchSizeAMDX Graph::ScratchSize() const {
  auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
  if (context_.graph.GetExecutionGraphPipelineScratchSize(context_.device, pipeline_, &size) != VK_SUCCESS)
    size.minSize = 0;
  return size;
}

}  // namespace trellis::test
