// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/result_name.h"

#include <gtest/gtest.h>

namespace trellis::test {
namespace {

TEST(ResultName, IsTheRegistrys) {
  EXPECT_EQ(ResultName(VK_SUCCESS), "VK_SUCCESS");
  EXPECT_EQ(ResultName(VK_ERROR_OUT_OF_HOST_MEMORY), "VK_ERROR_OUT_OF_HOST_MEMORY");
  EXPECT_EQ(ResultName(VK_ERROR_UNKNOWN), "VK_ERROR_UNKNOWN");
  EXPECT_EQ(ResultName(VK_ERROR_INVALID_SHADER_NV), "VK_ERROR_INVALID_SHADER_NV") << "of an extension";
  EXPECT_EQ(ResultName(VK_PIPELINE_COMPILE_REQUIRED), "VK_PIPELINE_COMPILE_REQUIRED") << "one name, not its aliases";
}

TEST(ResultName, UnknownResultsHaveANumber) {
  EXPECT_EQ(ResultName(static_cast<VkResult>(-1999999999)), "VkResult -1999999999");
}

}  // namespace
}  // namespace trellis::test
