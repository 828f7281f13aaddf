// SPDX-License-Identifier: Apache-2.0
// One graph from its creation to its end: inputs, command buffers and submissions follow from a number.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/random/batch.h"
#include "tests/random/random.h"
#include "tests/soak/options.h"
#include "tests/soak/soak_device.h"
#include "tests/soak/tally.h"

namespace trellis::test::soak {

// Threading: like a command buffer.
class Flight {
 public:
  // Makes the graph, records and submits.
  Flight(std::shared_ptr<SoakDevice> device, uint32_t number, const Options& options, Tally& tally);
  // Waits, compares the results, destroys everything. A device that hangs ends the process.
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

 private:
  struct Recording {
    VkCommandBuffer command_buffer = VK_NULL_HANDLE;
    uint32_t times = 1;  // submitted in each round
  };

  void MakeCases(bool broken_reference);
  [[nodiscard]] bool MakePipeline();
  [[nodiscard]] bool Record();
  // Each recording as often as it says; the last submission has the fence.
  void SubmitRound();
  void Wait();
  void Compare();
  void Complain(const std::string& what);

  const std::shared_ptr<SoakDevice> device_;
  const uint32_t number_;
  Tally& tally_;
  random_graphs::Random random_;
  const size_t queue_;
  uint32_t rounds_left_;
  std::vector<random_graphs::Case> cases_;
  std::unique_ptr<Graph> pipeline_;
  std::unique_ptr<random_graphs::Batch> batch_;
  std::unique_ptr<RecordingPool> pool_;
  std::vector<Recording> recordings_;
  VkFence fence_ = VK_NULL_HANDLE;
  uint32_t executions_ = 0;  // of every input
};

}  // namespace trellis::test::soak
