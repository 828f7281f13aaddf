// SPDX-License-Identifier: Apache-2.0
// Memory operands of payload accesses.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/ir/layout.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// How accesses through lowered payload pointers are marked.
class PayloadAccess {
 public:
  PayloadAccess(const Module& module, Types& types) : types_(types), meter_(module, types) {}

  // Other invocations may see the accesses before the next level, so shader barriers must order them. Vulkan memory
  // model: marked on each access. (GLSL450 model: Coherent on the members, see MarkMembersCoherent, and
  // on parameters.)
  void MakeShared() { shared_vulkan_model_ = true; }

  // What is known of a pointer besides its type. `alignment`: bytes.
  void SetAlignment(Id pointer, uint32_t alignment) { alignments_[pointer] = alignment; }
  void SetAlignmentOfCopy(Id pointer, Id original);
  // `pointer` is an access chain: `base` points to a `type`.
  void SetAlignmentOfPart(Id pointer, Id base, Id type, std::span<const Id> indices);

  // Rewrites the memory operands (if any) of OpLoad or OpStore: Aligned is what is known of the pointer, at least the
  // largest scalar of `accessed` (VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314), and the access is non-private if
  // it must be. Drivers make one wide access only of what is aligned for it.
  void Mark(Instruction& instruction, Id accessed);

 private:
  Types& types_;
  LayoutMeter meter_;
  bool shared_vulkan_model_ = false;
  std::unordered_map<Id, uint32_t> alignments_;  // of pointers
};

// Decorations of parameters that are addresses.
class AddressParameters {
 public:
  explicit AddressParameters(Module& module);

  // Required of them, unless they are Restrict.
  void MakeAliased(Id parameter);
  void MakeCoherent(Id parameter);

 private:
  Module& module_;
  std::unordered_set<Id> aliased_, coherent_;  // or Restrict, the first
};

// OpCopyMemory as the load and the store that it stands for, each with its part of the memory operands. `loaded` is the
// value's new id.
struct SplitCopy {
  Instruction load, store;
};
[[nodiscard]] SplitCopy SplitCopyMemory(const Instruction& copy, Id type, Id loaded);

// GLSL450 model: Coherent on every member of `payload` and of the structures in it, which pointers may single out.
void MarkMembersCoherent(Module& module, const Types& types, Id payload);

}  // namespace trellis::spirv
