// SPDX-License-Identifier: Apache-2.0
// Internal kernels for tests that create no graph through the layer's commands.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "layer/pipeline/compile_nodes.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/internal_kernels.h"

namespace trellis::test {

// Compiles those that the device does not have yet. A failure fails the test.
[[nodiscard]] inline KernelPipelines MakeKernels(Device& device, const std::vector<Kernel>& kernels) {
  const CreationContext context = {device};
  CreationFeedback feedback(nullptr);
  CompileTimes times;
  KernelPipelines made;
  const CreationResult result = InternalKernels::Of(device)->Make(context, kernels, feedback, times, made);
  EXPECT_TRUE(result.Succeeded()) << result.reason;
  return made;
}

}  // namespace trellis::test
