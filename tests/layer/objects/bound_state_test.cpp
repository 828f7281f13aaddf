// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/bound_state.h"

#include <gtest/gtest.h>

#include "tests/layer/fake_handles.h"

namespace trellis::test {
namespace {

constexpr VkShaderStageFlags kComputeShader = VK_SHADER_STAGE_COMPUTE_BIT;

TEST(PushConstantState, fully_overwritten_calls_are_dropped) {
  PushConstantState state;
  const uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const auto layout = Fake<VkPipelineLayout>(1);
  state.Push(layout, kComputeShader, 0, {bytes, 8});
  state.Push(layout, kComputeShader, 8, {bytes, 8});
  EXPECT_EQ(state.Calls().size(), 2u);
  state.Push(layout, kComputeShader, 0, {bytes, 16});
  ASSERT_EQ(state.Calls().size(), 1u);
  EXPECT_EQ(state.Calls()[0].bytes.size(), 16u);
}

TEST(PushConstantState, other_layouts_stages_and_overhanging_ranges_are_kept) {
  PushConstantState state;
  const uint8_t bytes[16] = {};
  state.Push(Fake<VkPipelineLayout>(1), kComputeShader, 0, {bytes, 8});
  state.Push(Fake<VkPipelineLayout>(2), kComputeShader, 0, {bytes, 8});
  state.Push(Fake<VkPipelineLayout>(2), VK_SHADER_STAGE_VERTEX_BIT, 0, {bytes, 8});
  state.Push(Fake<VkPipelineLayout>(1), kComputeShader, 4, {bytes, 8});
  EXPECT_EQ(state.Calls().size(), 4u);
}

TEST(PushConstantState, shadow_holds_what_compute_sees) {
  PushConstantState state;
  const uint8_t ones[4] = {1, 1, 1, 1};
  const uint8_t twos[4] = {2, 2, 2, 2};
  const auto layout = Fake<VkPipelineLayout>(1);
  state.Push(layout, kComputeShader | VK_SHADER_STAGE_VERTEX_BIT, 4, ones);
  state.Push(layout, VK_SHADER_STAGE_VERTEX_BIT, 4, twos);
  EXPECT_EQ(state.ComputeBytes()[4], 1);
  EXPECT_EQ(state.ComputeBytes()[0], 0);
  EXPECT_EQ(state.ComputeBytes().size(), 8u);
  state.Push(layout, kComputeShader, 4092, twos);  // some devices have as many
  ASSERT_EQ(state.ComputeBytes().size(), 4096u);
  EXPECT_EQ(state.ComputeBytes()[4095], 2);
  EXPECT_EQ(state.ComputeBytes()[8], 0);
}

std::shared_ptr<const DescriptorSetLayout> SetLayout(uint32_t bindings, VkDescriptorType type, uint32_t count = 1) {
  std::vector<VkDescriptorSetLayoutBinding> described;
  for (uint32_t i = bindings; i-- > 0;) described.push_back({i, type, count, VK_SHADER_STAGE_ALL, nullptr});
  VkDescriptorSetLayoutCreateInfo info = {};
  info.bindingCount = bindings;
  info.pBindings = described.data();
  return std::make_shared<DescriptorSetLayout>(DescribeSetLayout(info));
}

BindLayout Layout(uint64_t handle) { return {Fake<VkPipelineLayout>(handle), nullptr}; }
BindLayout Layout(uint64_t handle, SetLayouts sets) {
  return {Fake<VkPipelineLayout>(handle), std::make_shared<SetLayouts>(std::move(sets))};
}

constexpr VkDescriptorType kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

TEST(SetLayouts, definitions_are_compared_up_to_the_set) {
  const SetLayouts one = {SetLayout(2, kStorage), SetLayout(1, kDynamic)};
  const SetLayouts same = {SetLayout(2, kStorage), SetLayout(1, kDynamic), SetLayout(1, kStorage)};
  EXPECT_TRUE(CompatibleForSet(one, same, 0));
  EXPECT_TRUE(CompatibleForSet(one, same, 1));
  EXPECT_FALSE(CompatibleForSet(one, same, 2)) << "one of them has no set 2";
  const SetLayouts other_first = {SetLayout(3, kStorage), SetLayout(1, kDynamic)};
  EXPECT_FALSE(CompatibleForSet(one, other_first, 0));
  EXPECT_FALSE(CompatibleForSet(one, other_first, 1)) << "set 0 differs";
  const SetLayouts other_second = {SetLayout(2, kStorage), SetLayout(1, kDynamic, 2)};
  EXPECT_TRUE(CompatibleForSet(one, other_second, 0));
  EXPECT_FALSE(CompatibleForSet(one, other_second, 1));
  const SetLayouts unknown = {nullptr, SetLayout(1, kDynamic)};
  EXPECT_TRUE(CompatibleForSet(one, unknown, 1));
}

TEST(SetLayouts, samplers_count_where_they_mean_something) {
  VkSampler sampler = Fake<VkSampler>(1);
  VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL,
                                          nullptr};
  VkDescriptorSetLayoutCreateInfo info = {};
  info.bindingCount = 1;
  info.pBindings = &binding;
  const DescriptorSetLayout without = DescribeSetLayout(info);
  binding.pImmutableSamplers = &sampler;
  const DescriptorSetLayout with = DescribeSetLayout(info);
  EXPECT_FALSE(without == with);
  sampler = Fake<VkSampler>(2);
  EXPECT_FALSE(DescribeSetLayout(info) == with);
  binding.descriptorType = kStorage;
  binding.pImmutableSamplers = reinterpret_cast<const VkSampler*>(uintptr_t{16});
  EXPECT_TRUE(DescribeSetLayout(info).bindings[0].immutable_samplers.empty());
}

TEST(BindPointState, sets_of_one_call_get_their_own_dynamic_offsets) {
  const VkDescriptorSet sets[] = {Fake<VkDescriptorSet>(10), Fake<VkDescriptorSet>(11)};
  const uint32_t offsets[] = {256, 512, 768};
  uint64_t sequence = 0;
  BindPointState state;
  state.BindSets(Layout(1, {nullptr, SetLayout(1, kDynamic, 2), SetLayout(1, kDynamic)}), 1, 2, sets, offsets,
                 sequence);
  ASSERT_EQ(state.sets.size(), 3u);
  EXPECT_EQ(state.sets[0].kind, BoundSet::Kind::kNone);
  EXPECT_EQ(state.sets[1].dynamic_offsets, (std::vector<uint32_t>{256, 512}));
  EXPECT_EQ(state.sets[2].dynamic_offsets, (std::vector<uint32_t>{768}));
}

TEST(BindPointState, replays_in_the_order_of_binding) {
  const VkDescriptorSet sets[] = {Fake<VkDescriptorSet>(10), Fake<VkDescriptorSet>(11)};
  uint64_t sequence = 0;
  BindPointState state;
  state.BindSets(Layout(1), 0, 2, sets, {}, sequence);
  state.BindSets(Layout(2), 0, 1, sets, {}, sequence);
  const auto order = state.InOrder();
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(order[0].first, 1u);
  EXPECT_EQ(order[1].first, 0u);
  EXPECT_EQ(order[1].second->layout.handle, Fake<VkPipelineLayout>(2));
}

TEST(BindPointState, push_descriptors_add_up_through_compatible_layouts_only) {
  const VkDescriptorBufferInfo info = {Fake<VkBuffer>(1), 0, 4};
  VkWriteDescriptorSet write = {};
  write.descriptorCount = 1;
  write.descriptorType = kStorage;
  write.pBufferInfo = &info;
  BindPointState state;
  const auto push = [&](uint32_t binding, const BindLayout& layout) {
    write.dstBinding = binding;
    BoundSet& set = state.Rebind(0, BoundSet::Kind::kPushDescriptors, layout, binding);
    set.pushed.Push({&write, 1});
    return set.pushed.Writes().writes.size();
  };
  EXPECT_EQ(push(0, Layout(1, {SetLayout(2, kStorage)})), 1u);
  EXPECT_EQ(push(1, Layout(2, {SetLayout(2, kStorage), SetLayout(1, kStorage)})), 2u);
  EXPECT_EQ(push(1, Layout(3, {SetLayout(3, kStorage)})), 1u);
}

}  // namespace
}  // namespace trellis::test
