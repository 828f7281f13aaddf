// SPDX-License-Identifier: Apache-2.0
// Records graphs and checks their barriers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/replay/barrier_checker.h"
#include "tests/replay/pushed_bytes.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {

struct Variant {
  bool size_every_level = false;
  uint32_t ring_budget = 0;
  uint32_t max_rounds = 0;
  LaunchBatches launch_batches = LaunchBatches::kAuto;
  uint32_t queues = 1;
  bool prepare_regions = false;
};

[[nodiscard]] inline Settings Quiet(const Variant& variant) {
  Settings settings;
  settings.size_every_level = variant.size_every_level;
  settings.ring_budget = variant.ring_budget;
  settings.max_rounds = variant.max_rounds;
  settings.launch_batches = variant.launch_batches;
  settings.prepare_regions = variant.prepare_regions;
  settings.log_file = "/dev/null";
  return settings;
}

inline constexpr uint32_t kLarge = 16384;  // bytes of a payload

class BarrierTest : public ::testing::Test {
 protected:
  explicit BarrierTest(const Variant& variant = {}) : device_(Quiet(variant), variant.queues) {
    device_.Begin();
    std::vector<uint8_t> bytes(kApplicationPushBytes);
    std::iota(bytes.begin(), bytes.end(), uint8_t{100});
    device_.command_buffer().push_constants.Push(VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes);
    world_.device = &device_;
    world_.expected_push_constants = bytes;
  }

  void Record(std::initializer_list<NodeBuilder> nodes, const std::vector<Input>& inputs) {
    Use(MakePipeline(device_, nodes));
    Dispatch(device_, pipeline_, scratch_, inputs);
  }
  void Use(const std::shared_ptr<ExecutionGraphPipeline>& pipeline) {
    pipeline_ = pipeline;
    scratch_ = device_.MakeScratch(ScratchBytes(*pipeline));
    world_.pipelines.push_back(pipeline);
    world_.scratches.push_back({scratch_, ScratchBytes(*pipeline)});
  }

  // Calls `visit` with the name and the address of the plan of each kernel that is dispatched directly.
  template <typename Visit>
  void ForEachKernel(const Visit& visit) const {
    PushedBytes pushed;
    std::string bound;
    for (const Command& command : device_.stream()) {
      if (command.kind == Command::Kind::kPushConstants) pushed.Push(command);
      if (command.kind == Command::Kind::kBindPipeline) bound = device_.NameOf(HandleToU64(command.pipeline));
      if (command.kind == Command::Kind::kDispatch) visit(bound, pushed.Address(0).value_or(0));
    }
  }

  // Accepted as it is, and rejected without any one barrier.
  void ExpectNeeded(size_t barriers) {
    device_.End();
    const CommandStream& stream = device_.stream();
    const std::vector<std::string> complaints = CheckStream(world_, stream);
    EXPECT_TRUE(complaints.empty()) << complaints.front() << " (" << complaints.size() << " complaints)\n"
                                    << Describe(stream);
    EXPECT_EQ(device_.command_buffer().recorded_error, VK_SUCCESS);
    const std::vector<size_t> positions = PositionsOf(stream, Command::Kind::kBarrier);
    EXPECT_EQ(positions.size(), barriers) << Describe(stream);
    for (size_t position : positions) {
      EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty())
          << "barrier at " << position << " is not needed\n"
          << Describe(stream);
    }
  }
  // And rejected with any stage taken out of one, or any access but the shaders'.
  void ExpectExact(size_t barriers) {
    ExpectNeeded(barriers);
    for (size_t position : PositionsOf(device_.stream(), Command::Kind::kBarrier)) ExpectEveryBitNeeded(position);
  }
  // Shader accesses stay as wide as they are: one kind of barrier serves several places, and the application's memory
  // too.
  void ExpectEveryBitNeeded(size_t position) {
    const auto expect_needed = [&](const char* mask, uint32_t Command::*member, uint32_t bits) {
      for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        if (!(device_.stream()[position].*member & bits & bit)) continue;
        CommandStream weaker = device_.stream();
        weaker[position].*member &= ~bit;
        EXPECT_FALSE(CheckStream(world_, weaker).empty())
            << mask << " bit " << bit << " of the barrier at " << position << " is not needed\n"
            << Describe(device_.stream());
      }
    };
    expect_needed("source stage", &Command::source_stages, ~0u);
    expect_needed("destination stage", &Command::destination_stages, ~0u);
    expect_needed("destination access", &Command::destination_access,
                  ~uint32_t{VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT});
  }

  RecordingDevice device_;
  CheckedWorld world_;
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
  VkDeviceAddress scratch_ = 0;
};

// One after begin, one for each level after the first and one more where it is sized, and one at the end of the
// recording.
[[nodiscard]] constexpr size_t BarriersFor(size_t levels, size_t sized = 0) { return 2 + (levels - 1) + sized; }

[[nodiscard]] inline NodeBuilder Writing(NodeBuilder node) {
  node.source.info.writes_input = true;
  return node;
}

}  // namespace trellis::test
