// SPDX-License-Identifier: Apache-2.0
// The GLSL runtime (meta_shaders/runtime) as modules to import from. Built in, read once.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// What the functions use of subgroups: nothing; arithmetic, ballot and shuffle; vote and partition too.
enum class SubgroupUse { kNone, kBallot, kPartition };

struct RuntimeVariant {
  bool vulkan_memory_model = false;  // the node's memory model
  SubgroupUse subgroups = SubgroupUse::kNone;
  bool int64_addresses = false;  // they use 64-bit integers
};

// Thread-safe; lives as long as the process.
[[nodiscard]] const Module& RuntimeLibrary(const RuntimeVariant& variant);

}  // namespace trellis::spirv
