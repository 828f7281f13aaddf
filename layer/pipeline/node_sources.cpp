#include "layer/pipeline/node_sources.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "layer/dispatch/struct_chain.h"
#include "layer/pipeline/specialization.h"
#include "spirv_lowering/reflect/node_module.h"

namespace trellis {
namespace {

std::string StageText(size_t stage, const char* entry_point) {
  return "pStages[" + std::to_string(stage) + "], entry point \"" + (entry_point ? entry_point : "") + "\": ";
}

// Finds the stage's words: the module's, or those of a VkShaderModuleCreateInfo in the chain (maintenance5, graphics
// pipeline library).
VkResult FindWords(const CreationContext& context, const std::string& where, StageNode& node) {
  const VkPipelineShaderStageCreateInfo& stage = *node.stage;
  if (stage.module != VK_NULL_HANDLE) {
    node.owner = context.device.shader_modules.Find(stage.module);
    if (!node.owner) return context.Refuse(where + "the shader module is not known");
    node.words = node.owner->words;
    return VK_SUCCESS;
  }
  if (const auto* inline_module =
          FindStruct<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    node.words = {inline_module->pCode, inline_module->codeSize / sizeof(uint32_t)};
    return VK_SUCCESS;
  }
  // Identifiers come with FAIL_ON_PIPELINE_COMPILE_REQUIRED (VUID-VkPipelineShaderStageCreateInfo-pNext-06844): no
  // code, no pipeline, no error.
  if (FindInChain(stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT))
    return VK_PIPELINE_COMPILE_REQUIRED;
  return context.Refuse(where + "there is neither a shader module nor code");
}

// Checklist: the API's name and index win, then the entry point's name and ShaderIndexAMDX.
void SettleIdentity(StageNode& node) {
  const auto* given = FindStruct<VkPipelineShaderStageNodeCreateInfoAMDX>(
      node.stage->pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  node.source.name = given && given->pName ? given->pName : node.stage->pName;
  node.source.index =
      given && given->index != VK_SHADER_INDEX_UNUSED_AMDX ? given->index : node.source.info.shader_index;
}

// The first rule that an entry point, or the module as a whole, breaks; null if there is none.
const spirv::RuleViolation* FindBrokenRule(const CheckedModule& module, std::string_view entry_point) {
  for (const spirv::RuleViolation& violation : module.violations)
    if (!violation.tolerated && (violation.entry_point.empty() || violation.entry_point == entry_point))
      return &violation;
  return nullptr;
}

VkResult CollectNode(const CreationContext& context, ModuleReader& reader, const std::string& where, StageNode& node) {
  const auto begin = std::chrono::steady_clock::now();
  const VkPipelineShaderStageCreateInfo& stage = *node.stage;
  if (stage.stage != VK_SHADER_STAGE_COMPUTE_BIT)
    return context.Refuse(where + "the stage is not COMPUTE (VUID 09128)");
  if (!stage.pName) return context.Refuse(where + "there is no entry point name");
  if (const VkResult result = FindWords(context, where, node); result != VK_SUCCESS) return result;

  const Expected<std::shared_ptr<const CheckedModule>> module = reader.Read(node.words);
  if (!module) return context.Refuse(where + module.error().message);
  // Shares the checked module's life.
  node.module = std::shared_ptr<const spirv::Module>(*module, &(*module)->module);
  node.specialization = ReadSpecialization(stage.pSpecializationInfo);
  Expected<spirv::NodeInfo> info = spirv::Reflect(*node.module, stage.pName, node.specialization);
  if (!info) return context.Refuse(where + info.error().message);
  if (const spirv::RuleViolation* broken = FindBrokenRule(**module, stage.pName))
    return context.Refuse(where + spirv::Describe(*broken));
  node.source.info = *std::move(info);
  SettleIdentity(node);
  node.reflect_nanoseconds = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  return VK_SUCCESS;
}

}  // namespace

Expected<std::shared_ptr<const CheckedModule>> ModuleReader::Read(std::span<const uint32_t> words) {
  std::shared_ptr<const CheckedModule>& known = modules_[words.data()];
  if (!known) {
    Expected<spirv::Module> module = spirv::ReadNodeModule(words);
    if (!module) return module.error();
    std::vector<spirv::RuleViolation> violations = spirv::CheckRules(*module);
    known = std::make_shared<const CheckedModule>(CheckedModule{*std::move(module), std::move(violations)});
  }
  return known;
}

VkResult CollectNodeSources(const CreationContext& context, ModuleReader& reader,
                            std::span<const VkPipelineShaderStageCreateInfo> stages, std::vector<StageNode>& nodes) {
  for (size_t i = 0; i < stages.size(); ++i) {
    StageNode node;
    node.stage = &stages[i];
    const VkResult result = CollectNode(context, reader, StageText(i, stages[i].pName), node);
    if (result != VK_SUCCESS) return result;
    nodes.push_back(std::move(node));
  }
  return VK_SUCCESS;
}

}  // namespace trellis
