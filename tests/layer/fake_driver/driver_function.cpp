// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/fake_driver/driver_function.h"

#include <mutex>

namespace trellis::test {

namespace {

thread_local int t_driver_depth = 0;

struct Plan {
  bool active = false;
  bool failed = false;
  int64_t calls_before = 0;  // that succeed
  Failures failures = Failures::kOnce;
  VkResult result = VK_SUCCESS;
};

std::mutex g_mutex;  // guards g_plan
Plan g_plan;

}  // namespace

bool InsideDriver() { return t_driver_depth != 0; }

void FailDriverCommand(int64_t number, Failures failures, VkResult result) {
  const std::lock_guard lock(g_mutex);
  g_plan = {true, false, number, failures, result};
}

bool StopDriverFailures() {
  const std::lock_guard lock(g_mutex);
  g_plan.active = false;
  return g_plan.failed;
}

ScopedDriverCall::ScopedDriverCall() { ++t_driver_depth; }
ScopedDriverCall::~ScopedDriverCall() { --t_driver_depth; }

VkResult ScopedDriverCall::NextFailure() {
  const std::lock_guard lock(g_mutex);
  if (!g_plan.active || g_plan.calls_before-- > 0) return VK_SUCCESS;
  g_plan.failed = true;
  g_plan.active = g_plan.failures == Failures::kForGood;
  return g_plan.result;
}

}  // namespace trellis::test
