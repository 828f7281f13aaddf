// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/pipelines.h"

#include <algorithm>
#include <deque>
#include <map>

namespace trellis::bench {
namespace {

VkShaderModule CreateModule(const Gpu& gpu, Words words) {
  auto info = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  Check(vkCreateShaderModule(gpu.device(), &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

// VkSpecializationInfo with what it points to.
class Specialization {
 public:
  explicit Specialization(const Constants& constants, const std::vector<NameConstant>& names = {}) {
    for (const Constant& constant : constants) Add(constant.id, &constant.value, sizeof(constant.value));
    for (const NameConstant& constant : names) Add(constant.id, constant.name.c_str(), constant.name.size() + 1);
    info_ = {static_cast<uint32_t>(entries_.size()), entries_.data(), data_.size(), data_.data()};
  }
  Specialization(const Specialization&) = delete;
  Specialization& operator=(const Specialization&) = delete;

  [[nodiscard]] const VkSpecializationInfo* info() const { return entries_.empty() ? nullptr : &info_; }

 private:
  void Add(uint32_t id, const void* bytes, size_t size) {
    entries_.push_back({id, static_cast<uint32_t>(data_.size()), size});
    const auto* const begin = static_cast<const uint8_t*>(bytes);
    data_.insert(data_.end(), begin, begin + size);
  }

  std::vector<uint8_t> data_;
  std::vector<VkSpecializationMapEntry> entries_;
  VkSpecializationInfo info_ = {};
};

VkPipelineShaderStageCreateInfo Stage(VkShaderModule module, const Specialization& specialization) {
  auto stage = Struct<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  stage.module = module;
  stage.pName = "main";
  stage.pSpecializationInfo = specialization.info();
  return stage;
}

// The stages of a graph, with all that they point to. Nodes of the same words share a module.
class Stages {
 public:
  Stages(const Gpu& gpu, const std::vector<GraphNode>& nodes) : gpu_(gpu) {
    for (const GraphNode& node : nodes) Add(node);
  }
  ~Stages() {
    for (const auto& [words, module] : modules_) vkDestroyShaderModule(gpu_.device(), module, nullptr);
  }
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  [[nodiscard]] const std::vector<VkPipelineShaderStageCreateInfo>& list() const { return list_; }

 private:
  void Add(const GraphNode& node) {
    VkShaderModule& module = modules_[node.words.data()];
    if (module == VK_NULL_HANDLE) module = CreateModule(gpu_, node.words);
    auto& identity = identities_.emplace_back(
        Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX));
    identity.pName = node.name.c_str();
    identity.index = node.index;
    list_.push_back(Stage(module, specializations_.emplace_back(node.constants, node.names)));
    list_.back().pNext = &identity;
  }

  const Gpu& gpu_;
  std::map<const uint32_t*, VkShaderModule> modules_;
  std::deque<VkPipelineShaderStageNodeCreateInfoAMDX> identities_;
  std::deque<Specialization> specializations_;
  std::vector<VkPipelineShaderStageCreateInfo> list_;
};

}  // namespace

Kernel::Kernel(const Gpu& gpu, Words words, const Constants& constants, VkPipelineLayout layout) : gpu_(gpu) {
  const VkShaderModule module = CreateModule(gpu, words);
  const Specialization specialization(constants);
  auto info = Struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = Stage(module, specialization);
  info.layout = layout == VK_NULL_HANDLE ? gpu.layout() : layout;
  Check(vkCreateComputePipelines(gpu.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
        "vkCreateComputePipelines");
  vkDestroyShaderModule(gpu.device(), module, nullptr);
}

Kernel::~Kernel() { vkDestroyPipeline(gpu_.device(), pipeline_, nullptr); }

void Kernel::Bind(VkCommandBuffer commands) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
}

Graph::Graph(const Gpu& gpu, const std::vector<GraphNode>& nodes, VkPipelineLayout layout)
    : Graph(gpu, nodes, {}, layout) {}

Graph::Graph(const Gpu& gpu, const std::vector<GraphNode>& nodes, const std::vector<VkPipeline>& libraries,
             VkPipelineLayout layout)
    : gpu_(gpu) {
  const Stages stages(gpu, nodes);
  auto linked = Struct<VkPipelineLibraryCreateInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  linked.libraryCount = static_cast<uint32_t>(libraries.size());
  linked.pLibraries = libraries.data();
  auto info =
      Struct<VkExecutionGraphPipelineCreateInfoAMDX>(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
  info.stageCount = static_cast<uint32_t>(stages.list().size());
  info.pStages = stages.list().data();
  info.pLibraryInfo = libraries.empty() ? nullptr : &linked;
  info.layout = layout == VK_NULL_HANDLE ? gpu_.layout() : layout;
  Check(gpu_.graph().CreateExecutionGraphPipelines(gpu_.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
        "vkCreateExecutionGraphPipelinesAMDX");
  MakeScratch();
}

Graph::~Graph() { vkDestroyPipeline(gpu_.device(), pipeline_, nullptr); }

void Graph::MakeScratch() {
  auto size =
      Struct<VkExecutionGraphPipelineScratchSizeAMDX>(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX);
  Check(gpu_.graph().GetExecutionGraphPipelineScratchSize(gpu_.device(), pipeline_, &size),
        "vkGetExecutionGraphPipelineScratchSizeAMDX");
  scratch_ = std::make_unique<Buffer>(gpu_, std::max<VkDeviceSize>(size.maxSize, 64), Place::kDevice,
                                      VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  gpu_.RunOnce([&](VkCommandBuffer commands) {
    gpu_.graph().CmdInitializeGraphScratchMemory(commands, pipeline_, scratch_->address(), scratch_->size());
  });
}

uint32_t Graph::NodeIndex(const char* name, uint32_t shader_index) const {
  auto node =
      Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  node.pName = name;
  node.index = shader_index;
  uint32_t index = 0;
  Check(gpu_.graph().GetExecutionGraphPipelineNodeIndex(gpu_.device(), pipeline_, &node, &index),
        "vkGetExecutionGraphPipelineNodeIndexAMDX");
  return index;
}

void Graph::Bind(VkCommandBuffer commands) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, pipeline_);
}

void Graph::Dispatch(VkCommandBuffer commands, const GraphInput& input) const {
  Bind(commands);
  VkDispatchGraphInfoAMDX info = {};
  info.nodeIndex = NodeIndex(input.node);
  info.payloadCount = input.count;
  info.payloads.hostAddress = input.payloads.data();
  info.payloadStride = input.payloads.size() * 4 / std::max(1u, input.count);
  Dispatch(commands, std::span<const VkDispatchGraphInfoAMDX>(&info, 1));
}

void Graph::Dispatch(VkCommandBuffer commands, std::span<const VkDispatchGraphInfoAMDX> infos) const {
  VkDispatchGraphCountInfoAMDX counts = {};
  counts.count = static_cast<uint32_t>(infos.size());
  counts.infos.hostAddress = infos.data();
  counts.stride = sizeof(infos[0]);
  gpu_.graph().CmdDispatchGraph(commands, scratch_->address(), scratch_->size(), &counts);
}

}  // namespace trellis::bench
