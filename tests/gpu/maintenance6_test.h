// A device for the commands of VK_KHR_maintenance6.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/gpu_test.h"

namespace trellis::test {

// The shared device; or, where the validation layer is older than the extension, one of its own without validation:
// what that layer does not know it hands on with handles of its own, which no driver understands.
class Maintenance6Test : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    const Context* shared = SharedContext();
    if (shared == nullptr || shared->optional.CmdBindDescriptorSets2 == nullptr) return;
    if (!shared->has_validation || shared->validation_version >= kFirstVersion) return;
    std::string error;
    own_ = Context::Create(error, {.settings = {{"TRELLIS_TEST_NO_VALIDATION", "1"}}});
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
  [[nodiscard]] bool IsOffered() const { return context().optional.CmdBindDescriptorSets2 != nullptr; }

 private:
  static constexpr uint32_t kFirstVersion = VK_MAKE_API_VERSION(0, 1, 3, 274);

  std::unique_ptr<Context> own_;
};

}  // namespace trellis::test
