// SPDX-License-Identifier: Apache-2.0
// Execution graph pipelines for the recording device: linked, with tables, but with no shader in them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layer/pipeline/execution_graph.h"
#include "tests/graph/graph_builder.h"
#include "tests/support/recording_device.h"

namespace trellis::test {

// Bytes of push constants that the application uses in every test pipeline.
inline constexpr uint32_t kApplicationPushBytes = 20;

// Registers the pipeline with the device and returns it; its handle for the application is TestHandle().
[[nodiscard]] std::shared_ptr<ExecutionGraphPipeline> MakePipeline(RecordingDevice& device,
                                                                   std::initializer_list<NodeBuilder> nodes);
[[nodiscard]] std::shared_ptr<ExecutionGraphPipeline> MakePipeline(RecordingDevice& device,
                                                                   std::vector<NodeSource> sources);
[[nodiscard]] VkPipeline TestHandle(const ExecutionGraphPipeline& pipeline);

// What vkCmdDispatchGraphAMDX is told about one node: `count` payloads, all words 1 unless said otherwise.
struct Input {
  std::string node;
  uint32_t count = 1;
  uint32_t index = 0;
  uint32_t word = 1;
};

// Binds the graph and dispatches it.
void Dispatch(RecordingDevice& device, const std::shared_ptr<ExecutionGraphPipeline>& pipeline, VkDeviceAddress scratch,
              const std::vector<Input>& inputs);
// Binds the graph and dispatches infos that the device is to read; nothing reads them here. `count`: known to the host;
// nothing: in device memory too.
void DispatchFromDevice(RecordingDevice& device, const std::shared_ptr<ExecutionGraphPipeline>& pipeline,
                        VkDeviceAddress scratch, std::optional<uint32_t> count);
// Bytes of scratch that the graph needs.
[[nodiscard]] VkDeviceSize ScratchBytes(const ExecutionGraphPipeline& pipeline);

}  // namespace trellis::test
