// SPDX-License-Identifier: Apache-2.0
// One graph of the self-test on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/self_test/device.h"
#include "tools/self_test/sample_graphs.h"

namespace trellis::self_test {

// The three commands of a graph dispatch.
enum class DispatchCommand : uint8_t { kHost, kIndirect, kIndirectCount };
inline constexpr DispatchCommand kDispatchCommands[] = {DispatchCommand::kHost, DispatchCommand::kIndirect,
                                                        DispatchCommand::kIndirectCount};
[[nodiscard]] const char* NameOf(DispatchCommand command);

class Graph {
 public:
  // Compiles the graph. Throws Failure.
  Graph(const Device& device, const Sample& sample);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Executes the sample `dispatches` times in one command buffer; returns the words of the result buffer. Throws
  // Failure.
  [[nodiscard]] std::vector<uint32_t> Run(DispatchCommand command, uint32_t dispatches = 1);
  // Returns the seconds of the last Run, from submission to the end of waiting.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  void CreateLayout();
  void CreatePipeline();
  void CreateBuffers();
  void Record(VkCommandBuffer commands, DispatchCommand command, uint32_t dispatches);
  void RecordDispatch(VkCommandBuffer commands, DispatchCommand command);

  const Device& device_;
  Sample sample_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDeviceSize scratch_size_ = 0;
  std::unique_ptr<Buffer> results_, payloads_, infos_, counts_, scratch_;
  VkDispatchGraphInfoAMDX info_ = {};
  double seconds_ = 0;
};

}  // namespace trellis::self_test
