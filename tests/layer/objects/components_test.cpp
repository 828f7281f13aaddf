// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/components.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace trellis::test {
namespace {

TEST(Components, one_object_per_type_and_reverse_destruction) {
  std::vector<int> destroyed;
  struct First {
    std::vector<int>& log;
    ~First() { log.push_back(1); }
  };
  struct Second {
    std::vector<int>& log;
    ~Second() { log.push_back(2); }
  };
  {
    Components components;
    EXPECT_FALSE(components.Get<First>());
    const auto first = components.GetOrCreate<First>([&] { return std::shared_ptr<First>(new First{destroyed}); });
    EXPECT_EQ(components.GetOrCreate<First>([] { return std::shared_ptr<First>(); }), first);
    (void)components.GetOrCreate<Second>([&] { return std::shared_ptr<Second>(new Second{destroyed}); });
  }
  EXPECT_EQ(destroyed, (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace trellis::test
