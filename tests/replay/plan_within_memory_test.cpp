// SPDX-License-Identifier: Apache-2.0
// Rings that the driver has no memory for.
#include "layer/replay/placing/plan_within_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/memory/ring_pool.h"
#include "layer/replay/planning/relocatable_plan.h"
#include "layer/replay/replay.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/replay/test_pipeline.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A device with rings of at most 64 MiB, and a graph whose second level gets 16,000 bytes for each payload.
class PressureTest : public ::testing::Test {
 protected:
  explicit PressureTest(uint32_t queues = 1, uint32_t ring_budget = 0) : device_(Quiet(ring_budget), queues) {
    device_.device().diagnostics.AddMessenger(HandleFromU64<VkDebugUtilsMessengerEXT>(16), MessengerInfo(collect_));
    Use({NodeBuilder("a").To("b", 1000), NodeBuilder("b")});
    // Makes all that dispatches share, and no ring of note.
    Record(1);
    messages_.clear();
  }

  void Use(std::initializer_list<NodeBuilder> nodes) {
    pipeline_ = MakePipeline(device_, nodes);
    scratch_ = device_.MakeScratch(ScratchBytes(*pipeline_));
  }
  // Records a dispatch of so many payloads and returns the bytes of the ring that it needs.
  VkDeviceSize Record(uint32_t payloads) {
    device_.Begin();
    Dispatch(device_, pipeline_, scratch_, {{"a", payloads}});
    EXPECT_EQ(device_.command_buffer().recorded_error, VK_SUCCESS);
    return device_.command_buffer().ring_bytes;
  }
  VkResult Submit(uintptr_t queue = 1) {
    Queue submitted;
    submitted.device = &device_.device();
    submitted.handle = reinterpret_cast<VkQueue>(queue * 64);
    return PrepareGraphSubmission(submitted, device_.command_buffer().ring_bytes);
  }
  bool RunsInSteps() const {
    for (const Command& command : device_.stream())
      if (command.kind == Command::Kind::kBeginLabel && command.label.rfind("step ", 0) == 0) return true;
    return false;
  }
  RingPool& Pool() { return **RingPoolOf(device_.device(), 0); }
  // From now on there is memory for so many bytes more.
  void LeaveMemory(VkDeviceSize bytes) { device_.LimitMemory(device_.AllocatedBytes() + bytes); }
  void LeaveAllMemory() { device_.LimitMemory(UINT64_MAX); }

  static Settings Quiet(uint32_t ring_budget) {
    Settings settings;
    settings.ring_budget = ring_budget;
    settings.log_file = "/dev/null";
    return settings;
  }

  std::vector<std::string> messages_;
  const Hear collect_ = [this](const HeardMessage& message) { messages_.emplace_back(message.data.pMessage); };
  RecordingDevice device_;
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
  VkDeviceAddress scratch_ = 0;
};

class PressureOnQueuesTest : public PressureTest {
 protected:
  PressureOnQueuesTest() : PressureTest(/*queues=*/2) {}
};

TEST_F(PressureTest, ARingIsMadeWhenTheDispatchIsRecorded) {
  const VkDeviceSize ring = Record(1000);
  EXPECT_GE(ring, 16'000'000u);
  EXPECT_FALSE(RunsInSteps());
  const VkDeviceSize made = Pool().TotalBytes();
  EXPECT_GE(made, ring);
  EXPECT_EQ(Submit(), VK_SUCCESS);
  EXPECT_EQ(Pool().TotalBytes(), made);
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(PressureTest, WithoutMemoryTheRingIsSmallerAndTheGraphRunsInSteps) {
  LeaveMemory(9 * kMiB);
  const VkDeviceSize ring = Record(1000);
  EXPECT_LE(ring, 8 * kMiB);
  EXPECT_GE(ring, 4 * kMiB) << "half of what the driver has no memory for";
  EXPECT_TRUE(RunsInSteps());
  EXPECT_EQ(Pool().budget(), 8 * kMiB);
  EXPECT_THAT(messages_, ElementsAre(AllOf(HasSubstr("no memory for a ring of 160"), HasSubstr("8388608 bytes"),
                                           HasSubstr("ring_budget=8"))));
  EXPECT_EQ(Submit(), VK_SUCCESS);
}

// Trying anew for each recording would cost time, and change how graphs run from one to the next.
TEST_F(PressureTest, TheBudgetStaysLowAndOneMessageTellsOfIt) {
  LeaveMemory(9 * kMiB);
  const VkDeviceSize ring = Record(1000);
  LeaveAllMemory();
  const VkDeviceSize made = Pool().TotalBytes();
  EXPECT_EQ(Record(1000), ring);
  EXPECT_LE(Record(2000), 8 * kMiB) << "other counts, planned anew";
  EXPECT_TRUE(RunsInSteps());
  EXPECT_EQ(Pool().TotalBytes(), made);
  EXPECT_EQ(messages_.size(), 1u);
  Record(200);
  EXPECT_FALSE(RunsInSteps()) << "3.2 MB fit into half of the smaller ring";
}

// Of steps and one pass over more memory, the latter.
class StepBudgetTest : public PressureTest {
 protected:
  StepBudgetTest() : PressureTest(/*queues=*/1, /*ring_budget=*/8) {}
  // Of payloads that send 16,000 bytes each.
  PlannedDispatch Plan(RingPool& rings, uint32_t payload_count = 1000) {
    VkDispatchGraphInfoAMDX info = {};
    info.payloadCount = payload_count;
    std::vector<uint32_t> payloads(payload_count * pipeline_->graph.nodes[0].input_bytes / 4 + 1);
    info.payloads.hostAddress = payloads.data();
    info.payloadStride = pipeline_->graph.nodes[0].input_bytes;
    VkDispatchGraphCountInfoAMDX infos = {1, {}, sizeof(info)};
    infos.infos.hostAddress = &info;
    const EntryInputs inputs = CollectEntryInputs(pipeline_->graph, infos);
    DispatchEnvironment environment;
    environment.scratch = scratch_;
    environment.limits = {65535, 65535, 65535, 1 << 24};
    const auto plan = [&](const DispatchEnvironment& with, PlanArena& arena) {
      return PlanDispatch(*pipeline_, inputs, with, arena);
    };
    Expected<PlannedDispatch> planned = PlanWithinMemory(environment, rings, PlanBlockPool::Of(device_.device()), plan);
    EXPECT_TRUE(planned);
    return planned ? *std::move(planned) : PlannedDispatch{};
  }
  std::shared_ptr<RingPool> MakePool(VkDeviceSize step_budget) {
    std::shared_ptr<RingPool> pool = *RingPool::Create(device_.device(), step_budget);
    EXPECT_EQ(pool->budget(), 8 * kMiB);
    return pool;
  }
  static bool HasSteps(const PlannedDispatch& planned) { return planned.plan.placed->counted->steps.has_value(); }
};

TEST_F(StepBudgetTest, AGraphThatFitsRunsInOnePass) {
  const auto pool = MakePool(64 * kMiB);
  const PlannedDispatch planned = Plan(*pool);
  EXPECT_FALSE(HasSteps(planned));
  EXPECT_GE(planned.plan.placed->ring_bytes, 16'000'000u);
  EXPECT_GE(pool->TotalBytes(), planned.plan.placed->ring_bytes);
}

TEST_F(StepBudgetTest, WithoutMoreMemoryItRunsInSteps) {
  const auto pool = MakePool(0);
  EXPECT_TRUE(HasSteps(Plan(*pool)));
}

TEST_F(StepBudgetTest, LargerRingsThatAreStillTooSmallMakeFewerSteps) {
  const auto large = MakePool(32 * kMiB);
  const auto small = MakePool(0);
  const PlannedDispatch few = Plan(*large, 8000);
  const PlannedDispatch many = Plan(*small, 8000);
  ASSERT_TRUE(HasSteps(few) && HasSteps(many));
  EXPECT_GT(few.plan.placed->ring_bytes, 16 * kMiB);
  EXPECT_LT(2 * few.plan.placed->counted->steps->steps, many.plan.placed->counted->steps->steps);
}

TEST_F(StepBudgetTest, WhereTheDriverHasNoMemoryItRunsInStepsWithoutAMessage) {
  const auto pool = MakePool(64 * kMiB);
  LeaveMemory(10 * kMiB);
  const PlannedDispatch planned = Plan(*pool);
  EXPECT_TRUE(HasSteps(planned));
  EXPECT_LE(planned.plan.placed->ring_bytes, 8 * kMiB);
  EXPECT_EQ(pool->budget(), 8 * kMiB);
  LeaveAllMemory();
  EXPECT_TRUE(HasSteps(Plan(*pool))) << "nobody asks the driver again for each dispatch";
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(StepBudgetTest, ALargeRingThatIsThereStaysOfUse) {
  const auto pool = MakePool(1024 * kMiB);
  EXPECT_FALSE(HasSteps(Plan(*pool)));
  const VkDeviceSize made = pool->TotalBytes();
  LeaveMemory(10 * kMiB);
  EXPECT_TRUE(HasSteps(Plan(*pool, 8000))) << "128 MB more cannot be had";
  EXPECT_FALSE(HasSteps(Plan(*pool)));
  EXPECT_EQ(pool->TotalBytes(), made);
}

// No plan that was made with the whole budget is taken for one with less.
TEST_F(PressureTest, PlansAreKeptByBudget) {
  EXPECT_GE(Record(1000), 16'000'000u);
  Pool().LowerBudget(8 * kMiB, 1);
  EXPECT_LE(Record(1000), 8 * kMiB);
  EXPECT_TRUE(RunsInSteps());
}

TEST_F(PressureTest, InfosOnTheDeviceGetASmallerRingToo) {
  LeaveMemory(20 * kMiB);
  device_.Begin();
  DispatchFromDevice(device_, pipeline_, scratch_, 3);
  EXPECT_EQ(device_.command_buffer().recorded_error, VK_SUCCESS);
  EXPECT_LE(device_.command_buffer().ring_bytes, 20 * kMiB);
  EXPECT_GE(device_.command_buffer().ring_bytes, 16 * kMiB);
  EXPECT_EQ(Submit(), VK_SUCCESS);
  EXPECT_EQ(messages_.size(), 1u);
}

// One workgroup sends 16 MB: steps cannot help, and a smaller ring would drop records.
TEST_F(PressureTest, ARingThatIsTooSmallIsNotTaken) {
  Use({NodeBuilder("a").To("b", 1'000'000), NodeBuilder("b")});
  LeaveMemory(9 * kMiB);
  const VkDeviceSize ring = Record(1);
  EXPECT_GE(ring, 16'000'000u);
  EXPECT_THAT(messages_, IsEmpty());
  EXPECT_EQ(Submit(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_THAT(messages_, ElementsAre(AllOf(HasSubstr("nothing was submitted"), HasSubstr("more memory"),
                                           HasSubstr("set ring_budget=7 or less"))));
  EXPECT_EQ(Pool().budget(), 64 * kMiB) << "nothing smaller was of use";
  LeaveAllMemory();
  EXPECT_EQ(Submit(), VK_SUCCESS) << "the same recording, with memory";
}

TEST_F(PressureTest, AGraphThatCannotDoWithLessGetsMoreThanTheBudget) {
  Pool().LowerBudget(8 * kMiB, 1);
  Use({NodeBuilder("a").To("b", 1'000'000), NodeBuilder("b")});
  EXPECT_GE(Record(1), 16'000'000u);
  EXPECT_FALSE(RunsInSteps());
  EXPECT_EQ(Submit(), VK_SUCCESS);
}

TEST_F(PressureOnQueuesTest, QueuesThatWereSeenCountWhenADispatchIsRecorded) {
  Record(1);
  ASSERT_EQ(Submit(1), VK_SUCCESS);
  ASSERT_EQ(Submit(2), VK_SUCCESS);
  LeaveMemory(20 * kMiB);  // for one ring of 16 MB, not for two
  EXPECT_LE(Record(1000), 8 * kMiB);
  EXPECT_EQ(Submit(1), VK_SUCCESS);
  EXPECT_EQ(Submit(2), VK_SUCCESS);
}

// What was recorded wants the large ring for good; recorded again, when nothing runs any more, it does with less.
TEST_F(PressureOnQueuesTest, AQueueThatGetsNoRingSaysWhatToDo) {
  EXPECT_GE(Record(1000), 16'000'000u);
  ASSERT_EQ(Submit(1), VK_SUCCESS);
  LeaveMemory(9 * kMiB);
  EXPECT_EQ(Submit(2), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  ASSERT_THAT(messages_, ElementsAre(AllOf(HasSubstr("nothing was submitted"), HasSubstr("vkDeviceWaitIdle"),
                                           HasSubstr("at most 8388608 bytes"), HasSubstr("ring_budget=8"))));
  EXPECT_EQ(Submit(1), VK_SUCCESS) << "the other queue goes on";

  EXPECT_LE(Record(1000), 8 * kMiB);
  EXPECT_EQ(Submit(2), VK_ERROR_OUT_OF_DEVICE_MEMORY) << "the other queue may run a graph with the large ring";
  ForgetRingNeeds(device_.device());
  EXPECT_EQ(Submit(2), VK_SUCCESS);
  EXPECT_EQ(Submit(1), VK_SUCCESS);
}

TEST_F(PressureOnQueuesTest, FailuresInARowLowerTheBudgetOnce) {
  Record(1000);
  ASSERT_EQ(Submit(1), VK_SUCCESS);
  LeaveMemory(9 * kMiB);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(Submit(2), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(Pool().budget(), 8 * kMiB);
}

}  // namespace
}  // namespace trellis::test
