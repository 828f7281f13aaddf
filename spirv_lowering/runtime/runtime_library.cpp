#include "spirv_lowering/runtime/runtime_library.h"

#include <cassert>
#include <span>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/runtime/runtime_glsl450_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_spv.h"

namespace trellis::spirv {
namespace {

Module Read(std::span<const uint32_t> words) {
  Expected<Module> module = ReadModule(words);
  assert(module && "the built-in runtime does not parse");
  return *std::move(module);
}

}  // namespace

const Module& RuntimeLibrary(bool vulkan_memory_model, bool subgroup_aggregation) {
  static const Module glsl450 = Read(kRuntimeGlsl450Spv);
  static const Module glsl450_subgroup = Read(kRuntimeGlsl450SubgroupSpv);
  static const Module vulkan = Read(kRuntimeVulkanSpv);
  static const Module vulkan_subgroup = Read(kRuntimeVulkanSubgroupSpv);
  if (vulkan_memory_model) return subgroup_aggregation ? vulkan_subgroup : vulkan;
  return subgroup_aggregation ? glsl450_subgroup : glsl450;
}

}  // namespace trellis::spirv
