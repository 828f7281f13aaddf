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

class CompiledSample : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Expected<std::vector<uint32_t>> words =
        tool::ReadWords(std::string(TRELLIS_COMPILED_SAMPLES) + "/" + GetParam() + ".spv");
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
  const Expected<std::string> text = spirv::Disassemble(words_);
  ASSERT_TRUE(text);
  for (const char* part :
       {"UserSemantic", "UserTypeGOOGLE", "Location", "node_output_", "node_limit_", "node_input_"}) {
    EXPECT_EQ(text->find(part), std::string::npos) << part;
  }
}

std::string SampleName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Samples, CompiledSample, testing::ValuesIn(CompiledSamples()), SampleName);

}  // namespace
}  // namespace trellis::test
