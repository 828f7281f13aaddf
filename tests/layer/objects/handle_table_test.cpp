// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/handle_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace trellis::test {
namespace {

using Table = HandleTable<VkBuffer, int>;

VkBuffer BufferHandle(uint64_t bits) { return HandleFromU64<VkBuffer>(bits); }

TEST(HandleTable, finds_what_was_inserted_and_nothing_else) {
  Table table;
  table.Insert(BufferHandle(16), std::make_shared<int>(1));
  EXPECT_EQ(*table.Find(BufferHandle(16)), 1);
  EXPECT_FALSE(table.Find(BufferHandle(32)));
  table.Insert(BufferHandle(16), std::make_shared<int>(2));
  EXPECT_EQ(*table.Find(BufferHandle(16)), 2);
  EXPECT_EQ(table.Size(), 1u);
}

TEST(HandleTable, taken_object_stays_valid_for_who_found_it) {
  Table table;
  table.Insert(BufferHandle(16), std::make_shared<int>(1));
  const std::shared_ptr<int> found = table.Find(BufferHandle(16));
  EXPECT_EQ(table.Take(BufferHandle(16)), found);
  EXPECT_FALSE(table.Find(BufferHandle(16)));
  EXPECT_FALSE(table.Take(BufferHandle(16)));
  EXPECT_EQ(*found, 1);
}

TEST(HandleTable, insert_if_absent_keeps_the_first) {
  Table table;
  const auto first = std::make_shared<int>(1);
  EXPECT_EQ(table.InsertIfAbsent(BufferHandle(16), first), first);
  EXPECT_EQ(table.InsertIfAbsent(BufferHandle(16), std::make_shared<int>(2)), first);
}

TEST(HandleTable, take_all_empties) {
  Table table;
  for (uint64_t i = 0; i < 1000; ++i) table.Insert(BufferHandle(i * 4096), std::make_shared<int>(1));
  size_t taken = 0;
  table.TakeAll([&taken](const Table::Pointer& object) { taken += object != nullptr; });
  EXPECT_EQ(taken, 1000u);
  EXPECT_EQ(table.Size(), 0u);
}

TEST(HandleTable, for_each_visits_all_and_takes_no_lock_along) {
  Table table;
  for (uint64_t i = 0; i < 100; ++i) table.Insert(BufferHandle(i * 4096), std::make_shared<int>(1));
  int sum = 0;
  table.ForEach([&](const Table::Pointer& object) {
    sum += *object;
    table.Insert(BufferHandle(16), std::make_shared<int>(0));  // would wait for ever
  });
  EXPECT_EQ(sum, 100);
  EXPECT_EQ(table.Size(), 101u);
}

TEST(HandleTable, many_threads) {
  Table table;
  const auto work = [&table](uint64_t base) {
    for (uint64_t i = 0; i < 2000; ++i) {
      table.Insert(BufferHandle(base + i * 16), std::make_shared<int>(static_cast<int>(i)));
      if (i % 2) table.Take(BufferHandle(base + i * 16));
    }
  };
  std::thread other(work, 1 << 20);
  work(1 << 24);
  other.join();
  EXPECT_EQ(table.Size(), 2000u);
}

}  // namespace
}  // namespace trellis::test
