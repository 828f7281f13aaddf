// SPDX-License-Identifier: Apache-2.0
// The kinds of render pass instances that graphs stand in, and the picture that is drawn in each of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/gpu/split_scene.h"

namespace trellis::test {

// Overlapping, so that those behind the graph depend on colours, depths and stencil values of those before it.
inline const std::vector<Rectangle> kRectangles = {
    {0, 0, 20, 20, 6, 0xFF0000FF},  {8, 8, 20, 20, 4, 0xFF00FF00},  {4, 2, 6, 28, 5, 0xFFFF0000},
    {12, 0, 4, 32, 7, 0xFF00FFFF},  {10, 10, 12, 6, 3, 0xFFFF00FF}, {0, 16, 32, 4, 2, 0xFF123456},
    {26, 20, 6, 12, 1, 0xFF654321}, {1, 1, 30, 30, 5, 0xFFABCDEF},
};

struct SplitCase {
  InstanceKind kind;
  bool multisampled;
};

inline std::string CaseName(const testing::TestParamInfo<SplitCase>& info) {
  const char* const kinds[] = {"Dynamic", "Object", "Object2"};
  return std::string(kinds[static_cast<size_t>(info.param.kind)]) + (info.param.multisampled ? "Resolved" : "");
}

inline constexpr SplitCase kCases[] = {
    {InstanceKind::kDynamic, false}, {InstanceKind::kObject, false}, {InstanceKind::kObject2, false},
    {InstanceKind::kDynamic, true},  {InstanceKind::kObject, true},  {InstanceKind::kObject2, true},
};

// How many pixels differ, and the first that does.
inline testing::AssertionResult SamePicture(const SplitScene& scene, const std::vector<uint32_t>& expected) {
  const auto pixels = scene.Pixels();
  size_t wrong = 0;
  size_t first = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    if (pixels[i] != expected[i] && wrong++ == 0) first = i;
  if (wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << wrong << " pixels differ, the first at " << first % SplitScene::kSize << ", "
                                     << first / SplitScene::kSize << ": " << std::hex << pixels[first] << " instead of "
                                     << expected[first];
}

}  // namespace trellis::test
