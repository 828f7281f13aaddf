// SPDX-License-Identifier: Apache-2.0
// Graphs recorded, submitted and waited for by many threads at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "layer/memory/plan_arena.h"
#include "layer/memory/ring_pool.h"
#include "layer/objects/registry.h"
#include "layer/replay/reports/device_reports.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/support/on_threads.h"
#include "tests/threads/threaded_graph.h"

namespace trellis::test {
namespace {

// Rings are made when dispatches are recorded: the first one of a recording wants a smaller ring than those that
// follow.
constexpr uint32_t kSmallRings = 1;

constexpr VkPhysicalDeviceShaderEnqueueFeaturesAMDX kFeatures = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX, nullptr, VK_TRUE, VK_FALSE};

// A device with so many queues, and a graph.
class ThreadsTest : public ::testing::Test {
 protected:
  explicit ThreadsTest(uint32_t queues, const void* instance_chain = nullptr)
      : driver_(DriverOptions{.queue_count = queues}),
        instance_(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, instance_chain),
        device_(instance_, kGraphExtensions, &kFeatures, nullptr, queues),
        graph_(MakeGraph(device_, parts_.GraphInfo())) {}
  ~ThreadsTest() override { DestroyGraph(device_, graph_); }

  [[nodiscard]] VkCommandBuffer Record(const GraphRecorder& recorder) const {
    return recorder.Record(graph_, parts_.layout());
  }
  [[nodiscard]] VkQueue Queue(uint32_t index) const {
    VkQueue queue = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, index, &queue);
    return queue;
  }
  [[nodiscard]] uint32_t Rings() const {
    const auto pool = RingPoolOf(*FindDevice(device_.handle()), 0);
    return pool ? (*pool)->RingCount() : 0;
  }
  [[nodiscard]] VkResult Submit(VkQueue queue, VkCommandBuffer command_buffer) const {
    auto submit = MakeStruct<VkSubmitInfo>();
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &command_buffer;
    return TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE);
  }
  [[nodiscard]] VkResult Submit2(VkQueue queue, VkCommandBuffer command_buffer) const {
    auto info = MakeStruct<VkCommandBufferSubmitInfo>();
    info.commandBuffer = command_buffer;
    auto submit = MakeStruct<VkSubmitInfo2>();
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &info;
    return TRELLIS_CALL(device_, QueueSubmit2)(queue, 1, &submit, VK_NULL_HANDLE);
  }

  // Threads with recorders that `make` returns record what one thread would.
  template <typename Make>
  void ExpectAllTheSame(const Make& make) {
    constexpr uint32_t kRecordings = 6;
    std::vector<std::unique_ptr<GraphRecorder>> recorders(kThreads);
    std::vector<std::vector<VkCommandBuffer>> recorded(kThreads);
    OnThreads(kThreads, [&](uint32_t thread) {
      recorders[thread] = make();
      for (uint32_t i = 0; i < kRecordings; ++i) recorded[thread].push_back(Record(*recorders[thread]));
    });
    const std::vector<std::string> expected = CommandsOf(driver_, Record(*recorders[0]));
    EXPECT_GE(std::count(expected.begin(), expected.end(), "CmdDispatchIndirect"), 6);
    for (const auto& command_buffers : recorded)
      for (const VkCommandBuffer command_buffer : command_buffers)
        EXPECT_EQ(CommandsOf(driver_, command_buffer), expected);
  }

  FakeDriver driver_;
  const TestInstance instance_;
  const TestDevice device_;
  const GraphParts parts_{device_};
  const VkPipeline graph_;
};

class RecordingThreads : public ThreadsTest {
 protected:
  RecordingThreads() : ThreadsTest(1) {}
};

constexpr VkBool32 kValidate = VK_TRUE;
constexpr VkLayerSettingEXT kSetting = {kLayerName, "validate", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &kValidate};
constexpr VkLayerSettingsCreateInfoEXT kValidated = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1,
                                                     &kSetting};

class ValidatedThreads : public ThreadsTest {
 protected:
  ValidatedThreads() : ThreadsTest(1, &kValidated) {}
};

// Each thread may have a queue of its own.
class QueueThreads : public ThreadsTest {
 protected:
  QueueThreads() : ThreadsTest(kThreads) {}
};

// The first graphs ever recorded on the device, so that what the layer makes on first use is asked for by all at once.
TEST_F(RecordingThreads, RecordWhatOneThreadRecords) {
  ExpectAllTheSame([&] { return std::make_unique<GraphRecorder>(device_); });
}

// All of them plan the same, and read what one of them has written.
TEST_F(RecordingThreads, RecordWithOneScratch) {
  const auto scratch = std::make_shared<const Scratch>(device_);
  ExpectAllTheSame([&] { return std::make_unique<GraphRecorder>(device_, scratch); });
}

// The threads also create and destroy buffers, which the checks of indirect dispatches look up.
TEST_F(ValidatedThreads, RecordWhatOneThreadRecords) {
  ASSERT_TRUE(FindDevice(device_.handle())->settings.validate);
  const Messenger messenger(
      instance_, [](const HeardMessage& message) { ADD_FAILURE() << message.data.pMessage; },
      VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT);
  ExpectAllTheSame([&] {
    for (uint32_t i = 0; i < 100; ++i) const Scratch other(device_);
    return std::make_unique<GraphRecorder>(device_);
  });
}

// Some submit to queues of their own, in every form, and wait; meanwhile others record, reset and destroy pools, and
// make and destroy graphs.
TEST_F(QueueThreads, SubmitWhileOthersRecordAndDestroy) {
  constexpr uint32_t kRounds = 20;
  const GraphRecorder shared_recorder(device_);
  const VkCommandBuffer shared = Record(shared_recorder);
  const auto submit = [&](VkQueue queue) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      EXPECT_EQ(Submit(queue, shared), VK_SUCCESS);
      EXPECT_EQ(Submit2(queue, shared), VK_SUCCESS);
      EXPECT_EQ(TRELLIS_CALL(device_, QueueWaitIdle)(queue), VK_SUCCESS);
    }
  };
  const auto record = [&](VkQueue queue) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      const GraphRecorder recorder(device_);
      EXPECT_EQ(Submit(queue, Record(recorder)), VK_SUCCESS);
      EXPECT_EQ(TRELLIS_CALL(device_, DeviceWaitIdle)(device_.handle()), VK_SUCCESS);
      recorder.ResetPool();
    }
  };
  const auto create = [&] {
    for (uint32_t round = 0; round < kRounds; ++round) DestroyGraph(device_, MakeGraph(device_, parts_.GraphInfo()));
  };
  OnThreads(kThreads, [&](uint32_t thread) {
    if (thread % 4 < 2) return submit(Queue(thread));
    if (thread % 4 == 2) return record(Queue(thread));
    create();
  });
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), kThreads * 3u / 4 * kRounds);
  EXPECT_EQ(driver_.CountOf("QueueSubmit2"), kThreads / 2u * kRounds);
  EXPECT_EQ(Rings(), kThreads * 3u / 4 + kSmallRings) << "one for each queue that has seen a graph";
}

// A queue for each thread, which records anew, submits in both forms, waits and resets its pool; one more thread makes
// and destroys graphs. Every queue gets what its thread recorded and nothing else, and a ring of its own.
TEST_F(QueueThreads, SubmitToAQueueEach) {
  constexpr uint32_t kRounds = 20;
  std::vector<std::vector<uint64_t>> expected(kThreads);
  std::atomic<uint32_t> submitting = kThreads;
  const auto submit = [&](uint32_t thread) {
    const VkQueue queue = Queue(thread);
    const GraphRecorder recorder(device_);
    for (uint32_t round = 0; round < kRounds; ++round) {
      const VkCommandBuffer command_buffer = Record(recorder);
      expected[thread].insert(expected[thread].end(), 2, reinterpret_cast<uint64_t>(command_buffer));
      EXPECT_EQ(Submit(queue, command_buffer), VK_SUCCESS);
      EXPECT_EQ(Submit2(queue, command_buffer), VK_SUCCESS);
      EXPECT_EQ(TRELLIS_CALL(device_, QueueWaitIdle)(queue), VK_SUCCESS);
      recorder.ResetPool();
    }
    --submitting;
  };
  OnThreads(kThreads + 1, [&](uint32_t thread) {
    if (thread < kThreads) return submit(thread);
    while (submitting != 0) DestroyGraph(device_, MakeGraph(device_, parts_.GraphInfo()));
  });
  std::map<uint64_t, std::vector<uint64_t>> submitted;
  for (const DriverCall& call : driver_.calls()) {
    if (!call.name.starts_with("QueueSubmit")) continue;
    std::vector<uint64_t>& of_queue = submitted[call.object];
    of_queue.insert(of_queue.end(), call.objects.begin(), call.objects.end());
  }
  EXPECT_EQ(submitted.size(), kThreads);
  for (uint32_t thread = 0; thread < kThreads; ++thread)
    EXPECT_EQ(submitted[reinterpret_cast<uint64_t>(Queue(thread))], expected[thread]) << "queue " << thread;
  EXPECT_EQ(Rings(), kThreads + kSmallRings);
}

// Arenas of different threads never overlap.
TEST_F(RecordingThreads, PlanMemoryHasOneOwnerAtATime) {
  constexpr uint32_t kRounds = 500;
  constexpr size_t kKept = 20;
  const std::shared_ptr<PlanBlockPool> pool = PlanBlockPool::Of(*FindDevice(device_.handle()));
  OnThreads(kThreads, [&](uint32_t thread) {
    const auto mine = static_cast<std::byte>(thread + 1);
    std::deque<std::pair<std::unique_ptr<PlanArena>, PlanSpan>> kept;
    for (uint32_t round = 0; round < kRounds; ++round) {
      auto arena = std::make_unique<PlanArena>(pool, round % 16 == 0 ? PlanLifetime::kPlan : PlanLifetime::kRecording);
      const Expected<PlanSpan> span = arena->Allocate(round % 64 == 0 ? 100000 : 1000 + round);
      ASSERT_TRUE(span);
      std::fill_n(span->host, span->size, mine);
      arena->Close();
      kept.emplace_back(std::move(arena), *span);
      if (kept.size() < kKept) continue;
      const PlanSpan& oldest = kept.front().second;
      EXPECT_EQ(static_cast<VkDeviceSize>(std::count(oldest.host, oldest.host + oldest.size, mine)), oldest.size);
      kept.pop_front();
    }
  });
}

// As the device writes a report: what is counted last is what the host looks at first.
void WriteReport(DeviceReports& reports, uint32_t slot) {
  auto* header = reinterpret_cast<shared::DeviceReportHeader*>(reports.address());
  const uint32_t number = std::atomic_ref(header->written).fetch_add(1, std::memory_order_release);
  auto& report = reinterpret_cast<shared::DeviceReport*>(header + 1)[number % shared::kDeviceReportCapacity];
  report.slot = slot;
  report.kind = shared::kReportLost;
  std::atomic_ref(report.records).store(1, std::memory_order_release);
}

TEST_F(RecordingThreads, EachReportIsToldOnceWhoeverWaits) {
  constexpr uint32_t kReports = 500;
  std::atomic<uint32_t> told = 0;
  const Messenger messenger(instance_, [&told](const HeardMessage&) { ++told; });
  const auto reports = DeviceReports::Of(*FindDevice(device_.handle()));
  ASSERT_TRUE(reports);
  std::atomic<bool> done = false;
  OnThreads(kThreads, [&](uint32_t thread) {
    if (thread == 0) {  // the device
      for (uint32_t i = 0; i < kReports; ++i) WriteReport(**reports, i);
      done = true;
      return;
    }
    while (!done) EXPECT_EQ(TRELLIS_CALL(device_, DeviceWaitIdle)(device_.handle()), VK_SUCCESS);
  });
  EXPECT_EQ(TRELLIS_CALL(device_, DeviceWaitIdle)(device_.handle()), VK_SUCCESS);
  EXPECT_EQ(told, kReports);
}

}  // namespace
}  // namespace trellis::test
