// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/create_compute.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "layer/dispatch/pipeline_flags.h"
#include "layer/graph/describe.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/base_pipeline.h"
#include "layer/pipeline/compile_nodes.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/internal_kernels.h"
#include "layer/pipeline/libraries.h"
#include "layer/pipeline/needed_kernels.h"

namespace trellis {
namespace {

enum class Kind : uint8_t { kOrdinary, kLibrary, kRefused };

constexpr VkPipelineCreateFlags2 kNodeFlags =
    VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;

// One create info that makes a library.
struct LibraryCreation {
  LibraryCreation(CreationContext creation_context, const VkComputePipelineCreateInfo& create_info, uint32_t position)
      : context(std::move(creation_context)), info(create_info), index(position), feedback(create_info.pNext) {}

  const CreationContext context;
  const VkComputePipelineCreateInfo& info;
  const uint32_t index;  // in the create infos
  CreationFeedback feedback;
  std::shared_ptr<PipelineLayout> layout;
  CreationResult failure;
  std::shared_ptr<NodeLibrary> library;  // unless it failed
};

// All libraries of one command.
class Libraries {
 public:
  void Add(CreationContext context, const VkComputePipelineCreateInfo& info, uint32_t index) {
    const char* entry_point = info.stage.pName;
    LibraryCreation& creation = creations_.emplace_back(std::move(context), info, index);
    stages_.emplace_back(info.stage, "entry point \"" + std::string(entry_point ? entry_point : "") + "\": ");
    creation.failure = FindNodeLayout(creation.context, info.layout, creation.layout);
  }

  void Create() {
    if (creations_.empty()) return;
    CollectNodes(creations_.front().context.device, stages_, OnFailure::kGoOn);
    std::vector<CompileRequest> requests;
    std::vector<size_t> creation_of;  // by request
    for (size_t i = 0; i < creations_.size(); ++i) {
      LibraryCreation& creation = creations_[i];
      if (creation.failure.Succeeded()) creation.failure = stages_[i].failure;
      if (!creation.failure.Succeeded()) continue;
      const NodeSource& source = stages_[i].source;
      requests.push_back({creation.context, stages_[i], creation.layout, NodeLabel(source.name, source.index),
                          creation.info.pNext, creation.feedback.Wanted()});
      creation_of.push_back(i);
    }
    CompileTimes times;
    std::vector<CompiledShader> compiled = CompileNodes(requests, OnFailure::kGoOn, times);
    for (size_t i = 0; i < compiled.size(); ++i)
      Finish(creations_[creation_of[i]], stages_[creation_of[i]], std::move(compiled[i]));
  }

  LibraryCreation& At(uint32_t index) {
    return *std::find_if(creations_.begin(), creations_.end(),
                         [index](const LibraryCreation& creation) { return creation.index == index; });
  }

 private:
  static void Finish(LibraryCreation& creation, StageNode& stage, CompiledShader compiled) {
    creation.failure = std::move(compiled.failure);
    if (!creation.failure.Succeeded()) return;
    creation.library = std::make_shared<NodeLibrary>();
    creation.library->node = {std::move(stage.source), std::move(compiled.pipeline)};
    creation.library->for_graphs = (creation.context.flags & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) != 0;
    creation.feedback.AddNode(0, compiled.feedback, stage.reflect_nanoseconds + compiled.lower_nanoseconds);
    if (creation.library->for_graphs) MakeKernels(creation);
    creation.feedback.Finish();
  }

  // So that linking compiles nothing.
  static void MakeKernels(LibraryCreation& creation) {
    CompileTimes times;
    KernelPipelines kernels;
    creation.failure =
        InternalKernels::Of(creation.context.device)
            ->Make(creation.context, AllKernels(creation.context.device), creation.feedback, times, kernels);
    if (!creation.failure.Succeeded()) creation.library = nullptr;
  }

  std::deque<LibraryCreation> creations_;
  std::vector<StageNode> stages_;  // of the creations
};

class Creation {
 public:
  Creation(Device& device, VkPipelineCache cache, std::span<const VkComputePipelineCreateInfo> infos,
           const CreateOrdinaryPipeline& create_ordinary, VkPipeline* pipelines)
      : device_(device), cache_(cache), infos_(infos), create_ordinary_(create_ordinary), pipelines_(pipelines) {}

  VkResult Run() {
    for (uint32_t i = 0; i < infos_.size(); ++i)
      if (KindOf(infos_[i]) == Kind::kLibrary) libraries_.Add(ContextOf(i), infos_[i], i);
    libraries_.Create();
    VkResult worst = VK_SUCCESS;
    for (uint32_t i = 0; i < infos_.size(); ++i) {
      const VkResult result = CreateOne(i);
      worst = WorseResult(worst, result);
      if (result != VK_SUCCESS &&
          (EffectivePipelineFlags(infos_[i]) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT))
        break;
    }
    return worst;
  }

 private:
  Kind KindOf(const VkComputePipelineCreateInfo& info) const {
    const VkPipelineCreateFlags2 flags = EffectivePipelineFlags(info);
    if (flags & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR) return Kind::kLibrary;
    if (flags & kNodeFlags || IsNodeStage(device_, info.stage)) return Kind::kRefused;
    return Kind::kOrdinary;
  }

  CreationContext ContextOf(uint32_t index) const {
    return {device_,
            cache_,
            nullptr,
            NewPipelineId(),
            EffectivePipelineFlags(infos_[index]),
            "the compute pipeline pCreateInfos[" + std::to_string(index) + "]"};
  }

  VkResult CreateOne(uint32_t index) {
    switch (KindOf(infos_[index])) {
      case Kind::kLibrary: {
        LibraryCreation& creation = libraries_.At(index);
        return PublishLibrary(creation.context, creation.failure, std::move(creation.library), pipelines_[index]);
      }
      case Kind::kRefused:
        return Refuse(index);
      case Kind::kOrdinary:
        break;
    }
    Arena arena;
    return create_ordinary_(WithBaseOfDriver(device_, infos_, infos_[index], pipelines_, arena), &pipelines_[index]);
  }

  VkResult Refuse(uint32_t index) const {
    const bool has_flag = (EffectivePipelineFlags(infos_[index]) & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) != 0;
    return ContextOf(index).Report(CreationResult::Refused(
        has_flag
            ? "VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX without VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR: a "
              "compute pipeline can be part of a graph as a library only"
            : "the shader declares ShaderEnqueueAMDX; that needs VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX and "
              "VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR (VUID-VkComputePipelineCreateInfo-flags-09178)"));
  }

  Device& device_;
  const VkPipelineCache cache_;
  const std::span<const VkComputePipelineCreateInfo> infos_;
  const CreateOrdinaryPipeline& create_ordinary_;
  VkPipeline* const pipelines_;
  Libraries libraries_;
};

}  // namespace

bool IsNodeStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
  if (const auto module = device.shader_modules.Find(stage.module)) return module->declares_shader_enqueue;
  return DeclaresShaderEnqueue(ChainedWords(stage));
}

bool ConcernsNodes(const Device& device, const VkComputePipelineCreateInfo& info) {
  return (EffectivePipelineFlags(info) & kNodeFlags) || IsNodeStage(device, info.stage) ||
         DerivesFromOwnPipeline(device, info);
}

VkResult CreateComputePipelinesWithNodes(Device& device, VkPipelineCache cache,
                                         std::span<const VkComputePipelineCreateInfo> infos,
                                         const CreateOrdinaryPipeline& create_ordinary, VkPipeline* pipelines) {
  return Creation(device, cache, infos, create_ordinary, pipelines).Run();
}

}  // namespace trellis
