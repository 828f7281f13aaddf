// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/runtime_calls.h"

#include <algorithm>
#include <string>

#include "spirv_lowering/reflect/packing.h"
#include "spirv_lowering/runtime/functions.h"

namespace trellis::spirv {
namespace {

// They are called with the same operands; some take the workgroup's size, too.
template <typename... Function>
constexpr bool kTakeTheSame = ((Function::kParameters == runtime::ReserveInvocation::kParameters) && ...);
static_assert(kTakeTheSame<runtime::ReserveWorkgroup, runtime::DeferInvocation, runtime::DeferWorkgroup>);
static_assert(runtime::CheckInvocations::kParameters == runtime::CheckWorkgroup::kParameters &&
              runtime::CheckSingle::kParameters == runtime::CheckWorkgroup::kParameters &&
              runtime::CheckWorkgroup::kParameters.starts_with(runtime::ReserveInvocation::kParameters) &&
              runtime::CheckWorkgroup::kParameters.ends_with(", base"));
static_assert(runtime::ReserveInvocations::kParameters.starts_with(runtime::ReserveInvocation::kParameters) &&
              runtime::ReserveInvocations::kParameters.ends_with(", workgroup_size"));
static_assert(runtime::ElementOrDump::kParameters == runtime::Element::kParameters);
static_assert(runtime::OnlyElementOrDump::kParameters == runtime::OnlyElement::kParameters);

// It needs no broadcast, so it allocates as an invocation.
bool IsSingle(const NodeInfo& info) { return info.Invocations() == 1; }

}  // namespace

// Where it pays: workgroups of several subgroups, and targets that may differ among them. It takes 3 KiB of shared
// memory, which is certain to be there if the node has none.
bool RuntimeCalls::AreReservedTogether(const Lowering& lowering, const Allocation& allocation) {
  if (!lowering.options.target.workgroup_aggregation || allocation.commit != Commit::kAtAllocation ||
      lowering.info.Invocations() < kLargeWorkgroup ||
      lowering.types.ConstantValue(allocation.instruction->operands[2]))
    return false;
  const std::vector<Instruction>& globals = lowering.module.globals;
  return std::none_of(globals.begin(), globals.end(),
                      [](const Instruction& global) { return global.IsVariable(spv::StorageClass::Workgroup); });
}

void RuntimeCalls::FindSingleRecords(const Lowering& lowering, const Outputs& outputs) {
  for (uint32_t output = 0; output < outputs.array_types.size(); ++output) {
    const bool is_single = std::all_of(outputs.allocations.begin(), outputs.allocations.end(), [&](const auto& found) {
      return found.second.output_number != output || found.second.at_most_one;
    });
    if (is_single) single_records_.insert(outputs.array_types[output]);
  }
  // The input's handle comes as a parameter, too, or by a choice.
  if (lowering.input != kNoId && lowering.info.coalesce > 1)
    single_records_.erase(lowering.types.Pointee(lowering.types.Find(lowering.input)->type_id));
}

// OpEnqueueNodePayloadsAMDX does not tell the scope of what it enqueues. The array type does, if all its deferred
// allocations are of one invocation each; the function for workgroups finds out by itself.
Expected<void> RuntimeCalls::FindScopes(const Lowering& lowering, const Outputs& outputs) {
  const bool single = IsSingle(lowering.info);
  deferred_scope_.assign(outputs.array_types.size(), kNoScope);
  for (const auto& [id, allocation] : outputs.allocations) {
    const std::string where = "OpAllocateNodePayloadsAMDX %" + std::to_string(id) + ": ";
    const std::optional<uint32_t> value = lowering.constants.Value(allocation.instruction->operands[0]);
    if (value != kScopeWorkgroup && value != kScopeInvocation) {
      return Error{where + "Visibility %" + std::to_string(allocation.instruction->operands[0]) +
                   " is not the constant scope Workgroup or Invocation"};
    }
    if (allocation.output_number >= deferred_scope_.size())
      return Error{where + "the result is not a pointer to a payload array"};
    Scope scope = value == kScopeWorkgroup && !single ? kWorkgroup : kInvocation;
    if (scope == kInvocation && AreReservedTogether(lowering, allocation)) scope = kInvocations;
    scope_of_[id] = scope;
    needs_[allocation.commit == Commit::kAtAllocation ? kReserve : kDefer][scope] = true;
    if (allocation.commit == Commit::kAtAllocation) continue;
    Scope& deferred = deferred_scope_[allocation.output_number];
    if (deferred != kWorkgroup) deferred = scope;
  }
  for (const Scope scope : deferred_scope_) {
    if (scope != kNoScope) needs_[kEnqueue][scope] = true;
  }
  return {};
}

Expected<RuntimeCalls> RuntimeCalls::Import(Lowering& lowering, const Outputs& outputs, bool has_groups) {
  static constexpr std::array<std::array<const char*, kScopes>, kKinds> kNames = {{
      {runtime::ReserveInvocation::kName, runtime::ReserveWorkgroup::kName, runtime::ReserveInvocations::kName},
      {runtime::DeferInvocation::kName, runtime::DeferWorkgroup::kName, nullptr},
      {runtime::EnqueueInvocation::kName, runtime::EnqueueWorkgroup::kName, nullptr},
  }};
  RuntimeCalls calls;
  if (Expected<void> scopes = calls.FindScopes(lowering, outputs); !scopes) return scopes.error();
  calls.FindSingleRecords(lowering, outputs);
  std::vector<Imported> imports;
  const auto import = [&](const char* name, Id& into) {
    imports.push_back({lowering.runtime.ImportFunction(name), into});
  };
  const bool finds_dump = lowering.FindsDump();
  import(finds_dump ? runtime::ElementOrDump::kName : runtime::Element::kName, calls.element_);
  import(finds_dump ? runtime::OnlyElementOrDump::kName : runtime::OnlyElement::kName, calls.only_element_);
  import(runtime::InputElement::kName, calls.input_element_);
  import(runtime::Valid::kName, calls.valid_);
  import(runtime::CopyArray::kName, calls.copy_array_);
  if (lowering.info.finishes_writing) import(runtime::FinishWriting::kName, calls.finish_);
  for (size_t kind = 0; kind < kKinds; ++kind)
    for (size_t scope = 0; scope < kScopes; ++scope)
      if (calls.needs_[kind][scope]) import(kNames[kind][scope], calls.functions_[kind][scope]);
  if (has_groups) {
    import(runtime::ReserveChosen::kName, calls.reserve_chosen_);
    import(runtime::HandleOf::kName, calls.handle_of_);
  }
  if (lowering.options.target.check_allocations) {
    const std::array<const char*, kScopes> names = {
        IsSingle(lowering.info) ? runtime::CheckSingle::kName : runtime::CheckInvocations::kName,
        runtime::CheckWorkgroup::kName, runtime::CheckInvocations::kName};
    for (const Scope scope : {kInvocation, kWorkgroup, kInvocations})
      if (calls.Allocates(scope)) import(names[scope], calls.checks_[scope]);
  }
  imports.push_back({lowering.runtime.ImportVariable("trellis_input"), calls.input_});
  if (Expected<void> taken = Take(imports); !taken) return taken.error();
  for (const Function& imported : lowering.module.functions)
    if (has_groups && imported.id() == calls.reserve_chosen_) calls.chosen_type_ = imported.definition.type_id;
  return calls;
}

Id RuntimeCalls::AllocateFunction(const Allocation& allocation) const {
  return functions_[allocation.commit == Commit::kAtAllocation ? kReserve : kDefer]
                   [scope_of_.at(allocation.instruction->result_id)];
}

Id RuntimeCalls::EnqueueFunction(uint32_t output_number) const {
  const Scope scope = deferred_scope_[output_number];
  return scope == kNoScope ? kNoId : functions_[kEnqueue][scope];
}

}  // namespace trellis::spirv
