// SPDX-License-Identifier: Apache-2.0
// Runs the GPU tests on one device: the first that the drivers in VK_DRIVER_FILES offer, or with
// TRELLIS_TEST_DEVICE=hardware the first that is not a CPU.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/context.h"
#include "tests/support/crash_report.h"
#include "tests/support/test_part.h"
#include "tests/support/validation_layer.h"

namespace {

// What ctest is told to understand as "skipped".
constexpr int kSkipped = 77;

// "off" was asked for; "none" was not.
std::string ValidationText(const trellis::test::Context& context) {
  if (context.leaves_out_validation) return "off";
  return trellis::test::VersionText(context.validation_version);
}

class Device : public testing::Environment {
 public:
  // At the top of GoogleTest's JSON, for scripts/check_gpu_results.py.
  void SetUp() override {
    const auto& context = *trellis::test::SharedContext();
    testing::Test::RecordProperty("device", context.properties.deviceName);
    testing::Test::RecordProperty("driver", context.driver);
    testing::Test::RecordProperty("validation_layer", ValidationText(context));
  }
  void TearDown() override {
    for (const auto& message : trellis::test::DestroySharedContext())
      ADD_FAILURE() << message.id << ": " << message.text;
  }
};

}  // namespace

int main(int argc, char** argv) {
  trellis::test::SelectTestPart(trellis::test::PartKind::kOnDriver);
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  trellis::test::ReportCrashes();
  if (trellis::test::SharedContext() == nullptr) {
    const std::string& error = trellis::test::SharedContextError();
    std::fprintf(stderr, "trellis_gpu_tests: %s\n", error.c_str());
    return error == "no hardware device" ? kSkipped : 1;
  }
  const auto& context = *trellis::test::SharedContext();
  std::printf("device: %s, driver: %s, validation layer: %s\n", context.properties.deviceName, context.driver.c_str(),
              ValidationText(context).c_str());
  testing::AddGlobalTestEnvironment(new Device);
  const int result = RUN_ALL_TESTS();
  // GoogleTest tears nothing down where no test ran, and validation layers have lost their tables when main has ended.
  (void)trellis::test::DestroySharedContext();
  return result;
}
