// SPDX-License-Identifier: Apache-2.0
// Says whether the barriers of a recorded graph are enough. Knows what every internal kernel and every node reads and
// writes: kernels and nodes are told apart by their pipelines, and their plans are read through the pushed addresses,
// which are host memory here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layer/pipeline/execution_graph.h"
#include "tests/support/command_stream.h"
#include "tests/support/recording_device.h"

namespace trellis::test {

struct CheckedScratch {
  VkDeviceAddress address = 0;
  VkDeviceSize size = 0;
};

// What is in the world besides the stream. Before the stream an unknown graph ran on the same queue, with the same
// scratch, ring and prepared regions, and was left; after it such a graph follows, and the host reads the reports.
// Labels tell where a graph begins and ends.
struct CheckedWorld {
  RecordingDevice* device = nullptr;
  std::vector<std::shared_ptr<const ExecutionGraphPipeline>> pipelines;
  std::vector<CheckedScratch> scratches;
  std::vector<uint8_t> expected_push_constants;  // what the application pushed for COMPUTE
  bool nothing_can_be_lost = false;              // so nobody has to report it
};

// Everything that is wrong with a stream: hazards, launches that nobody prepared, push constants that are missing or
// not the application's.
[[nodiscard]] std::vector<std::string> CheckStream(const CheckedWorld& world, const CommandStream& stream);

}  // namespace trellis::test
