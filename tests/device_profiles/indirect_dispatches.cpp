// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/indirect_dispatches.h"

#include <algorithm>

#include "layer/dispatch/struct_type.h"

namespace trellis::test {
namespace {

constexpr uint32_t kCopiesPerBuffer = 1024;
constexpr VkDeviceSize kBufferSize = kCopiesPerBuffer * sizeof(VkDispatchIndirectCommand);

}  // namespace

IndirectDispatches::~IndirectDispatches() {
  for (const auto& [command_buffer, recording] : recordings_) {
    for (const std::unique_ptr<Copies>& copies : recording.copies) Destroy(*copies);
  }
  for (const std::unique_ptr<Copies>& copies : unused_) Destroy(*copies);
}

void IndirectDispatches::Destroy(const Copies& copies) const {
  next_.DestroyBuffer(device_, copies.buffer, nullptr);
  next_.FreeMemory(device_, copies.memory, nullptr);
}

std::unique_ptr<IndirectDispatches::Copies> IndirectDispatches::TakeCopies() {
  if (!unused_.empty()) {
    std::unique_ptr<Copies> copies = std::move(unused_.back());
    unused_.pop_back();
    return copies;
  }
  auto copies = std::make_unique<Copies>();
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = kBufferSize;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto allocation = MakeStruct<VkMemoryAllocateInfo>();
  allocation.memoryTypeIndex = memory_type_;
  void* mapped = nullptr;
  bool made = next_.CreateBuffer(device_, &info, nullptr, &copies->buffer) == VK_SUCCESS;
  if (made) {
    VkMemoryRequirements requirements = {};
    next_.GetBufferMemoryRequirements(device_, copies->buffer, &requirements);
    allocation.allocationSize = requirements.size;
    made = next_.AllocateMemory(device_, &allocation, nullptr, &copies->memory) == VK_SUCCESS &&
           next_.BindBufferMemory(device_, copies->buffer, copies->memory, 0) == VK_SUCCESS &&
           next_.MapMemory(device_, copies->memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS;
  }
  if (!made) {
    Destroy(*copies);
    return nullptr;
  }
  copies->sizes = static_cast<VkDispatchIndirectCommand*>(mapped);
  std::fill_n(copies->sizes, kCopiesPerBuffer, VkDispatchIndirectCommand{});
  return copies;
}

// No barrier is needed: CPU drivers execute commands one after the other.
bool IndirectDispatches::Record(VkCommandBuffer command_buffer, VkBuffer buffer, VkDeviceSize offset) {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<Copies>>& all = recordings_[command_buffer].copies;
  if (all.empty() || all.back()->used == kCopiesPerBuffer) {
    std::unique_ptr<Copies> copies = TakeCopies();
    if (copies == nullptr) return false;
    all.push_back(std::move(copies));
  }
  Copies& copies = *all.back();
  const VkBufferCopy region = {offset, copies.used++ * sizeof(VkDispatchIndirectCommand),
                               sizeof(VkDispatchIndirectCommand)};
  next_.CmdCopyBuffer(command_buffer, buffer, copies.buffer, 1, &region);
  return true;
}

void IndirectDispatches::Allocated(VkCommandPool pool, uint32_t count, const VkCommandBuffer* command_buffers) {
  const std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < count; ++i) recordings_[command_buffers[i]].pool = pool;
}

void IndirectDispatches::CheckLocked(Recording& recording, std::vector<std::string>& wrong) const {
  for (const std::unique_ptr<Copies>& copies : recording.copies) {
    for (uint32_t i = 0; i < copies->used; ++i) {
      VkDispatchIndirectCommand& size = copies->sizes[i];
      if (size.x <= max_workgroups_[0] && size.y <= max_workgroups_[1] && size.z <= max_workgroups_[2]) continue;
      wrong.push_back("vkCmdDispatchIndirect dispatched " + std::to_string(size.x) + " x " + std::to_string(size.y) +
                      " x " + std::to_string(size.z) + " workgroups, more than maxComputeWorkGroupCount");
      size = {};  // report it once
    }
  }
}

void IndirectDispatches::ReleaseLocked(Recording& recording, std::vector<std::string>& wrong) {
  CheckLocked(recording, wrong);
  for (std::unique_ptr<Copies>& copies : recording.copies) {
    std::fill_n(copies->sizes, copies->used, VkDispatchIndirectCommand{});
    copies->used = 0;
    unused_.push_back(std::move(copies));
  }
  recording.copies.clear();
}

std::vector<std::string> IndirectDispatches::Release(VkCommandBuffer command_buffer) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> wrong;
  if (const auto found = recordings_.find(command_buffer); found != recordings_.end())
    ReleaseLocked(found->second, wrong);
  return wrong;
}

std::vector<std::string> IndirectDispatches::Release(VkCommandPool pool) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> wrong;
  for (auto& [command_buffer, recording] : recordings_) {
    if (recording.pool == pool) ReleaseLocked(recording, wrong);
  }
  return wrong;
}

std::vector<std::string> IndirectDispatches::Check() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> wrong;
  for (auto& [command_buffer, recording] : recordings_) CheckLocked(recording, wrong);
  return wrong;
}

}  // namespace trellis::test
