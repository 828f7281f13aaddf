// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/shader_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>

#include "layer/pipeline/parallel_for.h"
#include "spirv_lowering/post/post.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

std::vector<uint32_t> Words(uint32_t tag, size_t count = 100) { return std::vector<uint32_t>(count, tag); }

LoweredShader Shader(uint32_t word) {
  LoweredShader shader;
  shader.node.words = {word};
  return shader;
}

TEST(ShaderCache, EqualWordsAreOneModuleWhereverTheyLie) {
  ShaderCache cache;
  const std::vector<uint32_t> words = Words(1);
  const std::vector<uint32_t> copy = words;
  EXPECT_EQ(cache.Find(words), cache.Find(copy));
  EXPECT_NE(cache.Find(words), cache.Find(Words(2)));
  EXPECT_NE(cache.Find(words), cache.Find(Words(1, 99)));
  EXPECT_EQ(cache.size(), 3u);
}

TEST(ShaderCache, TheModuleThatWasNotUsedForLongestGoesFirst) {
  ShaderCache cache(1000);  // bytes: room for two
  const auto first = cache.Find(Words(1));
  const auto second = cache.Find(Words(2));
  EXPECT_EQ(cache.Find(Words(1)), first);
  EXPECT_TRUE(cache.Find(Words(3)));
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.Find(Words(1)), first);
  EXPECT_NE(cache.Find(Words(2)), second);
}

TEST(ShaderCache, AModuleLargerThanTheCacheIsKeptUntilTheNextOne) {
  ShaderCache cache(10);
  const auto large = cache.Find(Words(1));
  EXPECT_EQ(cache.Find(Words(1)), large);
  EXPECT_TRUE(cache.Find(Words(2)));
  EXPECT_EQ(cache.size(), 1u);
}

TEST(ShaderCache, ModulesAreCheckedAndTheVerdictKept) {
  const auto words = spirv::Assemble(ThreadModule(Shape::kDxc));
  ASSERT_TRUE(words);
  CachedModule good(*words);
  ASSERT_TRUE(good.Checked());
  EXPECT_EQ(&good.Checked(), &good.Checked());
  CachedModule bad(Words(1));
  EXPECT_FALSE(bad.Checked());
}

TEST(ShaderCache, EqualKeysAreLoweredOnce) {
  CachedModule module(Words(1));
  spirv::NodeInfo key;
  key.entry_point = "a";
  const spirv::LowerOptions options = {.launch_offset = 8};
  const auto lowered = module.Lowered(key, options, {}, [] { return Shader(1); });
  EXPECT_EQ(module.Lowered(key, options, {}, [] { return Shader(2); }), lowered);
  EXPECT_NE(module.Lowered(key, {.launch_offset = 16}, {}, [] { return Shader(3); }), lowered);
  EXPECT_NE(module.Lowered(key, {.launch_offset = 8, .push_constant_copy_offset = 16}, {}, [] { return Shader(5); }),
            lowered);
  EXPECT_NE(module.Lowered(key, {.launch_offset = 8, .target = {.for_cpu = true}}, {}, [] { return Shader(6); }),
            lowered);
  key.coalesce = 4;
  EXPECT_NE(module.Lowered(key, options, {}, [] { return Shader(4); }), lowered);
}

// A module with one specialisation constant, its id, and how often it was lowered.
class SpecializedModule {
 public:
  SpecializedModule() {
    NodeAsm m;
    const Id words = m.StorageBuffer(0);
    m.BeginNode({.name = "main", .launch = Launch::kCoalescing});
    m.AddWord(words, m.SpecConstant(kSpecId, 0), 1);
    m.EndNode();
    auto assembled = spirv::Assemble(m.Text());
    EXPECT_TRUE(assembled);
    module_.emplace(*assembled);
    for (const spirv::Instruction& decoration : module_->Checked()->module.annotations)
      if (decoration.operands.size() == 3 && decoration.operands[1] == static_cast<uint32_t>(spv::Decoration::SpecId))
        constant_ = decoration.operands[0];
    EXPECT_NE(constant_, spirv::kNoId);
  }

  // The word that lowering makes of `value`; it looks at the constant only if `reads`.
  std::shared_ptr<const LoweredShader> Lower(uint8_t value, bool reads, uint32_t word) {
    const spirv::Specialization specialization = {{kSpecId, {value, 0, 0, 0}}};
    return module_->Lowered({}, {}, specialization, [&] {
      ++lowerings_;
      LoweredShader shader = Shader(word);
      if (reads) shader.node.read_constants.push_back({constant_, value});
      return shader;
    });
  }
  [[nodiscard]] int lowerings() const { return lowerings_; }

 private:
  static constexpr uint32_t kSpecId = 7;

  std::optional<CachedModule> module_;
  spirv::Id constant_ = spirv::kNoId;
  int lowerings_ = 0;
};

TEST(ShaderCache, SpecialisationsOfWhatLoweringDoesNotReadShareOneLowering) {
  SpecializedModule module;
  const auto first = module.Lower(1, false, 10);
  EXPECT_EQ(module.Lower(2, false, 11), first);
  EXPECT_EQ(module.lowerings(), 1);
}

TEST(ShaderCache, SpecialisationsOfWhatLoweringReadsAreLoweredEachButEqualWordsAreOneShader) {
  SpecializedModule module;
  const auto first = module.Lower(1, true, 10);
  EXPECT_EQ(module.Lower(1, true, 11), first);
  EXPECT_EQ(module.lowerings(), 1);
  EXPECT_EQ(module.Lower(2, true, 10), first);
  EXPECT_EQ(module.lowerings(), 2);
  const auto third = module.Lower(3, true, 12);
  EXPECT_NE(third, first);
  EXPECT_EQ(module.Lower(3, true, 13), third);
  EXPECT_EQ(module.Lower(2, true, 14), first);
  EXPECT_EQ(module.lowerings(), 3);
}

TEST(ShaderCache, AFailureIsNoAnswerForOtherSpecialisations) {
  CachedModule module(Words(1));
  const auto lower = [&module](uint8_t value, VkResult result) {
    return module.Lowered({}, {}, {{7, {value}}}, [result] {
      LoweredShader shader = Shader(1);
      shader.result = result;
      return shader;
    });
  };
  EXPECT_EQ(lower(1, VK_ERROR_UNKNOWN)->result, VK_ERROR_UNKNOWN);
  EXPECT_EQ(lower(2, VK_SUCCESS)->result, VK_SUCCESS);
}

TEST(ShaderCache, ThreadsThatWantTheSameWaitForIt) {
  CachedModule module(Words(1));
  std::atomic<int> lowerings{0};
  ParallelFor(64, 4, [&](size_t i) {
    spirv::NodeInfo key;
    key.coalesce = static_cast<uint32_t>(i % 4);
    const auto shader = module.Lowered(key, {}, {}, [&] {
      ++lowerings;
      return Shader(key.coalesce);
    });
    return shader->node.words == std::vector<uint32_t>{key.coalesce};
  });
  EXPECT_EQ(lowerings, 4);
}

TEST(ShaderCache, EndlessSpecialisationsAreForgotten) {
  CachedModule module(Words(1));
  std::weak_ptr<const LoweredShader> first;
  for (uint32_t i = 0; i < 5000; ++i) {
    spirv::NodeInfo key;
    key.coalesce = i;
    const auto shader = module.Lowered(key, {}, {}, [i] { return Shader(i); });
    if (i == 0) first = shader;
  }
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace trellis::test
