// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_part.h"

#include <gtest/gtest.h>

#include <vector>

namespace trellis::test {
namespace {

TEST(TestPart, ShardsOfAPartRunEachOfItsTestsOnce) {
  constexpr uint32_t kTests = 100;
  for (const uint32_t parts : {1u, 2u, 7u, 120u}) {
    for (const uint32_t shards : {1u, 2u, 3u}) {
      for (uint32_t number = 0; number < 2 * parts; ++number) {
        std::vector<uint32_t> runs(kTests);
        for (uint32_t index = 0; index < shards; ++index) {
          const TestShard shard = ShardOfPart({number, parts}, {index, shards});
          for (uint32_t test = 0; test < kTests; ++test) runs[test] += test % shard.total == shard.index ? 1 : 0;
        }
        for (uint32_t test = 0; test < kTests; ++test)
          ASSERT_EQ(runs[test], test % parts == number % parts ? 1u : 0u)
              << "test " << test << ", part " << number << " of " << parts << ", " << shards << " shards";
      }
    }
  }
}

}  // namespace
}  // namespace trellis::test
