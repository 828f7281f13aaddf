// SPDX-License-Identifier: Apache-2.0
// pNext chains: finding, and edited copies. Nothing that belongs to the application is ever written: its structures may
// lie in constant memory, and other threads may read them.
#pragma once

#include <cstddef>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/struct_type.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// sizeof of the structure that carries this sType; 0 when these headers do not know it (a newer one, or another
// platform's).
[[nodiscard]] size_t StructSize(VkStructureType type);

// The first structure of a type in a chain, null if there is none. `chain` is a structure or a pNext pointer, or null.
[[nodiscard]] const VkBaseInStructure* FindInChain(const void* chain, VkStructureType type);

template <ChainableStruct T>
[[nodiscard]] const T* FindStruct(const void* chain) {
  return reinterpret_cast<const T*>(FindInChain(chain, kStructureType<T>));
}
// For chains of output structures, and chains of our own.
template <ChainableStruct T>
[[nodiscard]] T* FindStruct(void* chain) {
  return const_cast<T*>(FindStruct<T>(static_cast<const void*>(chain)));
}

// The functions below edit the chain behind `head`, which must be writable: mostly a copy of the application's create
// info. They replace the structures that they change, and those in front of them, by shallow copies; what follows stays
// the application's. Pointers into the chain from before an edit are stale afterwards.
//
// A structure of unknown size is copied with what lies behind it in memory, see CopyUnknownStruct.

// Returns a copy of the first structure of a type, linked in its place; null if there is none.
[[nodiscard]] VkBaseOutStructure* EditInChain(void* head, VkStructureType type, Arena& arena);

template <ChainableStruct T>
[[nodiscard]] T* EditStruct(void* head, Arena& arena) {
  return reinterpret_cast<T*>(EditInChain(head, kStructureType<T>, arena));
}

// Takes the first structure of a type out and returns it; null if there is none.
const VkBaseInStructure* RemoveFromChain(void* head, VkStructureType type, Arena& arena);

// Links a structure in directly behind `head`. Both must be writable.
void InsertIntoChain(void* head, void* structure);

// Hides the first structure of a type behind `head` from what is called in its lifetime. For chains of output
// structures, which the application has to let others write. A structure behind one of unknown type stays visible,
// because that one may lie in constant memory.
class [[nodiscard]] ScopedUnlink {
 public:
  ScopedUnlink(void* head, VkStructureType type);
  ~ScopedUnlink();
  ScopedUnlink(const ScopedUnlink&) = delete;
  ScopedUnlink& operator=(const ScopedUnlink&) = delete;

 private:
  VkBaseOutStructure* before_ = nullptr;
  VkBaseOutStructure* hidden_ = nullptr;
};

// Copies a structure whose size the headers do not know: kMaxUnknownStructSize bytes, or as many as are readable. The
// rest is 0. Where the system does not tell what is readable, the copy ends at the border of a page, and is reported.
inline constexpr size_t kMaxUnknownStructSize = 1024;
[[nodiscard]] VkBaseOutStructure* CopyUnknownStruct(const VkBaseInStructure& source, Arena& arena);

// Warns of such a copy, once per instance. Defined in layer/objects/registry.cpp: structures know no instance.
void ReportCutStruct(VkStructureType type);

}  // namespace trellis
