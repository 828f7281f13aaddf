// SPDX-License-Identifier: Apache-2.0
// vkCreateGraphicsPipelines.
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "layer/diagnostics/label.h"
#include "layer/diagnostics/result_name.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/graph/describe.h"
#include "layer/objects/captured_states.h"
#include "layer/objects/scoped_shader_module.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/create_pipelines.h"
#include "layer/pipeline/driver_stage.h"
#include "layer/pipeline/dump_shaders.h"
#include "layer/pipeline/library_creation.h"
#include "layer/pipeline/lower_node.h"
#include "layer/pipeline/node_sources.h"
#include "layer/pipeline/parallel_for.h"
#include "spirv_lowering/fragment_shader.h"

namespace trellis {
namespace {

using GraphicsCreation = LibraryCreation<VkGraphicsPipelineCreateInfo>;

constexpr VkGraphicsPipelineLibraryFlagsEXT kAllSubsets =
    VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
    VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
    VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;

bool MakesMeshNode(const VkGraphicsPipelineCreateInfo& info) {
  return (EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) != 0;
}

const VkPipelineShaderStageCreateInfo* MeshStageOf(const VkGraphicsPipelineCreateInfo& info) {
  for (const VkPipelineShaderStageCreateInfo& stage : StagesOf(info))
    if (stage.stage == VK_SHADER_STAGE_MESH_BIT_EXT) return &stage;
  return nullptr;
}

CreationResult CheckSubsets(const VkGraphicsPipelineCreateInfo& info) {
  const auto* libraries = FindStruct<VkPipelineLibraryCreateInfoKHR>(info.pNext);
  if (libraries && libraries->libraryCount != 0)
    return CreationResult::Refused("mesh nodes that are linked of graphics pipeline libraries are not implemented");
  const auto* subsets = FindStruct<VkGraphicsPipelineLibraryCreateInfoEXT>(info.pNext);
  if (subsets && (subsets->flags & kAllSubsets) != kAllSubsets)
    return CreationResult::Refused(
        "a mesh node needs all state subsets (VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10183); parts "
        "of "
        "one are not implemented");
  return {};
}

CreationResult CheckStages(const VkGraphicsPipelineCreateInfo& info) {
  for (const VkPipelineShaderStageCreateInfo& stage : StagesOf(info))
    if (stage.stage != VK_SHADER_STAGE_MESH_BIT_EXT && stage.stage != VK_SHADER_STAGE_FRAGMENT_BIT)
      return CreationResult::Refused(
          "the shaders of a mesh node are a mesh shader and, perhaps, a fragment shader "
          "(VUID-VkGraphicsPipelineCreateInfo-flags-10190)");
  if (!MeshStageOf(info)) return CreationResult::Refused("there is no mesh shader");
  return {};
}

CreationResult CheckDynamicState(const VkGraphicsPipelineCreateInfo& info) {
  if (!info.pDynamicState) return {};
  for (uint32_t i = 0; i < info.pDynamicState->dynamicStateCount; ++i) {
    const VkDynamicState state = info.pDynamicState->pDynamicStates[i];
    if (!CapturedStates::IsCaptured(state))
      return CreationResult::Refused("the dynamic state " + std::to_string(state) +
                                     " (VkDynamicState) is none of those that a graph dispatch captures");
  }
  return {};
}

CreationResult Check(GraphicsCreation& creation) {
  if (!creation.context.IsLibrary())
    return CreationResult::Refused(
        "VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX without VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR: a graphics "
        "pipeline can be part of a graph as a library only (VUID-VkGraphicsPipelineCreateInfo-pStages-10189)");
  for (const auto check : {CheckSubsets, CheckStages, CheckDynamicState})
    if (CreationResult checked = check(creation.info); !checked.Succeeded()) return checked;
  if (CreationResult found = FindNodeLayout(creation.context, creation.info.layout, creation.layout);
      !found.Succeeded())
    return found;
  if (!creation.layout->draw_layout)
    return CreationResult::Refused(
        "the layout's push constants for the stages MESH and FRAGMENT leave no 8 bytes below maxPushConstantsSize, "
        "which mesh nodes need");
  return {};
}

// The stages that the driver gets, and modules of them.
class DriverStages {
 public:
  explicit DriverStages(const CreationContext& context) : context_(context) {}

  CreationResult AddMesh(const VkPipelineShaderStageCreateInfo& stage, const LoweredShader& shader) {
    VkShaderModule module = VK_NULL_HANDLE;
    if (CreationResult made = Make(shader.node.words, module); !made.Succeeded()) return made;
    stages_.push_back(DriverStage(stage, module, shader, arena_));
    return {};
  }

  // As it is, if the driver may see it.
  CreationResult AddFragment(const VkPipelineShaderStageCreateInfo& stage) {
    if (IsNodeStage(context_.device, stage)) return AddCutOut(stage);
    const std::span<const uint32_t> chained = ChainedWords(stage);
    if (!stage.module && !chained.empty() && context_.device.emulates_maintenance5) return AddWith(stage, chained);
    stages_.push_back(stage);
    return {};
  }

  [[nodiscard]] const std::vector<VkPipelineShaderStageCreateInfo>& stages() const { return stages_; }

 private:
  CreationResult Make(std::span<const uint32_t> words, VkShaderModule& module) {
    ScopedShaderModule& made = modules_.emplace_back(context_.device);
    const VkResult result = made.Create(words);
    module = made.handle();
    return result == VK_SUCCESS ? CreationResult{} : CreationResult{result, "the driver refused a shader"};
  }

  CreationResult AddWith(const VkPipelineShaderStageCreateInfo& stage, std::span<const uint32_t> words) {
    VkShaderModule module = VK_NULL_HANDLE;
    if (CreationResult made = Make(words, module); !made.Succeeded()) return made;
    stages_.push_back(WithModule(stage, module, arena_));
    return {};
  }

  // Adds the stage's shader alone, extracted from a module that has the mesh shader too.
  CreationResult AddCutOut(const VkPipelineShaderStageCreateInfo& stage) {
    const std::shared_ptr<const ShaderModule> owner = context_.device.shader_modules.Find(stage.module);
    const std::shared_ptr<CachedModule> module =
        ShaderCache::Of(context_.device)->Find(owner ? std::span<const uint32_t>(owner->words) : ChainedWords(stage));
    if (!module->Checked()) return CreationResult::Refused(module->Checked().error().message);
    const Expected<std::vector<uint32_t>> words =
        spirv::ExtractFragmentShader(module->Checked()->module, stage.pName ? stage.pName : "");
    return words ? AddWith(stage, *words) : CreationResult::Refused(words.error().message);
  }

  const CreationContext& context_;
  Arena arena_;
  std::deque<ScopedShaderModule> modules_;
  std::vector<VkPipelineShaderStageCreateInfo> stages_;
};

VkGraphicsPipelineCreateInfo DriverInfo(const GraphicsCreation& creation, const DriverStages& stages, Arena& arena) {
  VkGraphicsPipelineCreateInfo info = creation.info;
  SetPipelineFlags(info, creation.context.flags & ~kGraphOnlyFlags, !creation.context.device.emulates_maintenance5,
                   arena);
  RemoveFromChain(&info, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, arena);
  RemoveFromChain(&info, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, arena);
  info.stageCount = static_cast<uint32_t>(stages.stages().size());
  info.pStages = stages.stages().data();
  info.layout = creation.layout->draw_layout;
  info.basePipelineHandle = VK_NULL_HANDLE;
  info.basePipelineIndex = -1;
  return info;
}

CreationResult Compile(const GraphicsCreation& creation, const StageNode& node, const LoweredShader& shader,
                       NodePipeline& pipeline) {
  DriverStages stages(creation.context);
  for (const VkPipelineShaderStageCreateInfo& stage : StagesOf(creation.info)) {
    CreationResult added = &stage == node.stage ? stages.AddMesh(stage, shader) : stages.AddFragment(stage);
    if (!added.Succeeded()) return added;
  }
  Arena arena;
  const CreationContext& context = creation.context;
  const VkResult result = pipeline.Create(context.device.dispatch.CreateGraphicsPipelines, context.cache,
                                          DriverInfo(creation, stages, arena), context.allocator);
  // Asked for by the application: nothing to tell.
  if (result == VK_PIPELINE_COMPILE_REQUIRED) return {result, {}};
  return {result, result == VK_SUCCESS ? "" : "vkCreateGraphicsPipelines failed with " + ResultName(result)};
}

RenderingShape ShapeOf(const VkGraphicsPipelineCreateInfo& info) {
  if (info.renderPass) return {};
  const auto* rendering = FindStruct<VkPipelineRenderingCreateInfo>(info.pNext);
  return rendering ? RenderingShape{true, rendering->viewMask, rendering->colorAttachmentCount}
                   : RenderingShape{true, 0, 0};
}

CreationResult MakeLibrary(GraphicsCreation& creation, StageNode& node) {
  Device& device = creation.context.device;
  const std::string label = NodeLabel(node.source.name, node.source.index);
  const std::shared_ptr<const LoweredShader> shader =
      LowerNode(device, node, creation.layout->draw, creation.info.pNext);
  auto pipeline = std::make_shared<NodePipeline>(device, creation.layout);
  CreationResult made = {shader->result, shader->reason};
  if (made.Succeeded()) made = Compile(creation, node, *shader, *pipeline);
  if (!made.Succeeded()) {
    if (!made.reason.empty()) made.reason = "node " + label + ": " + made.reason;
    return made;
  }
  pipeline->SetDescriptorSets(shader->descriptor_sets);
  pipeline->SetDrawState(CapturedStates::Of(creation.info.pDynamicState), ShapeOf(creation.info));
  NameObject(device, VK_OBJECT_TYPE_PIPELINE, HandleToU64(pipeline->handle()), "node " + label);
  DumpOriginal(creation.context, label, node.words);
  DumpLowered(creation.context, label, *shader);
  creation.library = std::make_shared<NodeLibrary>();
  creation.library->node = {std::move(node.source), std::move(pipeline)};
  creation.library->for_graphs = true;
  return {};
}

void CreateLibraries(std::span<GraphicsCreation> creations) {
  std::vector<StageNode> stages;               // of those that pass the checks
  std::vector<GraphicsCreation*> creation_of;  // by stage
  for (GraphicsCreation& creation : creations) {
    creation.failure = Check(creation);
    if (!creation.failure.Succeeded()) continue;
    stages.emplace_back(*MeshStageOf(creation.info), "", spirv::ExecutionModel::kMeshEXT);
    creation_of.push_back(&creation);
  }
  if (stages.empty()) return;
  const CreationContext& any = creations.front().context;
  CollectNodes(any.device, stages, OnFailure::kGoOn);
  ParallelFor(stages.size(), any.DriverThreads(), [&](size_t i) {
    creation_of[i]->failure = std::move(stages[i].failure);
    if (creation_of[i]->failure.Succeeded()) creation_of[i]->failure = MakeLibrary(*creation_of[i], stages[i]);
    return true;
  });
}

const char* Refusal(const Device& device, const VkGraphicsPipelineCreateInfo& info) {
  if (!HasNodeStage(device, info)) return nullptr;
  return "a shader declares ShaderEnqueueAMDX; that needs VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX and "
         "VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR (VUID-VkGraphicsPipelineCreateInfo-pStages-10189)";
}

}  // namespace

bool ConcernsNodes(const Device& device, const VkGraphicsPipelineCreateInfo& info) {
  return MakesMeshNode(info) || HasNodeStage(device, info) || DerivesFromOwnPipeline(device, info);
}

VkResult CreateGraphicsPipelinesWithNodes(Device& device, VkPipelineCache cache,
                                          std::span<const VkGraphicsPipelineCreateInfo> infos,
                                          const CreateOrdinaryPipeline<VkGraphicsPipelineCreateInfo>& create_ordinary,
                                          VkPipeline* pipelines) {
  return CreatePipelinesWithLibraries({"graphics", MakesMeshNode, Refusal, CreateLibraries}, device, cache, infos,
                                      create_ordinary, pipelines);
}

}  // namespace trellis
