// The nodes of one create info: modules read, names and indices settled, shaders reflected. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/creation_context.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/rules/check_rules.h"

namespace trellis {

// One element of pStages. `stage` and, with inline modules, `words` point into the application's memory: good for the
// duration of the creation.
struct StageNode {
  const VkPipelineShaderStageCreateInfo* stage = nullptr;
  std::shared_ptr<const ShaderModule> owner;  // keeps `words`; null with inline modules
  std::span<const uint32_t> words;
  std::shared_ptr<const spirv::Module> module;
  spirv::Specialization specialization;
  NodeSource source;
  uint64_t reflect_nanoseconds = 0;  // reading and reflecting
};

// A module and what it breaks of the extension's rules.
struct CheckedModule {
  spirv::Module module;
  std::vector<spirv::RuleViolation> violations;
};

// Reads and checks each module once, however many stages use it. For one vkCreateExecutionGraphPipelinesAMDX, all its
// create infos.
class ModuleReader {
 public:
  // Fails with the reader's message; broken rules are not failures here, because they may be another entry point's.
  [[nodiscard]] Expected<std::shared_ptr<const CheckedModule>> Read(std::span<const uint32_t> words);

 private:
  std::unordered_map<const uint32_t*, std::shared_ptr<const CheckedModule>> modules_;
};

// VK_SUCCESS; VK_PIPELINE_COMPILE_REQUIRED for stages that are only an identifier; otherwise what was refused has been
// reported.
[[nodiscard]] VkResult CollectNodeSources(const CreationContext& context, ModuleReader& reader,
                                          std::span<const VkPipelineShaderStageCreateInfo> stages,
                                          std::vector<StageNode>& nodes);

}  // namespace trellis
