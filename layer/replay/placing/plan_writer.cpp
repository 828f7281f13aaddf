// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/plan_writer.h"

#include "layer/memory/prepared_regions.h"
#include "layer/memory/ring_pool.h"
#include "layer/replay/planning/report_origin.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

shared::LaunchBlock DescribeBlock(const Graph& graph, const shared::LaunchPlan& described, VkDeviceAddress source,
                                  uint32_t form) {
  shared::LaunchBlock block = {};
  block.source = source;
  block.form = form;
  block.grid_x = described.grid_x;
  block.grid_y = described.grid_y;
  block.grid_z = described.grid_z;
  block.shader_index = graph.NodeOf(described.identity).index;
  block.remaining_recursion = graph.slots[described.identity].remaining_recursion;
  return block;
}

uint32_t PlanWriter::Origin() const {
  ReportOrigin origin = ReportOrigin::Unpack(environment_.origin);
  if (!memory().bounded) {
    const bool may_step = environment_.max_rounds == 0 && scratch().step_levels != 0;
    origin.fit = may_step ? RingFit::kPartOrSteps : RingFit::kPart;
  }
  origin.is_short_of_memory = environment_.ring_budget < RingBudget(pipeline_.device);
  return origin.Pack();
}

void PlanWriter::UsePrepared(const PlacedPlan& plan) {
  if (!plan.prepared) return;
  prepared_control_ = plan.control;
  prepared_regions_ = plan.prepared->alternating();
}

NodeLaunch PlanWriter::LaunchOf(const RelocatableLaunch& launch) const {
  NodeLaunch node;
  node.node = graph_.slots[launch.launch.slot].node;
  node.launch = launch.launch;
  node.label = &launch.label;
  return node;
}

Expected<void> PlanWriter::UploadBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                                       bool from_region, VkDeviceAddress& address) {
  Expected<PlanSpan> span = arena_.Allocate(BlockBytes(described.identity));
  if (!span) return span.error();
  StoreBlock(level, described, source, from_region, *span, 0);
  address = span->address;
  return {};
}

void PlanWriter::StoreBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                            bool from_region, const PlanSpan& span, uint64_t offset) const {
  shared::LaunchBlock block =
      DescribeBlock(graph_, described, source, from_region ? shared::kFormRegion : shared::kFormInput);
  const std::span<const shared::NodeOutput> outputs = pipeline_.outputs[described.identity];
  block.control = ControlAddress();
  // Draws append to none, and may run while report_losses turns to others.
  if (!outputs.empty()) block.regions = RegionsProducedBy(level);
  span.Store(offset, block);
  span.Store(offset + sizeof(block), outputs);
}

}  // namespace trellis
