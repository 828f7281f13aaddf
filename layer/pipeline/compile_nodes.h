// SPDX-License-Identifier: Apache-2.0
// Nodes -> compute pipelines of the driver. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/node_pipeline.h"
#include "layer/pipeline/node_sources.h"

namespace trellis {

struct CompileRequest {
  const CreationContext& context;
  const StageNode& node;  // collected without a failure
  std::shared_ptr<PipelineLayout> layout;
  std::string label;            // "name[index]"
  const void* chain = nullptr;  // pNext of the create info
  bool feedback = false;
};

struct CompiledShader {
  std::shared_ptr<NodePipeline> pipeline;
  VkPipelineCreationFeedback feedback = {};  // the driver's; zeros unless it was asked for
  uint64_t lower_nanoseconds = 0;
  CreationResult failure;  // out of memory and VK_PIPELINE_COMPILE_REQUIRED are the driver's
};

// Times of all threads added up, for the log.
struct CompileTimes {
  uint64_t lower_nanoseconds = 0;
  uint64_t driver_nanoseconds = 0;
  size_t pipelines = 0;  // that the driver made
};

// Lowers the nodes and gives them to the driver, both on several threads. The requests belong to one command: their
// contexts agree on device, cache, and whether other threads may call the driver. Requests for which the driver would
// make the same pipeline share one. With kStop requests behind the first failure may come back without a pipeline and
// without a failure.
[[nodiscard]] std::vector<CompiledShader> CompileNodes(std::span<const CompileRequest> requests, OnFailure on_failure,
                                                       CompileTimes& times);

}  // namespace trellis
