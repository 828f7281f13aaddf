// SPDX-License-Identifier: Apache-2.0
// Commands of whose create infos some make libraries of nodes. What goes to the driver goes one by one. Internal to
// layer/pipeline.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/objects/device.h"
#include "layer/pipeline/create_pipelines.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/libraries.h"

namespace trellis {

// `info` for the driver, which gets it alone: positions in the array of the application's command mean nothing to it,
// and nodes are unknown to it. A pipeline that derives from one of those derives from nothing, which is allowed. `info`
// is one of `infos`, `pipelines` what became of those before it.
template <typename CreateInfo>
[[nodiscard]] CreateInfo WithBaseOfDriver(const Device& device, std::span<const CreateInfo> infos,
                                          const CreateInfo& info, const VkPipeline* pipelines, Arena& arena) {
  CreateInfo edited = info;
  if (!(EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT)) return edited;
  // What comes later in the array, or not at all, is no base (VUID-vkCreateComputePipelines-flags-00695,
  // VUID-VkComputePipelineCreateInfo-flags-07985, and those of graphics pipelines).
  const auto index = static_cast<size_t>(&info - infos.data());
  if (info.basePipelineIndex >= 0)
    edited.basePipelineHandle = static_cast<size_t>(info.basePipelineIndex) < index ? pipelines[info.basePipelineIndex]
                                                                                    : VkPipeline{VK_NULL_HANDLE};
  edited.basePipelineIndex = -1;
  if (edited.basePipelineHandle && !device.IsOwnPipeline(edited.basePipelineHandle)) return edited;
  edited.basePipelineHandle = VK_NULL_HANDLE;
  edited.flags &= ~VkPipelineCreateFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT};
  if (auto* flags2 = EditStruct<VkPipelineCreateFlags2CreateInfo>(&edited, arena))
    flags2->flags &= ~VK_PIPELINE_CREATE_2_DERIVATIVE_BIT;
  return edited;
}

template <typename CreateInfo>
[[nodiscard]] bool DerivesFromOwnPipeline(const Device& device, const CreateInfo& info) {
  return (EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT) &&
         device.IsOwnPipeline(info.basePipelineHandle);
}

// One create info that makes a library.
template <typename CreateInfo>
struct LibraryCreation {
  LibraryCreation(CreationContext creation_context, const CreateInfo& create_info)
      : context(std::move(creation_context)), info(create_info), feedback(create_info.pNext) {}

  const CreationContext context;
  const CreateInfo& info;
  CreationFeedback feedback;  // of mesh nodes the driver fills in the rest
  std::shared_ptr<PipelineLayout> layout;
  CreationResult failure;
  std::shared_ptr<NodeLibrary> library;  // unless it failed
};

// What is different for compute and graphics pipelines.
template <typename CreateInfo>
struct LibraryKind {
  const char* name;  // for messages
  bool (*makes_library)(const CreateInfo& info);
  // Returns why a create info that makes no library is refused; null for an ordinary pipeline.
  const char* (*refusal)(const Device& device, const CreateInfo& info);
  // All libraries of one command.
  void (*create)(std::span<LibraryCreation<CreateInfo>> creations);
};

// As CreateComputePipelinesWithNodes (create_pipelines.h).
template <typename CreateInfo>
[[nodiscard]] VkResult CreatePipelinesWithLibraries(const LibraryKind<CreateInfo>& kind, Device& device,
                                                    VkPipelineCache cache, std::span<const CreateInfo> infos,
                                                    const CreateOrdinaryPipeline<CreateInfo>& create_ordinary,
                                                    VkPipeline* pipelines) {
  const auto context_of = [&](size_t i) -> CreationContext {
    return {device,
            cache,
            nullptr,
            NewPipelineId(),
            EffectivePipelineFlags(infos[i]),
            std::string("the ") + kind.name + " pipeline pCreateInfos[" + std::to_string(i) + "]"};
  };
  std::vector<LibraryCreation<CreateInfo>> libraries;
  libraries.reserve(infos.size());  // contexts are copied where it grows
  for (size_t i = 0; i < infos.size(); ++i)
    if (kind.makes_library(infos[i])) libraries.emplace_back(context_of(i), infos[i]);
  if (!libraries.empty()) kind.create(libraries);
  VkResult worst = VK_SUCCESS;
  auto library = libraries.begin();  // the next one
  for (size_t i = 0; i < infos.size(); ++i) {
    VkResult result = VK_SUCCESS;
    Arena arena;
    if (kind.makes_library(infos[i])) {
      result = PublishLibrary(library->context, library->failure, std::move(library->library), pipelines[i]);
      ++library;
    } else if (const char* refusal = kind.refusal(device, infos[i])) {
      result = context_of(i).Report(CreationResult::Refused(refusal));
    } else {
      result = create_ordinary(WithBaseOfDriver(device, infos, infos[i], pipelines, arena), &pipelines[i]);
    }
    worst = WorseResult(worst, result);
    if (result != VK_SUCCESS && (EffectivePipelineFlags(infos[i]) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT))
      break;
  }
  return worst;
}

}  // namespace trellis
