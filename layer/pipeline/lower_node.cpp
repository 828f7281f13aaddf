// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/lower_node.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "layer/device/spirv_capabilities.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/objects/instance.h"
#include "layer/objects/physical_device.h"
#include "layer/pipeline/shader_target.h"
#include "layer/pipeline/specialization.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/saved_options.h"

namespace trellis {
namespace {

// On CPUs barriers cost more than atomics.
bool AggregatesWorkgroups(const Device& device) {
  if (device.settings.aggregation == Aggregation::kAuto) return !TargetsCpu(device);
  return device.settings.aggregation == Aggregation::kWorkgroup;
}

// Payloads are accessed like storage buffers. What the stage says about these comes before what the pipeline says, and
// that before what the device says; robustBufferAccess2 is never enabled alone.
bool AccessIsRobust(const Device& device, const StageNode& node, const void* chain) {
  const auto* robustness = FindStruct<VkPipelineRobustnessCreateInfo>(node.stage->pNext);
  if (!robustness) robustness = FindStruct<VkPipelineRobustnessCreateInfo>(chain);
  if (!robustness || robustness->storageBuffers == VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT)
    return device.traits.robust_buffer_access;
  return robustness->storageBuffers != VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED;
}

LoweredShader Failed(VkResult result, std::string reason) {
  LoweredShader failed;
  failed.result = result;
  failed.reason = std::move(reason);
  return failed;
}

// The compilers of drivers may crash on what their devices do not have. What is there, and only not enabled, works.
std::optional<uint32_t> UnsupportedCapability(const Device& device, std::span<const uint32_t> words) {
  const auto& disabled = device.disabled_capabilities;
  const PhysicalDevice& physical_device = *device.physical_device;
  for (const uint32_t capability : DeclaredCapabilities(words)) {
    if (std::binary_search(disabled.begin(), disabled.end(), capability) &&
        !SupportsCapability(device.instance->dispatch, physical_device.handle, physical_device.capabilities,
                            capability))
      return capability;
  }
  return std::nullopt;
}

LoweredShader Lower(const Device& device, const spirv::Module& module, const spirv::NodeInfo& info,
                    const spirv::LowerOptions& options, const spirv::Specialization& specialization) {
  Expected<spirv::LoweredNode> node = spirv::Lower(module, info, options, specialization);
  if (!node) return Failed(VK_ERROR_VALIDATION_FAILED_EXT, node.error().message);
  // Members of 8 and 16 bits need access to storage buffers, which devices may lack that compute with them.
  if (const std::optional<uint32_t> needed = UnsupportedCapability(device, node->words))
    return Failed(VK_ERROR_VALIDATION_FAILED_EXT, "the shader's payloads lie in storage buffers and need " +
                                                      DescribeCapability(*needed) +
                                                      ", which this device does not support");
  LoweredShader lowered;
  lowered.node = *std::move(node);
  if (device.settings.optimize) {
    Expected<std::vector<uint32_t>> optimized = spirv::Optimize(lowered.node.words);
    if (!optimized)
      return Failed(VK_ERROR_UNKNOWN, "the optimizer refused the lowered shader: " + optimized.error().message);
    lowered.node.words = *std::move(optimized);
  }
  if (device.settings.validate_lowered) {
    const Expected<void> valid = spirv::Validate(lowered.node.words, device.traits.api_version < VK_API_VERSION_1_3);
    if (!valid) {
      lowered.result = VK_ERROR_UNKNOWN;
      lowered.reason = "the lowered shader is not valid: " + valid.error().message;
    }
  }
  if (!device.settings.dump_dir.empty())
    lowered.options = spirv::WriteOptions({info.entry_point, specialization, options, info.packed, info.max_workgroups,
                                           info.launches_bounds, info.in_batches, device.settings.optimize});
  lowered.specializable_ids = DecorationLiterals(lowered.node.words, spv::Decoration::SpecId);
  lowered.descriptor_sets = DecorationLiterals(lowered.node.words, spv::Decoration::DescriptorSet);
  return lowered;
}

bool HasAll(VkSubgroupFeatureFlags operations, VkSubgroupFeatureFlags needed) {
  return (operations & needed) == needed;
}

// What aggregation is made of.
constexpr VkSubgroupFeatureFlags kAggregation = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                                VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
constexpr VkSubgroupFeatureFlags kPartition = VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;

}  // namespace

spirv::LoweringTarget LoweringTargetOf(const Device& device) {
  const Settings& settings = device.settings;
  const DeviceTraits& traits = device.traits;
  const bool aggregates = settings.aggregation != Aggregation::kNone;
  return {.subgroup_aggregation = aggregates && HasAll(traits.subgroup_operations, kAggregation),
          .subgroup_partition = settings.subgroup_partition && HasAll(traits.subgroup_operations, kPartition),
          .maximal_reconvergence = traits.maximal_reconvergence,
          .workgroup_aggregation = AggregatesWorkgroups(device),
          .mesh_subgroup_search = aggregates && HasAll(traits.mesh_subgroup_operations, kAggregation),
          .int64_addresses = settings.int64_addresses && traits.shader_int64,
          .for_cpu = TargetsCpu(device),
          .check_allocations = settings.validate};
}

std::shared_ptr<const LoweredShader> LowerNode(const Device& device, const StageNode& node,
                                               const NodePushConstants& pushed, const void* chain) {
  const spirv::NodeInfo& info = node.source.info;
  if (info.push_constant_end > pushed.application_size)
    return std::make_shared<const LoweredShader>(Failed(
        VK_ERROR_VALIDATION_FAILED_EXT, "the shader uses " + std::to_string(info.push_constant_end) +
                                            " bytes of push constants, the layout's ranges for its stage end at " +
                                            std::to_string(pushed.push_constant_end)));
  if (const std::optional<uint32_t> declared = UnsupportedCapability(device, node.words))
    return std::make_shared<const LoweredShader>(
        Failed(VK_ERROR_VALIDATION_FAILED_EXT,
               "the shader declares the capability " + DescribeCapability(*declared) +
                   ", which this device does not support (VUID-VkShaderModuleCreateInfo-pCode-08740)"));
  const spirv::LowerOptions options = {.launch_offset = pushed.launch_offset,
                                       .push_constant_copy_offset = pushed.copy_offset,
                                       .robust_access = AccessIsRobust(device, node, chain),
                                       .target = LoweringTargetOf(device)};
  const spirv::Specialization specialization = ReadSpecialization(node.stage->pSpecializationInfo);
  return node.module->Lowered(spirv::LoweringKey(info, options.target), options, specialization, [&] {
    return Lower(device, node.module->Checked()->module, info, options, specialization);
  });
}

}  // namespace trellis
