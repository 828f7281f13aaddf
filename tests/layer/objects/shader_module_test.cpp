// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/shader_module.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace trellis::test {
namespace {

TEST(ShaderModule, capability_is_found_among_others) {
  const std::vector<uint32_t> header = {0x07230203, 0x00010600, 0, 10, 0};
  const uint32_t capability = 2u << 16 | 17;
  std::vector<uint32_t> words = header;
  words.insert(words.end(), {capability, 1, capability, 5067, 3u << 16 | 14, 0, 1});
  EXPECT_TRUE(DeclaresShaderEnqueue(words));
  words[8] = 5350;
  EXPECT_FALSE(DeclaresShaderEnqueue(words));
}

TEST(ShaderModule, capabilities_are_listed) {
  const uint32_t capability = 2u << 16 | 17;
  const std::vector<uint32_t> words = {0x07230203, 0x00010600,    0, 10, 0, capability, 1, capability,
                                       22,         3u << 16 | 14, 0, 1};
  EXPECT_EQ(DeclaredCapabilities(words), (std::vector<uint32_t>{1, 22}));
}

TEST(ShaderModule, hostile_words_declare_nothing) {
  EXPECT_FALSE(DeclaresShaderEnqueue({}));
  const std::vector<uint32_t> short_header = {0x07230203, 1};
  EXPECT_FALSE(DeclaresShaderEnqueue(short_header));
  const std::vector<uint32_t> zero_word_count = {0x07230203, 0x00010600, 0, 10, 0, 0, 5067};
  EXPECT_FALSE(DeclaresShaderEnqueue(zero_word_count));
  const std::vector<uint32_t> truncated = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17};
  EXPECT_FALSE(DeclaresShaderEnqueue(truncated));
}

}  // namespace
}  // namespace trellis::test
