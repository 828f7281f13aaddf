// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/tables.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "layer/graph/record_grid.h"
#include "layer/graph/saturating.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

constexpr uint64_t kTableAlignment = 16;
constexpr uint64_t kPairBytes = 8;
// A dense array may be this many times as long as the list of its targets, plus a little, before pairs take its place.
constexpr uint64_t kDenseFactor = 4;
constexpr uint64_t kDenseSlack = 64;

uint64_t IndexSpan(const std::vector<Target>& targets) {
  return targets.empty() ? 0 : uint64_t{targets.back().shader_index} - targets.front().shader_index + 1;
}

bool IsDense(const std::vector<Target>& targets) {
  return IndexSpan(targets) <= targets.size() * kDenseFactor + kDenseSlack;
}

uint64_t ArrayBytes(const std::vector<Target>& targets) {
  return IsDense(targets) ? IndexSpan(targets) * sizeof(uint32_t) : targets.size() * kPairBytes;
}

// Between slots of neighbouring indices, if it is the same everywhere and no index is left out.
std::optional<uint32_t> SlotStep(const std::vector<Target>& targets) {
  if (targets.empty() || IndexSpan(targets) != targets.size() || targets.size() >= shared::kSlotProgression) return {};
  const uint32_t step = targets.size() == 1 ? 0 : targets[1].slot - targets[0].slot;
  for (size_t i = 1; i < targets.size(); ++i)
    if (targets[i].slot - targets[i - 1].slot != step) return {};
  return step;
}

bool NeedsArray(const std::vector<Target>& targets) { return !targets.empty() && !SlotStep(targets); }

shared::NodeOutput DescribeOutput(const std::vector<Target>& targets, uint32_t base, uint64_t array_address) {
  if (targets.empty()) return {0, 0, 0};
  if (const std::optional<uint32_t> step = SlotStep(targets)) {
    const uint64_t slots = uint64_t{*step} << 32 | targets.front().slot;
    return {slots, targets.front().shader_index - base,
            static_cast<uint32_t>(targets.size()) | shared::kSlotProgression};
  }
  if (IsDense(targets))
    return {array_address, targets.front().shader_index - base, static_cast<uint32_t>(IndexSpan(targets))};
  return {array_address, 0 - base, static_cast<uint32_t>(targets.size()) | shared::kSortedSlotPairs};
}

// Writes the table of targets that need one.
void WriteArray(const std::vector<Target>& targets, std::byte* bytes) {
  std::vector<uint32_t> words;
  if (IsDense(targets)) {
    words.assign(IndexSpan(targets), shared::kNoSlot);
    for (const Target& target : targets) words[target.shader_index - targets.front().shader_index] = target.slot;
  } else {
    for (const Target& target : targets) words.insert(words.end(), {target.shader_index, target.slot});
  }
  std::memcpy(bytes, words.data(), words.size() * sizeof(uint32_t));
}

void SetGrid(const std::array<uint32_t, 3>& grid, shared::LaunchPlan& plan) {
  plan.grid_x = grid[0];
  plan.grid_y = grid[1];
  plan.grid_z = grid[2];
}

// Describes workgroups of the dispatch. With packing each stands for workgroups of several records, or for a part of
// those of one record.
void DescribeStaticGrid(const spirv::NodeInfo& info, shared::LaunchPlan& plan) {
  plan.kind = shared::kLaunchStaticGrid;
  SetGrid(info.grid, plan);
  if (info.packed == 1) return;
  const uint32_t of_record = info.WorkgroupsOfGrid();  // no more than that is packed
  if (info.packed <= of_record) return SetGrid({of_record / info.packed, 1, 1}, plan);
  plan.kind = shared::kLaunchCoalescing;
  plan.coalesce = info.packed / of_record;
  SetGrid({1, 1, 1}, plan);
}

void DescribeDynamicGrid(const spirv::NodeInfo& info, const std::array<uint32_t, 3>& max_grid,
                         shared::LaunchPlan& plan) {
  plan.kind = shared::kLaunchDynamicGrid;
  plan.packed = info.packed;
  SetGrid(ClampGrid(max_grid, info.grid), plan);
  // A payload that does not say where its grid is begins with it.
  const spirv::GridMember member = info.grid_member.value_or(spirv::GridMember{0, 4, 3});
  plan.grid_member = member.offset | member.component_width << shared::kGridMemberWidthShift |
                     member.component_count << shared::kGridMemberCountShift;
}

}  // namespace

TableLayout LayoutTables(const Graph& graph) {
  TableLayout layout;
  // Nodes that recurse have the same targets in nearly all their slots.
  std::map<std::vector<Target>, uint64_t> placed;
  for (const Slot& slot : graph.slots) {
    for (const std::vector<Target>& targets : slot.outputs) {
      const auto [place, is_new] = placed.try_emplace(targets, layout.size);
      if (is_new && NeedsArray(targets)) layout.size += SaturatingRoundUp(ArrayBytes(targets), kTableAlignment);
      layout.slot_arrays.push_back(place->second);
    }
  }
  layout.size = std::max(layout.size, kTableAlignment);
  return layout;
}

std::vector<std::byte> WriteTables(const Graph& graph, const TableLayout& layout) {
  std::vector<std::byte> bytes(layout.size);
  size_t array = 0;
  for (const Slot& slot : graph.slots) {
    for (const std::vector<Target>& targets : slot.outputs) {
      const uint64_t offset = layout.slot_arrays[array++];
      if (NeedsArray(targets)) WriteArray(targets, bytes.data() + offset);
    }
  }
  return bytes;
}

std::vector<std::vector<shared::NodeOutput>> DescribeOutputs(const Graph& graph, const TableLayout& layout,
                                                             uint64_t base) {
  std::vector<std::vector<shared::NodeOutput>> outputs;
  size_t array = 0;
  for (const Slot& slot : graph.slots) {
    std::vector<shared::NodeOutput>& of_slot = outputs.emplace_back();
    const std::vector<spirv::NodeOutputInfo>& infos = graph.nodes[slot.node].info.outputs;
    for (size_t i = 0; i < slot.outputs.size(); ++i)
      of_slot.push_back(DescribeOutput(slot.outputs[i], infos[i].base_index, base + layout.slot_arrays[array++]));
  }
  return outputs;
}

shared::LaunchPlan DescribeLaunch(const Graph& graph, Launch launch, const std::array<uint32_t, 3>& max_grid) {
  const spirv::NodeInfo& info = graph.NodeOf(launch.slot).info;
  shared::LaunchPlan plan = {};
  plan.slot = launch.input;
  plan.identity = launch.slot;
  plan.coalesce = 1;
  plan.packed = 1;
  SetGrid({1, 1, 1}, plan);
  switch (info.kind) {
    case spirv::LaunchKind::kStaticGrid:
      DescribeStaticGrid(info, plan);
      break;
    case spirv::LaunchKind::kDynamicGrid:
      DescribeDynamicGrid(info, max_grid, plan);
      break;
    case spirv::LaunchKind::kCoalescing:
      plan.kind = shared::kLaunchCoalescing;
      plan.coalesce = info.coalesce * info.packed;
      break;
  }
  plan.state_words = info.StateWords();
  plan.has_search_index = info.UsesSearchIndex() ? 1 : 0;
  plan.max_workgroups = info.max_workgroups;  // UINT32_MAX is kAnyWorkgroups
  return plan;
}

void DescribeBounds(const spirv::NodeInfo& info, shared::LaunchPlan& plan) {
  const uint32_t records = info.RecordsOfBounds();
  if (records == 0) return;
  plan.kind = shared::kLaunchCoalescing;
  plan.coalesce = records;
  plan.packed = 1;
  plan.state_words = shared::kNoRecordState;
}

}  // namespace trellis
