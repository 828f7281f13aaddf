#include "layer/objects/bound_state.h"

#include <gtest/gtest.h>

#include "layer/objects/handle_table.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/objects/shader_module.h"

namespace trellis::test {
namespace {

constexpr VkShaderStageFlags kCompute = VK_SHADER_STAGE_COMPUTE_BIT;

template <typename Handle>
Handle Fake(uint64_t bits) {
  return HandleFromU64<Handle>(bits);
}

TEST(PushConstantState, fully_overwritten_calls_are_dropped) {
  PushConstantState state;
  const uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const auto layout = Fake<VkPipelineLayout>(1);
  state.Push(layout, kCompute, 0, {bytes, 8});
  state.Push(layout, kCompute, 8, {bytes, 8});
  EXPECT_EQ(state.Calls().size(), 2u);
  state.Push(layout, kCompute, 0, {bytes, 16});
  ASSERT_EQ(state.Calls().size(), 1u);
  EXPECT_EQ(state.Calls()[0].bytes.size(), 16u);
}

TEST(PushConstantState, other_layouts_stages_and_overhanging_ranges_are_kept) {
  PushConstantState state;
  const uint8_t bytes[16] = {};
  state.Push(Fake<VkPipelineLayout>(1), kCompute, 0, {bytes, 8});
  state.Push(Fake<VkPipelineLayout>(2), kCompute, 0, {bytes, 8});
  state.Push(Fake<VkPipelineLayout>(2), VK_SHADER_STAGE_VERTEX_BIT, 0, {bytes, 8});
  state.Push(Fake<VkPipelineLayout>(1), kCompute, 4, {bytes, 8});
  EXPECT_EQ(state.Calls().size(), 4u);
}

TEST(PushConstantState, shadow_holds_what_compute_sees) {
  PushConstantState state;
  const uint8_t ones[4] = {1, 1, 1, 1};
  const uint8_t twos[4] = {2, 2, 2, 2};
  const auto layout = Fake<VkPipelineLayout>(1);
  state.Push(layout, kCompute | VK_SHADER_STAGE_VERTEX_BIT, 4, ones);
  state.Push(layout, VK_SHADER_STAGE_VERTEX_BIT, 4, twos);
  EXPECT_EQ(state.ComputeBytes()[4], 1);
  EXPECT_EQ(state.ComputeBytes()[0], 0);
  EXPECT_EQ(state.ComputeBytes().size(), 8u);
  state.Push(layout, kCompute, 4092, twos);  // some devices have as many
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

VkWriteDescriptorSet BufferWrite(uint32_t binding, const VkDescriptorBufferInfo* info, uint32_t count = 1) {
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstBinding = binding;
  write.descriptorCount = count;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = info;
  return write;
}

TEST(PushedDescriptors, survive_the_arrays_they_came_from_and_do_not_grow_when_repeated) {
  PushedDescriptors pushed;
  for (uint64_t i = 1; i <= 100; ++i) {
    const VkDescriptorBufferInfo info = {Fake<VkBuffer>(i), 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet writes[] = {BufferWrite(0, &info), BufferWrite(1, &info)};
    pushed.Push(writes);
  }
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 2u);
  EXPECT_EQ(list.writes[0].pBufferInfo[0].buffer, Fake<VkBuffer>(100));
}

TEST(PushedDescriptors, partial_pushes_add_up) {
  PushedDescriptors pushed;
  const VkDescriptorBufferInfo infos[] = {{Fake<VkBuffer>(1), 0, 4}, {Fake<VkBuffer>(2), 0, 4}};
  VkWriteDescriptorSet both = BufferWrite(0, infos, 2);
  pushed.Push({&both, 1});
  const VkDescriptorBufferInfo third = {Fake<VkBuffer>(3), 0, 4};
  VkWriteDescriptorSet second_element = BufferWrite(0, &third);
  second_element.dstArrayElement = 1;
  pushed.Push({&second_element, 1});
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 2u);
  EXPECT_EQ(list.writes[0].pBufferInfo[1].buffer, Fake<VkBuffer>(2));
  EXPECT_EQ(list.writes[1].pBufferInfo[0].buffer, Fake<VkBuffer>(3));
}

TEST(PushedDescriptors, reads_template_data) {
  struct Data {
    uint32_t unrelated;
    VkDescriptorBufferInfo buffers[2];
  } data = {0, {{Fake<VkBuffer>(5), 16, 32}, {Fake<VkBuffer>(6), 0, 64}}};
  VkDescriptorUpdateTemplateEntry entry = {
      3, 0, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsetof(Data, buffers), sizeof(VkDescriptorBufferInfo)};
  PushedDescriptors pushed;
  pushed.PushWithTemplate({&entry, 1}, &data);
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 1u);
  EXPECT_EQ(list.writes[0].dstBinding, 3u);
  EXPECT_EQ(list.writes[0].pBufferInfo[0].offset, 16u);
  EXPECT_EQ(list.writes[0].pBufferInfo[1].buffer, Fake<VkBuffer>(6));
}

TEST(PushedDescriptors, keeps_acceleration_structures) {
  const VkAccelerationStructureKHR structure = Fake<VkAccelerationStructureKHR>(9);
  VkWriteDescriptorSetAccelerationStructureKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR;
  info.accelerationStructureCount = 1;
  info.pAccelerationStructures = &structure;
  VkWriteDescriptorSet write = BufferWrite(0, nullptr);
  write.descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
  write.pNext = &info;
  PushedDescriptors pushed;
  pushed.Push({&write, 1});
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 1u);
  const auto* kept = static_cast<const VkWriteDescriptorSetAccelerationStructureKHR*>(list.writes[0].pNext);
  ASSERT_NE(kept, &info);
  EXPECT_EQ(kept->pAccelerationStructures[0], structure);
}

TEST(PushedDescriptors, keeps_acceleration_structures_of_nv_extensions) {
  const VkAccelerationStructureNV structures[] = {Fake<VkAccelerationStructureNV>(9),
                                                  Fake<VkAccelerationStructureNV>(10)};
  VkWriteDescriptorSetAccelerationStructureNV nv = {};
  nv.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_NV;
  nv.accelerationStructureCount = 2;
  nv.pAccelerationStructures = structures;
  const VkDeviceAddress address = 0x1230;
  VkWriteDescriptorSetPartitionedAccelerationStructureNV partitioned = {};
  partitioned.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_PARTITIONED_ACCELERATION_STRUCTURE_NV;
  partitioned.accelerationStructureCount = 1;
  partitioned.pAccelerationStructures = &address;
  VkWriteDescriptorSet writes[] = {BufferWrite(0, nullptr), BufferWrite(1, nullptr)};
  writes[0].descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV;
  writes[0].pNext = &nv;
  writes[1].descriptorType = VK_DESCRIPTOR_TYPE_PARTITIONED_ACCELERATION_STRUCTURE_NV;
  writes[1].pNext = &partitioned;
  PushedDescriptors pushed;
  pushed.Push(writes);
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 2u);
  const auto* kept_nv = static_cast<const VkWriteDescriptorSetAccelerationStructureNV*>(list.writes[0].pNext);
  ASSERT_NE(kept_nv, &nv);
  EXPECT_EQ(kept_nv->sType, nv.sType);
  ASSERT_EQ(kept_nv->accelerationStructureCount, 2u);
  EXPECT_EQ(kept_nv->pAccelerationStructures[1], structures[1]);
  const auto* kept = static_cast<const VkWriteDescriptorSetPartitionedAccelerationStructureNV*>(list.writes[1].pNext);
  ASSERT_NE(kept, &partitioned);
  EXPECT_EQ(kept->sType, partitioned.sType);
  EXPECT_EQ(kept->pAccelerationStructures[0], address);
}

TEST(PushedDescriptors, keeps_images_of_image_processing) {
  const VkDescriptorImageInfo image = {Fake<VkSampler>(1), Fake<VkImageView>(2), VK_IMAGE_LAYOUT_GENERAL};
  for (const VkDescriptorType type :
       {VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM, VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM}) {
    VkWriteDescriptorSet write = BufferWrite(0, nullptr);
    write.descriptorType = type;
    write.pImageInfo = &image;
    PushedDescriptors pushed;
    pushed.Push({&write, 1});
    const PushedDescriptors::WriteList list = pushed.Writes();
    ASSERT_EQ(list.writes.size(), 1u);
    EXPECT_EQ(list.writes[0].pImageInfo[0].imageView, image.imageView);
  }
}

TEST(NodePushConstants, launch_address_comes_above_the_compute_ranges) {
  const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_VERTEX_BIT, 64, 32}, {kCompute, 0, 20}};
  const NodePushConstants plan = PlanNodePushConstants(2, ranges, 128);
  EXPECT_EQ(plan.push_constant_end, 20u);
  EXPECT_EQ(plan.launch_offset, 24u);
  EXPECT_EQ(plan.node_push_constant_size, 32u);
  EXPECT_EQ(plan.application_size, 24u);
  EXPECT_FALSE(plan.copy_offset);
}

TEST(NodePushConstants, no_ranges) {
  const NodePushConstants plan = PlanNodePushConstants(0, nullptr, 128);
  EXPECT_EQ(plan.launch_offset, 0u);
  EXPECT_EQ(plan.node_push_constant_size, 8u);
}

TEST(NodePushConstants, exactly_full_fits_and_one_more_is_copied) {
  const VkPushConstantRange fits = {kCompute, 0, 120};
  EXPECT_FALSE(PlanNodePushConstants(1, &fits, 128).copy_offset);
  const VkPushConstantRange full = {kCompute, 0, 124};
  const NodePushConstants plan = PlanNodePushConstants(1, &full, 128);
  EXPECT_EQ(plan.push_constant_end, 124u);
  EXPECT_EQ(plan.application_size, 128u);
  EXPECT_EQ(plan.launch_offset, 0u);
  EXPECT_EQ(plan.copy_offset, 8u);
  EXPECT_EQ(plan.node_push_constant_size, 16u);
}

TEST(NodePushConstants, kilobytes_fit_where_the_device_has_them) {
  const VkPushConstantRange range = {kCompute, 0, 4000};
  EXPECT_EQ(PlanNodePushConstants(1, &range, 4096).launch_offset, 4000u);
}

TEST(ShaderModule, capability_is_found_among_others) {
  const std::vector<uint32_t> header = {0x07230203, 0x00010600, 0, 10, 0};
  const uint32_t capability = 2u << 16 | 17;
  std::vector<uint32_t> words = header;
  words.insert(words.end(), {capability, 1, capability, 5067, 3u << 16 | 14, 0, 1});
  EXPECT_TRUE(DeclaresShaderEnqueue(words));
  words[8] = 5350;
  EXPECT_FALSE(DeclaresShaderEnqueue(words));
}

TEST(ShaderModule, capabilities_are_listed) {
  const uint32_t capability = 2u << 16 | 17;
  const std::vector<uint32_t> words = {0x07230203, 0x00010600,    0, 10, 0, capability, 1, capability,
                                       22,         3u << 16 | 14, 0, 1};
  EXPECT_EQ(DeclaredCapabilities(words), (std::vector<uint32_t>{1, 22}));
}

TEST(ShaderModule, hostile_words_declare_nothing) {
  EXPECT_FALSE(DeclaresShaderEnqueue({}));
  const std::vector<uint32_t> short_header = {0x07230203, 1};
  EXPECT_FALSE(DeclaresShaderEnqueue(short_header));
  const std::vector<uint32_t> zero_word_count = {0x07230203, 0x00010600, 0, 10, 0, 0, 5067};
  EXPECT_FALSE(DeclaresShaderEnqueue(zero_word_count));
  const std::vector<uint32_t> truncated = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17};
  EXPECT_FALSE(DeclaresShaderEnqueue(truncated));
}

}  // namespace
}  // namespace trellis::test
