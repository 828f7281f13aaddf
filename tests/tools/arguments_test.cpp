// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/arguments.h"

#include <gtest/gtest.h>

#include "spirv_lowering/support/nearest_word.h"
#include "tools/trellis/node_reports.h"

namespace trellis::tool {
namespace {

const std::vector<OptionShape> kShapes = {{"-o", true}, {"-D", true, true, true}, {"--entry", true}, {"-g"}};

Arguments ParseOrFail(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, kShapes);
  if (arguments) return *std::move(arguments);
  ADD_FAILURE() << arguments.error().message;
  return {};
}
std::string Refusal(const std::vector<std::string>& words) {
  const Expected<Arguments> arguments = Arguments::Parse(words, kShapes);
  return arguments ? std::string() : arguments.error().message;
}

TEST(NearestWord, IsNearEnough) {
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("comiple", "compile"), 1u) << "neighbours swapped";
  const std::vector<std::string_view> words = {"compile", "validate", "reflect", "lower"};
  EXPECT_EQ(NearestWord("complie", words), "compile");
  EXPECT_EQ(NearestWord("lwer", words), "lower");
  EXPECT_EQ(NearestWord("val", words), "validate") << "an abbreviation";
  EXPECT_EQ(NearestWord("va", words), "");
  EXPECT_EQ(NearestWord("refute", words), "");
  EXPECT_EQ(NearestWord("", words), "");
}

TEST(Arguments, OptionsStandAnywhere) {
  const Arguments arguments = ParseOrFail({"a.comp", "-g", "-o", "out", "b.comp"});
  EXPECT_EQ(arguments.inputs(), (std::vector<std::string>{"a.comp", "b.comp"}));
  EXPECT_TRUE(arguments.Has("-g"));
  EXPECT_EQ(arguments.Value("-o"), "out");
  EXPECT_FALSE(arguments.Has("--entry"));
  EXPECT_EQ(arguments.Value("--entry", "main"), "main");
}
TEST(Arguments, JoinedSeparateAndEqualsForms) {
  const Arguments arguments = ParseOrFail({"-DA=1", "-D", "B", "--entry=x=y"});
  EXPECT_EQ(arguments.Values("-D"), (std::vector<std::string>{"A=1", "B"}));
  EXPECT_EQ(arguments.Value("--entry"), "x=y");
}
TEST(Arguments, TwoDashesEndOptions) { EXPECT_EQ(ParseOrFail({"--", "-g"}).inputs(), std::vector<std::string>{"-g"}); }
TEST(Arguments, OneDashIsAnInput) { EXPECT_EQ(ParseOrFail({"-"}).inputs(), std::vector<std::string>{"-"}); }
TEST(Arguments, Refusals) {
  EXPECT_EQ(Refusal({"--nothing"}), "unknown option '--nothing'");
  EXPECT_EQ(Refusal({"-o"}), "option '-o' needs a value");
  EXPECT_EQ(Refusal({"-o", "a", "-o", "b"}), "option '-o' is given twice");
  EXPECT_EQ(Refusal({"--entry=a", "--entry=b"}), "option '--entry' is given twice");
}

TEST(Specialization, NumbersBoolsAndStrings) {
  const Expected<spirv::Specialization> specialization =
      ParseSpecialization({"3=258", "4=true", "5=worker", "6=-1", "7="});
  ASSERT_TRUE(specialization) << specialization.error().message;
  EXPECT_EQ(specialization->at(3), (std::vector<uint8_t>{2, 1, 0, 0}));
  EXPECT_EQ(specialization->at(4), (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(specialization->at(5), (std::vector<uint8_t>{'w', 'o', 'r', 'k', 'e', 'r'}));
  EXPECT_EQ(specialization->at(6), (std::vector<uint8_t>{255, 255, 255, 255}));
  EXPECT_TRUE(specialization->at(7).empty());
}
TEST(Specialization, Refusals) {
  for (const char* wrong : {"3", "x=1", "=1", "3x=1", "3=4294967296", "-1=2"})
    EXPECT_FALSE(ParseSpecialization({wrong})) << wrong;
}

}  // namespace
}  // namespace trellis::tool
