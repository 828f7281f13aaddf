// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/graph_draws.h"

#include <algorithm>

#include "divide_node.h"
#include "dress_node.h"
#include "grass_frag.h"
#include "grass_node.h"
#include "ground_frag.h"
#include "ground_node.h"
#include "rocks_frag.h"
#include "rocks_node.h"
#include "samples/hello_graph/failure.h"
#include "sky_frag.h"
#include "sky_node.h"

namespace terrain {

using hello::Check;
using hello::Struct;

GraphDraws::GraphDraws(const Scene& scene) : scene_(scene) {
  mesh_nodes_ = {MakeMeshPipeline(scene, kSkyNode, kSkyFrag, "sky"),
                 MakeMeshPipeline(scene, kGroundNode, kGroundFrag, "ground"),
                 MakeMeshPipeline(scene, kRocksNode, kRocksFrag, "rocks"),
                 MakeMeshPipeline(scene, kGrassNode, kGrassFrag, "grass")};
  Link();
  MakeScratch();
}

GraphDraws::~GraphDraws() {
  const VkDevice device = scene_.gpu().device();
  vkDestroyPipeline(device, pipeline_, nullptr);
  for (VkPipeline node : mesh_nodes_) vkDestroyPipeline(device, node, nullptr);
}

void GraphDraws::Link() {
  struct ComputeNode {
    const char* name;
    std::span<const uint32_t> words;
  };
  const std::array<ComputeNode, 2> nodes = {{{"divide", kDivideNode}, {"dress", kDressNode}}};
  std::array<VkShaderModuleCreateInfo, 2> modules = {};
  std::array<VkPipelineShaderStageNodeCreateInfoAMDX, 2> names = {};
  std::array<VkPipelineShaderStageCreateInfo, 2> stages = {};
  for (size_t i = 0; i < nodes.size(); ++i) {
    // With maintenance5 a stage takes the words themselves.
    modules[i] = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    modules[i].codeSize = nodes[i].words.size_bytes();
    modules[i].pCode = nodes[i].words.data();
    names[i] = Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, &modules[i]);
    names[i].pName = nodes[i].name;
    stages[i] = Struct<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &names[i]);
    stages[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stages[i].pName = "main";
  }
  auto libraries = Struct<VkPipelineLibraryCreateInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  libraries.libraryCount = static_cast<uint32_t>(mesh_nodes_.size());
  libraries.pLibraries = mesh_nodes_.data();
  auto info =
      Struct<VkExecutionGraphPipelineCreateInfoAMDX>(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pLibraryInfo = &libraries;
  info.layout = scene_.layout();
  const hello::Gpu& gpu = scene_.gpu();
  Check(gpu.graph().CreateExecutionGraphPipelines(gpu.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
        "vkCreateExecutionGraphPipelinesAMDX");
}

void GraphDraws::MakeScratch() {
  const hello::Gpu& gpu = scene_.gpu();
  auto size =
      Struct<VkExecutionGraphPipelineScratchSizeAMDX>(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX);
  Check(gpu.graph().GetExecutionGraphPipelineScratchSize(gpu.device(), pipeline_, &size),
        "vkGetExecutionGraphPipelineScratchSizeAMDX");
  scratch_size_ = std::max<VkDeviceSize>(size.maxSize, 64);
  scratch_ = std::make_unique<hello::Buffer>(
      gpu, scratch_size_, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  scene_.Run([&](VkCommandBuffer command_buffer) {
    gpu.graph().CmdInitializeGraphScratchMemory(command_buffer, pipeline_, scratch_->Address(), scratch_size_);
    const VkMemoryBarrier initialized = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                         1, &initialized, 0, nullptr, 0, nullptr);
  });
}

uint32_t GraphDraws::IndexOf(const char* node) const {
  auto name =
      Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  name.pName = node;
  uint32_t index = 0;
  const hello::Gpu& gpu = scene_.gpu();
  Check(gpu.graph().GetExecutionGraphPipelineNodeIndex(gpu.device(), pipeline_, &name, &index),
        "vkGetExecutionGraphPipelineNodeIndexAMDX");
  return index;
}

void GraphDraws::Record(VkCommandBuffer command_buffer) const {
  constexpr VkPipelineBindPoint kBindPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
  vkCmdBindPipeline(command_buffer, kBindPoint, pipeline_);
  scene_.BindSet(command_buffer, kBindPoint);
  // The sky has no payload; everything else comes from one square.
  std::array<VkDispatchGraphInfoAMDX, 2> launches = {};
  launches[0].nodeIndex = IndexOf("sky");
  launches[0].payloadCount = 1;
  launches[1].nodeIndex = IndexOf("divide");
  launches[1].payloadCount = 1;
  launches[1].payloads.hostAddress = &kWholeGround;
  launches[1].payloadStride = sizeof(kWholeGround);
  VkDispatchGraphCountInfoAMDX counts = {};
  counts.count = static_cast<uint32_t>(launches.size());
  counts.infos.hostAddress = launches.data();
  counts.stride = sizeof(launches[0]);
  scene_.gpu().graph().CmdDispatchGraph(command_buffer, scratch_->Address(), scratch_size_, &counts);
}

}  // namespace terrain
