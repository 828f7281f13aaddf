// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/attachments.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace trellis::test {
namespace {

TEST(Attachments, one_object_per_type_and_reverse_destruction) {
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
    Attachments attachments;
    EXPECT_FALSE(attachments.Get<First>());
    const auto first = attachments.GetOrCreate<First>([&] { return std::shared_ptr<First>(new First{destroyed}); });
    EXPECT_EQ(attachments.GetOrCreate<First>([] { return std::shared_ptr<First>(); }), first);
    (void)attachments.GetOrCreate<Second>([&] { return std::shared_ptr<Second>(new Second{destroyed}); });
  }
  EXPECT_EQ(destroyed, (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace trellis::test
