// SPDX-License-Identifier: Apache-2.0
// Tests on a device of their own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/gpu_test.h"

namespace trellis::test {

// Its pools of rings start empty, and it may have settings of its own.
class OwnDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    own_ = Context::Create(error, Options());
    ASSERT_NE(own_, nullptr) << error;
  }
  void TearDown() override {
    if (own_ == nullptr) return;
    own_->DestroyDevice();
    ReportUnexpectedMessages(*own_);
  }

  // In the environment while the device is created.
  [[nodiscard]] virtual std::vector<EnvironmentSetting> Settings() const { return {}; }
  [[nodiscard]] virtual ContextOptions Options() const { return {.settings = Settings()}; }
  [[nodiscard]] Context& context() const { return *own_; }

 private:
  std::unique_ptr<Context> own_;
};

}  // namespace trellis::test
