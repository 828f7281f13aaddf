// SPDX-License-Identifier: Apache-2.0
// Node modules with words changed at random: reading, reflecting and lowering may refuse, never crash, hang or leak
// (the sanitizer build tells).
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "spirv_lowering/fragment_shader.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/reflect/reflect.h"
#include "tests/spirv_lowering/node_samples.h"
#include "tests/spirv_lowering/spirv_text.h"
#include "tests/support/environment.h"

namespace trellis::spirv {
namespace {

struct Tally {
  size_t read = 0, reflected = 0, lowered = 0;
};

void LowerAll(const std::vector<uint32_t>& words, Tally& tally) {
  Expected<Module> module = ReadNodeModule(words);
  if (!module) return;
  ++tally.read;
  // As a pipeline would: one module, every entry point that it might be asked for.
  for (const Instruction& entry : module->entry_points) {
    const std::string name = DecodeString(entry.operands.data() + 2, entry.operands.size() - 2);
    if (const Expected<std::vector<uint32_t>> fragment = ExtractFragmentShader(*module, name)) {
      EXPECT_EQ(Refusal(*fragment), "");
    }
    const ExecutionModel model = NodeModelOf(entry).value_or(ExecutionModel::kGLCompute);
    Expected<NodeInfo> info = Reflect(*module, name, {{0, {1, 0, 0, 0}}}, model);
    if (!info) {
      EXPECT_FALSE(info.error().message.empty());
      continue;
    }
    ++tally.reflected;
    LowerOptions pushed;
    pushed.launch_offset = (info->push_constant_end + 7) / 8 * 8;
    LowerOptions copied;
    copied.target.subgroup_aggregation = copied.target.mesh_subgroup_search = true;
    copied.push_constant_copy_offset = 8;
    for (const LowerOptions& options : {pushed, copied}) {
      Expected<LoweredNode> lowered = Lower(*module, *info, options);
      if (lowered) {
        ++tally.lowered;
      } else {
        EXPECT_FALSE(lowered.error().message.empty());
      }
    }
  }
}

// TRELLIS_FUZZ_ROUNDS: mutations of each sample; the default keeps the test short.
size_t Rounds() { return test::NumberFromEnvironment("TRELLIS_FUZZ_ROUNDS", 600); }

class HostileNode : public testing::TestWithParam<NodeSample> {};

TEST_P(HostileNode, NoChangedWordsCrash) {
  const std::vector<uint32_t> words = AssembleOrFail(GetParam().text);
  ASSERT_GT(words.size(), 5u);
  Tally untouched;
  LowerAll(words, untouched);
  EXPECT_GT(untouched.lowered, 0u);
  std::mt19937 random(20240917);
  Tally tally;
  for (size_t round = 0; round < Rounds(); ++round) {
    std::vector<uint32_t> mutated = words;
    for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      uint32_t& word = mutated[5 + random() % (mutated.size() - 5)];
      switch (random() % 6) {
        case 0:
          word = random() % mutated[3];
          break;  // another id
        case 1:
          word = mutated[5 + random() % (mutated.size() - 5)];
          break;
        case 2:
          word ^= 1u << (random() % 32);
          break;
        case 3:
          word += 1;
          break;
        case 4:
          word = static_cast<uint32_t>(random());
          break;
        default:
          word = random() % 16;
          break;
      }
    }
    LowerAll(mutated, tally);
  }
  EXPECT_GT(tally.read, 0u);
}

// Ids only, so that the reader accepts most of them: what reaches the passes is well-formed words with senseless types.
TEST_P(HostileNode, NoExchangedIdsCrash) {
  const std::vector<uint32_t> words = AssembleOrFail(GetParam().text);
  std::mt19937 random(777);
  Tally tally;
  for (size_t round = 0; round < Rounds(); ++round) {
    std::vector<uint32_t> mutated = words;
    for (uint32_t changes = 1 + random() % 2; changes > 0;) {
      size_t at = 5;
      for (size_t skip = random() % 400; skip > 0; --skip) {
        at += mutated[at] >> 16;
        if (at >= mutated.size()) at = 5;
      }
      const uint32_t count = mutated[at] >> 16;
      if (count < 2) continue;
      mutated[at + 1 + random() % (count - 1)] = 1 + random() % (mutated[3] - 1);
      --changes;
    }
    LowerAll(mutated, tally);
  }
  EXPECT_GT(tally.reflected, 0u) << "the mutations are too wild to test anything";
}

INSTANTIATE_TEST_SUITE_P(Samples, HostileNode, testing::ValuesIn(NodeSamples()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace trellis::spirv
