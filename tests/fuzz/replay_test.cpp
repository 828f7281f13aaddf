// What fuzzing has found, and the seeds that it begins with, through the same targets: in every build, without a
// fuzzer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/instruction_mutator.h"
#include "tests/fuzz/run_budget.h"

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

uint32_t FromEnvironment(const char* name, uint32_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? static_cast<uint32_t>(std::atoi(value)) : otherwise;
}

// A little fuzzing without a fuzzer. TRELLIS_FUZZ_ROUNDS: mutations of each seed; TRELLIS_FUZZ_SEED: which ones.
void Mutate(Target target, const fs::path& folder) {
  const uint32_t rounds = FromEnvironment("TRELLIS_FUZZ_ROUNDS", 50);
  std::mt19937 random(FromEnvironment("TRELLIS_FUZZ_SEED", 1));
  for (const fs::path& file : FilesOf(folder)) {
    const std::vector<uint32_t> words = ReadWords(file);
    for (uint32_t round = 0; round < rounds; ++round) {
      std::vector<uint32_t> mutated = words;
      for (uint32_t changes = 1 + random() % 3; changes > 0; --changes)
        MutateInstructions(mutated, words.size() * 2, random);
      Keep(mutated);
      const std::string over = RunWithinBudget(target, mutated);
      ASSERT_EQ(over, "") << "round " << round << " of " << file;
    }
  }
}

TEST(FuzzReplay, MutatedLoweringSeeds) { Mutate(FuzzLowering, kSeeds / "lowering"); }
TEST(FuzzReplay, MutatedRewriterSeeds) { Mutate(FuzzRewriter, kSeeds / "rewriter"); }

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
