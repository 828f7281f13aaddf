// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/soak_device.h"

#include <algorithm>
#include <utility>

namespace trellis::test::soak {

std::shared_ptr<SoakDevice> SoakDevice::Create(Tally& tally, std::string& error) {
  std::unique_ptr<Context> context = Context::Create(error);
  if (context == nullptr) return nullptr;
  ++tally.devices;
  return std::shared_ptr<SoakDevice>(new SoakDevice(std::move(context), tally));
}

SoakDevice::SoakDevice(std::unique_ptr<Context> context, Tally& tally)
    : tally_(tally),
      context_(std::move(context)),
      shaders_(std::make_unique<random_graphs::NodeShaders>(*context_)),
      queue_mutexes_(context_->queues.size()) {}

SoakDevice::~SoakDevice() {
  pools_.clear();
  shaders_.reset();
  context_->DestroyDevice();
  for (const Message& message : context_->messages.TakeUnexpected())
    tally_.Complain("when a device was destroyed: " + message.id + ": " + message.text);
}

VkResult SoakDevice::Submit(size_t queue, SubmitCommand command, Submission submission) {
  submission.queue = context_->queues[queue].handle;
  const std::lock_guard lock(queue_mutexes_[queue]);
  return test::Submit(command, submission);
}

std::unique_ptr<RecordingPool> SoakDevice::TakePool(uint32_t family) {
  {
    const std::lock_guard lock(pools_mutex_);
    const auto found =
        std::find_if(pools_.begin(), pools_.end(), [&](const auto& pool) { return pool->family() == family; });
    if (found != pools_.end()) {
      std::unique_ptr<RecordingPool> pool = std::move(*found);
      pools_.erase(found);
      return pool;
    }
  }
  return std::make_unique<RecordingPool>(*context_, family);
}

void SoakDevice::GiveBack(std::unique_ptr<RecordingPool> pool) {
  const std::lock_guard lock(pools_mutex_);
  pools_.push_back(std::move(pool));
}

}  // namespace trellis::test::soak
