// The GLSL runtime (meta_shaders/runtime) as modules to import from. Built in, read once.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// The library for a node's memory model. `subgroup_aggregation`: the functions use subgroup ballot and shuffle.
// Thread-safe; lives as long as the process.
[[nodiscard]] const Module& RuntimeLibrary(bool vulkan_memory_model, bool subgroup_aggregation);

}  // namespace trellis::spirv
