// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/bound_state.h"

#include <algorithm>

#include "layer/objects/pipeline_layout.h"

namespace trellis {

namespace {

bool MeansTheSame(const BindLayout& a, const BindLayout& b, uint32_t set) {
  return a.handle == b.handle || (a.sets && b.sets && CompatibleForSet(*a.sets, *b.sets, set));
}

size_t DynamicOffsetsOf(const SetLayouts& sets, uint32_t set) {
  return set < sets.size() && sets[set] ? sets[set]->dynamic_offset_count : 0;
}

}  // namespace

void BindPointState::BindShader(VkShaderStageFlagBits stage, VkShaderEXT shader) {
  pipeline = VK_NULL_HANDLE;
  const auto same = [stage](const BoundShader& bound) { return bound.stage == stage; };
  const auto found = std::find_if(shaders.begin(), shaders.end(), same);
  if (found != shaders.end())
    found->shader = shader;
  else
    shaders.push_back({stage, shader});
}

BoundSet& BindPointState::Rebind(uint32_t set, BoundSet::Kind kind, const BindLayout& layout, uint64_t sequence) {
  if (set >= sets.size()) sets.resize(set + 1);
  BoundSet& bound = sets[set];
  const bool adds_up =
      kind == BoundSet::Kind::kPushDescriptors && bound.kind == kind && MeansTheSame(bound.layout, layout, set);
  if (!adds_up) bound = BoundSet{};
  bound.kind = kind;
  bound.layout = layout;
  bound.sequence = sequence;
  return bound;
}

void BindPointState::BindSets(const BindLayout& layout, uint32_t first, uint32_t count,
                              const VkDescriptorSet* descriptor_sets, std::span<const uint32_t> dynamic_offsets,
                              uint64_t& sequence) {
  for (uint32_t i = 0; i < count; ++i) {
    BoundSet& bound = Rebind(first + i, BoundSet::Kind::kDescriptorSet, layout, sequence++);
    bound.descriptor_set = descriptor_sets[i];
    size_t taken = dynamic_offsets.size();
    if (layout.sets) taken = std::min(taken, DynamicOffsetsOf(*layout.sets, first + i));
    bound.dynamic_offsets.assign(dynamic_offsets.begin(), dynamic_offsets.begin() + static_cast<ptrdiff_t>(taken));
    dynamic_offsets = dynamic_offsets.subspan(taken);
  }
}

void BindPointState::BindDescriptorBuffers(const BindLayout& layout, uint32_t first, uint32_t count,
                                           const uint32_t* buffer_indices, const VkDeviceSize* offsets,
                                           uint64_t& sequence) {
  for (uint32_t i = 0; i < count; ++i) {
    BoundSet& bound = Rebind(first + i, BoundSet::Kind::kDescriptorBuffer, layout, sequence++);
    bound.buffer_index = buffer_indices[i];
    bound.buffer_offset = offsets[i];
  }
}

std::vector<std::pair<uint32_t, const BoundSet*>> BindPointState::InOrder() const {
  std::vector<std::pair<uint32_t, const BoundSet*>> order;
  for (uint32_t set = 0; set < sets.size(); ++set)
    if (sets[set].kind != BoundSet::Kind::kNone) order.emplace_back(set, &sets[set]);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second->sequence < b.second->sequence; });
  return order;
}

void PushConstantState::Push(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset,
                             std::span<const uint8_t> bytes) {
  std::erase_if(calls_, [&](const PushConstantCall& older) {
    return older.layout == layout && older.stages == stages && older.offset >= offset &&
           older.offset + older.bytes.size() <= offset + bytes.size();
  });
  calls_.push_back({layout, stages, offset, {bytes.begin(), bytes.end()}});
  const auto keep_in = [&](std::vector<uint8_t>& seen) {
    seen.resize(std::max(seen.size(), offset + bytes.size()));
    std::copy(bytes.begin(), bytes.end(), seen.begin() + offset);
  };
  if (stages & VK_SHADER_STAGE_COMPUTE_BIT) keep_in(compute_bytes_);
  if (stages & kDrawStages) keep_in(draw_bytes_);
}

}  // namespace trellis
