// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pushed_descriptors.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "layer/objects/handle_table.h"
#include "tests/layer/fake_driver/descriptor_writes.h"

namespace trellis::test {
namespace {

TEST(PushedDescriptors, survive_the_arrays_they_came_from_and_do_not_grow_when_repeated) {
  PushedDescriptors pushed;
  for (uint64_t i = 1; i <= 100; ++i) {
    const VkDescriptorBufferInfo info = {HandleFromU64<VkBuffer>(i), 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet writes[] = {BufferWrite(0, &info), BufferWrite(1, &info)};
    pushed.Push(writes);
  }
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 2u);
  EXPECT_EQ(list.writes[0].pBufferInfo[0].buffer, HandleFromU64<VkBuffer>(100));
}

TEST(PushedDescriptors, partial_pushes_add_up) {
  PushedDescriptors pushed;
  const VkDescriptorBufferInfo infos[] = {{HandleFromU64<VkBuffer>(1), 0, 4}, {HandleFromU64<VkBuffer>(2), 0, 4}};
  VkWriteDescriptorSet both = BufferWrite(0, infos, 2);
  pushed.Push({&both, 1});
  const VkDescriptorBufferInfo third = {HandleFromU64<VkBuffer>(3), 0, 4};
  VkWriteDescriptorSet second_element = BufferWrite(0, &third);
  second_element.dstArrayElement = 1;
  pushed.Push({&second_element, 1});
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 2u);
  EXPECT_EQ(list.writes[0].pBufferInfo[1].buffer, HandleFromU64<VkBuffer>(2));
  EXPECT_EQ(list.writes[1].pBufferInfo[0].buffer, HandleFromU64<VkBuffer>(3));
}

TEST(PushedDescriptors, reads_template_data) {
  struct Data {
    uint32_t unrelated;
    VkDescriptorBufferInfo buffers[2];
  } data = {0, {{HandleFromU64<VkBuffer>(5), 16, 32}, {HandleFromU64<VkBuffer>(6), 0, 64}}};
  VkDescriptorUpdateTemplateEntry entry = {
      3, 0, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, offsetof(Data, buffers), sizeof(VkDescriptorBufferInfo)};
  PushedDescriptors pushed;
  pushed.PushWithTemplate({&entry, 1}, &data);
  const PushedDescriptors::WriteList list = pushed.Writes();
  ASSERT_EQ(list.writes.size(), 1u);
  EXPECT_EQ(list.writes[0].dstBinding, 3u);
  EXPECT_EQ(list.writes[0].pBufferInfo[0].offset, 16u);
  EXPECT_EQ(list.writes[0].pBufferInfo[1].buffer, HandleFromU64<VkBuffer>(6));
}

TEST(PushedDescriptors, keeps_acceleration_structures) {
  const VkAccelerationStructureKHR structure = HandleFromU64<VkAccelerationStructureKHR>(9);
  auto info = MakeStruct<VkWriteDescriptorSetAccelerationStructureKHR>();
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
  const VkAccelerationStructureNV structures[] = {HandleFromU64<VkAccelerationStructureNV>(9),
                                                  HandleFromU64<VkAccelerationStructureNV>(10)};
  auto nv = MakeStruct<VkWriteDescriptorSetAccelerationStructureNV>();
  nv.accelerationStructureCount = 2;
  nv.pAccelerationStructures = structures;
  const VkDeviceAddress address = 0x1230;
  auto partitioned = MakeStruct<VkWriteDescriptorSetPartitionedAccelerationStructureNV>();
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
  const VkDescriptorImageInfo image = {HandleFromU64<VkSampler>(1), HandleFromU64<VkImageView>(2),
                                       VK_IMAGE_LAYOUT_GENERAL};
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

}  // namespace
}  // namespace trellis::test
