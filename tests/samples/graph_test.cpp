// SPDX-License-Identifier: Apache-2.0
// The samples as graphs, on the device, against the CPU's reference.
#include <gtest/gtest.h>

#include "tests/samples/samples.h"
#include "tests/samples/tutorial.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

class GlslSample : public GpuTest, public testing::WithParamInterface<Sample> {};

TEST_P(GlslSample, GivesTheExpectedWords) {
  std::vector<uint32_t> expected = GetParam().expected;
  expected.resize(1024);
  EXPECT_EQ(LoweredResults(context(), GetParam()), expected);
}

std::string SampleName(const testing::TestParamInfo<Sample>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Samples, GlslSample, testing::ValuesIn(AllSamples()), SampleName);
INSTANTIATE_TEST_SUITE_P(NodesOnly, GlslSample, testing::ValuesIn(SamplesForNodesOnly()), SampleName);

using GlslTutorial = GpuTest;

// 172 primes below 1024; their sum is 80189.
TEST_F(GlslTutorial, CountsPrimes) {
  GraphRun run(context());
  const std::vector<uint32_t> module = CompileTutorial();
  ASSERT_FALSE(module.empty());
  for (const char* entry : {"sieve", "test", "collect"})
    run.Node({.text = "tutorial", .entry = entry, .words = module});
  run.Input({.node = "sieve", .count = 1, .payloads = Bytes({16, 0}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({172, 80189}));
}

using GlslLinks = GpuTest;

// A list in a buffer, which the payload points to.
TEST_F(GlslLinks, PayloadHoldsABufferReference) {
  if (CrashesOnPointerVariables(context()))
    GTEST_SKIP() << "the driver crashes on variables that hold buffer references";
  const Buffer list(context(), 4 * 16, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  ASSERT_NE(list.handle(), VK_NULL_HANDLE);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t next = list.address() + 16 * ((i + 1) % 4);
    list.words()[4 * i] = static_cast<uint32_t>(next);
    list.words()[4 * i + 1] = static_cast<uint32_t>(next >> 32);
    list.words()[4 * i + 2] = 10 + i;
  }
  const std::vector<uint32_t> walk = {static_cast<uint32_t>(list.address()),
                                      static_cast<uint32_t>(list.address() >> 32), 3, 0};
  GraphRun run(context());
  run.Node(ToGraphNode({"links/follow", "follow"}));
  run.Node(ToGraphNode({"links/end", "end"}));
  run.Input({.node = "follow", .count = 1, .payloads = Bytes(walk), .stride = 16});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({10 + 11, 12, 1}));
}

}  // namespace
}  // namespace trellis::test
