// SPDX-License-Identifier: Apache-2.0
// Variables that control the tests: a slip must not make a run test less than it was told to.
#include "tests/support/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace trellis::test {
namespace {

Expected<TestVariables> Parse(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  return ParseTestVariables(entries.data());
}

void ExpectRefused(const char* entry, const std::string& allowed) {
  const Expected<TestVariables> variables = Parse({"HOME=/", entry});
  ASSERT_FALSE(variables) << entry;
  EXPECT_EQ(variables.error().message, std::string(entry) + ": the value has to be " + allowed);
}

TEST(TestVariables, NothingIsSet) {
  const Expected<TestVariables> variables = Parse({"HOME=/", "TRELLIS_ENABLE=1", "XTRELLIS_TEST_DISPATCH=x"});
  ASSERT_TRUE(variables);
  EXPECT_FALSE(variables->hardware || variables->no_validation || variables->one_queue);
  EXPECT_EQ(variables->dispatch, DispatchCommand::kHost);
  EXPECT_EQ(variables->dump, "");
  EXPECT_FALSE(variables->random_graphs || variables->random_seed || variables->random_stepped);
  EXPECT_FALSE(variables->all_parts || variables->soak_seconds);
  EXPECT_EQ(variables->random_parts, 1u);
  EXPECT_EQ(variables->parts, 1u);
  EXPECT_EQ(variables->part, 0u);
  EXPECT_EQ(variables->smaller_parts, 1u);
}

TEST(TestVariables, EveryVariable) {
  const Expected<TestVariables> variables =
      Parse({"TRELLIS_TEST_DEVICE=hardware", "TRELLIS_TEST_DISPATCH=indirect_count", "TRELLIS_TEST_DUMP=/tmp/a=b",
             "TRELLIS_TEST_NO_VALIDATION=1", "TRELLIS_TEST_ONE_QUEUE=1", "TRELLIS_TEST_PART=9", "TRELLIS_TEST_PARTS=4",
             "TRELLIS_TEST_RANDOM_GRAPHS=17", "TRELLIS_TEST_RANDOM_PARTS=5", "TRELLIS_TEST_RANDOM_SEED=4294967295",
             "TRELLIS_TEST_RANDOM_STEPPED=0", "TRELLIS_TEST_SOAK_SECONDS=240", "TRELLIS_TEST_SUBGROUP_SIZE=4",
             "TRELLIS_TEST_DEVICE_PROFILE=mali.json", "TRELLIS_TEST_SMALLER_PARTS=3"});
  ASSERT_TRUE(variables) << variables.error().message;
  EXPECT_TRUE(variables->hardware && variables->no_validation && variables->one_queue);
  EXPECT_EQ(variables->dispatch, DispatchCommand::kIndirectCount);
  EXPECT_EQ(variables->dump, "/tmp/a=b");
  EXPECT_EQ(variables->random_graphs, 17u);
  EXPECT_EQ(variables->random_seed, 4294967295u);
  EXPECT_EQ(variables->random_stepped, 0u);
  EXPECT_EQ(variables->random_parts, 5u);
  EXPECT_EQ(variables->parts, 4u);
  EXPECT_EQ(variables->part, 9u);
  EXPECT_EQ(variables->smaller_parts, 3u);
  EXPECT_FALSE(variables->all_parts);
  EXPECT_EQ(variables->soak_seconds, 240u);
  EXPECT_EQ(variables->subgroup_size, 4u);
  EXPECT_EQ(variables->device_profile, "mali.json");
  EXPECT_TRUE(Parse({"TRELLIS_TEST_PART=all"})->all_parts);
}

TEST(TestVariables, FlagsAndCommandsThatNameTheDefault) {
  const Expected<TestVariables> variables =
      Parse({"TRELLIS_TEST_NO_VALIDATION=0", "TRELLIS_TEST_ONE_QUEUE=0", "TRELLIS_TEST_DISPATCH=host"});
  ASSERT_TRUE(variables) << variables.error().message;
  EXPECT_FALSE(variables->no_validation || variables->one_queue);
  EXPECT_EQ(variables->dispatch, DispatchCommand::kHost);
  EXPECT_EQ(Parse({"TRELLIS_TEST_DISPATCH=indirect"})->dispatch, DispatchCommand::kIndirect);
}

TEST(TestVariables, MisspeltValuesAreRefused) {
  for (const char* entry : {"TRELLIS_TEST_DISPATCH=indrect", "TRELLIS_TEST_DISPATCH=", "TRELLIS_TEST_DISPATCH=HOST"})
    ExpectRefused(entry, "host, indirect or indirect_count");
  for (const char* entry : {"TRELLIS_TEST_DEVICE=hardwre", "TRELLIS_TEST_DEVICE="}) ExpectRefused(entry, "hardware");
  for (const char* entry : {"TRELLIS_TEST_NO_VALIDATION=yes", "TRELLIS_TEST_ONE_QUEUE=", "TRELLIS_TEST_ONE_QUEUE=2"})
    ExpectRefused(entry, "0 or 1");
  for (const char* entry :
       {"TRELLIS_TEST_RANDOM_GRAPHS=2k", "TRELLIS_TEST_RANDOM_SEED=4294967296", "TRELLIS_TEST_RANDOM_SEED=-1",
        "TRELLIS_TEST_RANDOM_STEPPED=", "TRELLIS_TEST_SOAK_SECONDS=1h", "TRELLIS_TEST_SUBGROUP_SIZE=all"})
    ExpectRefused(entry, "a decimal number below 2^32");
  for (const char* entry : {"TRELLIS_TEST_PART=al", "TRELLIS_TEST_PART=", "TRELLIS_TEST_PART=-1"})
    ExpectRefused(entry, "all or a decimal number below 2^32");
  ExpectRefused("TRELLIS_TEST_DEVICE_PROFILE=", "a file");
  for (const char* entry :
       {"TRELLIS_TEST_PARTS=0", "TRELLIS_TEST_PARTS=x", "TRELLIS_TEST_RANDOM_PARTS=0", "TRELLIS_TEST_SMALLER_PARTS=0"})
    ExpectRefused(entry, "a decimal number from 1 to 2^32 - 1");
}

TEST(TestVariables, MisspeltNamesAreRefused) {
  const Expected<TestVariables> variables = Parse({"TRELLIS_TEST_DISPACH=indirect"});
  ASSERT_FALSE(variables);
  EXPECT_EQ(variables.error().message.rfind("TRELLIS_TEST_DISPACH=indirect: no test reads this variable", 0), 0u);
  EXPECT_NE(variables.error().message.find("TRELLIS_TEST_DISPATCH"), std::string::npos) << variables.error().message;
}

class SetVariable {
 public:
  SetVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~SetVariable() { unsetenv(name_); }
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;

 private:
  const char* name_;
};

TEST(TestVariablesDeathTest, WrongValuesEndTheProgram) {
  const SetVariable dispatch("TRELLIS_TEST_DISPATCH", "indrect");
  EXPECT_EXIT((void)ReadTestVariables(), testing::ExitedWithCode(1), "TRELLIS_TEST_DISPATCH=indrect");
  const SetVariable number("TRELLIS_FUZZ_ROUNDS", "many");
  EXPECT_EXIT((void)NumberFromEnvironment("TRELLIS_FUZZ_ROUNDS", 1), testing::ExitedWithCode(1),
              "TRELLIS_FUZZ_ROUNDS=many");
}

TEST(NumberFromEnvironment, ReadsNumbers) {
  EXPECT_EQ(NumberFromEnvironment("TRELLIS_FUZZ_ROUNDS", 50), 50u);
  const SetVariable number("TRELLIS_FUZZ_ROUNDS", "007");
  EXPECT_EQ(NumberFromEnvironment("TRELLIS_FUZZ_ROUNDS", 50), 7u);
}

}  // namespace
}  // namespace trellis::test
