// SPDX-License-Identifier: Apache-2.0
#include "layer/validation/graph_creation.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "layer/device/spirv_capabilities.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/objects/shader_module.h"

namespace trellis {
namespace {

constexpr const char* kCreationCommand = "vkCreateExecutionGraphPipelinesAMDX";
constexpr const char* kInfo = "VkExecutionGraphPipelineCreateInfoAMDX";

struct ExcludedFlag {
  VkPipelineCreateFlags2 flag;
  const char* name;
  const char* rule;
};
constexpr ExcludedFlag kExcludedFlags[] = {
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_BIT_KHR, "RAY_TRACING_NO_NULL_ANY_HIT_SHADERS",
     "flags-03365"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_BIT_KHR, "RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS",
     "flags-03366"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_BIT_KHR, "RAY_TRACING_NO_NULL_MISS_SHADERS", "flags-03367"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_BIT_KHR, "RAY_TRACING_NO_NULL_INTERSECTION_SHADERS",
     "flags-03368"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR, "RAY_TRACING_SKIP_TRIANGLES", "flags-03369"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_BIT_KHR, "RAY_TRACING_SKIP_AABBS", "flags-03370"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR,
     "RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY", "flags-03576"},
    {VK_PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_BIT_NV, "RAY_TRACING_ALLOW_MOTION", "flags-04945"},
    {VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT, "NO_PROTECTED_ACCESS", "flags-12334"},
    {VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT, "PROTECTED_ACCESS_ONLY", "flags-12334"},
};

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xe ? 3 : lead >> 3 == 0x1e ? 4 : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k)
      if (static_cast<uint8_t>(text[i + k]) >> 6 != 0x2) return false;
    i += length;
  }
  return true;
}

// One command; collects its findings.
class GraphCreationCheck {
 public:
  GraphCreationCheck(const Device& device, VkPipelineCache cache,
                     std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos)
      : device_(device), cache_(cache), infos_(infos) {}

  Findings Run() {
    if (!device_.shader_enqueue_enabled)
      AddToCommand("shaderEnqueue-09124",
                   "the feature shaderEnqueue is not enabled: set it in VkPhysicalDeviceShaderEnqueueFeaturesAMDX when "
                   "the device is created");
    if (infos_.empty()) AddToCommand("createInfoCount-arraylength", "createInfoCount is 0");
    for (index_ = 0; index_ < infos_.size(); ++index_) CheckInfo(infos_[index_]);
    return std::move(findings_);
  }

 private:
  using Info = VkExecutionGraphPipelineCreateInfoAMDX;

  void CheckInfo(const Info& info) {
    flags_ = EffectivePipelineFlags(info);
    if (info.sType != VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX)
      AddToInfo("sType-sType", "sType is " + std::to_string(info.sType) +
                                   ": it has to be VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX");
    CheckChain(info);
    CheckFlags(info);
    if (flags_ & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT) CheckBase(info);
    CheckBinaries(info);
    CheckNodeNames(info);
    CheckCapabilities(info);
  }

  void CheckChain(const Info& info) {
    std::set<VkStructureType> seen;
    for (const auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at; at = at->pNext)
      if (!seen.insert(at->sType).second)
        return AddToInfo("sType-unique",
                         "there are two structures of sType " + std::to_string(at->sType) + " in pNext: remove one");
  }

  void CheckFlags(const Info& info) {
    for (const ExcludedFlag& excluded : kExcludedFlags)
      if (flags_ & excluded.flag)
        AddToInfo(excluded.rule, std::string("flags include VK_PIPELINE_CREATE_2_") + excluded.name +
                                     ", which execution graphs cannot have: remove it");
    constexpr VkPipelineCreateFlags2 kCacheControl =
        VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT | VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT;
    if ((flags_ & kCacheControl) && !device_.traits.pipeline_creation_cache_control)
      AddToInfo("pipelineCreationCacheControl-02875",
                "flags include FAIL_ON_PIPELINE_COMPILE_REQUIRED or EARLY_RETURN_ON_FAILURE, but the feature "
                "pipelineCreationCacheControl is not enabled");
    if ((flags_ & VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV) &&
        !FindInChain(info.pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_INDIRECT_BUFFER_INFO_NV))
      AddToInfo("flags-09008",
                "flags include VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV without a "
                "VkComputePipelineIndirectBufferInfoNV in pNext");
  }

  void CheckBase(const Info& info) {
    if (info.basePipelineIndex != -1 && info.basePipelineHandle != VK_NULL_HANDLE)
      return AddToInfo("flags-07986",
                       "both basePipelineHandle and basePipelineIndex are given: pass -1 or a null handle");
    if (info.basePipelineIndex == -1) return CheckBaseHandle(info.basePipelineHandle);
    if (info.basePipelineIndex < 0 || static_cast<size_t>(info.basePipelineIndex) >= infos_.size())
      return AddToInfo("flags-07985", "basePipelineIndex " + std::to_string(info.basePipelineIndex) +
                                          " is not an index of pCreateInfos, which has " +
                                          std::to_string(infos_.size()) + " elements");
    const auto base = static_cast<size_t>(info.basePipelineIndex);
    if (base >= index_)
      return AddToElement("flags-09125", "basePipelineIndex " + std::to_string(base) +
                                             " has to be less than the element's own index: put the base first");
    if (!(EffectivePipelineFlags(infos_[base]) & VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT)) AddBaseWithoutFlag();
  }

  void CheckBaseHandle(VkPipeline handle) {
    const std::shared_ptr<const ExecutionGraphPipeline> base = device_.execution_graphs.Find(handle);
    if (!base) return AddToInfo("flags-07984", "basePipelineHandle is not an execution graph pipeline");
    if (!base->allows_derivatives) AddBaseWithoutFlag();
  }

  void AddBaseWithoutFlag() {
    AddToElement("flags-09126", "the base was made without VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT: add it there");
  }

  void CheckBinaries(const Info& info) {
    if ((flags_ & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR) && cache_)
      AddToElement("pNext-09617",
                   "flags include VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR: pipelineCache has to be null");
    const auto* binaries = FindStruct<VkPipelineBinaryInfoKHR>(info.pNext);
    if (!binaries || binaries->binaryCount == 0) return;
    if (cache_) AddToElement("pNext-09616", "pNext has pipeline binaries: pipelineCache has to be null");
    if (flags_ & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
      AddToElement("binaryCount-09622", "pNext has pipeline binaries: remove FAIL_ON_PIPELINE_COMPILE_REQUIRED");
  }

  void CheckNodeNames(const Info& info) {
    for (uint32_t i = 0; info.pStages && i < info.stageCount; ++i) {
      const auto* node = FindStruct<VkPipelineShaderStageNodeCreateInfoAMDX>(info.pStages[i].pNext);
      if (node && node->pName && !IsUtf8(node->pName))
        Add(Vuid("VkPipelineShaderStageNodeCreateInfoAMDX", "pName-parameter"),
            Element() + ".pStages[" + std::to_string(i) + "]: the node's pName is not UTF-8");
    }
  }

  void CheckCapabilities(const Info& info) {
    for (uint32_t i = 0; info.pStages && i < info.stageCount; ++i) {
      const VkPipelineShaderStageCreateInfo& stage = info.pStages[i];
      const std::shared_ptr<const ShaderModule> module = device_.shader_modules.Find(stage.module);
      const auto& disabled = device_.disabled_capabilities;
      for (const uint32_t capability : DeclaredCapabilities(module ? module->words : ChainedWords(stage)))
        if (std::binary_search(disabled.begin(), disabled.end(), capability))
          Add(Vuid("VkShaderModuleCreateInfo", "pCode-08740"),
              Element() + ".pStages[" + std::to_string(i) + "]: the shader declares the capability " +
                  DescribeCapability(capability) + ", which is not enabled on the device");
    }
  }

  [[nodiscard]] std::string Element() const {
    return std::string(kCreationCommand) + "(): pCreateInfos[" + std::to_string(index_) + "]";
  }
  void Add(std::string vuid, std::string text) { findings_.push_back({std::move(vuid), std::move(text)}); }
  void AddToCommand(const char* rule, const std::string& text) {
    Add(Vuid(kCreationCommand, rule), std::string(kCreationCommand) + "(): " + text);
  }
  // A rule of the command about the element, and a rule of its structure.
  void AddToElement(const char* rule, const std::string& text) {
    Add(Vuid(kCreationCommand, rule), Element() + ": " + text);
  }
  void AddToInfo(const char* rule, const std::string& text) { Add(Vuid(kInfo, rule), Element() + ": " + text); }

  const Device& device_;
  const VkPipelineCache cache_;
  const std::span<const Info> infos_;
  size_t index_ = 0;                  // of the element being checked
  VkPipelineCreateFlags2 flags_ = 0;  // of that element
  Findings findings_;
};

}  // namespace

Findings CheckGraphCreation(const Device& device, VkPipelineCache cache,
                            std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos) {
  return GraphCreationCheck(device, cache, infos).Run();
}

}  // namespace trellis
