// SPDX-License-Identifier: Apache-2.0
// libFuzzer's functions around one target, TRELLIS_FUZZ_TARGET.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/instruction_mutator.h"
#include "tests/fuzz/run_budget.h"
#include "tests/fuzz/structures.h"

// Memory of whole stacks, and of more freed blocks than one input frees, costs a fifth of the executions. To see
// whole stacks of a finding, run it with ASAN_OPTIONS=malloc_context_size=30.
extern "C" const char* __asan_default_options() { return "malloc_context_size=3:quarantine_size_mb=32"; }

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint32_t> words = trellis::fuzz::WordsOf({data, size});
  const std::string over = trellis::fuzz::RunWithinBudget(trellis::fuzz::TRELLIS_FUZZ_TARGET, words);
  if (over.empty()) return 0;
  std::fprintf(stderr, "over budget: %s\n", over.c_str());
  std::abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  constexpr uint32_t kBytesOneTimeIn = 8, kStructureOneTimeIn = 256, kMaxCopies = 4096;
  std::mt19937 random(seed);
  if (random() % kBytesOneTimeIn == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<uint32_t> words = trellis::fuzz::WordsOf({data, size});
  if (random() % kStructureOneTimeIn == 0)
    words = trellis::fuzz::MakeAnyStructure(max_size / sizeof(uint32_t), random);
  else if (random() % kStructureOneTimeIn == 0)
    trellis::fuzz::InsertCopies(words, 1 + random() % kMaxCopies, max_size / sizeof(uint32_t), random);
  for (uint32_t changes = 1 + random() % 4; changes > 0; --changes)
    trellis::fuzz::MutateInstructions(words, max_size / sizeof(uint32_t), random);
  const size_t bytes = words.size() * sizeof(uint32_t);
  if (bytes != 0) std::memcpy(data, words.data(), bytes);
  return bytes;
}
