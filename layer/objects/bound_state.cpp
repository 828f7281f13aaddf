#include "layer/objects/bound_state.h"

#include <algorithm>

namespace trellis {

BoundSet& BindPointState::Rebind(uint32_t set, BoundSet::Kind kind, VkPipelineLayout layout, uint64_t sequence) {
  if (set >= sets.size()) sets.resize(set + 1);
  BoundSet& bound = sets[set];
  const bool adds_up = kind == BoundSet::Kind::kPushDescriptors && bound.kind == kind && bound.layout == layout;
  if (!adds_up) bound = BoundSet{};
  bound.kind = kind;
  bound.layout = layout;
  bound.sequence = sequence;
  return bound;
}

void BindPointState::BindSets(VkPipelineLayout layout, const std::vector<uint32_t>* dynamic_offset_counts,
                              uint32_t first, uint32_t count, const VkDescriptorSet* descriptor_sets,
                              std::span<const uint32_t> dynamic_offsets, uint64_t& sequence) {
  for (uint32_t i = 0; i < count; ++i) {
    BoundSet& bound = Rebind(first + i, BoundSet::Kind::kDescriptorSet, layout, sequence++);
    bound.descriptor_set = descriptor_sets[i];
    size_t taken = dynamic_offsets.size();
    if (dynamic_offset_counts) {
      const size_t wanted = first + i < dynamic_offset_counts->size() ? (*dynamic_offset_counts)[first + i] : 0;
      taken = std::min(taken, wanted);
    }
    bound.dynamic_offsets.assign(dynamic_offsets.begin(), dynamic_offsets.begin() + static_cast<ptrdiff_t>(taken));
    dynamic_offsets = dynamic_offsets.subspan(taken);
  }
}

void BindPointState::BindDescriptorBuffers(VkPipelineLayout layout, uint32_t first, uint32_t count,
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
  if (!(stages & VK_SHADER_STAGE_COMPUTE_BIT) || offset >= kShadowBytes) return;
  std::copy_n(bytes.begin(), std::min<size_t>(bytes.size(), kShadowBytes - offset), compute_bytes_.begin() + offset);
}

}  // namespace trellis
