// SPDX-License-Identifier: Apache-2.0
// What the build made of the samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/uniformity.h"
#include "spirv_lowering/rules/validator_view.h"
#include "tools/trellis/files.h"
#include "tools/trellis/node_reports.h"

namespace trellis::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> CompiledSamples() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(TRELLIS_SAMPLE_SOURCES)) {
    const fs::path relative = fs::relative(entry.path(), TRELLIS_SAMPLE_SOURCES);
    if (relative.extension() == ".comp" || relative.extension() == ".mesh")
      names.push_back((relative.parent_path() / relative.stem()).string());
  }
  names.insert(names.end(), {"scalar/layouts/producer", "scalar/layouts/consumer"});
  std::sort(names.begin(), names.end());
  return names;
}

std::string CompiledPath(const std::string& name) {
  return std::string(TRELLIS_COMPILED_SAMPLES) + "/" + name + ".spv";
}

// The only node of a sample.
spirv::NodeInfo ReflectSample(const std::string& name) {
  const Expected<spirv::Module> module = tool::ReadNodes(CompiledPath(name));
  EXPECT_TRUE(module) << module.error().message;
  Expected<spirv::NodeInfo> info = tool::ReflectNode(*module, "main", {});
  EXPECT_TRUE(info) << info.error().message;
  return *std::move(info);
}

class CompiledSample : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Expected<std::vector<uint32_t>> words = tool::ReadWords(CompiledPath(GetParam()));
    ASSERT_TRUE(words) << words.error().message;
    words_ = *std::move(words);
    Expected<spirv::Module> module = spirv::ReadModule(words_);
    ASSERT_TRUE(module) << module.error().message;
    module_ = *std::move(module);
  }
  std::vector<uint32_t> words_;
  spirv::Module module_;
};

TEST_P(CompiledSample, BreaksNoRule) {
  for (const spirv::RuleViolation& violation : spirv::CheckRules(module_)) ADD_FAILURE() << Describe(violation);
}

TEST_P(CompiledSample, WorkgroupsStayTogether) {
  for (const spirv::RuleViolation& warning : spirv::CheckUniformity(module_)) ADD_FAILURE() << Describe(warning);
}

// Where spirv-val is wrong. All other samples pass it as they are.
const std::map<std::string, std::string> kValidatorIsWrong = {
    {"recursion/divide", "cannot be a type"},  // OpIsNodePayloadValidAMDX takes the type
    {"layouts/producer", "storage class"},     // atomics on payloads
    {"scalar/layouts/producer", "storage class"},
    {"finish/add", "storage class"}};

TEST_P(CompiledSample, PassesTheValidatorButWhereThatIsWrong) {
  const Expected<void> valid = spirv::Validate(words_);
  const auto wrong = kValidatorIsWrong.find(GetParam());
  if (wrong == kValidatorIsWrong.end()) {
    EXPECT_TRUE(valid) << valid.error().message;
  } else {
    ASSERT_FALSE(valid) << "the validator has learned: the exception may go";
    const std::string message = valid.error().message;
    const auto lower_case = [](std::string text) {
      std::transform(text.begin(), text.end(), text.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return text;
    };
    EXPECT_NE(lower_case(message).find(wrong->second), std::string::npos) << message;
  }
  const Expected<void> view = spirv::Validate(WriteModule(spirv::ForValidator(module_)));
  EXPECT_TRUE(view) << view.error().message;
}

TEST_P(CompiledSample, NothingOfTheStandInsIsLeft) {
  Expected<std::string> text = spirv::Disassemble(words_);
  ASSERT_TRUE(text);
  // Stand-ins have the number of their line; 0 is an output of a mesh node.
  constexpr std::string_view kOwnLocation = " Location 0\n";
  for (size_t at = 0; (at = text->find(kOwnLocation)) != std::string::npos;) text->erase(at, kOwnLocation.size());
  for (const char* part :
       {"UserSemantic", "UserTypeGOOGLE", "Location", "node_output_", "node_limit_", "node_input_"}) {
    EXPECT_EQ(text->find(part), std::string::npos) << part;
  }
}

TEST_P(CompiledSample, BecomesAPlainShader) {
  const Expected<spirv::NodeInfo> info = tool::ReflectNode(module_, "main", {});
  ASSERT_TRUE(info) << info.error().message;
  spirv::LowerOptions options;
  options.launch_offset = (info->push_constant_end + 7) / 8 * 8;
  const Expected<spirv::LoweredNode> lowered = Lower(module_, *info, options);
  ASSERT_TRUE(lowered) << lowered.error().message;
  const Expected<void> valid = spirv::Validate(lowered->words);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(spirv::Disassemble(lowered->words)->find("AMDX"), std::string::npos);
}

TEST(CompiledMeshSample, TakesItsGridFromWhatTheProducerSends) {
  const spirv::NodeInfo draw = ReflectSample("mesh/draw");
  EXPECT_EQ(draw.execution_model, spirv::ExecutionModel::kMeshEXT);
  EXPECT_EQ(draw.grid, (std::array<uint32_t, 3>{64, 64, 1}));
  EXPECT_EQ(draw.grid_member, (spirv::GridMember{0, 4, 2}));
  EXPECT_FALSE(draw.is_api_entry || draw.writes_input);
  const spirv::NodeInfo emit = ReflectSample("mesh/emit");
  EXPECT_EQ(emit.execution_model, spirv::ExecutionModel::kGLCompute);
  ASSERT_EQ(emit.outputs.size(), 1u);
  EXPECT_EQ(emit.outputs[0].target_name, "draw");
  EXPECT_EQ(emit.outputs[0].payload, draw.input);
}

std::string SampleName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Samples, CompiledSample, testing::ValuesIn(CompiledSamples()), SampleName);

}  // namespace
}  // namespace trellis::test
