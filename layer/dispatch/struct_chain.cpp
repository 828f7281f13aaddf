#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

VkBaseOutStructure* AsWritable(const void* structure) {
  return const_cast<VkBaseOutStructure*>(static_cast<const VkBaseOutStructure*>(structure));
}

// The structure in front of the first one of a type, searched behind `head`.
VkBaseOutStructure* FindPredecessor(const void* head, VkStructureType type) {
  for (VkBaseOutStructure* at = AsWritable(head); at && at->pNext; at = at->pNext)
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

bool HasUnknownStruct(const void* chain) {
  for (auto at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (StructSize(at->sType) == 0) return true;
  return false;
}

void* CopyChain(const void* chain, Arena& arena) {
  VkBaseOutStructure* first = nullptr;
  VkBaseOutStructure** link = &first;
  VkBaseOutStructure* next = nullptr;
  for (VkBaseOutStructure* source = AsWritable(chain); source; source = next) {
    next = source->pNext;
    if (const size_t size = StructSize(source->sType)) {
      *link = static_cast<VkBaseOutStructure*>(arena.Copy(source, size));
    } else {
      arena.RestoreLater(source);
      *link = source;
    }
    link = &(*link)->pNext;
  }
  // Ends the chain only where that changes something: an unknown structure at the end may lie in read-only memory.
  if (*link) *link = nullptr;
  return first;
}

VkBaseOutStructure* RemoveFromChain(void* head, VkStructureType type) {
  VkBaseOutStructure* before = FindPredecessor(head, type);
  if (!before) return nullptr;
  VkBaseOutStructure* removed = before->pNext;
  before->pNext = removed->pNext;
  return removed;
}

void InsertIntoChain(void* head, void* structure) {
  auto* inserted = static_cast<VkBaseOutStructure*>(structure);
  auto* before = static_cast<VkBaseOutStructure*>(head);
  inserted->pNext = before->pNext;
  before->pNext = inserted;
}

ScopedUnlink::ScopedUnlink(const void* head, VkStructureType type) : before_(FindPredecessor(head, type)) {
  if (!before_) return;
  removed_ = before_->pNext;
  before_->pNext = removed_->pNext;
}

ScopedUnlink::~ScopedUnlink() {
  if (before_) before_->pNext = removed_;
}

}  // namespace trellis
