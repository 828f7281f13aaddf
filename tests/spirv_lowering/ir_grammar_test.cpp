// SPDX-License-Identifier: Apache-2.0
// Before any other header of SPIR-V's: switches on the table that the grammar is compared with.
#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.hpp11>

#include "spirv_lowering/grammar/grammar.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

std::string Kinds(spv::Op opcode, const std::vector<uint32_t>& words, uint32_t literal_width = 1) {
  std::vector<Operand> operands;
  if (const char* problem = ParseOperandWords(opcode, words, literal_width, operands))
    return OpcodeName(opcode) + ": " + problem;
  std::string text;
  for (const Operand& operand : operands) {
    text += operand.kind == OperandKind::kId ? 'i' : operand.kind == OperandKind::kLiteralString ? 's' : 'w';
    if (operand.word_count != 1) text += std::to_string(operand.word_count);
  }
  return text;
}

template <typename Enum>
uint32_t Word(Enum value) {
  return static_cast<uint32_t>(value);
}

TEST(Grammar, AgreesWithTheHeadersOnResultsOfEveryOpcode) {
  size_t known = 0;
  for (uint32_t opcode = 0; opcode <= 0xffff; ++opcode) {
    const OpcodeInfo* info = FindOpcode(opcode);
    if (info == nullptr) continue;
    ++known;
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(opcode), &has_result, &has_type);
    EXPECT_EQ(info->has_result, has_result) << info->name;
    EXPECT_EQ(info->has_result_type, has_type) << info->name;
    EXPECT_TRUE(info->name.starts_with("Op"));
    EXPECT_EQ(OpcodeName(static_cast<spv::Op>(opcode)), info->name);
  }
  EXPECT_GT(known, 700u);
}

TEST(Grammar, EveryOpcodeParsesOrRefusesAnyNumberOfZeros) {
  for (uint32_t opcode = 0; opcode <= 0xffff; ++opcode) {
    if (FindOpcode(opcode) == nullptr) continue;
    size_t fitting = 0;
    for (size_t count = 0; count <= 24; ++count) {
      const std::vector<uint32_t> zeros(count);
      std::vector<Operand> operands;
      if (ParseOperandWords(static_cast<spv::Op>(opcode), zeros, 1, operands) != nullptr) continue;
      ++fitting;
      size_t covered = 0;
      for (const Operand& operand : operands) {
        EXPECT_EQ(operand.offset, covered);
        covered += operand.word_count;
      }
      EXPECT_EQ(covered, count) << OpcodeName(static_cast<spv::Op>(opcode));
    }
    const bool some_fit = fitting > 0;
    // Zero is no opcode that makes a value.
    EXPECT_EQ(some_fit, opcode != Word(spv::Op::OpSpecConstantOp)) << OpcodeName(static_cast<spv::Op>(opcode));
  }
}

TEST(Grammar, KnowsRevisionTwoOfTheExtension) {
  const std::pair<uint32_t, std::string_view> expected[] = {
      {5074, "OpAllocateNodePayloadsAMDX"},   {5075, "OpEnqueueNodePayloadsAMDX"},
      {5076, "OpTypeNodePayloadArrayAMDX"},   {5078, "OpFinishWritingNodePayloadAMDX"},
      {5090, "OpNodePayloadArrayLengthAMDX"}, {5101, "OpIsNodePayloadValidAMDX"},
      {5103, "OpConstantStringAMDX"},         {5104, "OpSpecConstantStringAMDX"}};
  for (const auto& [opcode, name] : expected) {
    ASSERT_NE(FindOpcode(opcode), nullptr);
    EXPECT_EQ(FindOpcode(opcode)->name, name);
  }
  EXPECT_EQ(Kinds(spv::Op::OpAllocateNodePayloadsAMDX, {1, 2, 3}), "iii");
  EXPECT_EQ(Kinds(spv::Op::OpConstantStringAMDX, {0x61}), "s");
  EXPECT_EQ(FindOpcode(5076)->opcode_class, OpcodeClass::kType);
  EXPECT_EQ(FindOpcode(5103)->opcode_class, OpcodeClass::kConstant);
  EXPECT_FALSE(FindOpcode(5103)->has_result_type);
}

TEST(Grammar, UnknownOpcodesHaveANumberForAName) {
  EXPECT_EQ(FindOpcode(9), nullptr);
  EXPECT_EQ(FindOpcode(0x10011), nullptr);
  EXPECT_EQ(OpcodeName(static_cast<spv::Op>(9)), "opcode 9");
}

TEST(Grammar, StringsSpanTheirWords) {
  EXPECT_EQ(Kinds(spv::Op::OpName, {1, 0x64636261, 0x00000065}), "is2");
  EXPECT_EQ(Kinds(spv::Op::OpMemberName, {1, 0, 0}), "iws");
  EXPECT_EQ(Kinds(spv::Op::OpEntryPoint, {5, 1, 0x64636261, 0, 7, 8}), "wis2ii");
  EXPECT_EQ(Kinds(spv::Op::OpSource, {2, 450}), "ww");
  EXPECT_EQ(Kinds(spv::Op::OpSource, {2, 450, 1}), "wwi");
  EXPECT_EQ(Kinds(spv::Op::OpSource, {2, 450, 1, 0x61}), "wwis");
}

TEST(Grammar, EnumerantsBringTheirParameters) {
  EXPECT_EQ(Kinds(spv::Op::OpDecorate, {1, Word(spv::Decoration::Block)}), "iw");
  EXPECT_EQ(Kinds(spv::Op::OpDecorate, {1, Word(spv::Decoration::BuiltIn), 26}), "iww");
  EXPECT_EQ(Kinds(spv::Op::OpDecorate, {1, Word(spv::Decoration::LinkageAttributes), 0x61, 0}), "iwsw");
  EXPECT_EQ(Kinds(spv::Op::OpDecorateId, {1, Word(spv::Decoration::PayloadNodeNameAMDX), 9}), "iwi");
  EXPECT_EQ(Kinds(spv::Op::OpDecorateId, {1, Word(spv::Decoration::NodeMaxPayloadsAMDX), 9}), "iwi");
  EXPECT_EQ(Kinds(spv::Op::OpDecorate, {1, Word(spv::Decoration::PayloadNodeSparseArrayAMDX)}), "iw");
  EXPECT_EQ(Kinds(spv::Op::OpMemberDecorate, {1, 0, Word(spv::Decoration::PayloadDispatchIndirectAMDX)}), "iww");
  EXPECT_EQ(Kinds(spv::Op::OpExecutionMode, {1, Word(spv::ExecutionMode::LocalSize), 1, 2, 3}), "iwwww");
  EXPECT_EQ(Kinds(spv::Op::OpExecutionModeId, {1, Word(spv::ExecutionMode::StaticNumWorkgroupsAMDX), 1, 2, 3}),
            "iwiii");
  EXPECT_EQ(Kinds(spv::Op::OpExecutionModeId, {1, Word(spv::ExecutionMode::SharesInputWithAMDX), 1, 2}), "iwii");
  EXPECT_EQ(Kinds(spv::Op::OpExecutionMode, {1, Word(spv::ExecutionMode::CoalescingAMDX)}), "iw");
}

TEST(Grammar, MasksBringParametersInBitOrder) {
  const uint32_t access = Word(spv::MemoryAccessMask::Aligned) | Word(spv::MemoryAccessMask::MakePointerVisible) |
                          Word(spv::MemoryAccessMask::NonPrivatePointer);
  EXPECT_EQ(Kinds(spv::Op::OpLoad, {1}), "i");
  EXPECT_EQ(Kinds(spv::Op::OpLoad, {1, 0}), "iw");
  EXPECT_EQ(Kinds(spv::Op::OpLoad, {1, access, 16, 7}), "iwwi");
  EXPECT_EQ(Kinds(spv::Op::OpCopyMemory, {1, 2, 2, 4, 2, 8}), "iiwwww");
  const uint32_t image = Word(spv::ImageOperandsMask::Grad) | Word(spv::ImageOperandsMask::ConstOffset);
  EXPECT_EQ(Kinds(spv::Op::OpImageSampleExplicitLod, {1, 2, image, 3, 4, 5}), "iiwiii");
  const uint32_t loop = Word(spv::LoopControlMask::Unroll) | Word(spv::LoopControlMask::PartialCount);
  EXPECT_EQ(Kinds(spv::Op::OpLoopMerge, {1, 2, loop, 4}), "iiww");
}

TEST(Grammar, WideLiteralsAreAsWideAsTold) {
  EXPECT_EQ(Kinds(spv::Op::OpConstant, {1, 2}, 2), "w2");
  EXPECT_EQ(Kinds(spv::Op::OpSwitch, {1, 2, 0, 3, 1, 4}), "iiwiwi");
  EXPECT_EQ(Kinds(spv::Op::OpSwitch, {1, 2, 0, 0, 3, 1, 0, 4}, 2), "iiw2iw2i");
  EXPECT_EQ(Kinds(spv::Op::OpSwitch, {1, 2, 0, 0, 3, 1, 0}, 2), "OpSwitch: too few operand words");
}

TEST(Grammar, EmbeddedOpcodesBringTheirOperands) {
  EXPECT_EQ(Kinds(spv::Op::OpSpecConstantOp, {Word(spv::Op::OpIAdd), 1, 2}), "wii");
  EXPECT_EQ(Kinds(spv::Op::OpSpecConstantOp, {Word(spv::Op::OpCompositeExtract), 1, 2, 3}), "wiww");
  EXPECT_EQ(Kinds(spv::Op::OpSpecConstantOp, {Word(spv::Op::OpVectorShuffle), 1, 2, 0, 1}), "wiiww");
}

TEST(Grammar, PairsAreSplit) {
  EXPECT_EQ(Kinds(spv::Op::OpPhi, {1, 2, 3, 4}), "iiii");
  EXPECT_EQ(Kinds(spv::Op::OpGroupMemberDecorate, {1, 2, 0, 3, 1}), "iiwiw");
}

TEST(Grammar, IdOperandsAreVisitedAndMayBeChanged) {
  Instruction instruction(spv::Op::OpSwitch, kNoId, kNoId, {1, 2, 5, 3, 6, 4});
  std::vector<Id> seen;
  ForEachIdOperand(instruction, [&seen](Id& id) {
    seen.push_back(id);
    id += 100;
  });
  EXPECT_EQ(seen, (std::vector<Id>{1, 2, 3, 4}));
  EXPECT_EQ(instruction.operands, (std::vector<uint32_t>{101, 102, 5, 103, 6, 104}));
}

TEST(Grammar, LiteralsOfWideSwitchesAndConstantsAreNoIds) {
  const auto ids = [](const Instruction& instruction) {
    std::vector<Id> seen;
    ForEachIdOperand(instruction, [&seen](Id id) { seen.push_back(id); });
    return seen;
  };
  Instruction wide(spv::Op::OpSwitch, kNoId, kNoId, {1, 2, 5, 0, 3, 6, 7, 4});
  wide.case_words = 2;
  EXPECT_EQ(ids(wide), (std::vector<Id>{1, 2, 3, 4}));
  EXPECT_EQ(ids(Instruction(spv::Op::OpConstant, 1, 2, {3, 4})), std::vector<Id>{});
}

}  // namespace
}  // namespace trellis::spirv
