// SPDX-License-Identifier: Apache-2.0
// Shader stages -> nodes: modules read, names and indices settled, shaders reflected. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/shader_cache.h"

namespace trellis {

// One stage: COMPUTE, or MESH of a graphics pipeline. `stage` and, with inline modules, `words` point into the
// application's memory: good for the duration of the creation.
struct StageNode {
  // `place`: of the stage in the create info, for messages; "" for the only one.
  explicit StageNode(const VkPipelineShaderStageCreateInfo& create_info, const std::string& place = "",
                     spirv::ExecutionModel execution_model = spirv::ExecutionModel::kGLCompute)
      : stage(&create_info),
        where(place + "entry point \"" + (create_info.pName ? create_info.pName : "") + "\": "),
        model(execution_model) {}

  const VkPipelineShaderStageCreateInfo* stage;
  std::string where;  // in the create info, for messages
  spirv::ExecutionModel model;

  // From CollectNodes.
  std::shared_ptr<const ShaderModule> owner;  // keeps `words`; null with inline modules
  std::span<const uint32_t> words;
  std::shared_ptr<CachedModule> module;
  NodeSource source;
  uint64_t reflect_nanoseconds = 0;  // reading and reflecting
  // Refused; or VK_PIPELINE_COMPILE_REQUIRED for stages that are only an identifier. The rest is then not complete.
  CreationResult failure;
};

enum class OnFailure : uint8_t { kStop, kGoOn };

// Fills in the nodes, on several threads. With kStop nodes behind the first failure may be left as they are.
void CollectNodes(Device& device, std::span<StageNode> nodes, OnFailure on_failure);

}  // namespace trellis
