// SPDX-License-Identifier: Apache-2.0
// Each module of broken_modules.cpp breaks one rule and is refused for that rule and no other.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/uniformity.h"
#include "spirv_lowering/rules/validator_view.h"
#include "tests/rules/broken_modules.h"

namespace trellis::spirv {
namespace {

// Returns the value; a failed test and an empty value in place of an error.
template <typename T>
T ValueOf(Expected<T> expected) {
  if (expected) return *std::move(expected);
  ADD_FAILURE() << expected.error().message;
  return {};
}

Module ReadText(const std::string& text) { return ValueOf(ReadModule(ValueOf(Assemble(text)))); }

std::string EditedText(std::string text, const Edits& edits) { return ValueOf(ApplyEdits(std::move(text), edits)); }

std::string EditedValid(const Edits& edits) { return EditedText(ValueOf(ValidText()), edits); }

Module ReadBroken(const BrokenModule& broken) {
  Module module = ReadText(ValueOf(BrokenText(broken.name)));
  module.version = broken.version;
  return module;
}

std::vector<RuleViolation> AllViolations(const Module& module) {
  std::vector<RuleViolation> violations = CheckRules(module);
  for (RuleViolation& warning : CheckUniformity(module)) violations.push_back(std::move(warning));
  return violations;
}

class BrokenModuleTest : public testing::TestWithParam<BrokenModule> {};

TEST_P(BrokenModuleTest, IsRefusedForTheOneRule) {
  const BrokenModule& broken = GetParam();
  const std::vector<RuleViolation> violations = AllViolations(ReadBroken(broken));
  ASSERT_FALSE(violations.empty()) << "nothing found";
  for (const RuleViolation& violation : violations) {
    EXPECT_EQ(violation.rule, broken.rule) << Describe(violation);
    EXPECT_EQ(violation.tolerated, broken.tolerated) << Describe(violation);
    EXPECT_NE(Describe(violation).find("[" + broken.rule + "]"), std::string::npos);
    EXPECT_EQ(Describe(violation).find('\n'), std::string::npos) << "more than one line";
  }
}

std::string ModuleName(const testing::TestParamInfo<BrokenModule>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Rules, BrokenModuleTest, testing::ValuesIn(BrokenModules()), ModuleName);

TEST(BrokenModules, EditReplacesTheOneOccurrence) {
  const Expected<std::string> text = ApplyEdits("a b c", {{"b", "d e"}, Before("e", "f"), Delete("a ")});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, "d f\ne c");
}

TEST(BrokenModules, EditThatDoesNotApplyOnceIsAnError) {
  const auto error = [](const Edits& edits) {
    const Expected<std::string> text = ApplyEdits("aa b aaa", edits);
    return text ? "no error: " + *text : text.error().message;
  };
  EXPECT_EQ(error({{"c", "d"}}), "'c' does not occur in the text");
  EXPECT_EQ(error({{"aa ", "d"}, {"aa ", "d"}}), "'aa ' does not occur in the text");
  EXPECT_EQ(error({{"aaa", "d"}, {"b", "aa"}, {"aa", "d"}}), "'aa' occurs more than once");
  EXPECT_EQ(error({{" b ", ""}, {"aaaa", "d"}}), "'aaaa' occurs more than once");
  EXPECT_EQ(error({{"b", "b"}}), "the edit of 'b' changes nothing");
  EXPECT_EQ(error({{"", "d"}}), "an edit has no anchor");
}

TEST(BrokenModules, UnknownNameIsAnError) {
  const Expected<std::string> text = BrokenText("unknown");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "no broken module is named 'unknown'");
}

TEST(Rules, ValidModuleBreaksNone) {
  const Module module = ReadText(ValueOf(ValidText()));
  for (const RuleViolation& violation : AllViolations(module)) ADD_FAILURE() << Describe(violation);
  const Expected<void> valid = Validate(WriteModule(module));
  EXPECT_TRUE(valid) << valid.error().message;
}

// The reason for the checker: spirv-val takes these. If it stops to, the rule need no longer be ours.
TEST(Rules, ValidatorAcceptsNineOfThem) {
  for (const char* name :
       {"max_payloads_missing", "node_name_missing", "node_name_integer", "enqueue_integer", "enqueue_input",
        "visibility_subgroup", "offset_missing", "array_stride_missing", "allocate_input_type"}) {
    EXPECT_TRUE(Validate(WriteModule(ReadText(ValueOf(BrokenText(name)))))) << name;
  }
}

// Rules in the reference's table: lines that begin with "| `NAME` |".
std::set<std::string> DocumentedRules() {
  std::set<std::string> rules;
  std::ifstream lines(TRELLIS_GLSL_REFERENCE);
  EXPECT_TRUE(lines.is_open()) << TRELLIS_GLSL_REFERENCE;
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| rule ")) in_table = true;
    if (!line.starts_with("|")) in_table = false;
    if (in_table && line.starts_with("| `")) rules.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return rules;
}

TEST(Rules, EveryDocumentedRuleHasAModuleAndEveryModuleADocumentedRule) {
  std::set<std::string> broken;
  for (const BrokenModule& module : BrokenModules()) broken.insert(module.rule);
  const std::set<std::string> documented = DocumentedRules();
  for (const std::string& rule : documented)
    EXPECT_TRUE(broken.contains(rule)) << rule << " has no row in broken_modules.cpp";
  for (const std::string& rule : broken) EXPECT_TRUE(documented.contains(rule)) << rule << " is not in docs/glsl.md";
}

TEST(Rules, DescriptionNamesLineRuleEntryPointAndId) {
  RuleViolation violation{"Some/rule", "main", 7, {"node.comp", 12}, "is wrong", false};
  EXPECT_EQ(Describe(violation), "node.comp:12: error: [Some/rule] is wrong (entry point 'main', %7)");
  violation.tolerated = true;
  violation.where = {};
  violation.entry_point.clear();
  EXPECT_EQ(Describe(violation), "warning: [Some/rule] is wrong (%7)");
}

TEST(Rules, ViolationNamesTheSourceLine) {
  const std::string text = EditedText(
      ValueOf(BrokenText("visibility_subgroup")),
      {Before("OpName %main", "%file = OpString \"node.comp\""), Before("%array = OpAllocate", "OpLine %file 31 5")});
  const std::vector<RuleViolation> violations = CheckRules(ReadText(text));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].where.file, "node.comp");
  EXPECT_EQ(violations[0].where.line, 31u);
  EXPECT_EQ(violations[0].entry_point, "main");
}

TEST(Rules, CompilersPassAVariableWhereValidityWantsAType) {
  const std::string text = EditedValid({Before("OpEnqueue", "%valid = OpIsNodePayloadValidAMDX %bool %array %uint_0")});
  EXPECT_TRUE(CheckRules(ReadText(text)).empty());
}

// Any module that the reader accepts can be checked: each word of a module is replaced in turn.
TEST(Rules, HostileModulesAreCheckedToo) {
  std::vector<std::string> texts = {ValueOf(ValidText())};
  for (const char* name :
       {"shared_input_written", "finish_untracked", "mesh_recursion", "allocate_divergent", "enqueue_divergent"})
    texts.push_back(ValueOf(BrokenText(name)));
  for (const std::string& text : texts) {
    const Expected<std::vector<uint32_t>> words = Assemble(text);
    ASSERT_TRUE(words);
    for (size_t at = 5; at < words->size(); ++at) {
      for (const uint32_t value : {0u, 1u, 7u, 20u, (*words)[at] + 1, (*words)[at] ^ 0x10u, 0xffffffffu}) {
        std::vector<uint32_t> changed = *words;
        changed[at] = value;
        Expected<Module> module = ReadModule(changed);
        if (!module) continue;
        for (const RuleViolation& violation : AllViolations(*module)) EXPECT_FALSE(Describe(violation).empty());
        EXPECT_FALSE(WriteModule(ForValidator(*std::move(module))).empty());
      }
    }
  }
}

// What spirv-val wrongly refuses is taken out of its view, and nothing else.
TEST(ValidatorView, ValidatorAcceptsTypeOperandAtomicsAndSpecialisedNames) {
  const std::string text = EditedValid({{"OpConstantStringAMDX", "OpSpecConstantStringAMDX"},
                                        Before("OpDecorate %floats", "OpDecorate %worker SpecId 3"),
                                        Before("OpEnqueue",
                                               "%valid = OpIsNodePayloadValidAMDX %bool %work %uint_0\n"
                                               "%old = OpAtomicIAdd %uint %member %uint_1 %uint_0 %uint_1\n"
                                               "OpAtomicStore %member %uint_1 %uint_0 %old")});
  const Module module = ReadText(text);
  EXPECT_TRUE(CheckRules(module).empty());
  EXPECT_FALSE(Validate(WriteModule(module))) << "the validator has learned: ForValidator may go";
  const Expected<void> valid = Validate(WriteModule(ForValidator(module)));
  EXPECT_TRUE(valid) << valid.error().message;
}

TEST(ValidatorView, OtherErrorsStay) {
  const std::string text = EditedValid({{"OpStore %member %value", "OpStore %member %float_1"}});
  EXPECT_FALSE(Validate(WriteModule(ForValidator(ReadText(text)))));
}

TEST(ValidatorView, WhatAtomicsStoreIsLookedAt) {
  const std::string text =
      EditedValid({Before("OpEnqueue", "%old = OpAtomicIAdd %uint %member %uint_1 %uint_0 %float_1")});
  EXPECT_FALSE(Validate(WriteModule(ForValidator(ReadText(text)))));
}

// One answer to what the input is: reflection (tests/spirv_lowering) takes the same.
TEST(Rules, WritingMayBeFinishedOnACopyOfTheInput) {
  const std::string text = EditedValid({Before("OpDecorateId %tasks", "OpDecorate %Task TrackFinishWritingAMDX"),
                                        Before("OpEnqueue",
                                               "%same = OpCopyObject %ptr_tasks %input\n"
                                               "%last = OpFinishWritingNodePayloadAMDX %bool %same")});
  for (const RuleViolation& violation : CheckRules(ReadText(text))) ADD_FAILURE() << Describe(violation);
}

TEST(Rules, ACopyOfTheInputCannotBeEnqueued) {
  const std::string text = EditedValid({Before("OpEnqueue",
                                               "%same = OpCopyObject %ptr_tasks %input\n"
                                               "OpEnqueueNodePayloadsAMDX %same")});
  const std::vector<RuleViolation> violations = CheckRules(ReadText(text));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "OpEnqueueNodePayloadsAMDX/Payload-Array");
}

TEST(Rules, NumWorkgroupsIsForbiddenInBlocksToo) {
  const std::string text =
      EditedText(ValueOf(BrokenText("num_workgroups")),
                 {{"OpDecorate %groups BuiltIn NumWorkgroups", "OpMemberDecorate %block 0 BuiltIn NumWorkgroups"},
                  {"%ptr_groups = OpTypePointer Input %v3uint",
                   "%block = OpTypeStruct %v3uint\n%ptr_groups = OpTypePointer Input %block"}});
  const std::vector<RuleViolation> violations = CheckRules(ReadText(text));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "NumWorkgroups/forbidden");
}

// Entry points of one name are told apart: what the fragment shader breaks is no fault of the mesh node.
TEST(Rules, ConcernTheNodeOfTheirExecutionModelAlone) {
  const std::string text = EditedText(ValueOf(MeshText()), {Before("OpExecutionMode %main LocalSize",
                                                                   "OpEntryPoint Fragment %pixel \"main\"\n"
                                                                   "OpExecutionMode %pixel OriginUpperLeft"),
                                                            Before("OpReturn",
                                                                   "OpReturn\nOpFunctionEnd\n"
                                                                   "%pixel = OpFunction %void None %function\n"
                                                                   "%pixel_label = OpLabel")});
  const std::vector<RuleViolation> violations = CheckRules(ReadText(text));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "VUID-RuntimeSpirv-ShaderEnqueueAMDX-09191");
  EXPECT_EQ(violations[0].execution_model, spv::ExecutionModel::Fragment);
  EXPECT_FALSE(Concerns(violations[0], "main", ExecutionModel::kMeshEXT));
  const RuleViolation recursion = CheckRules(ReadText(ValueOf(BrokenText("mesh_recursion")))).at(0);
  EXPECT_TRUE(Concerns(recursion, "main", ExecutionModel::kMeshEXT));
  EXPECT_FALSE(Concerns(recursion, "main", ExecutionModel::kGLCompute));
  EXPECT_FALSE(Concerns(recursion, "other", ExecutionModel::kMeshEXT));
  RuleViolation of_module;
  EXPECT_TRUE(Concerns(of_module, "main", ExecutionModel::kMeshEXT));
}

// Whether an instruction executes is not known: a constant may be false, or become so when it is specialised.
TEST(Rules, WhatMayNeverExecuteIsAWarning) {
  for (const char* name : {"allocate_above_maximum", "index_above_array_size"}) {
    const std::vector<RuleViolation> violations = CheckRules(ReadText(ValueOf(BrokenText(name))));
    ASSERT_EQ(violations.size(), 1u) << name;
    EXPECT_TRUE(violations[0].tolerated && violations[0].depends_on_execution) << Describe(violations[0]);
  }
}

}  // namespace
}  // namespace trellis::spirv
