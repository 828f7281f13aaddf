// SPDX-License-Identifier: Apache-2.0
// Batches of launches in recorded streams: who numbers their workgroups, and who runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "layer/pipeline/execution_graph.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/replay/checked_instances.h"
#include "tests/replay/checked_memory.h"
#include "tests/replay/open_regions.h"

namespace trellis::test {

class BatchLog : protected InstanceLog {
 protected:
  // The kernel launch_batches.
  void NumberBatches(uint64_t plans, uint32_t batches) {
    for (uint32_t i = 0; i < batches; ++i) {
      const shared::LaunchBatch& batch = At<shared::LaunchBatch>(plans, i);
      Touch(batch.sums, SumsEnd(batch), kWrite, "launch_batches writes sums");
      Touch(batch.arguments, batch.arguments + sizeof(shared::DispatchArguments), kWrite,
            "launch_batches writes indirect arguments");
      if (batch.form != shared::kFormBatch || batch.member_count < 2) Complain("a batch that is none");
      for (uint32_t member = 0; member < batch.member_count; ++member) ReadMember(batch, member);
      numbered_.insert(plans + i * sizeof(shared::LaunchBatch));
    }
  }
  // What all workgroups of a batch read before they know their launch.
  void RunBatch(uint64_t address, const std::string& who) {
    if (numbered_.erase(address) == 0) Complain(who + " runs a batch whose workgroups nobody numbered");
    const shared::LaunchBatch& batch = At<shared::LaunchBatch>(address);
    Touch(batch.sums, SumsEnd(batch), kRead, who + " looks for its launch");
  }
  // Of one whose producers have counted. `regions`: of all levels.
  void RunCountedBatch(const shared::LaunchBatch& batch, uint64_t regions, const std::string& who) {
    Touch(batch.sums, batch.sums + uint64_t{batch.member_count} * sizeof(uint32_t), kRead,
          who + " looks for its launch");
    if (batch.kind != shared::kLaunchCoalescing) Complain(who + " has no workgroups that producers count");
    const auto source = [&batch](uint32_t member) {
      return At<shared::LaunchBlock>(batch.members + uint64_t{member} * batch.member_bytes).source;
    };
    if (batch.arguments != source(0) + offsetof(shared::Region, workgroups))
      Complain(who + " has arguments that are not those of its first member");
    for (uint32_t member = 0; member < batch.member_count; ++member) {
      const shared::RegionPlan* opening = open_.Find(source(member));
      if (opening == nullptr || regions + opening->batch_count != batch.sums + member * sizeof(uint32_t) ||
          regions + opening->batch_region * sizeof(shared::Region) != source(0))
        Complain(who + " runs what its producers do not count, member " + std::to_string(member));
    }
  }
  void EndBatches() {
    if (!numbered_.empty()) Complain("a batch that nobody runs");
    numbered_.clear();
  }

  // The node with this shader index, of those that share a pipeline of the driver.
  static std::optional<uint32_t> FindNode(const ExecutionGraphPipeline& pipeline, VkPipeline shared, uint32_t index) {
    for (uint32_t node = 0; node < pipeline.nodes.size(); ++node)
      if (pipeline.nodes[node].pipeline->handle() == shared && pipeline.graph.nodes[node].index == index) return node;
    return std::nullopt;
  }

  OpenRegions open_;

 private:
  static uint64_t SumsEnd(const shared::LaunchBatch& batch) {
    return batch.sums + (uint64_t{batch.member_count} + 1) * sizeof(uint32_t);
  }

  void ReadMember(const shared::LaunchBatch& batch, uint32_t member) {
    const auto& block = At<shared::LaunchBlock>(batch.members + uint64_t{member} * batch.member_bytes);
    const shared::RegionPlan* opening = open_.Find(block.source);
    if (block.form != shared::kFormRegion || opening == nullptr)
      return Complain("a launch in a batch reads no region that is open");
    // Not the record state, which a concurrent sizing kernel may take.
    const std::string what = "launch_batches reads region " + std::to_string(opening->slot);
    Touch(block.source, block.source + sizeof(shared::Records), kRead, what);
    Touch(block.source + offsetof(shared::Region, reserved), block.source + offsetof(shared::Region, segments), kRead,
          what);
    if ((opening->coalesce != 0) != (batch.kind == shared::kLaunchCoalescing))
      Complain("a batch counts what region " + std::to_string(opening->slot) + " does not count");
  }

  std::set<uint64_t> numbered_;  // addresses of batches that wait for their dispatch
};

}  // namespace trellis::test
