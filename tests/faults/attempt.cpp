// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/attempt.h"

#include <gtest/gtest.h>

#include "layer/objects/registry.h"

namespace trellis::test {
namespace {

constexpr Failures kFailures[] = {Failures::kOnce, Failures::kForGood};

std::string Describe(int64_t number, Failures failures) {
  return "failure of number " + std::to_string(number) + (failures == Failures::kForGood ? " and all that follow" : "");
}

// Starts failures, and stops them; the latter says whether there was one.
struct Injection {
  std::function<void()> start;
  std::function<bool()> stop;
};

// What came of an attempt.
struct Outcome {
  bool failed = false;  // a failure was injected
  VkResult result = VK_SUCCESS;
};

Outcome RunOnce(const MakeAttempt& make, const Injection& injection) {
  const std::unique_ptr<Attempt> attempt = make();
  const size_t known = attempt->Known();
  Outcome outcome;
  injection.start();
  outcome.result = attempt->Run();
  outcome.failed = injection.stop();
  if (outcome.result != VK_SUCCESS) {
    EXPECT_EQ(attempt->Known(), known) << "something half-made is left";
    EXPECT_EQ(attempt->Run(), VK_SUCCESS) << "the same again, without a failure";
  }
  attempt->Release();
  EXPECT_EQ(attempt->Known(), known);
  return outcome;
}

void RunWithoutFailure(const MakeAttempt& make) {
  EXPECT_EQ(RunOnce(make, {[] {}, [] { return false; }}).result, VK_SUCCESS);
}

// `judge` looks at an outcome with a failure. False if the attempt did not get as far as that.
bool TryNumber(const MakeAttempt& make, int64_t number, Failures failures, const Injection& injection,
               const std::function<void(const Outcome&)>& judge) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, Describe(number, failures));
  const int64_t live = LiveAllocations();
  const Outcome outcome = RunOnce(make, injection);
  EXPECT_EQ(LiveAllocations(), live) << "memory is lost";
  if (outcome.failed) {
    judge(outcome);
  } else {
    EXPECT_EQ(outcome.result, VK_SUCCESS);
  }
  return outcome.failed;
}

// Allocations of an attempt that come about in ways which are not in `known`, and the first one in any case.
std::vector<int64_t> NewAllocations(const MakeAttempt& make, std::set<CallPath>& known) {
  std::vector<int64_t> numbers;
  RunOnce(make, {[&known] { NoteAllocations(known); },
                 [&numbers] {
                   numbers = NotedAllocations();
                   return false;
                 }});
  if (numbers.empty() || numbers.front() != 0) numbers.insert(numbers.begin(), 0);
  return numbers;
}

std::vector<int64_t> AllocationsToFail(const MakeAttempt& make, Consequence of_one) {
  static std::set<CallPath> known;
  if (of_one == Consequence::kFails) return NewAllocations(make, known);
  // What came about in one way this time comes about in another the next time, so some will do.
  constexpr size_t kStep = 8;
  std::set<CallPath> known_here;
  const std::vector<int64_t> all = NewAllocations(make, known_here);
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < all.size(); i += kStep) numbers.push_back(all[i]);
  return numbers;
}

bool IsOutOfMemory(VkResult result) {
  return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

size_t KnownOn(const Device& device) {
  return device.scratch_buffers.Size() + device.command_pools.Size() + device.descriptor_set_layouts.Size() +
         device.push_templates.Size() + device.node_libraries.Size() + device.execution_graphs.Size() +
         device.externally_synchronized_caches.Size() + device.pipeline_layouts.Size() + device.shader_modules.Size();
}

}  // namespace

QuietSettings::QuietSettings(uint32_t threads)
    : threads_(threads),
      settings_{{kLayerName, "threads", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &threads_},
                {kLayerName, "labels", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &labels_},
                {kLayerName, "log_file", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &log_file_text_}},
      info_{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 3, settings_} {}

Attempt::Attempt(uint32_t threads, bool mesh_nodes)
    : driver_(mesh_nodes ? WithMeshShaders() : DriverOptions()), settings_(threads) {
  const VkPhysicalDeviceShaderEnqueueFeaturesAMDX features = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX, nullptr, VK_TRUE, VK_TRUE};
  instance_.emplace(driver_, std::vector<const char*>{}, settings_.chain());
  device_.emplace(*instance_, kGraphExtensions, mesh_nodes ? &features : nullptr);
}

Attempt::~Attempt() {
  device_.reset();
  instance_.reset();
  EXPECT_EQ(driver_.LiveObjects(), 0u) << "objects of the driver are lost";
}

size_t Attempt::Known() const {
  const size_t tables = Instances().Size() + Devices().Size() + CommandBuffers().Size() + Queues().Size();
  return tables + (device_ ? KnownOn(*FindDevice(device_->handle())) : 0);
}

void FailAllocations(const MakeAttempt& make, Consequence of_one) {
  RunWithoutFailure(make);  // so that all that is made once in a process is there
  const bool is_determined = of_one == Consequence::kFails;
  const std::vector<int64_t> numbers = AllocationsToFail(make, of_one);
  for (const Failures failures : kFailures)
    for (const int64_t number : numbers) {
      if (testing::Test::HasFailure()) return;
      const Injection injection = {[number, failures] { FailAllocation(number, failures); }, StopAllocationFailures};
      const bool failed = TryNumber(make, number, failures, injection, [&](const Outcome& outcome) {
        const bool survived = !is_determined && failures == Failures::kOnce && outcome.result == VK_SUCCESS;
        EXPECT_TRUE(survived || outcome.result == VK_ERROR_OUT_OF_HOST_MEMORY) << outcome.result;
      });
      EXPECT_TRUE(failed || !is_determined) << "nothing was ever going to fail";
    }
}

void FailDriverCommands(const MakeAttempt& make) {
  RunWithoutFailure(make);  // so that all that is made once in a process is there
  for (const VkResult result : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY})
    for (const Failures failures : kFailures)
      for (int64_t number = 0; !testing::Test::HasFailure(); ++number) {
        const Injection injection = {[=] { FailDriverCommand(number, failures, result); }, StopDriverFailures};
        const bool failed = TryNumber(make, number, failures, injection, [failures](const Outcome& outcome) {
          // What failed once may have been tried again in another way.
          const bool survived = failures == Failures::kOnce && outcome.result == VK_SUCCESS;
          EXPECT_TRUE(survived || IsOutOfMemory(outcome.result)) << outcome.result;
        });
        if (failed) continue;
        EXPECT_GT(number, 0) << "nothing was ever going to fail";
        break;
      }
}

}  // namespace trellis::test
