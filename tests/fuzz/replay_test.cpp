// SPDX-License-Identifier: Apache-2.0
// What fuzzing has found, and the seeds that it begins with, through the same targets: in every build, without a
// fuzzer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/validator_view.h"
#include "tests/fuzz/instruction_mutator.h"
#include "tests/fuzz/run_budget.h"
#include "tests/fuzz/structures.h"
#include "tests/support/environment.h"

namespace trellis::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<uint32_t> ReadWords(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  return WordsOf(bytes);
}

std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

void Replay(Target target, const fs::path& folder) {
  for (const fs::path& file : FilesOf(folder)) {
    SCOPED_TRACE(file.string());
    EXPECT_EQ(RunWithinBudget(target, ReadWords(file)), "");
  }
}

const fs::path kRegressions = TRELLIS_FUZZ_REGRESSIONS;
const fs::path kSeeds = TRELLIS_FUZZ_SEEDS;

TEST(FuzzReplay, LoweringRegressions) { Replay(FuzzLowering, kRegressions / "lowering"); }
TEST(FuzzReplay, RewriterRegressions) { Replay(FuzzRewriter, kRegressions / "rewriter"); }

TEST(FuzzReplay, LoweringSeeds) {
  EXPECT_GT(FilesOf(kSeeds / "lowering").size(), 50u);
  Replay(FuzzLowering, kSeeds / "lowering");
}
TEST(FuzzReplay, RewriterSeeds) {
  EXPECT_GT(FilesOf(kSeeds / "rewriter").size(), 10u);
  Replay(FuzzRewriter, kSeeds / "rewriter");
}

// Writes an input to the file that TRELLIS_FUZZ_KEEP names, if it names one: to have the one that ends the process.
void Keep(const std::vector<uint32_t>& words) {
  static const char* const path = std::getenv("TRELLIS_FUZZ_KEEP");
  if (path == nullptr) return;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(words.data()),
             static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
}

// Mutations of the seeds, as a fuzzer would make them. TRELLIS_FUZZ_ROUNDS: of each seed; TRELLIS_FUZZ_SEED: which
// ones.
void ForEachMutation(const fs::path& folder, const std::function<void(const std::vector<uint32_t>& words)>& visit) {
  const uint32_t rounds = test::NumberFromEnvironment("TRELLIS_FUZZ_ROUNDS", 50);
  std::mt19937 random(test::NumberFromEnvironment("TRELLIS_FUZZ_SEED", 1));
  for (const fs::path& file : FilesOf(folder)) {
    const std::vector<uint32_t> words = ReadWords(file);
    for (uint32_t round = 0; round < rounds; ++round) {
      SCOPED_TRACE("round " + std::to_string(round) + " of " + file.string());
      std::vector<uint32_t> mutated = words;
      for (uint32_t changes = 1 + random() % 3; changes > 0; --changes)
        MutateInstructions(mutated, words.size() * 2, random);
      Keep(mutated);
      visit(mutated);
      if (testing::Test::HasFailure()) return;
    }
  }
}

void Mutate(Target target, const fs::path& folder) {
  ForEachMutation(folder, [&](const std::vector<uint32_t>& words) { EXPECT_EQ(RunWithinBudget(target, words), ""); });
}

TEST(FuzzReplay, MutatedLoweringSeeds) { Mutate(FuzzLowering, kSeeds / "lowering"); }
TEST(FuzzReplay, MutatedRewriterSeeds) { Mutate(FuzzRewriter, kSeeds / "rewriter"); }

class FuzzStructures : public testing::TestWithParam<Structure> {};

// What takes a second is compared with the same at a quarter of the size: a time that grows with the square would be
// four times the share. A slow machine slows both.
void ExpectTimeLinear(Target target, const Structure& structure, std::span<const uint32_t> words, double seconds) {
  if (seconds < 1) return;
  const std::vector<uint32_t> fewer = structure.make(structure.size / 4);
  const double share = static_cast<double>(words.size()) / static_cast<double>(fewer.size());
  EXPECT_LT(seconds, 2 * share * SecondsOf(target, fewer));
}

// Large in one way: time and memory grow with the input, not with its square.
TEST_P(FuzzStructures, KeepToTheBudget) {
  const std::vector<uint32_t> words = GetParam().make(GetParam().size);
  const std::string refused_for = GetParam().refused_for;
  size_t lowered = 0, refused = 0;
  const Expected<spirv::Module> module = spirv::ReadNodeModule(words);
  ASSERT_TRUE(module) << module.error().message;
  LowerEntryPoints(*module, [&](const Expected<spirv::LoweredNode>& node) {
    if (node) {
      ++lowered;
    } else if (!refused_for.empty() && node.error().message.find(refused_for) != std::string::npos) {
      ++refused;
    } else {
      ADD_FAILURE() << node.error().message;
    }
  });
  EXPECT_EQ(lowered, refused_for.empty() ? 2u : 0u);
  EXPECT_EQ(refused, refused_for.empty() ? 0u : 1u) << "reflection refuses";
  for (const Target target : {FuzzLowering, FuzzRewriter}) {
    double seconds = 0;
    EXPECT_EQ(RunWithinBudget(target, words, &seconds), "");
    ExpectTimeLinear(target, GetParam(), words, seconds);
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, FuzzStructures, testing::ValuesIn(Structures()),
                         [](const auto& info) { return info.param.name; });

TEST(FuzzReplay, ChainsOfCopiesInSeeds) {
  constexpr uint32_t kCopies = 8000;
  std::mt19937 random(1);
  for (const auto& [target, folder] : {std::pair<Target, const char*>(FuzzLowering, "lowering"),
                                       std::pair<Target, const char*>(FuzzRewriter, "rewriter")}) {
    for (const fs::path& file : FilesOf(kSeeds / folder)) {
      SCOPED_TRACE(file.string());
      std::vector<uint32_t> words = ReadWords(file);
      InsertCopies(words, kCopies, words.size() + 4 * kCopies, random);
      EXPECT_EQ(RunWithinBudget(target, words), "");
    }
  }
}

// Compilers make seeds that spirv-val refuses; nodes are to be made of them all the same, but for one that demands what
// Vulkan does not have.
TEST(FuzzReplay, SeedsComeOutValid) {
  for (const fs::path& file : FilesOf(kSeeds / "lowering")) {
    if (file.filename() == "corpus_wave_size.spv") continue;
    SCOPED_TRACE(file.string());
    const Expected<spirv::Module> module = spirv::ReadNodeModule(ReadWords(file));
    ASSERT_TRUE(module) << module.error().message;
    LowerEntryPoints(*module, [](const Expected<spirv::LoweredNode>& lowered) {
      ASSERT_TRUE(lowered) << lowered.error().message;
      const Expected<void> valid = spirv::Validate(lowered->words);
      EXPECT_TRUE(valid) << valid.error().message;
    });
  }
}

bool IsValid(const spirv::Module& module) {
  return spirv::CheckRules(module).empty() && spirv::Validate(spirv::WriteModule(spirv::ForValidator(module)));
}

// Not more than well-formed: spirv-val does not look at how payloads lie in memory, but does look at buffers.
TEST(FuzzReplay, ValidMutationsComeOutWellFormed) {
  size_t valid = 0;
  ForEachMutation(kSeeds / "lowering", [&](const std::vector<uint32_t>& words) {
    const Expected<spirv::Module> module = spirv::ReadNodeModule(words);
    if (!module || !IsValid(*module)) return;
    ++valid;
    LowerEntryPoints(*module, [](const Expected<spirv::LoweredNode>& lowered) {
      if (lowered) return;
      EXPECT_EQ(lowered.error().message.find(spirv::kNotWellFormed), std::string::npos) << lowered.error().message;
    });
  });
  EXPECT_GT(valid, 30u);
}

TEST(InstructionMutator, LeavesInstructionsWhole) {
  const std::vector<uint32_t> words = ReadWords(FilesOf(kSeeds / "lowering").front());
  std::mt19937 random(1);
  size_t changed = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<uint32_t> mutated = words;
    MutateInstructions(mutated, words.size() * 2, random);
    changed += mutated != words;
    size_t at = 5;
    while (at < mutated.size()) {
      ASSERT_GT(mutated[at] >> 16, 0u);
      at += mutated[at] >> 16;
    }
    EXPECT_EQ(at, mutated.size());
  }
  EXPECT_GT(changed, 900u);
}

}  // namespace
}  // namespace trellis::fuzz
