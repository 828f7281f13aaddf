// SPDX-License-Identifier: Apache-2.0
// A device that several threads share.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/random/node_shaders.h"
#include "tests/soak/recording_pool.h"
#include "tests/soak/tally.h"
#include "tests/support/submission.h"

namespace trellis::test::soak {

// Threading: any thread.
class SoakDevice {
 public:
  // Null with `error`.
  static std::shared_ptr<SoakDevice> Create(Tally& tally, std::string& error);
  ~SoakDevice();  // complains of what the validation layer says then
  SoakDevice(const SoakDevice&) = delete;
  SoakDevice& operator=(const SoakDevice&) = delete;

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] random_graphs::NodeShaders& shaders() { return *shaders_; }

  // To one of context().queues: one thread at a time.
  [[nodiscard]] VkResult Submit(size_t queue, SubmitCommand command, Submission submission);

  // A pool of a queue family, new or used before. It belongs to the caller until it is given back.
  [[nodiscard]] std::unique_ptr<RecordingPool> TakePool(uint32_t family);
  void GiveBack(std::unique_ptr<RecordingPool> pool);

 private:
  SoakDevice(std::unique_ptr<Context> context, Tally& tally);

  Tally& tally_;
  const std::unique_ptr<Context> context_;
  std::unique_ptr<random_graphs::NodeShaders> shaders_;
  std::vector<std::mutex> queue_mutexes_;
  std::mutex pools_mutex_;  // guards what follows
  std::vector<std::unique_ptr<RecordingPool>> pools_;
};

}  // namespace trellis::test::soak
