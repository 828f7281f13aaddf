#include "layer/objects/handle_table.h"

#include <gtest/gtest.h>

#include <thread>

#include "layer/objects/attachments.h"
#include "layer/objects/buffer.h"

namespace trellis::test {
namespace {

using Table = HandleTable<VkBuffer, int>;

VkBuffer Handle(uint64_t bits) { return HandleFromU64<VkBuffer>(bits); }

TEST(HandleTable, finds_what_was_inserted_and_nothing_else) {
  Table table;
  table.Insert(Handle(16), std::make_shared<int>(1));
  EXPECT_EQ(*table.Find(Handle(16)), 1);
  EXPECT_FALSE(table.Find(Handle(32)));
  table.Insert(Handle(16), std::make_shared<int>(2));
  EXPECT_EQ(*table.Find(Handle(16)), 2);
  EXPECT_EQ(table.Size(), 1u);
}

TEST(HandleTable, taken_object_stays_valid_for_who_found_it) {
  Table table;
  table.Insert(Handle(16), std::make_shared<int>(1));
  const std::shared_ptr<int> found = table.Find(Handle(16));
  EXPECT_EQ(table.Take(Handle(16)), found);
  EXPECT_FALSE(table.Find(Handle(16)));
  EXPECT_FALSE(table.Take(Handle(16)));
  EXPECT_EQ(*found, 1);
}

TEST(HandleTable, insert_if_absent_keeps_the_first) {
  Table table;
  const auto first = std::make_shared<int>(1);
  EXPECT_EQ(table.InsertIfAbsent(Handle(16), first), first);
  EXPECT_EQ(table.InsertIfAbsent(Handle(16), std::make_shared<int>(2)), first);
}

TEST(HandleTable, take_all_empties) {
  Table table;
  for (uint64_t i = 0; i < 1000; ++i) table.Insert(Handle(i * 4096), std::make_shared<int>(1));
  size_t taken = 0;
  table.TakeAll([&taken](const Table::Pointer& object) { taken += object != nullptr; });
  EXPECT_EQ(taken, 1000u);
  EXPECT_EQ(table.Size(), 0u);
}

TEST(HandleTable, many_threads) {
  Table table;
  const auto work = [&table](uint64_t base) {
    for (uint64_t i = 0; i < 2000; ++i) {
      table.Insert(Handle(base + i * 16), std::make_shared<int>(static_cast<int>(i)));
      if (i % 2) table.Take(Handle(base + i * 16));
    }
  };
  std::thread other(work, 1 << 20);
  work(1 << 24);
  other.join();
  EXPECT_EQ(table.Size(), 2000u);
}

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

TEST(BufferAddressMap, finds_the_buffer_that_holds_an_address) {
  BufferAddressMap map;
  map.Insert(0x1000, Handle(1), 0x100);
  map.Insert(0x2000, Handle(2), 0x100);
  EXPECT_FALSE(map.Find(0xfff));
  EXPECT_EQ(map.Find(0x1000)->buffer, Handle(1));
  EXPECT_EQ(map.Find(0x10ff)->offset, 0xffu);
  EXPECT_FALSE(map.Find(0x1100));
  EXPECT_EQ(map.Find(0x2040)->buffer, Handle(2));
  map.Erase(Handle(1));
  EXPECT_FALSE(map.Find(0x1000));
}

// A search goes back by the longest buffer that is there, not by the longest one that ever was.
TEST(BufferAddressMap, forgets_how_long_a_buffer_was) {
  BufferAddressMap map;
  map.Insert(0x1000, Handle(1), 0x100);
  map.Insert(0x100000, Handle(2), 0x80000);
  EXPECT_EQ(map.longest(), 0x80000u);
  map.Erase(Handle(2));
  EXPECT_EQ(map.longest(), 0x100u);
  EXPECT_EQ(map.Find(0x10ff)->buffer, Handle(1));
  map.Erase(Handle(1));
  EXPECT_EQ(map.longest(), 0u);
  EXPECT_FALSE(map.Find(0x1000));
}

}  // namespace
}  // namespace trellis::test
