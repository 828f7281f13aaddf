// Runs every module of the corpus (tests/corpus/*.spvasm) as a graph, against the words of its row.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "spirv_lowering/post/post.h"
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

std::vector<CorpusRow> Rows(bool missing) {
  std::vector<CorpusRow> rows = AllRows();
  rows.erase(
      std::remove_if(rows.begin(), rows.end(), [&](const CorpusRow& row) { return row.missing.empty() == missing; }),
      rows.end());
  return rows;
}

std::string RowName(const testing::TestParamInfo<CorpusRow>& info) { return info.param.module; }

class Corpus : public GpuTest, public testing::WithParamInterface<CorpusRow> {};

TEST_P(Corpus, GivesTheExpectedWords) {
  const ShaderFeatures& features = context().features;
  const bool all_types = features.int16 && features.int64 && features.float16 && features.float64;
  if (GetParam().narrow_and_wide_types && !all_types) GTEST_SKIP() << "no 16- or 64-bit types";
  if (GetParam().int16 && !features.int16) GTEST_SKIP() << "no shaderInt16";
  std::string error;
  const std::vector<uint32_t> words = ReadModule(GetParam(), error);
  ASSERT_EQ(error, "");
  GraphRun run(context());
  for (const CorpusNode& node : GetParam().nodes) {
    run.Node({.text = GetParam().module,
              .entry = node.entry,
              .name = node.name,
              .index = node.index,
              .specialization = node.specialization,
              .words = words});
  }
  for (const GraphInput& input : GetParam().inputs) run.Input(input);
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = GetParam().expected;
  for (uint32_t i = 0; i < GetParam().racing_words; ++i) {
    uint32_t& word = expected[GetParam().first_racing_word + i];
    EXPECT_LE(run.Words()[GetParam().first_racing_word + i], word);
    word = run.Words()[GetParam().first_racing_word + i];
  }
  EXPECT_TRUE(run.Matches(expected));
}

INSTANTIATE_TEST_SUITE_P(Dxc, Corpus, testing::ValuesIn(Rows(false)), RowName);
INSTANTIATE_TEST_SUITE_P(DISABLED_Later, Corpus, testing::ValuesIn(Rows(true)), RowName);

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
