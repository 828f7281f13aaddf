// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/flight.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/random/describe.h"
#include "tests/random/semantics.h"
#include "tests/soak/linked_graph.h"

namespace trellis::test::soak {
namespace {

using random_graphs::Case;

constexpr uint32_t kTopologies = 1u << 20;
constexpr uint32_t kMaxCases = 3;
constexpr uint32_t kMaxRecordings = 2;
constexpr uint32_t kMaxTimes = 2;
constexpr uint32_t kMaxRounds = 2;
constexpr VkDeviceSize kScratchStep = 64;  // what scratch addresses are multiples of
constexpr uint32_t kMaxScratchSteps = 64;

// What a graph must give that has run so often.
std::vector<uint32_t> Repeated(const std::vector<uint32_t>& words, uint32_t times) {
  std::vector<uint32_t> repeated = words;
  for (size_t i = 0; i < words.size(); ++i)
    repeated[i] *= i % random_graphs::kPlaceWords == random_graphs::kXor ? times % 2 : times;
  return repeated;
}

void OrderMemory(VkCommandBuffer command_buffer, VkPipelineStageFlags before, VkPipelineStageFlags after,
                 VkAccessFlags access) {
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(command_buffer, before, after, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

Flight::Flight(std::shared_ptr<SoakDevice> device, uint32_t number, const Options& options, Tally& tally)
    : device_(std::move(device)),
      number_(number),
      tally_(tally),
      random_(number),
      queue_(random_.Below(static_cast<uint32_t>(device_->context().queues.size()))),
      rounds_left_(random_.OneIn(8) ? 0 : random_.Between(1, kMaxRounds)) {
  const auto info = MakeStruct<VkFenceCreateInfo>();
  EXPECT_EQ(vkCreateFence(device_->context().device, &info, nullptr, &fence_), VK_SUCCESS);
  MakeCases(options.broken_reference);
  if (!MakePipeline() || !Record()) rounds_left_ = 0;
  if (rounds_left_ > 0) SubmitRound();
}

Flight::~Flight() {
  if (executions_ > 0) Wait();
  while (rounds_left_ > 0) {
    SubmitRound();
    Wait();
  }
  // As early as Vulkan allows: the command buffers that name it are still there.
  pipeline_.reset();
  Compare();
  if (pool_ != nullptr) {
    pool_->ResetAll(static_cast<RecordingPool::Reset>(random_.Below(3)));
    device_->GiveBack(std::move(pool_));
  }
  batch_.reset();
  vkDestroyFence(device_->context().device, fence_, nullptr);
  for (const Message& message : device_->context().messages.TakeUnexpected())
    Complain(message.id + ": " + message.text);
}

void Flight::MakeCases(bool broken_reference) {
  const uint32_t topology_number = random_.Below(kTopologies);
  random_graphs::Abilities abilities = device_->shaders().abilities();
  abilities.mesh_nodes = false;  // their libraries are graphics pipelines
  const random_graphs::Topology topology = random_graphs::MakeTopology(topology_number, abilities);
  const uint32_t first = topology_number * random_graphs::kInputsPerTopology +
                         random_.Below(random_graphs::kInputsPerTopology - kMaxCases);
  for (uint32_t count = random_.Between(1, kMaxCases); count > 0; --count) {
    Case made = random_graphs::MakeCase(first + count, topology);
    if (broken_reference)
      for (uint32_t& word : made.expected.words) ++word;
    cases_.push_back(std::move(made));
  }
}

bool Flight::MakePipeline() {
  std::string error;
  const random_graphs::Topology& topology = cases_[0].graph.topology;
  pipeline_ = random_.OneIn(3) ? LinkGraph(device_->context(), device_->shaders(), topology, random_, error)
                               : device_->shaders().CreatePipeline(topology, error);
  ++tally_.graphs;
  if (!error.empty()) Complain(error);
  return error.empty();
}

bool Flight::Record() {
  const Context& context = device_->context();
  const VkDeviceSize offset = GuardedBuffer::kGuardBytes + random_.Below(kMaxScratchSteps) * kScratchStep;
  batch_ = std::make_unique<random_graphs::Batch>(context, device_->shaders(), *pipeline_, cases_, offset);
  pool_ = device_->TakePool(context.queues[queue_].family);
  for (uint32_t count = random_.Between(1, kMaxRecordings); count > 0; --count) {
    const Recording recording = {pool_->Next(), random_.Between(1, kMaxTimes)};
    auto begin = MakeStruct<VkCommandBufferBeginInfo>();
    if (recording.times > 1) begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    EXPECT_EQ(vkBeginCommandBuffer(recording.command_buffer, &begin), VK_SUCCESS);
    // Scratch is the same for all of them.
    OrderMemory(recording.command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    batch_->RecordStart(recording.command_buffer);
    batch_->RecordDispatches(recording.command_buffer, static_cast<DispatchCommand>(random_.Below(3)));
    OrderMemory(recording.command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                VK_ACCESS_HOST_READ_BIT);
    if (const VkResult result = vkEndCommandBuffer(recording.command_buffer); result != VK_SUCCESS) {
      Complain("vkEndCommandBuffer returned " + std::to_string(result));
      return false;
    }
    recordings_.push_back(recording);
  }
  return true;
}

void Flight::SubmitRound() {
  --rounds_left_;
  for (const Recording& recording : recordings_) {
    Submission submission;
    submission.command_buffers.assign(recording.times, recording.command_buffer);
    if (&recording == &recordings_.back()) submission.fence = fence_;
    const SubmitCommand command = random_.OneIn(2) ? SubmitCommand::kQueueSubmit : SubmitCommand::kQueueSubmit2;
    if (const VkResult result = device_->Submit(queue_, command, submission); result != VK_SUCCESS)
      Complain("submitting returned " + std::to_string(result));
    executions_ += recording.times;
  }
}

void Flight::Wait() {
  const VkDevice device = device_->context().device;
  const VkResult result = vkWaitForFences(device, 1, &fence_, VK_TRUE, kTimeoutNanoseconds);
  if (result != VK_SUCCESS) {
    Complain("waiting for the device returned " + std::to_string(result));
    std::abort();
  }
  EXPECT_EQ(vkResetFences(device, 1, &fence_), VK_SUCCESS);
}

void Flight::Compare() {
  tally_.submissions += executions_;
  for (size_t i = 0; batch_ != nullptr && i < cases_.size(); ++i) {
    ++tally_.results;
    tally_.records += uint64_t{cases_[i].expected.records} * executions_;
    const std::vector<uint32_t> expected = Repeated(cases_[i].expected.words, executions_);
    const std::string differences = Differences(cases_[i].graph, batch_->Results(i), expected);
    if (differences.empty()) continue;
    const uint32_t seed = cases_[i].graph.seed;
    Complain("graph " + std::to_string(seed) + " after " + std::to_string(executions_) + " executions\n" + differences +
             "  alone: " + random_graphs::ReplayCommand(seed, 1));
  }
  if (batch_ != nullptr && !batch_->GuardsIntact()) Complain("something was written around a buffer");
}

void Flight::Complain(const std::string& what) {
  tally_.Complain(what + "\n  again: trellis_soak --flight " + std::to_string(number_));
}

}  // namespace trellis::test::soak
