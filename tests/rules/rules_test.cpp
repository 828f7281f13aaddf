// Each module in broken/ breaks one rule, named in its first line, and is refused for that and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/validator_view.h"

namespace trellis::spirv {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

Module ReadText(const std::string& text) {
  Expected<std::vector<uint32_t>> words = Assemble(text);
  if (!words) {
    ADD_FAILURE() << words.error().message;
    return {};
  }
  Expected<Module> module = ReadModule(*words);
  if (module) return *std::move(module);
  ADD_FAILURE() << module.error().message;
  return {};
}

Module ReadNode(const std::string& name) {
  return ReadText(ReadFile(fs::path(TRELLIS_RULES_DIR) / (name + ".spvasm")));
}

// "; rule: NAME" in the first line; "; tolerated" and "; version 1.3" may follow.
struct BrokenModule {
  std::string rule;
  bool tolerated = false;
  Module module;
};

BrokenModule ReadBroken(const fs::path& path) {
  const std::string text = ReadFile(path);
  BrokenModule broken;
  const std::string start = "; rule: ";
  EXPECT_TRUE(text.starts_with(start)) << path;
  broken.rule = text.substr(start.size(), text.find('\n') - start.size());
  broken.tolerated = text.find("; tolerated\n") != std::string::npos;
  broken.module = ReadText(text);
  if (text.find("; version 1.3\n") != std::string::npos) broken.module.version = 0x00010300;
  return broken;
}

std::vector<fs::path> BrokenModules() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(TRELLIS_RULES_DIR) / "broken"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

class BrokenModuleTest : public testing::TestWithParam<fs::path> {};

TEST_P(BrokenModuleTest, IsRefusedForTheOneRule) {
  const BrokenModule broken = ReadBroken(GetParam());
  const std::vector<RuleViolation> violations = CheckRules(broken.module);
  ASSERT_FALSE(violations.empty()) << "nothing found";
  for (const RuleViolation& violation : violations) {
    EXPECT_EQ(violation.rule, broken.rule) << Describe(violation);
    EXPECT_EQ(violation.tolerated, broken.tolerated) << Describe(violation);
    EXPECT_NE(Describe(violation).find("[" + broken.rule + "]"), std::string::npos);
    EXPECT_EQ(Describe(violation).find('\n'), std::string::npos) << "more than one line";
  }
}

std::string ModuleName(const testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }
INSTANTIATE_TEST_SUITE_P(Rules, BrokenModuleTest, testing::ValuesIn(BrokenModules()), ModuleName);

TEST(Rules, ValidModuleBreaksNone) {
  const Module module = ReadNode("valid");
  for (const RuleViolation& violation : CheckRules(module)) ADD_FAILURE() << Describe(violation);
  const Expected<void> valid = Validate(WriteModule(module));
  EXPECT_TRUE(valid) << valid.error().message;
}

// The reason for the checker: spirv-val takes these. If it stops to, the rule need no longer be ours.
TEST(Rules, ValidatorAcceptsNineOfThem) {
  for (const char* name :
       {"max_payloads_missing", "node_name_missing", "node_name_integer", "enqueue_integer", "enqueue_input",
        "visibility_subgroup", "offset_missing", "array_stride_missing", "allocate_input_type"}) {
    EXPECT_TRUE(Validate(WriteModule(ReadNode(std::string("broken/") + name)))) << name;
  }
}

// Rules in the reference's table: lines that begin with "| `NAME` |".
std::set<std::string> DocumentedRules() {
  std::set<std::string> rules;
  std::istringstream lines(ReadFile(TRELLIS_GLSL_REFERENCE));
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
  for (const fs::path& path : BrokenModules()) broken.insert(ReadBroken(path).rule);
  const std::set<std::string> documented = DocumentedRules();
  for (const std::string& rule : documented)
    EXPECT_TRUE(broken.contains(rule)) << rule << " has no module in tests/rules/broken";
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
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "broken/visibility_subgroup.spvasm");
  const auto insert_before = [&](const std::string& what, const std::string& line) {
    text.insert(text.find(what), line);
  };
  insert_before("OpName %main", "%file = OpString \"node.comp\"\n");
  insert_before("%array = OpAllocate", "OpLine %file 31 5\n");
  const std::vector<RuleViolation> violations = CheckRules(ReadText(text));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].where.file, "node.comp");
  EXPECT_EQ(violations[0].where.line, 31u);
  EXPECT_EQ(violations[0].entry_point, "main");
}

TEST(Rules, CompilersPassAVariableWhereValidityWantsAType) {
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "valid.spvasm");
  text.insert(text.find("               OpEnqueue"), "%valid = OpIsNodePayloadValidAMDX %bool %array %uint_0\n");
  EXPECT_TRUE(CheckRules(ReadText(text)).empty());
}

// Any module that the reader accepts can be checked: each word of a module is replaced in turn.
TEST(Rules, HostileModulesAreCheckedToo) {
  for (const char* name :
       {"valid", "broken/shared_input_written", "broken/finish_untracked", "broken/mesh_recursion"}) {
    const Expected<std::vector<uint32_t>> words =
        Assemble(ReadFile(fs::path(TRELLIS_RULES_DIR) / (std::string(name) + ".spvasm")));
    ASSERT_TRUE(words);
    for (size_t at = 5; at < words->size(); ++at) {
      for (const uint32_t value : {0u, 1u, 7u, 20u, (*words)[at] + 1, (*words)[at] ^ 0x10u, 0xffffffffu}) {
        std::vector<uint32_t> changed = *words;
        changed[at] = value;
        Expected<Module> module = ReadModule(changed);
        if (!module) continue;
        for (const RuleViolation& violation : CheckRules(*module)) EXPECT_FALSE(Describe(violation).empty());
        EXPECT_FALSE(WriteModule(ForValidator(*std::move(module))).empty());
      }
    }
  }
}

// What spirv-val wrongly refuses is taken out of its view, and nothing else.
TEST(ValidatorView, ValidatorAcceptsTypeOperandAtomicsAndSpecialisedNames) {
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "valid.spvasm");
  const auto replace = [&](const std::string& what, const std::string& with) {
    text.replace(text.find(what), what.size(), with);
  };
  replace("OpConstantStringAMDX", "OpSpecConstantStringAMDX");
  replace("OpDecorate %floats", "OpDecorate %worker SpecId 3\nOpDecorate %floats");
  text.insert(text.find("               OpEnqueue"),
              "%valid = OpIsNodePayloadValidAMDX %bool %work %uint_0\n"
              "%old = OpAtomicIAdd %uint %member %uint_1 %uint_0 %uint_1\n"
              "OpAtomicStore %member %uint_1 %uint_0 %old\n");
  const Module module = ReadText(text);
  EXPECT_TRUE(CheckRules(module).empty());
  EXPECT_FALSE(Validate(WriteModule(module))) << "the validator has learned: ForValidator may go";
  const Expected<void> valid = Validate(WriteModule(ForValidator(module)));
  EXPECT_TRUE(valid) << valid.error().message;
}

TEST(ValidatorView, OtherErrorsStay) {
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "valid.spvasm");
  const std::string good = "OpStore %member %value";
  text.replace(text.find(good), good.size(), "OpStore %member %float_1");
  EXPECT_FALSE(Validate(WriteModule(ForValidator(ReadText(text)))));
}

TEST(ValidatorView, WhatAtomicsStoreIsLookedAt) {
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "valid.spvasm");
  text.insert(text.find("               OpEnqueue"), "%old = OpAtomicIAdd %uint %member %uint_1 %uint_0 %float_1\n");
  EXPECT_FALSE(Validate(WriteModule(ForValidator(ReadText(text)))));
}

std::string ValidWith(const std::string& before_enqueue, const std::string& annotations = "") {
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "valid.spvasm");
  text.insert(text.find("               OpEnqueue"), before_enqueue);
  text.insert(text.find("               OpDecorateId"), annotations);
  return text;
}

// One answer to what the input is: reflection (tests/spirv_lowering) takes the same.
TEST(Rules, WritingMayBeFinishedOnACopyOfTheInput) {
  const std::string tracked = "OpDecorate %Task TrackFinishWritingAMDX\n";
  const std::string finish =
      "%same = OpCopyObject %ptr_tasks %input\n%last = OpFinishWritingNodePayloadAMDX %bool %same\n";
  for (const RuleViolation& violation : CheckRules(ReadText(ValidWith(finish, tracked))))
    ADD_FAILURE() << Describe(violation);
}

TEST(Rules, ACopyOfTheInputCannotBeEnqueued) {
  const std::vector<RuleViolation> violations =
      CheckRules(ReadText(ValidWith("%same = OpCopyObject %ptr_tasks %input\nOpEnqueueNodePayloadsAMDX %same\n")));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "OpEnqueueNodePayloadsAMDX/Payload-Array");
}

TEST(Rules, NumWorkgroupsIsForbiddenInBlocksToo) {
  std::string text = ReadFile(fs::path(TRELLIS_RULES_DIR) / "broken/num_workgroups.spvasm");
  const auto replace = [&](const std::string& what, const std::string& with) {
    text.replace(text.find(what), what.size(), with);
  };
  replace("OpDecorate %groups BuiltIn NumWorkgroups", "OpMemberDecorate %block 0 BuiltIn NumWorkgroups");
  replace("%ptr_groups = OpTypePointer Input %v3uint",
          "%block = OpTypeStruct %v3uint\n%ptr_groups = OpTypePointer Input %block");
  const std::vector<RuleViolation> violations = CheckRules(ReadText(text));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "NumWorkgroups/forbidden");
}

// Whether an instruction executes is not known: a constant may be false, or become so when it is specialised.
TEST(Rules, WhatMayNeverExecuteIsAWarning) {
  for (const char* name : {"allocate_above_maximum", "index_above_array_size"}) {
    const std::vector<RuleViolation> violations = CheckRules(ReadNode(std::string("broken/") + name));
    ASSERT_EQ(violations.size(), 1u) << name;
    EXPECT_TRUE(violations[0].tolerated && violations[0].depends_on_execution) << Describe(violations[0]);
  }
}

}  // namespace
}  // namespace trellis::spirv
