// One node -> one compute pipeline of the driver. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <string>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/node_sources.h"

namespace trellis {

struct CompiledShader {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineCreationFeedback feedback = {};  // the driver's; zeros unless it was asked for
  uint64_t lower_nanoseconds = 0;
};

struct CompileRequest {
  const StageNode& node;
  const PipelineLayout& layout;
  const std::string& label;     // "name[index]"
  const void* chain = nullptr;  // pNext of the execution graph's create info
  bool feedback = false;
};

// Lowers the node and gives it to the driver. VK_SUCCESS and `compiled`, whose pipeline is then the caller's;
// VK_PIPELINE_COMPILE_REQUIRED and out of memory as the driver says; other failures have been reported.
[[nodiscard]] VkResult CompileNode(const CreationContext& context, const CompileRequest& request,
                                   CompiledShader& compiled);

}  // namespace trellis
