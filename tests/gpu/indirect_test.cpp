// SPDX-License-Identifier: Apache-2.0
// vkCmdDispatchGraphIndirectAMDX and vkCmdDispatchGraphIndirectCountAMDX: infos and payloads that the device reads when
// it executes. (The whole suite also runs through them, with TRELLIS_TEST_DISPATCH.)
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr const char* kInput = "TRELLIS-graph-dispatch-input";

// Infos and payloads in buffers that the test fills, at addresses that are multiples of 4 only.
struct InfoMemory {
  InfoMemory(const Context& context, uint32_t infos, size_t payload_words)
      : info_buffer(context, 4 + infos * sizeof(VkDispatchGraphInfoAMDX), kUsage),
        payload_buffer(context, 4 + payload_words * 4, kUsage),
        count_buffer(context, 4 + sizeof(VkDispatchGraphCountInfoAMDX), kUsage) {}

  [[nodiscard]] VkDeviceAddress Infos() const { return info_buffer.address() + 4; }
  [[nodiscard]] VkDeviceAddress Payloads() const { return payload_buffer.address() + 4; }
  [[nodiscard]] VkDeviceAddress Count() const { return count_buffer.address() + 4; }
  [[nodiscard]] uint32_t* PayloadWords() { return payload_buffer.words().data() + 1; }

  void SetInfo(uint32_t i, uint32_t node, uint32_t count, VkDeviceAddress payloads, uint64_t stride) {
    VkDispatchGraphInfoAMDX info = {};
    info.nodeIndex = node;
    info.payloadCount = count;
    info.payloads.deviceAddress = payloads;
    info.payloadStride = stride;
    std::memcpy(info_buffer.words().data() + 1 + i * sizeof(info) / 4, &info, sizeof(info));
  }
  [[nodiscard]] VkDispatchGraphCountInfoAMDX CountInfo(uint32_t count) const {
    VkDispatchGraphCountInfoAMDX counts = {};
    counts.count = count;
    counts.infos.deviceAddress = Infos();
    counts.stride = sizeof(VkDispatchGraphInfoAMDX);
    return counts;
  }
  void SetCount(uint32_t count) {
    const VkDispatchGraphCountInfoAMDX counts = CountInfo(count);
    std::memcpy(count_buffer.words().data() + 1, &counts, sizeof(counts));
  }
  [[nodiscard]] bool GuardsIntact() const {
    return info_buffer.GuardsIntact() && payload_buffer.GuardsIntact() && count_buffer.GuardsIntact();
  }

  static constexpr VkBufferUsageFlags kUsage =
      VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  GuardedBuffer info_buffer, payload_buffer, count_buffer;
};

// "Coalesce" takes {index, value}: words[index] += value; up to 64 a workgroup.
std::string LeafModule() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  AddCoalescingLeaf(m, "Coalesce", words, LeafRecord(m), 64);
  return m.Text();
}

constexpr DispatchCommand kCommands[] = {DispatchCommand::kIndirect, DispatchCommand::kIndirectCount};

class IndirectDispatch : public GpuTest {
 protected:
  // Records the graph with one indirect dispatch from `inputs`, after whatever `before` records.
  void Record(GraphRun& run, Commands& commands, const InfoMemory& inputs, std::optional<uint32_t> count,
              const std::function<void(VkCommandBuffer)>& before = {}) {
    const VkCommandBuffer command_buffer = commands.Begin();
    if (before) before(command_buffer);
    BindAndInitialize(run, command_buffer);
    const auto& graph = context().graph;
    if (count) {
      VkDispatchGraphCountInfoAMDX counts = inputs.CountInfo(*count);
      graph.CmdDispatchGraphIndirect(command_buffer, run.scratch().address(), run.scratch().size(), &counts);
      std::memset(&counts, 0xDD, sizeof(counts));
    } else {
      graph.CmdDispatchGraphIndirectCount(command_buffer, run.scratch().address(), run.scratch().size(),
                                          inputs.Count());
    }
    ASSERT_EQ(commands.End(), VK_SUCCESS);
  }

  void BindAndInitialize(GraphRun& run, VkCommandBuffer command_buffer) {
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.graph().handle());
    vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.layout().handle(), 0, 1,
                            run.descriptor_sets().sets().data(), 0, nullptr);
    context().graph.CmdInitializeGraphScratchMemory(command_buffer, run.graph().handle(), run.scratch().address(),
                                                    run.scratch().size());
    ComputeBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT);
  }

  // The only barrier that the commands may rely on.
  static void ComputeBarrier(VkCommandBuffer command_buffer, VkPipelineStageFlags from, VkAccessFlags access) {
    auto memory = MakeStruct<VkMemoryBarrier>();
    memory.srcAccessMask = access;
    memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    vkCmdPipelineBarrier(command_buffer, from, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory, 0, nullptr, 0,
                         nullptr);
  }
};

// Everything that the dispatch reads is written earlier in the same command buffer.
TEST_F(IndirectDispatch, ReadsWhatTheDeviceWroteBefore) {
  for (const bool count_on_device : {false, true}) {
    GraphRun run(context());
    run.Nodes(LeafModule(), {"Coalesce"});
    ASSERT_TRUE(run.Prepare());
    InfoMemory stale(context(), 2, 8), fresh(context(), 2, 8);
    fresh.SetInfo(0, run.graph().NodeIndex("Coalesce"), 2, stale.Payloads(), 8);
    fresh.SetInfo(1, run.graph().NodeIndex("Coalesce"), 2, stale.Payloads() + 8, 8);
    const std::vector<uint32_t> payloads = {3, 10, 4, 20, 5, 30, 0, 0};
    std::copy(payloads.begin(), payloads.end(), fresh.PayloadWords());
    fresh.SetCount(2);
    VkDispatchGraphCountInfoAMDX counts = stale.CountInfo(2);
    std::memcpy(fresh.count_buffer.words().data() + 1, &counts, sizeof(counts));
    Commands commands(context());
    Record(run, commands, stale, count_on_device ? std::nullopt : std::optional<uint32_t>(2),
           [&](VkCommandBuffer command_buffer) {
             const auto copy = [&](const GuardedBuffer& from, const GuardedBuffer& to) {
               const VkBufferCopy region = {from.offset(), to.offset(), from.size()};
               vkCmdCopyBuffer(command_buffer, from.handle(), to.handle(), 1, &region);
             };
             copy(fresh.info_buffer, stale.info_buffer);
             copy(fresh.payload_buffer, stale.payload_buffer);
             copy(fresh.count_buffer, stale.count_buffer);
             ComputeBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
           });
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(run.Matches({0, 0, 0, 10, 40, 30}));
    EXPECT_TRUE(run.GuardsIntact());
    EXPECT_TRUE(stale.GuardsIntact());
  }
}

// The recording is constant; what it finds is not.
TEST_F(IndirectDispatch, EverySubmissionReadsAnew) {
  GraphRun run(context());
  run.Nodes(LeafModule(), {"Coalesce"});
  ASSERT_TRUE(run.Prepare());
  InfoMemory inputs(context(), 3, 200);
  std::vector<uint32_t> expected(100);
  Commands commands(context());
  Record(run, commands, inputs, std::nullopt);
  for (uint32_t submission = 0; submission < 4; ++submission) {
    const uint32_t records = submission * 30;
    for (uint32_t i = 0; i < records; ++i) {
      inputs.PayloadWords()[2 * i] = (i * 7) % 100;
      inputs.PayloadWords()[2 * i + 1] = i + submission;
      expected[(i * 7) % 100] += i + submission;
    }
    inputs.SetInfo(0, run.graph().NodeIndex("Coalesce"), records / 3, inputs.Payloads(), 8);
    inputs.SetInfo(1, run.graph().NodeIndex("Coalesce"), records - records / 3, inputs.Payloads() + records / 3 * 8, 8);
    inputs.SetCount(submission == 0 ? 0 : 2);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    ASSERT_TRUE(run.Matches(expected)) << "submission " << submission;
  }
}

// A root that launches a chain through all kinds of node, with shared code for the rest of the graph.
TEST_F(IndirectDispatch, TheRestOfTheGraphFollows) {
  for (const DispatchCommand command : kCommands) {
    GraphRun run(context(), {.dispatches = 2, .submits = 2, .command = command});
    run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    run.Input({.node = "Source", .count = 2});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ChainResult(8)));
  }
}

// Multiples of 4 and others, of infos and of payloads; 0 is the same payload again. One info has none.
TEST_F(IndirectDispatch, StridesOfEverySize) {
  for (const DispatchCommand command : kCommands) {
    for (const uint64_t info_stride : {24, 29, 100}) {
      for (const uint64_t stride : {0, 9, 20}) {
        GraphRun run(context(), {.info_stride = info_stride, .command = command});
        run.Nodes(LeafModule(), {"Coalesce"});
        std::vector<uint32_t> expected(32);
        for (const uint32_t count : {3u, 0u, 4u}) {
          std::vector<uint8_t> payloads(4 * stride + 8, 0xDD);
          for (uint32_t i = 0; i < count; ++i) {
            const uint32_t record[] = {stride == 0 ? count : 4 * i + count, 1 + i};
            std::memcpy(payloads.data() + i * stride, record, sizeof(record));
          }
          for (uint32_t i = 0; i < count; ++i) {
            uint32_t record[2];
            std::memcpy(record, payloads.data() + i * stride, sizeof(record));
            expected[record[0]] += record[1];
          }
          run.Input({.node = "Coalesce", .count = count, .payloads = payloads, .stride = stride});
        }
        ASSERT_TRUE(run.Execute());
        EXPECT_TRUE(run.Matches(expected)) << info_stride << " and " << stride << " bytes";
      }
    }
  }
}

// None at all; and the same info again and again.
TEST_F(IndirectDispatch, NumbersOfInfosAndStrideZero) {
  for (const DispatchCommand command : kCommands) {
    for (const uint32_t infos : {0u, 1u, 5u}) {
      GraphRun run(context(), {.info_stride = 0, .info_count = infos, .command = command});
      run.Nodes(LeafModule(), {"Coalesce"});
      run.Input({.node = "Coalesce", .count = 2, .payloads = Bytes({3, 10, 4, 20}), .stride = 8});
      ASSERT_TRUE(run.Execute());
      EXPECT_TRUE(run.Matches({0, 0, 0, 10 * infos, 20 * infos})) << infos << " infos";
    }
  }
}

TEST_F(IndirectDispatch, InfosWithoutANodeAreIgnoredAndReported) {
  GraphRun run(context());
  run.Nodes(LeafModule(), {"Coalesce"});
  ASSERT_TRUE(run.Prepare());
  InfoMemory inputs(context(), 4, 2);
  inputs.PayloadWords()[0] = 7;
  inputs.PayloadWords()[1] = 1;
  const uint32_t node = run.graph().NodeIndex("Coalesce");
  inputs.SetInfo(0, node, 1, inputs.Payloads(), 8);
  inputs.SetInfo(1, 99, 1, 0, 8);
  inputs.SetInfo(2, 0xffffffff, 5, 0, 8);
  inputs.SetInfo(3, node, 1, inputs.Payloads(), 8);
  context().messages.Expect(kInput);
  Commands commands(context());
  Record(run, commands, inputs, 4);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches({0, 0, 0, 0, 0, 0, 0, 2}));
  vkDeviceWaitIdle(context().device);
  const auto messages = context().messages.Find(kInput);
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages[0].text.find("2 infos"), std::string::npos) << messages[0].text;
}

TEST_F(IndirectDispatch, AMillionInfos) {
  constexpr uint32_t kInfos = 1 << 20;
  GraphRun run(context());
  run.Nodes(LeafModule(), {"Coalesce"});
  ASSERT_TRUE(run.Prepare());
  InfoMemory inputs(context(), kInfos, 2 * 1000);
  std::vector<uint32_t> expected(1000);
  for (uint32_t i = 0; i < 1000; ++i) {
    inputs.PayloadWords()[2 * i] = i;
    inputs.PayloadWords()[2 * i + 1] = i + 1;
  }
  const uint32_t node = run.graph().NodeIndex("Coalesce");
  for (uint32_t i = 0; i < kInfos; ++i) {
    const uint32_t first = (i * 31) % 999;
    const uint32_t count = 1 + i % 2;
    inputs.SetInfo(i, node, count, inputs.Payloads() + 8 * first, 8);
    for (uint32_t j = first; j < first + count; ++j) expected[j] += j + 1;
  }
  Commands commands(context());
  Record(run, commands, inputs, kInfos);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(IndirectDispatch, MillionsOfPayloadsInOneInfo) {
  constexpr uint32_t kRecords = 3'000'000;
  GraphRun run(context());
  run.Nodes(LeafModule(), {"Coalesce"});
  ASSERT_TRUE(run.Prepare());
  InfoMemory inputs(context(), 1, 2 * kRecords);
  std::vector<uint32_t> expected(1000);
  for (uint32_t i = 0; i < kRecords; ++i) {
    inputs.PayloadWords()[2 * i] = i % 1000;
    inputs.PayloadWords()[2 * i + 1] = i;
    expected[i % 1000] += i;
  }
  inputs.SetInfo(0, run.graph().NodeIndex("Coalesce"), kRecords, inputs.Payloads(), 8);
  Commands commands(context());
  Record(run, commands, inputs, 1);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches(expected));
}

// Any of very many nodes may be what the device finds; regions are placed when it is known which.
TEST_F(IndirectDispatch, OneOfManyEntries) {
  constexpr uint32_t kNodes = 60;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  GraphRun run(context());
  AddCoalescingLeaf(m, "Leaf", words, record, 64);
  const std::string text = m.Text();
  for (uint32_t i = 0; i < kNodes; ++i) run.Node({.text = text, .entry = "Leaf", .name = "Leaf", .index = i});
  ASSERT_TRUE(run.Prepare());
  constexpr uint32_t kRecords = 100'000;
  InfoMemory inputs(context(), 1, 2 * kRecords);
  std::vector<uint32_t> expected(1000);
  for (uint32_t i = 0; i < kRecords; ++i) {
    inputs.PayloadWords()[2 * i] = i % 1000;
    inputs.PayloadWords()[2 * i + 1] = 1;
    expected[i % 1000] += 1;
  }
  inputs.SetInfo(0, run.graph().NodeIndex("Leaf", 41), kRecords, inputs.Payloads(), 8);
  Commands commands(context());
  Record(run, commands, inputs, 1);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches(expected));
}

// Every node that the application may launch costs something in each dispatch; how much is printed, not judged.
TEST_F(IndirectDispatch, OneOfAThousandAndTwentyThreeEntries) {
  constexpr uint32_t kNodes = 1023;
  constexpr uint32_t kUsed = 700;
  constexpr uint32_t kSubmissions = 5;
  GraphRun run(context());
  const std::string text = LeafModule();
  for (uint32_t i = 0; i < kNodes; ++i) run.Node({.text = text, .entry = "Coalesce", .name = "Coalesce", .index = i});
  ASSERT_TRUE(run.Prepare());
  InfoMemory inputs(context(), 1, 2);
  inputs.PayloadWords()[0] = 3;
  inputs.PayloadWords()[1] = 7;
  inputs.SetInfo(0, run.graph().NodeIndex("Coalesce", kUsed), 1, inputs.Payloads(), 8);
  Commands commands(context());
  Record(run, commands, inputs, 1);
  using Clock = std::chrono::steady_clock;
  auto fastest = Clock::duration::max();
  for (uint32_t i = 0; i < kSubmissions; ++i) {
    const auto start = Clock::now();
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    fastest = std::min(fastest, Clock::now() - start);
  }
  EXPECT_TRUE(run.Matches({0, 0, 0, kSubmissions * 7}));
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(fastest).count();
  std::printf("one of %u entries, submission to completion: %lld us\n", kNodes, static_cast<long long>(microseconds));
  RecordProperty("microseconds", std::to_string(microseconds));
}

// Rings of at most 1 MiB: what does not fit is cut off, counted and reported.
TEST(IndirectOverflow, TheRemainderIsCountedAndReported) {
  std::string error;
  const std::unique_ptr<Context> small = Context::Create(error, {.settings = {{"TRELLIS_RING_BUDGET", "1"}}});
  ASSERT_NE(small, nullptr) << error;
  small->messages.Expect("TRELLIS-records-lost");
  {
    constexpr uint32_t kRecords = 200'000;  // 1.6 MB
    GraphRun run(*small, {.command = DispatchCommand::kIndirect});
    run.Nodes(LeafModule(), {"Coalesce"});
    std::vector<uint32_t> payloads;
    for (uint32_t i = 0; i < kRecords; ++i) payloads.insert(payloads.end(), {0, 1});
    run.Input({.node = "Coalesce", .count = kRecords, .payloads = Bytes(payloads), .stride = 8});
    ASSERT_TRUE(run.Execute());
    vkDeviceWaitIdle(small->device);
    const uint32_t arrived = run.Words()[0];
    EXPECT_GT(arrived, 60'000u);
    EXPECT_LT(arrived, kRecords);
    const auto messages = small->messages.Find("TRELLIS-records-lost");
    ASSERT_FALSE(messages.empty());
    EXPECT_NE(messages[0].text.find(std::to_string(kRecords - arrived) + " records"), std::string::npos)
        << messages[0].text;
  }
  small->DestroyDevice();
  ReportUnexpectedMessages(*small);
}

}  // namespace
}  // namespace trellis::test
