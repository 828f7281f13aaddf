// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_part.h"

#include <cstdio>
#include <string>

#include "tests/platform/platform.h"

namespace trellis::test {

TestPart ChosenPart(const TestVariables& variables, uint32_t parts, PartKind kind) {
  if (variables.all_parts || parts < 2) return {};
  return {variables.part, kind == PartKind::kOnDriver ? parts * variables.smaller_parts : parts};
}

void SelectTestPart(PartKind kind) {
  const TestVariables variables = ReadTestVariables();
  const TestPart part = ChosenPart(variables, variables.parts, kind);
  if (part.count < 2) return;
  const uint32_t index = part.number % part.count;
  std::printf("part %u of %u; again with TRELLIS_TEST_PARTS=%u TRELLIS_TEST_PART=%u\n", index + 1, part.count,
              part.count, index);
  SetVariable("GTEST_TOTAL_SHARDS", std::to_string(part.count));
  SetVariable("GTEST_SHARD_INDEX", std::to_string(index));
}

}  // namespace trellis::test
