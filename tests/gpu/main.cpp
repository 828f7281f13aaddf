// Runs the GPU tests on one device: the first that the drivers in VK_DRIVER_FILES offer, or with
// TRELLIS_TEST_DEVICE=hardware the first that is not a CPU.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/context.h"
#include "tests/support/test_part.h"

namespace {

// What ctest is told to understand as "skipped".
constexpr int kSkipped = 77;

class Device : public testing::Environment {
 public:
  void TearDown() override {
    for (const auto& message : trellis::test::DestroySharedContext())
      ADD_FAILURE() << message.id << ": " << message.text;
  }
};

}  // namespace

int main(int argc, char** argv) {
  trellis::test::SelectTestPart();
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  if (trellis::test::SharedContext() == nullptr) {
    const std::string& error = trellis::test::SharedContextError();
    std::fprintf(stderr, "trellis_gpu_tests: %s\n", error.c_str());
    return error == "no hardware device" ? kSkipped : 1;
  }
  const auto& context = *trellis::test::SharedContext();
  std::printf("device: %s, validation layer: %s\n", context.properties.deviceName,
              context.has_validation ? "yes" : "no");
  testing::AddGlobalTestEnvironment(new Device);
  return RUN_ALL_TESTS();
}
