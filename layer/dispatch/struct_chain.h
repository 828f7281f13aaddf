// pNext chains: finding, copying, removing, inserting.
#pragma once

#include <cstddef>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// sizeof of the structure that carries this sType; 0 when these headers do not know it (a newer one, or another
// platform's).
[[nodiscard]] size_t StructSize(VkStructureType type);

// The first structure of a type in a chain, null if there is none. `chain` is a structure or a pNext pointer, or null.
[[nodiscard]] const VkBaseInStructure* FindInChain(const void* chain, VkStructureType type);

template <typename Struct>
[[nodiscard]] const Struct* FindStruct(const void* chain, VkStructureType type) {
  return reinterpret_cast<const Struct*>(FindInChain(chain, type));
}
template <typename Struct>
[[nodiscard]] Struct* FindStruct(void* chain, VkStructureType type) {
  return const_cast<Struct*>(reinterpret_cast<const Struct*>(FindInChain(chain, type)));
}

// A chain has a structure that CopyChain cannot copy.
[[nodiscard]] bool HasUnknownStruct(const void* chain);

// Shallow copies of the structures of a chain, linked in the same order, so that they can be edited and linked anew.
// Arrays and strings that they point to are not copied. A structure of unknown size cannot be copied: it is linked in
// itself, and its pNext is restored when the arena dies.
[[nodiscard]] void* CopyChain(const void* chain, Arena& arena);

// A copy of one structure with a copied chain.
template <typename Struct>
[[nodiscard]] Struct* CopyWithChain(const Struct& source, Arena& arena) {
  Struct* copy = arena.Copy(source);
  copy->pNext = CopyChain(source.pNext, arena);
  return copy;
}

// Removes the first structure of a type behind `head` and returns it; null if there is none. The chain must be
// writable.
VkBaseOutStructure* RemoveFromChain(void* head, VkStructureType type);

// Links a structure in directly behind `head`. Both must be writable.
void InsertIntoChain(void* head, void* structure);

// Takes the first structure of a type out of a chain that belongs to the application, and links it in again when it
// goes out of scope. For output chains, which cannot be copied: the application looks for results in its own
// structures.
class [[nodiscard]] ScopedUnlink {
 public:
  ScopedUnlink(const void* head, VkStructureType type);
  ~ScopedUnlink();
  ScopedUnlink(const ScopedUnlink&) = delete;
  ScopedUnlink& operator=(const ScopedUnlink&) = delete;

  // The structure that was taken out; null if there was none.
  template <typename Struct>
  [[nodiscard]] Struct* As() const {
    return reinterpret_cast<Struct*>(removed_);
  }

 private:
  VkBaseOutStructure* before_ = nullptr;
  VkBaseOutStructure* removed_ = nullptr;
};

}  // namespace trellis
