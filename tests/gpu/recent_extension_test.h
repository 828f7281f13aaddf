// SPDX-License-Identifier: Apache-2.0
// Devices for extensions that the validation layer may be too old for.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/gpu_test.h"

namespace trellis::test {

// For a device without validation, where the layer is older than `first_version`: what a layer does not know it hands
// on with handles of its own, which no driver understands, or complains about.
[[nodiscard]] inline std::vector<EnvironmentSetting> ValidationSince(uint32_t first_version) {
  const Context* shared = SharedContext();
  if (shared == nullptr || !shared->has_validation || shared->validation_version >= first_version) return {};
  return {{"TRELLIS_TEST_NO_VALIDATION", "1"}};
}

// The shared device; or one of its own without validation, where the layer is older than `first_version`.
class RecentExtensionTest : public GpuTest {
 protected:
  explicit RecentExtensionTest(uint32_t first_version) : first_version_(first_version) {}
  void SetUp() override {
    GpuTest::SetUp();
    const std::vector<EnvironmentSetting> settings = ValidationSince(first_version_);
    if (HasFatalFailure() || settings.empty()) return;
    std::string error;
    own_ = Context::Create(error, {.settings = settings});
    ASSERT_NE(own_, nullptr) << error;
  }
  void TearDown() override {
    if (own_ != nullptr) {
      own_->DestroyDevice();
      ReportUnexpectedMessages(*own_);
    }
    GpuTest::TearDown();
  }

  [[nodiscard]] Context& context() const { return own_ != nullptr ? *own_ : GpuTest::context(); }

 private:
  const uint32_t first_version_;
  std::unique_ptr<Context> own_;
};

class Maintenance6Test : public RecentExtensionTest {
 protected:
  Maintenance6Test() : RecentExtensionTest(VK_MAKE_API_VERSION(0, 1, 3, 274)) {}
  [[nodiscard]] bool IsOffered() const { return context().optional.CmdBindDescriptorSets2 != nullptr; }
};

}  // namespace trellis::test
