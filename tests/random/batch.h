// SPDX-License-Identifier: Apache-2.0
// Several inputs of one topology: their buffers, and how they are dispatched.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tests/random/generate.h"
#include "tests/random/node_shaders.h"
#include "tests/support/run.h"

namespace trellis::test::random_graphs {

// Threading: like a command buffer. It outlives what is recorded.
class Batch {
 public:
  // Of one pipeline's topology. `scratch_offset`: where scratch begins in its buffer, at least
  // GuardedBuffer::kGuardBytes.
  Batch(const Context& context, const NodeShaders& shaders, const Graph& pipeline, std::span<const Case> cases,
        VkDeviceSize scratch_offset = GuardedBuffer::kGuardBytes);

  // Binds the pipeline and its resources, and initialises scratch.
  void RecordStart(VkCommandBuffer command_buffer) const;
  // Every input once, without barriers between them; inside a render pass instance if there are mesh nodes.
  void RecordDispatches(VkCommandBuffer command_buffer, DispatchCommand command = DispatchCommand::kHost);

  // What input `i` left behind; before the first execution InitialWord.
  [[nodiscard]] std::span<const uint32_t> Results(size_t i) const;
  [[nodiscard]] bool GuardsIntact() const;

 private:
  const Context& context_;
  const NodeShaders& shaders_;
  const Graph& pipeline_;
  const std::span<const Case> cases_;
  const bool has_mesh_nodes_;
  GuardedBuffer scratch_;
  std::vector<uint32_t> table_offsets_;  // words, by input
  std::vector<GuardedBuffer> buffers_;   // results, tables
  std::unique_ptr<DescriptorSets> sets_;
  std::vector<DeviceInputs> device_inputs_;
};

}  // namespace trellis::test::random_graphs
