// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/runtime/runtime_library.h"

#include <cassert>
#include <cstddef>
#include <utility>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/runtime/runtime_glsl450_int64_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_int64_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_partition_int64_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_partition_spv.h"
#include "spirv_lowering/runtime/runtime_glsl450_subgroup_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_int64_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_int64_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_partition_int64_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_partition_spv.h"
#include "spirv_lowering/runtime/runtime_vulkan_subgroup_spv.h"

namespace trellis::spirv {
namespace {

// Read when it is first needed.
template <const auto& kWords>
const Module& Library() {
  static const Module library = [] {
    Expected<Module> module = ReadModule(kWords);
    assert(module && "the built-in runtime does not parse");
    return *std::move(module);
  }();
  return library;
}

}  // namespace

const Module& RuntimeLibrary(const RuntimeVariant& variant) {
  // By memory model, use of subgroups, and addresses.
  using Get = const Module& (*)();
  static constexpr Get kLibraries[2][3][2] = {
      {{Library<kRuntimeGlsl450Spv>, Library<kRuntimeGlsl450Int64Spv>},
       {Library<kRuntimeGlsl450SubgroupSpv>, Library<kRuntimeGlsl450SubgroupInt64Spv>},
       {Library<kRuntimeGlsl450SubgroupPartitionSpv>, Library<kRuntimeGlsl450SubgroupPartitionInt64Spv>}},
      {{Library<kRuntimeVulkanSpv>, Library<kRuntimeVulkanInt64Spv>},
       {Library<kRuntimeVulkanSubgroupSpv>, Library<kRuntimeVulkanSubgroupInt64Spv>},
       {Library<kRuntimeVulkanSubgroupPartitionSpv>, Library<kRuntimeVulkanSubgroupPartitionInt64Spv>}},
  };
  return kLibraries[variant.vulkan_memory_model][static_cast<size_t>(variant.subgroups)][variant.int64_addresses]();
}

}  // namespace trellis::spirv
