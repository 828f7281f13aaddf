// SPDX-License-Identifier: Apache-2.0
// Hostile words: cut short and corrupted in every place. Nothing may crash, and what is accepted must be fit for the
// code behind the reader.
#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>

#include "spirv_lowering/ir/control_flow.h"
#include "spirv_lowering/ir/dead_code.h"
#include "spirv_lowering/ir/layout.h"
#include "spirv_lowering/ir/link.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/ir/writer.h"
#include "tests/link_library_glsl450.h"
#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

struct Victim {
  std::string name;
  std::string_view text;
  std::span<const uint32_t> compiled;  // instead of text

  std::vector<uint32_t> Words() const {
    return compiled.empty() ? AssembleOrFail(text) : std::vector<uint32_t>(compiled.begin(), compiled.end());
  }
};

void PrintTo(const Victim& victim, std::ostream* out) { *out << victim.name; }

std::vector<Victim> Victims() {
  std::vector<Victim> victims = {{"compiled", {}, kLinkLibraryGlsl450}};
  for (const SampleModule& sample : SampleModules()) victims.push_back({std::string(sample.name), sample.text, {}});
  return victims;
}

class Hostile : public testing::TestWithParam<Victim> {};

INSTANTIATE_TEST_SUITE_P(Samples, Hostile, testing::ValuesIn(Victims()),
                         [](const auto& info) { return info.param.name; });

void MeasureAll(Module& module) {
  Types types(module);
  const size_t count = module.globals.size();
  for (size_t i = 0; i < count; ++i) {
    const Id id = module.globals[i].result_id;
    (void)LayoutMeter(module, types).LargestScalar(id);
    (void)types.LaidOutSize(id);
    (void)types.ConstantValue(id);
    (void)types.ElementType(id, 1);
    if (types.IsPointer(id)) (void)types.Pointee(id);
    (void)NameOf(module, id);
  }
}

void WalkAll(const Module& module) {
  for (const Function& function : module.functions) {
    const ControlFlow flow(function);
    for (size_t a = 0; a < function.blocks.size(); ++a) {
      (void)flow.InnermostLoop(a);
      for (size_t b = 0; b < function.blocks.size(); ++b) {
        (void)flow.Dominates(a, b);
        (void)flow.PostDominatesInIteration(a, b);
      }
    }
  }
}

void ImportAll(const Module& library) {
  Module destination;
  destination.memory_model = library.memory_model;
  Types types(destination);
  Importer importer(destination, types, library);
  for (const Instruction& name : library.debug_names) {
    if (name.opcode != spv::Op::OpName) continue;
    const std::string text = DecodeString(name.operands.data() + 1, name.operands.size() - 1);
    (void)importer.ImportFunction(text);
    (void)importer.ImportVariable(text);
  }
}

// Reads and, if accepted, does what lowering does with a module. True if accepted.
bool Exercise(const std::vector<uint32_t>& words) {
  Expected<Module> module = ReadModule(words);
  if (!module) {
    EXPECT_FALSE(module.error().message.empty());
    return false;
  }
  (void)WriteModule(*module);
  MeasureAll(*module);
  WalkAll(*module);
  ImportAll(*module);
  EliminateDead(*module);
  EXPECT_EQ(Refusal(WriteModule(*module)), "") << "what is left of an accepted module must be acceptable";
  return true;
}

size_t EndOfMemoryModel(const std::vector<uint32_t>& words) {
  size_t at = 5;
  while ((words[at] & 0xffffu) != static_cast<uint32_t>(spv::Op::OpMemoryModel)) at += words[at] >> 16;
  return at + (words[at] >> 16);
}

TEST_P(Hostile, EveryProperPrefixIsRefused) {
  const std::vector<uint32_t> words = GetParam().Words();
  for (size_t length = 0; length < words.size(); ++length) {
    if (length == EndOfMemoryModel(words)) continue;  // Capabilities and a memory model are a module.
    EXPECT_NE(Refusal(std::span<const uint32_t>(words).first(length)), "") << length << " words of " << words.size();
  }
  EXPECT_TRUE(Exercise(words));
}

TEST_P(Hostile, NoCorruptedWordCrashes) {
  const std::vector<uint32_t> words = GetParam().Words();
  const uint32_t bound = words[3];
  size_t cases = 0, accepted = 0;
  for (size_t at = 0; at < words.size(); ++at) {
    std::vector<uint32_t> values = {0,
                                    1,
                                    2,
                                    0x7f,
                                    0xffff,
                                    0x10000,
                                    0x80000000,
                                    0xffffffff,
                                    bound,
                                    bound - 1,
                                    words[at] + 1,
                                    words[at] - 1,
                                    words[at] + 0x10000,
                                    words[at] - 0x10000,
                                    words[at] ^ 0x40};
    for (uint32_t salt = 1; salt <= 8; ++salt)
      values.push_back((static_cast<uint32_t>(at) * 2654435761u + salt * 40503u) % bound);
    // Long modules repeat themselves: a third of the values for each word, another third for the next.
    const size_t step = words.size() > 600 ? 3 : 1;
    for (size_t i = at % step; i < values.size(); i += step) {
      std::vector<uint32_t> mutated = words;
      mutated[at] = values[i];
      accepted += Exercise(mutated) ? 1 : 0;
      ++cases;
    }
  }
  EXPECT_GT(cases, 7 * words.size());
  EXPECT_LT(accepted, cases);
}

// Ids swapped for ids, counts for counts: what single corruptions rarely get past the first checks.
TEST_P(Hostile, NoExchangedWordsCrash) {
  const std::vector<uint32_t> words = GetParam().Words();
  std::mt19937 random(static_cast<uint32_t>(words.size()));
  const auto any = [&] { return 5 + random() % (words.size() - 5); };
  for (int round = 0; round < 4000; ++round) {
    std::vector<uint32_t> mutated = words;
    const size_t changes = 1 + random() % 3;
    for (size_t i = 0; i < changes; ++i) mutated[any()] = words[any()];
    (void)Exercise(mutated);
  }
}

TEST_P(Hostile, NoSwappedOrRemovedInstructionCrashes) {
  const std::vector<uint32_t> words = GetParam().Words();
  std::vector<size_t> starts;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) starts.push_back(at);
  starts.push_back(words.size());
  for (size_t i = 0; i + 2 < starts.size(); ++i) {
    std::vector<uint32_t> swapped(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(starts[i]));
    std::vector<uint32_t> removed = swapped;
    const auto piece = [&](std::vector<uint32_t>& target, size_t from, size_t to) {
      target.insert(target.end(), words.begin() + static_cast<std::ptrdiff_t>(from),
                    words.begin() + static_cast<std::ptrdiff_t>(to));
    };
    piece(swapped, starts[i + 1], starts[i + 2]);
    piece(swapped, starts[i], starts[i + 1]);
    piece(swapped, starts[i + 2], words.size());
    piece(removed, starts[i + 1], words.size());
    (void)Exercise(swapped);
    (void)Exercise(removed);
  }
}

}  // namespace
}  // namespace trellis::spirv
