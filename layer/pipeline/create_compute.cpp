// SPDX-License-Identifier: Apache-2.0
// vkCreateComputePipelines.
#include <memory>
#include <utility>
#include <vector>

#include "layer/dispatch/pipeline_flags.h"
#include "layer/graph/describe.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/compile_nodes.h"
#include "layer/pipeline/create_pipelines.h"
#include "layer/pipeline/internal_kernels.h"
#include "layer/pipeline/library_creation.h"
#include "layer/pipeline/needed_kernels.h"

namespace trellis {
namespace {

using ComputeCreation = LibraryCreation<VkComputePipelineCreateInfo>;

// So that linking compiles nothing.
void MakeKernels(ComputeCreation& creation) {
  CompileTimes times;
  KernelPipelines kernels;
  creation.failure =
      InternalKernels::Of(creation.context.device)
          ->Make(creation.context, AllKernels(creation.context.device), creation.feedback, times, kernels);
  if (!creation.failure.Succeeded()) creation.library = nullptr;
}

void Finish(ComputeCreation& creation, StageNode& stage, CompiledShader compiled) {
  creation.failure = std::move(compiled.failure);
  if (!creation.failure.Succeeded()) return;
  creation.library = std::make_shared<NodeLibrary>();
  creation.library->node = {std::move(stage.source), std::move(compiled.pipeline)};
  creation.library->for_graphs = (creation.context.flags & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) != 0;
  creation.feedback.AddNode(0, compiled.feedback, stage.reflect_nanoseconds + compiled.lower_nanoseconds);
  if (creation.library->for_graphs) MakeKernels(creation);
  creation.feedback.Finish();
}

void CreateLibraries(std::span<ComputeCreation> creations) {
  std::vector<StageNode> stages;  // of the creations
  for (ComputeCreation& creation : creations) {
    stages.emplace_back(creation.info.stage);
    creation.failure = FindNodeLayout(creation.context, creation.info.layout, creation.layout);
  }
  CollectNodes(creations.front().context.device, stages, OnFailure::kGoOn);
  std::vector<CompileRequest> requests;
  std::vector<size_t> creation_of;  // by request
  for (size_t i = 0; i < creations.size(); ++i) {
    ComputeCreation& creation = creations[i];
    if (creation.failure.Succeeded()) creation.failure = stages[i].failure;
    if (!creation.failure.Succeeded()) continue;
    const NodeSource& source = stages[i].source;
    requests.push_back({creation.context, stages[i], creation.layout, NodeLabel(source.name, source.index),
                        creation.info.pNext, creation.feedback.Wanted()});
    creation_of.push_back(i);
  }
  CompileTimes times;
  std::vector<CompiledShader> compiled = CompileNodes(requests, OnFailure::kGoOn, times);
  for (size_t i = 0; i < compiled.size(); ++i)
    Finish(creations[creation_of[i]], stages[creation_of[i]], std::move(compiled[i]));
}

bool MakesLibrary(const VkComputePipelineCreateInfo& info) {
  return (EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) != 0;
}

bool IsForGraphs(const VkComputePipelineCreateInfo& info) {
  return (EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) != 0;
}

const char* Refusal(const Device& device, const VkComputePipelineCreateInfo& info) {
  if (IsForGraphs(info))
    return "VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX without VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR: a compute "
           "pipeline can be part of a graph as a library only";
  if (IsNodeStage(device, info.stage))
    return "the shader declares ShaderEnqueueAMDX; that needs VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX and "
           "VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR (VUID-VkComputePipelineCreateInfo-flags-09178)";
  return nullptr;
}

}  // namespace

bool IsNodeStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
  if (const auto module = device.shader_modules.Find(stage.module)) return module->declares_shader_enqueue;
  return DeclaresShaderEnqueue(ChainedWords(stage));
}

bool ConcernsNodes(const Device& device, const VkComputePipelineCreateInfo& info) {
  return MakesLibrary(info) || IsForGraphs(info) || IsNodeStage(device, info.stage) ||
         DerivesFromOwnPipeline(device, info);
}

VkResult CreateComputePipelinesWithNodes(Device& device, VkPipelineCache cache,
                                         std::span<const VkComputePipelineCreateInfo> infos,
                                         const CreateOrdinaryPipeline<VkComputePipelineCreateInfo>& create_ordinary,
                                         VkPipeline* pipelines) {
  return CreatePipelinesWithLibraries({"compute", MakesLibrary, Refusal, CreateLibraries}, device, cache, infos,
                                      create_ordinary, pipelines);
}

}  // namespace trellis
