// SPDX-License-Identifier: Apache-2.0
// Which internal kernels a graph can need. Internal to layer/pipeline.
#pragma once

#include <vector>

#include "meta_shaders/kernels.h"

namespace trellis {

struct Device;
struct ExecutionGraphPipeline;

// Returns every kernel that a dispatch of the graph may record, in the order of the enumeration: for any counts, from
// the host or from infos on the device, on any queue of the device. `pipeline` must have its graph and node pipelines.
// Depends on what is known at creation alone, so a kernel may be in the set that no dispatch of the application needs.
// Returns the kernels that executions of the pipeline may need. For a library all of them: the graphs that it will be
// part of are unknown, and linking must not need a compile.
[[nodiscard]] std::vector<Kernel> NeededKernels(const ExecutionGraphPipeline& pipeline);
// Those that the device's settings leave.
[[nodiscard]] std::vector<Kernel> AllKernels(const Device& device);

}  // namespace trellis
