// SPDX-License-Identifier: Apache-2.0
// Base of all GPU tests: the shared device, and no unexpected message.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/context.h"
#include "tests/support/node_asm.h"

namespace trellis::test {

// Fails the running test for each unexpected message of `context`.
void ReportUnexpectedMessages(const Context& context);

class GpuTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] Context& context() const { return *SharedContext(); }
};

// Every test runs once with the handles that compilers emit, once with the allocation's own pointer.
class ShapedGpuTest : public GpuTest, public testing::WithParamInterface<Shape> {
 protected:
  [[nodiscard]] Shape shape() const { return GetParam(); }
};

inline std::string ShapeName(const testing::TestParamInfo<Shape>& info) {
  return info.param == Shape::kDxc ? "dxc" : "direct";
}

#define TRELLIS_BOTH_SHAPES(suite) \
  INSTANTIATE_TEST_SUITE_P(Shapes, suite, testing::Values(Shape::kDxc, Shape::kDirect), ShapeName)

}  // namespace trellis::test
