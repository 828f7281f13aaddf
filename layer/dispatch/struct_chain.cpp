// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

// pNext of a copy is a pointer to something writable, whatever it points to.
VkBaseOutStructure* Unconst(const VkBaseInStructure* structure) {
  return reinterpret_cast<VkBaseOutStructure*>(const_cast<VkBaseInStructure*>(structure));
}

VkBaseOutStructure* CopyStruct(const VkBaseInStructure& source, Arena& arena) {
  const size_t size = StructSize(source.sType);
  return size ? static_cast<VkBaseOutStructure*>(arena.Copy(&source, size)) : CopyUnknownStruct(source, arena);
}

// Replaces the structures behind `head` up to `last`, which is one of them or `head` itself, by copies. Returns the
// copy of `last`, or `head`.
VkBaseOutStructure* CopyUpTo(void* head, const void* last, Arena& arena) {
  auto* at = static_cast<VkBaseOutStructure*>(head);
  for (const void* source = head; source != last; at = at->pNext) {
    source = at->pNext;
    at->pNext = CopyStruct(*static_cast<const VkBaseInStructure*>(source), arena);
  }
  return at;
}

// The structure in front of the first one of a type, searched behind `head`.
const VkBaseInStructure* FindPredecessor(const void* head, VkStructureType type) {
  for (auto* at = static_cast<const VkBaseInStructure*>(head); at->pNext; at = at->pNext)
    if (at->pNext->sType == type) return at;
  return nullptr;
}

}  // namespace

size_t StructSize(VkStructureType type) {
  switch (static_cast<int64_t>(type)) {
#define STRUCT(value, name) \
  case value:               \
    return sizeof(name);
#include "layer/dispatch/struct_sizes.inc"
#undef STRUCT
    // The loader's own, which are not in the registry.
    case VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO:
      return sizeof(VkLayerInstanceCreateInfo);
    case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO:
      return sizeof(VkLayerDeviceCreateInfo);
    default:
      return 0;
  }
}

const VkBaseInStructure* FindInChain(const void* chain, VkStructureType type) {
  for (auto at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (at->sType == type) return at;
  return nullptr;
}

VkBaseOutStructure* EditInChain(void* head, VkStructureType type, Arena& arena) {
  const auto* wanted = FindInChain(static_cast<VkBaseOutStructure*>(head)->pNext, type);
  return wanted ? CopyUpTo(head, wanted, arena) : nullptr;
}

const VkBaseInStructure* RemoveFromChain(void* head, VkStructureType type, Arena& arena) {
  const VkBaseInStructure* before = FindPredecessor(head, type);
  if (!before) return nullptr;
  const VkBaseInStructure* removed = before->pNext;
  CopyUpTo(head, before, arena)->pNext = Unconst(removed->pNext);
  return removed;
}

void InsertIntoChain(void* head, void* structure) {
  auto* inserted = static_cast<VkBaseOutStructure*>(structure);
  auto* before = static_cast<VkBaseOutStructure*>(head);
  inserted->pNext = before->pNext;
  before->pNext = inserted;
}

ScopedUnlink::ScopedUnlink(void* head, VkStructureType type) {
  const VkBaseInStructure* before = FindPredecessor(head, type);
  if (!before || (before != head && StructSize(before->sType) == 0)) return;
  before_ = Unconst(before);
  hidden_ = before_->pNext;
  before_->pNext = hidden_->pNext;
}

ScopedUnlink::~ScopedUnlink() {
  if (before_) before_->pNext = hidden_;
}

}  // namespace trellis
