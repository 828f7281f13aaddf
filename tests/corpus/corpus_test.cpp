// SPDX-License-Identifier: Apache-2.0
// Runs every module of the corpus (tests/corpus/*.spvasm) as a graph, against the words of its row.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/uniformity.h"
#include "tests/corpus/rows.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

namespace fs = std::filesystem;

std::vector<uint32_t> ReadModule(const CorpusRow& row, std::string& error) {
  std::ifstream file(std::string(TRELLIS_SOURCE_DIR) + "/" + row.folder + "/" + row.module + ".spvasm");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return AssembleModule(text, error, false);
}

enum class Outcome { kRuns, kRefused };

std::vector<CorpusRow> RowsThat(Outcome wanted) {
  std::vector<CorpusRow> rows;
  for (CorpusRow& row : AllRows()) {
    const Outcome outcome = row.refused_with.empty() ? Outcome::kRuns : Outcome::kRefused;
    if (outcome == wanted) rows.push_back(std::move(row));
  }
  return rows;
}

std::string RowName(const testing::TestParamInfo<CorpusRow>& info) { return info.param.module; }

std::vector<GraphNode> ToGraphNodes(const CorpusRow& row, const std::vector<uint32_t>& words) {
  std::vector<GraphNode> nodes;
  for (const CorpusNode& node : row.nodes) {
    nodes.push_back({.text = row.module,  // only tells modules apart
                     .entry = node.entry,
                     .name = node.name,
                     .index = node.index,
                     .specialization = node.specialization,
                     .words = words});
  }
  return nodes;
}

// Every module adds to its words: a second submission must add the same again, whatever nodes wrote into their inputs.
constexpr uint32_t kSubmits = 2;

class Corpus : public GpuTest, public testing::WithParamInterface<CorpusRow> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    std::string error;
    words_ = ReadModule(GetParam(), error);
    ASSERT_EQ(error, "");
  }
  std::vector<uint32_t> words_;
};

TEST_P(Corpus, GivesTheExpectedWords) {
  const CorpusRow& row = GetParam();
  const ShaderFeatures& features = context().features;
  const bool all_types = features.int16 && features.int64 && features.float16 && features.float64;
  if (row.narrow_and_wide_types && !all_types) GTEST_SKIP() << "no 16- or 64-bit types";
  if (row.int16 && !features.int16) GTEST_SKIP() << "no shaderInt16";
  GraphRun run(context(), {.submits = kSubmits});
  for (const GraphNode& node : ToGraphNodes(row, words_)) run.Node(node);
  for (const GraphInput& input : row.inputs) run.Input(input);
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = row.expected;
  for (uint32_t& word : expected) word *= kSubmits;
  uint32_t raced = 0;
  for (uint32_t i = row.first_racing_word; i < row.first_racing_word + row.racing_words; ++i) {
    EXPECT_LE(run.Words()[i], expected[i]);
    expected[i] = run.Words()[i];
    raced += run.Words()[i];
  }
  if (row.racing_words != 0) {
    EXPECT_GE(raced, kSubmits) << "the node with the race did not run, or its words were not written";
  }
  EXPECT_TRUE(run.Matches(expected));
}

class CorpusRefused : public Corpus {};

TEST_P(CorpusRefused, ByName) {
  context().messages.Expect("TRELLIS-graph-creation");
  const Graph graph(context(), ToGraphNodes(GetParam(), words_));
  EXPECT_LT(graph.result(), 0);
  const std::vector<Message> messages = context().messages.Find("TRELLIS-graph-creation");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].text.find(GetParam().refused_with), std::string::npos) << messages[0].text;
}

INSTANTIATE_TEST_SUITE_P(Dxc, Corpus, testing::ValuesIn(RowsThat(Outcome::kRuns)), RowName);
INSTANTIATE_TEST_SUITE_P(Dxc, CorpusRefused, testing::ValuesIn(RowsThat(Outcome::kRefused)), RowName);

class CorpusModule : public testing::TestWithParam<CorpusRow> {};

TEST_P(CorpusModule, PassesTheValidatorButWhereThatIsKnownToRefuse) {
  std::string error;
  const std::vector<uint32_t> words = ReadModule(GetParam(), error);
  ASSERT_EQ(error, "");
  const Expected<void> valid = spirv::Validate(words);
  if (GetParam().validator_says.empty()) {
    EXPECT_TRUE(valid) << valid.error().message;
  } else {
    ASSERT_FALSE(valid) << "the validator has learned: validator_says may go";
    EXPECT_NE(valid.error().message.find(GetParam().validator_says), std::string::npos) << valid.error().message;
  }
}

TEST_P(CorpusModule, BreaksNoRuleForWhichPipelinesAreRefused) {
  std::string error;
  const Expected<spirv::Module> module = spirv::ReadModule(ReadModule(GetParam(), error));
  ASSERT_TRUE(module) << error << module.error().message;
  for (const spirv::RuleViolation& violation : spirv::CheckRules(*module))
    EXPECT_TRUE(violation.tolerated) << Describe(violation);
}

TEST_P(CorpusModule, WorkgroupsStayTogether) {
  std::string error;
  const Expected<spirv::Module> module = spirv::ReadModule(ReadModule(GetParam(), error));
  ASSERT_TRUE(module) << error << module.error().message;
  for (const spirv::RuleViolation& warning : spirv::CheckUniformity(*module)) ADD_FAILURE() << Describe(warning);
}

INSTANTIATE_TEST_SUITE_P(Dxc, CorpusModule, testing::ValuesIn(AllRows()), RowName);

TEST(CorpusTable, HasOneRowForEachModule) {
  const std::string folder = CorpusRow().folder;
  std::multiset<std::string> rows, files;
  for (const CorpusRow& row : AllRows()) {
    if (row.folder == folder) rows.insert(row.module);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(std::string(TRELLIS_SOURCE_DIR) + "/" + folder)) {
    if (entry.path().extension() == ".spvasm") files.insert(entry.path().stem().string());
  }
  EXPECT_EQ(rows, files);
}

}  // namespace
}  // namespace trellis::test
