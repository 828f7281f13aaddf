#include "spirv_lowering/runtime/runtime_library.h"

#include <cassert>
#include <span>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/runtime/runtime_glsl450_int64_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_int64_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_int64_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_int64_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_spv.h"

namespace trellis::spirv {
namespace {

Module Read(std::span<const uint32_t> words) {
  Expected<Module> module = ReadModule(words);
  assert(module && "the built-in runtime does not parse");
  return *std::move(module);
}

}  // namespace

const Module& RuntimeLibrary(const RuntimeVariant& variant) {
  // By memory model, aggregation, and addresses.
  static const Module libraries[2][2][2] = {
      {{Read(kRuntimeGlsl450Spv), Read(kRuntimeGlsl450Int64Spv)},
       {Read(kRuntimeGlsl450SubgroupSpv), Read(kRuntimeGlsl450SubgroupInt64Spv)}},
      {{Read(kRuntimeVulkanSpv), Read(kRuntimeVulkanInt64Spv)},
       {Read(kRuntimeVulkanSubgroupSpv), Read(kRuntimeVulkanSubgroupInt64Spv)}},
  };
  return libraries[variant.vulkan_memory_model][variant.subgroup_aggregation][variant.int64_addresses];
}

}  // namespace trellis::spirv
