// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/buffer.h"

#include <gtest/gtest.h>

#include "layer/objects/handle_table.h"

namespace trellis::test {
namespace {

VkBuffer Handle(uint64_t bits) { return HandleFromU64<VkBuffer>(bits); }

TEST(BufferTable, finds_the_buffer_that_holds_an_address) {
  BufferTable map;
  map.Insert(Handle(1), 0x100);
  map.TellAddress(Handle(1), 0x1000);
  map.Insert(Handle(2), 0x100);
  map.TellAddress(Handle(2), 0x2000);
  EXPECT_FALSE(map.Find(0xfff));
  EXPECT_EQ(map.Find(0x1000)->buffer, Handle(1));
  EXPECT_EQ(map.Find(0x10ff)->offset, 0xffu);
  EXPECT_FALSE(map.Find(0x1100));
  EXPECT_EQ(map.Find(0x2040)->buffer, Handle(2));
  map.Erase(Handle(1));
  EXPECT_FALSE(map.Find(0x1000));
}

// A search goes back by the longest buffer that is there, not by the longest one that ever was.
TEST(BufferTable, forgets_how_long_a_buffer_was) {
  BufferTable map;
  map.Insert(Handle(1), 0x100);
  map.TellAddress(Handle(1), 0x1000);
  map.Insert(Handle(2), 0x80000);
  map.TellAddress(Handle(2), 0x100000);
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
