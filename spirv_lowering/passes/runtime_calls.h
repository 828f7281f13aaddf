// SPDX-License-Identifier: Apache-2.0
// Which functions of the runtime a node's handles need.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Imported once, before the first of the node's functions is touched.
class RuntimeCalls {
 public:
  // `has_groups`: some allocations are reserved by reserve_chosen.
  [[nodiscard]] static Expected<RuntimeCalls> Import(Lowering& lowering, const Outputs& outputs, bool has_groups);

  [[nodiscard]] Id element() const { return element_; }
  // The function for handles that have one record at most, and so do not lie in several pieces. Takes no index.
  [[nodiscard]] Id only_element() const { return only_element_; }
  [[nodiscard]] bool HasSingleRecords(Id array_type) const { return single_records_.contains(array_type); }
  [[nodiscard]] Id input_element() const { return input_element_; }
  [[nodiscard]] Id valid() const { return valid_; }
  [[nodiscard]] Id copy_array() const { return copy_array_; }
  [[nodiscard]] Id finish() const { return finish_; }  // kNoId if the node does not finish writing
  [[nodiscard]] Id input() const { return input_; }    // variable: the input's handle
  // What to call for an OpAllocateNodePayloadsAMDX.
  [[nodiscard]] Id AllocateFunction(const Allocation& allocation) const;
  // For such allocations of which no invocation wants more than one, reserve_chosen comes first, and handle_of in the
  // place of each.
  [[nodiscard]] bool IsReservedAlone(const Allocation& allocation) const {
    return allocation.commit == Commit::kAtAllocation && scope_of_.at(allocation.instruction->result_id) == kInvocation;
  }
  [[nodiscard]] Id reserve_chosen() const { return reserve_chosen_; }
  [[nodiscard]] Id ChosenType() const { return chosen_type_; }
  [[nodiscard]] Id handle_of() const { return handle_of_; }
  // What to call before that, with the same arguments; kNoId without LoweringTarget::check_allocations.
  [[nodiscard]] Id CheckFunction(const Allocation& allocation) const {
    return checks_[scope_of_.at(allocation.instruction->result_id)];
  }
  // What to call for OpEnqueueNodePayloadsAMDX on handles of this output; kNoId if every allocation of it is committed
  // or there is none.
  [[nodiscard]] Id EnqueueFunction(uint32_t output_number) const;
  // It takes the workgroup's size as last argument.
  [[nodiscard]] bool AllocatesTogether(const Allocation& allocation) const {
    return scope_of_.at(allocation.instruction->result_id) == kInvocations;
  }
  // It takes the workgroup's size as second argument.
  [[nodiscard]] bool EnqueuesAsWorkgroup(uint32_t output_number) const {
    return deferred_scope_[output_number] == kWorkgroup;
  }

  // Some allocation is shared by the invocations of a workgroup; and one of those is copied by all of them when it is
  // enqueued.
  [[nodiscard]] bool HasSharedAllocations() const { return Allocates(kWorkgroup); }
  [[nodiscard]] bool HasSharedCopies() const { return needs_[kDefer][kWorkgroup]; }

 private:
  enum Kind : size_t { kReserve, kDefer, kEnqueue, kKinds };
  // kInvocations: one allocation of each, all of the workgroup reserved together.
  enum Scope : size_t { kInvocation, kWorkgroup, kInvocations, kScopes, kNoScope = kScopes };

  [[nodiscard]] static bool AreReservedTogether(const Lowering& lowering, const Allocation& allocation);
  [[nodiscard]] bool Allocates(Scope scope) const { return needs_[kReserve][scope] || needs_[kDefer][scope]; }
  [[nodiscard]] Expected<void> FindScopes(const Lowering& lowering, const Outputs& outputs);
  void FindSingleRecords(const Lowering& lowering, const Outputs& outputs);

  Id element_ = kNoId, only_element_ = kNoId, input_element_ = kNoId, valid_ = kNoId, copy_array_ = kNoId,
     finish_ = kNoId, input_ = kNoId, reserve_chosen_ = kNoId, chosen_type_ = kNoId, handle_of_ = kNoId;
  std::array<std::array<bool, kScopes>, kKinds> needs_ = {};
  std::array<std::array<Id, kScopes>, kKinds> functions_ = {};
  std::array<Id, kScopes> checks_ = {};
  std::unordered_set<Id> single_records_;   // array types of handles
  std::unordered_map<Id, Scope> scope_of_;  // by allocation
  std::vector<Scope> deferred_scope_;       // by output
};

}  // namespace trellis::spirv
