// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/node_sources.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

#include "layer/dispatch/struct_chain.h"
#include "layer/graph/memory_plan.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/lower_node.h"
#include "layer/pipeline/parallel_for.h"
#include "layer/pipeline/shader_target.h"
#include "layer/pipeline/specialization.h"
#include "meta_shaders/shared/graph_data.h"
#include "spirv_lowering/reflect/packing.h"
#include "spirv_lowering/reflect/payload_scalars.h"
#include "spirv_lowering/reflect/reflect.h"

namespace trellis {
namespace {

// Finds the stage's words: the module's, or those of a VkShaderModuleCreateInfo in the chain (maintenance5, graphics
// pipeline library).
CreationResult FindWords(const Device& device, StageNode& node) {
  const VkPipelineShaderStageCreateInfo& stage = *node.stage;
  if (stage.module != VK_NULL_HANDLE) {
    node.owner = device.shader_modules.Find(stage.module);
    if (!node.owner) return CreationResult::Refused("the shader module is not known");
    node.words = node.owner->words;
    return {};
  }
  if (FindInChain(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    node.words = ChainedWords(stage);
    return {};
  }
  // Identifiers come with FAIL_ON_PIPELINE_COMPILE_REQUIRED (VUID-VkPipelineShaderStageCreateInfo-pNext-06844): no
  // code, no pipeline, no error.
  if (FindInChain(stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT))
    return {VK_PIPELINE_COMPILE_REQUIRED, {}};
  return CreationResult::Refused("there is neither a shader module nor code");
}

CreationResult CheckStage(const VkPipelineShaderStageCreateInfo& stage, spirv::ExecutionModel model) {
  if (model == spirv::ExecutionModel::kGLCompute && stage.stage != VK_SHADER_STAGE_COMPUTE_BIT)
    return CreationResult::Refused("the stage is not COMPUTE (VUID 09128)");
  if (!stage.pName) return CreationResult::Refused("there is no entry point name");
  return {};
}

// Checklist: the API's name and index win, then the entry point's name and ShaderIndexAMDX.
void SettleIdentity(StageNode& node) {
  const auto* given = FindStruct<VkPipelineShaderStageNodeCreateInfoAMDX>(node.stage->pNext);
  node.source.name = given && given->pName ? given->pName : node.stage->pName;
  node.source.index =
      given && given->index != VK_SHADER_INDEX_UNUSED_AMDX ? given->index : node.source.info.shader_index;
}

// Full subgroups, or subgroups of a certain size, are demanded of the node's own workgroups.
bool DemandsSubgroups(const VkPipelineShaderStageCreateInfo& stage) {
  return (stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) != 0 ||
         FindInChain(stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
}

// Invocations that are packed send what they send each for itself, unless they reconverge. Those of one workgroup would
// have done it together, and what they ask for together is what `validate` looks at.
bool SendsApart(const Device& device, const spirv::NodeInfo& info) {
  if (info.Invocations() == 1 || info.outputs.empty()) return false;
  const spirv::LoweringTarget target = LoweringTargetOf(device);
  return target.check_allocations || (target.subgroup_aggregation && !target.maximal_reconvergence);
}

uint32_t WorkgroupsToPack(const Device& device, const StageNode& node) {
  const spirv::NodeInfo& info = node.source.info;
  if (!device.settings.pack_workgroups || DemandsSubgroups(*node.stage) || SendsApart(device, info)) return 1;
  const VkPhysicalDeviceLimits& limits = device.traits.limits;
  return spirv::WorkgroupsToPack(info,
                                 std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]));
}

// As many as keep a GPU busy while some of them wait for memory; starting more costs more than it gains. On a CPU
// entering a launch costs each subgroup as much as several iterations of a small node, so that few workgroups with long
// runs are best, as long as every core has several.
uint32_t MaxPackedWorkgroups(const Device& device) {
  if (device.settings.max_packed_workgroups != 0) return device.settings.max_packed_workgroups;
  if (!TargetsCpu(device)) return 16384;
  constexpr uint32_t kWorkgroupsOfACore = 4;
  static const uint32_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  return kWorkgroupsOfACore * cores;
}

// Workgroups that leave cost less than a kernel and a barrier between levels. `validate` looks at grids in that kernel.
bool LaunchesBounds(const Device& device, const spirv::NodeInfo& info) {
  if (info.kind != spirv::LaunchKind::kDynamicGrid || info.StateWords() != shared::kShortRecordState) return false;
  return !TargetsCpu(device) && !device.settings.validate &&
         MaxWorkgroupsOfRecords(info, 1, UINT64_MAX) <= shared::kMaxBoundWorkgroups;
}

// The first rule that an entry point, or the module as a whole, breaks; null if there is none.
const spirv::RuleViolation* FindBrokenRule(const CheckedModule& module, std::string_view entry_point,
                                           spirv::ExecutionModel model) {
  for (const spirv::RuleViolation& violation : module.violations)
    if (!violation.tolerated && spirv::Concerns(violation, entry_point, model)) return &violation;
  return nullptr;
}

// Scalars of a payload that a report shows as such; what lies behind them is shown as bytes.
constexpr size_t kMaxReportedScalars = 256;

CreationResult ReflectNode(const Device& device, StageNode& node) {
  const VkPipelineShaderStageCreateInfo& stage = *node.stage;
  const Expected<CheckedModule>& checked = node.module->Checked();
  if (!checked) return CreationResult::Refused(checked.error().message);
  Expected<spirv::NodeInfo> info =
      spirv::Reflect(checked->module, stage.pName, ReadSpecialization(stage.pSpecializationInfo), node.model);
  if (!info) return CreationResult::Refused(info.error().message);
  if (const spirv::RuleViolation* broken = FindBrokenRule(*checked, stage.pName, node.model))
    return CreationResult::Refused(spirv::Describe(*broken));
  node.source.info = *std::move(info);
  if (!device.settings.dump_payloads.empty())
    node.source.info.input_scalars = spirv::ReadInputScalars(
        checked->module, stage.pName, ReadSpecialization(stage.pSpecializationInfo), node.model, kMaxReportedScalars);
  if (node.model == spirv::ExecutionModel::kGLCompute) {
    node.source.info.launches_bounds = LaunchesBounds(device, node.source.info);
    node.source.info.packed = WorkgroupsToPack(device, node);
    if (spirv::Strides(node.source.info, TargetsCpu(device)))
      node.source.info.max_workgroups = MaxPackedWorkgroups(device);
  } else {
    node.source.info.in_batches = false;
  }
  SettleIdentity(node);
  return {};
}

// The nodes' modules. Many stages have the same one: it is looked up once.
void FindModules(Device& device, std::span<StageNode> nodes) {
  const std::shared_ptr<ShaderCache> cache = ShaderCache::Of(device);
  std::map<std::pair<const uint32_t*, size_t>, std::shared_ptr<CachedModule>> found;
  for (StageNode& node : nodes) {
    node.failure = CheckStage(*node.stage, node.model);
    if (node.failure.Succeeded()) node.failure = FindWords(device, node);
    if (!node.failure.Succeeded()) continue;
    std::shared_ptr<CachedModule>& module = found[{node.words.data(), node.words.size()}];
    if (!module) module = cache->Find(node.words);
    node.module = module;
  }
}

}  // namespace

void CollectNodes(Device& device, std::span<StageNode> nodes, OnFailure on_failure) {
  FindModules(device, nodes);
  ParallelFor(nodes.size(), ThreadCount(device.settings.threads), [&](size_t i) {
    StageNode& node = nodes[i];
    if (node.failure.Succeeded()) {
      const auto begin = std::chrono::steady_clock::now();
      node.failure = ReflectNode(device, node);
      node.reflect_nanoseconds = NanosecondsSince(begin);
    }
    if (!node.failure.reason.empty()) node.failure.reason = node.where + node.failure.reason;
    return on_failure == OnFailure::kGoOn || node.failure.Succeeded();
  });
}

}  // namespace trellis
