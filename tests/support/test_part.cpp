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

TestShard ShardOfPart(const TestPart& part, const TestShard& shard) {
  return {part.number % part.count + part.count * shard.index, part.count * shard.total};
}

void SelectTestPart(PartKind kind) {
  const TestVariables variables = ReadTestVariables();
  const TestPart part = ChosenPart(variables, variables.parts, kind);
  if (part.count < 2) return;
  std::printf("part %u of %u; again with TRELLIS_TEST_PARTS=%u TRELLIS_TEST_PART=%u\n", part.number % part.count + 1,
              part.count, part.count, part.number % part.count);
  const TestShard shard = ShardOfPart(
      part, {NumberFromEnvironment("GTEST_SHARD_INDEX", 0), NumberFromEnvironment("GTEST_TOTAL_SHARDS", 1)});
  SetVariable("GTEST_TOTAL_SHARDS", std::to_string(shard.total));
  SetVariable("GTEST_SHARD_INDEX", std::to_string(shard.index));
}

}  // namespace trellis::test
