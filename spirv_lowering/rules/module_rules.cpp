// SPDX-License-Identifier: Apache-2.0
// Capability, entry points, input variables, built-ins.
#include <unordered_set>

#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kSpirv14 = 0x00010400;

bool IsNodeModel(spv::ExecutionModel model) {
  return model == spv::ExecutionModel::GLCompute || model == spv::ExecutionModel::MeshEXT;
}

void CheckCapability(RuleContext& context) {
  const Module& module = context.module();
  if (!UsesShaderEnqueue(module)) return;
  if (module.version < kSpirv14) {
    context.Report("ShaderEnqueueAMDX/version", kNoId, "SPV_AMDX_shader_enqueue needs SPIR-V 1.4 or newer");
  }
  std::unordered_set<Id> num_workgroups;  // variables, and blocks with it as a member
  for (const BuiltInTarget& found : FindBuiltIns(module)) {
    if (found.built_in == spv::BuiltIn::NumWorkgroups) num_workgroups.insert(found.target);
  }
  for (const EntryPointFacts& entry : context.entry_points()) {
    if (!IsNodeModel(entry.model)) {
      context.Report("VUID-RuntimeSpirv-ShaderEnqueueAMDX-09191", entry.function,
                     "capability ShaderEnqueueAMDX is only for the execution models GLCompute and MeshEXT", &entry);
    }
    for (const Id variable : entry.interface) {
      const Id type = context.TypeOf(variable);
      const Id block = context.types().IsPointer(type) ? context.types().Pointee(type) : kNoId;
      if (num_workgroups.contains(variable) || num_workgroups.contains(block)) {
        context.Report("NumWorkgroups/forbidden", variable, "the built-in NumWorkgroups must not be used in a node",
                       &entry);
      }
    }
  }
}

void CheckInputs(RuleContext& context, const EntryPointFacts& entry) {
  const std::vector<Id>& inputs = entry.inputs;
  if (!inputs.empty() && !IsNodeModel(entry.model)) {
    context.Report("VUID-RuntimeSpirv-NodePayloadAMDX-09192", inputs[0],
                   "variables in NodePayloadAMDX are only for the execution models GLCompute and MeshEXT", &entry);
  }
  if (inputs.size() > 1) {
    context.Report("NodePayloadAMDX/one-input", inputs[1],
                   "the interface has more than one variable in NodePayloadAMDX: " + context.Name(inputs[0]) + " and " +
                       context.Name(inputs[1]),
                   &entry);
  }
}

void CheckInputVariable(RuleContext& context, const Instruction& variable) {
  const EntryPointFacts* entry = context.EntryWithInput(variable.result_id);
  if (variable.operands.size() > 1) {
    context.Report("NodePayloadAMDX/initializer", variable.result_id,
                   "the input payload " + context.Name(variable.result_id) + " has an initializer", entry);
  }
  const Id type = context.types().Pointee(variable.type_id);
  if (context.types().Is(type, spv::Op::OpTypeNodePayloadArrayAMDX)) return;
  if (context.PayloadOf(type) == kNoId) {
    context.Report("NodePayloadAMDX/input-type", variable.result_id,
                   "the input payload " + context.Name(variable.result_id) +
                       " is neither a structure nor an OpTypeNodePayloadArrayAMDX",
                   entry);
    return;
  }
  for (const EntryPointFacts& each : context.entry_points()) {
    if (each.input() != variable.result_id || each.Mode(spv::ExecutionMode::CoalescingAMDX) == nullptr) continue;
    context.Report("CoalescingAMDX/input-type", variable.result_id,
                   "the input of a coalescing node must be an OpTypeNodePayloadArrayAMDX", &each);
  }
}

void CheckBuiltIn(RuleContext& context, const BuiltInTarget& found) {
  const bool shader_index = found.built_in == spv::BuiltIn::ShaderIndexAMDX;
  if (!shader_index && found.built_in != spv::BuiltIn::RemainingRecursionLevelsAMDX) return;
  const Id variable = found.target;
  const Id type = context.TypeOf(variable);
  const EntryPointFacts* entry = context.EntryWithInput(variable);
  const std::string name = BuiltInName(found.built_in);
  if (!context.types().IsPointer(type) || context.types().PointerClass(type) != spv::StorageClass::Input) {
    context.Report(shader_index ? "VUID-ShaderIndexAMDX-ShaderIndexAMDX-09175" : name + "/storage-class", variable,
                   "the built-in " + name + " must be a variable in Input", entry);
    return;
  }
  if (!context.IsInt32(context.types().Pointee(type))) {
    context.Report(shader_index ? "VUID-ShaderIndexAMDX-ShaderIndexAMDX-09176" : name + "/type", variable,
                   "the built-in " + name + " must be a 32-bit integer", entry);
  }
}

}  // namespace

void CheckModuleRules(RuleContext& context) {
  CheckCapability(context);
  for (const EntryPointFacts& entry : context.entry_points()) CheckInputs(context, entry);
  for (const Id variable : context.input_variables()) CheckInputVariable(context, *context.types().Find(variable));
  for (const BuiltInTarget& found : FindBuiltIns(context.module())) CheckBuiltIn(context, found);
}

}  // namespace trellis::spirv
