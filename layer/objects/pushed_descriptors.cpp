// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pushed_descriptors.h"

#include <utility>

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

enum class Payload {
  kImage,
  kBuffer,
  kTexelBuffer,
  kAccelerationStructure,
  kAccelerationStructureNv,
  kPartitionedAccelerationStructure,
  kNone
};

Payload PayloadOf(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM:
    case VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM:
      return Payload::kImage;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return Payload::kTexelBuffer;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return Payload::kBuffer;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
      return Payload::kAccelerationStructure;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return Payload::kAccelerationStructureNv;
    case VK_DESCRIPTOR_TYPE_PARTITIONED_ACCELERATION_STRUCTURE_NV:
      return Payload::kPartitionedAccelerationStructure;
    default:
      return Payload::kNone;
  }
}

// VkWriteDescriptorSet may run past the end of a binding into the next one; then both are the same type and the ranges
// still compare as one, because the layout of a set does not change between two pushes that add up.
bool Covers(const VkWriteDescriptorSet& newer, const VkWriteDescriptorSet& older) {
  return newer.dstBinding == older.dstBinding && newer.dstArrayElement <= older.dstArrayElement &&
         newer.dstArrayElement + newer.descriptorCount >= older.dstArrayElement + older.descriptorCount;
}

template <typename T>
T ReadAt(const void* data, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + offset, sizeof(T));
  return value;
}

// What one of the structures says that hold a write's acceleration structures.
template <typename Info, typename Element>
void Keep(const void* chain, std::vector<Element>& kept) {
  if (const auto* info = FindStruct<Info>(chain))
    kept.assign(info->pAccelerationStructures, info->pAccelerationStructures + info->accelerationStructureCount);
}

// Chains such a structure to a write again. `infos` may not grow anew: writes point into it.
template <typename Info, typename Element>
void Chain(const std::vector<Element>& kept, std::vector<Info>& infos, VkWriteDescriptorSet& write) {
  if (kept.empty()) return;
  Info& info = infos.emplace_back(MakeStruct<Info>());
  info.accelerationStructureCount = static_cast<uint32_t>(kept.size());
  info.pAccelerationStructures = kept.data();
  write.pNext = &info;
}

}  // namespace

void PushedDescriptors::Push(std::span<const VkWriteDescriptorSet> writes) {
  for (const VkWriteDescriptorSet& write : writes) {
    PushedWrite pushed;
    pushed.write = write;
    switch (PayloadOf(write.descriptorType)) {
      case Payload::kImage:
        pushed.images.assign(write.pImageInfo, write.pImageInfo + write.descriptorCount);
        break;
      case Payload::kBuffer:
        pushed.buffers.assign(write.pBufferInfo, write.pBufferInfo + write.descriptorCount);
        break;
      case Payload::kTexelBuffer:
        pushed.texel_buffers.assign(write.pTexelBufferView, write.pTexelBufferView + write.descriptorCount);
        break;
      case Payload::kAccelerationStructure:
        Keep<VkWriteDescriptorSetAccelerationStructureKHR>(write.pNext, pushed.acceleration_structures);
        break;
      case Payload::kAccelerationStructureNv:
        Keep<VkWriteDescriptorSetAccelerationStructureNV>(write.pNext, pushed.acceleration_structures_nv);
        break;
      case Payload::kPartitionedAccelerationStructure:
        Keep<VkWriteDescriptorSetPartitionedAccelerationStructureNV>(write.pNext,
                                                                     pushed.partitioned_acceleration_structures);
        break;
      case Payload::kNone:
        continue;
    }
    Add(std::move(pushed));
  }
}

void PushedDescriptors::PushWithTemplate(std::span<const VkDescriptorUpdateTemplateEntry> entries, const void* data) {
  for (const VkDescriptorUpdateTemplateEntry& entry : entries) {
    PushedWrite pushed;
    pushed.write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    pushed.write.dstBinding = entry.dstBinding;
    pushed.write.dstArrayElement = entry.dstArrayElement;
    pushed.write.descriptorCount = entry.descriptorCount;
    pushed.write.descriptorType = entry.descriptorType;
    const Payload payload = PayloadOf(entry.descriptorType);
    if (payload == Payload::kNone) continue;
    for (uint32_t i = 0; i < entry.descriptorCount; ++i) {
      const size_t offset = entry.offset + i * entry.stride;
      if (payload == Payload::kImage) pushed.images.push_back(ReadAt<VkDescriptorImageInfo>(data, offset));
      if (payload == Payload::kBuffer) pushed.buffers.push_back(ReadAt<VkDescriptorBufferInfo>(data, offset));
      if (payload == Payload::kTexelBuffer) pushed.texel_buffers.push_back(ReadAt<VkBufferView>(data, offset));
      if (payload == Payload::kAccelerationStructure)
        pushed.acceleration_structures.push_back(ReadAt<VkAccelerationStructureKHR>(data, offset));
      if (payload == Payload::kAccelerationStructureNv)
        pushed.acceleration_structures_nv.push_back(ReadAt<VkAccelerationStructureNV>(data, offset));
      if (payload == Payload::kPartitionedAccelerationStructure)
        pushed.partitioned_acceleration_structures.push_back(ReadAt<VkDeviceAddress>(data, offset));
    }
    Add(std::move(pushed));
  }
}

void PushedDescriptors::Add(PushedWrite write) {
  std::erase_if(writes_, [&](const PushedWrite& older) { return Covers(write.write, older.write); });
  writes_.push_back(std::move(write));
}

PushedDescriptors::WriteList PushedDescriptors::Writes() const {
  WriteList list;
  list.acceleration_structures.reserve(writes_.size());
  list.acceleration_structures_nv.reserve(writes_.size());
  list.partitioned_acceleration_structures.reserve(writes_.size());
  for (const PushedWrite& pushed : writes_) {
    VkWriteDescriptorSet write = pushed.write;
    write.pNext = nullptr;
    write.dstSet = VK_NULL_HANDLE;
    write.pImageInfo = pushed.images.data();
    write.pBufferInfo = pushed.buffers.data();
    write.pTexelBufferView = pushed.texel_buffers.data();
    Chain(pushed.acceleration_structures, list.acceleration_structures, write);
    Chain(pushed.acceleration_structures_nv, list.acceleration_structures_nv, write);
    Chain(pushed.partitioned_acceleration_structures, list.partitioned_acceleration_structures, write);
    list.writes.push_back(write);
  }
  return list;
}

}  // namespace trellis
