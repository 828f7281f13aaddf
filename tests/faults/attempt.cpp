#include "tests/faults/attempt.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "layer/objects/registry.h"

namespace trellis::test {
namespace {

constexpr Failures kFailures[] = {Failures::kOnce, Failures::kForGood};

int64_t After(int64_t number, Density density) {
  static const bool all = std::getenv("TRELLIS_TEST_ALL_FAULTS") != nullptr;
  return number + 1 + (all ? 0 : number / static_cast<int64_t>(density));
}

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

// Until the attempt does not get as far as the failure. `judge` looks at an outcome with a failure.
void ForEachNumber(const MakeAttempt& make, Density density, Failures failures,
                   const std::function<Injection(int64_t)>& injection_of,
                   const std::function<void(const Outcome&)>& judge) {
  RunOnce(make, {[] {}, [] { return false; }});  // so that all that is made once in a process is there
  for (int64_t number = 0; !testing::Test::HasFailure(); number = After(number, density)) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, Describe(number, failures));
    const int64_t live = LiveAllocations();
    const Outcome outcome = RunOnce(make, injection_of(number));
    EXPECT_EQ(LiveAllocations(), live) << "memory is lost";
    if (!outcome.failed) {
      EXPECT_EQ(outcome.result, VK_SUCCESS);
      EXPECT_GT(number, 0) << "nothing was ever going to fail";
      return;
    }
    judge(outcome);
  }
}

bool IsOutOfMemory(VkResult result) {
  return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

size_t KnownOn(const Device& device) {
  return device.scratch_buffers.Size() + device.command_pools.Size() + device.descriptor_set_layouts.Size() +
         device.push_templates.Size() + device.compute_libraries.Size() + device.execution_graphs.Size() +
         device.externally_synchronized_caches.Size() + device.pipeline_layouts.Size() + device.shader_modules.Size();
}

}  // namespace

QuietSettings::QuietSettings(uint32_t threads)
    : threads_(threads),
      settings_{{kLayerName, "threads", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &threads_},
                {kLayerName, "labels", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &labels_},
                {kLayerName, "log_file", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &log_file_text_}},
      info_{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 3, settings_} {}

Attempt::Attempt(uint32_t threads) : settings_(threads) {
  instance_.emplace(driver_, std::vector<const char*>{}, settings_.chain());
  device_.emplace(*instance_);
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

void FailAllocations(const MakeAttempt& make, Consequence of_one, Density density) {
  for (const Failures failures : kFailures)
    ForEachNumber(
        make, density, failures,
        [failures](int64_t number) {
          return Injection{[number, failures] { FailAllocation(number, failures); }, StopAllocationFailures};
        },
        [failures, of_one](const Outcome& outcome) {
          const bool may_survive = failures == Failures::kOnce && of_one == Consequence::kMaySurvive;
          const bool survived = may_survive && outcome.result == VK_SUCCESS;
          EXPECT_TRUE(survived || outcome.result == VK_ERROR_OUT_OF_HOST_MEMORY) << outcome.result;
        });
}

void FailDriverCommands(const MakeAttempt& make, Density density) {
  for (const VkResult result : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY})
    for (const Failures failures : kFailures)
      ForEachNumber(
          make, density, failures,
          [failures, result](int64_t number) {
            return Injection{[number, failures, result] { FailDriverCommand(number, failures, result); },
                             StopDriverFailures};
          },
          [failures](const Outcome& outcome) {
            // What failed once may have been tried again in another way.
            const bool survived = failures == Failures::kOnce && outcome.result == VK_SUCCESS;
            EXPECT_TRUE(survived || IsOutOfMemory(outcome.result)) << outcome.result;
          });
}

}  // namespace trellis::test
