// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/node_module.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/dead_code.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/handle_paths.h"
#include "spirv_lowering/reflect/payload_pointers.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kHeaderWords = 5;

// What only revision 1 has. Numbers of both revisions overlap, so an opcode alone proves nothing: 5090 has four
// operands in revision 1 and three in revision 2, and decorations that revision 2 puts on types sit on variables in
// revision 1.
std::optional<std::string> FindRevision1(std::span<const uint32_t> words) {
  constexpr uint32_t kNodeOutputPayload = 5076;
  constexpr uint32_t kOp5090 = 5090;
  if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) return std::nullopt;
  std::unordered_set<Id> decorated;
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || at + count > words.size()) return std::nullopt;
    const auto op = static_cast<spv::Op>(words[at] & 0xffff);
    const auto mark = [&](const char* what, uint32_t id) { return what + std::string(" %") + std::to_string(id); };
    if (op == spv::Op::OpTypePointer && count == 4 && words[at + 2] == kNodeOutputPayload) {
      return mark("OpTypePointer to storage class 5076 (NodeOutputPayloadAMDX)", words[at + 1]);
    }
    if (op == spv::Op::OpVariable && count >= 4) {
      if (words[at + 3] == kNodeOutputPayload)
        return mark("OpVariable in storage class 5076 (NodeOutputPayloadAMDX)", words[at + 2]);
      if (decorated.contains(words[at + 2]))
        return mark("NodeMaxPayloadsAMDX or PayloadNodeNameAMDX on OpVariable", words[at + 2]);
    }
    if (static_cast<uint32_t>(op) == kOp5090 && count == 5)
      return mark("opcode 5090 as OpInitializeNodePayloadsAMDX on", words[at + 1]);
    if ((op == spv::Op::OpDecorate || op == spv::Op::OpDecorateId || op == spv::Op::OpDecorateString) && count >= 4) {
      const auto decoration = static_cast<spv::Decoration>(words[at + 2]);
      if (decoration == spv::Decoration::PayloadNodeNameAMDX && op != spv::Op::OpDecorateId) {
        return mark("PayloadNodeNameAMDX with a literal string on", words[at + 1]);
      }
      if (decoration == spv::Decoration::PayloadNodeNameAMDX || decoration == spv::Decoration::NodeMaxPayloadsAMDX)
        decorated.insert(words[at + 1]);
    }
    at += count;
  }
  return std::nullopt;
}

bool IsNodePayload(const Instruction& global) {
  return (global.opcode == spv::Op::OpVariable || global.opcode == spv::Op::OpUntypedVariableKHR) &&
         global.operands[0] == static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
}

// Input variables of the entry point's interface. Where there are none: the module's one variable that no other entry
// point lists, for optimisers take unused variables out of interfaces.
std::vector<Id> FindInputs(const Module& module, const Instruction& entry) {
  std::unordered_set<Id> unclaimed;
  for (const Instruction& global : module.globals) {
    if (IsNodePayload(global)) unclaimed.insert(global.result_id);
  }
  const std::unordered_set<Id> all = unclaimed;
  std::vector<Id> own;
  for (const Instruction& other : module.entry_points) {
    for (size_t i = InterfaceStart(other); i < other.operands.size(); ++i) {
      unclaimed.erase(other.operands[i]);
      if (&other == &entry && all.contains(other.operands[i])) own.push_back(other.operands[i]);
    }
  }
  if (own.empty() && unclaimed.size() == 1) own.push_back(*unclaimed.begin());
  return own;
}

const Instruction* FindEntryPoint(const Module& module, std::string_view name, spv::ExecutionModel model) {
  for (const Instruction& entry : module.entry_points) {
    if (entry.operands[0] == static_cast<uint32_t>(model) &&
        DecodeString(entry.operands.data() + 2, entry.operands.size() - 2) == name) {
      return &entry;
    }
  }
  return nullptr;
}

// The new entry point calls the node's own: it has to be an ordinary function without parameters.
Expected<void> CheckEntryFunction(const Module& module, Id entry) {
  const auto function = std::ranges::find(module.functions, entry, &Function::id);
  if (function == module.functions.end()) return Error{"OpEntryPoint: there is no function %" + std::to_string(entry)};
  if (function->blocks.empty()) return Refuse("OpFunction", entry, "the entry point has no body");
  if (!function->parameters.empty()) return Refuse("OpFunction", entry, "the entry point has parameters");
  const bool returns_nothing = std::ranges::any_of(module.globals, [&](const Instruction& global) {
    return global.result_id == function->definition.type_id && global.opcode == spv::Op::OpTypeVoid;
  });
  return returns_nothing ? Expected<void>() : Refuse("OpFunction", entry, "the entry point returns a value");
}

// Refuses input variables that cannot be told apart or are of a kind that is not lowered.
Expected<void> CheckInputs(const Module& module, Id input) {
  for (const Instruction& global : module.globals) {
    if (!IsNodePayload(global)) continue;
    const auto refuse = [&](const char* why) { return Refuse(OpcodeName(global.opcode), global.result_id, why); };
    if (global.opcode != spv::Op::OpVariable) return refuse("untyped pointers to node payloads: not supported");
    if (global.result_id != input) return refuse("a second variable in the storage class NodePayloadAMDX");
    if (global.operands.size() > 1) return refuse("a node payload variable with an initialiser");
  }
  return {};
}

bool HasPayloads(const NodeModule& node) {
  const std::vector<Instruction>& globals = node.module.globals;
  return node.input != kNoId || std::any_of(globals.begin(), globals.end(), [](const Instruction& global) {
           return global.opcode == spv::Op::OpTypeNodePayloadArrayAMDX;
         });
}

}  // namespace

Expected<Module> ReadNodeModule(std::span<const uint32_t> words) {
  if (const std::optional<std::string> found = FindRevision1(words)) {
    return Error{"the module is written for revision 1 of SPV_AMDX_shader_enqueue (" + *found +
                 "); only revision 2 is supported: compile it with a compiler that emits revision 2"};
  }
  return ReadModule(words);
}

bool UsesShaderEnqueue(const Module& module) {
  return std::any_of(module.capabilities.begin(), module.capabilities.end(), [](const Instruction& capability) {
    return static_cast<spv::Capability>(capability.operands[0]) == spv::Capability::ShaderEnqueueAMDX;
  });
}

std::optional<ExecutionModel> NodeModelOf(const Instruction& entry_point) {
  switch (static_cast<spv::ExecutionModel>(entry_point.operands[0])) {
    case spv::ExecutionModel::GLCompute:
      return ExecutionModel::kGLCompute;
    case spv::ExecutionModel::MeshEXT:
      return ExecutionModel::kMeshEXT;
    default:
      return std::nullopt;
  }
}

spv::ExecutionModel ModelInModules(ExecutionModel model) {
  return model == ExecutionModel::kMeshEXT ? spv::ExecutionModel::MeshEXT : spv::ExecutionModel::GLCompute;
}

Expected<NodeModule> ExtractNode(Module module, std::string_view entry_point, ExecutionModel execution_model) {
  const spv::ExecutionModel model = ModelInModules(execution_model);
  std::vector<Id> inputs;
  if (const Instruction* entry = FindEntryPoint(module, entry_point, model)) inputs = FindInputs(module, *entry);
  const Expected<void> kept = KeepEntryPoint(module, entry_point, model);
  if (!kept) return kept.error();
  const auto refuse = [&](const Error& error) {
    return Error{"node '" + std::string(entry_point) + "': " + error.message};
  };
  if (inputs.size() > 1) {
    return refuse(
        Refuse("OpVariable", inputs[1], "a second variable in the storage class NodePayloadAMDX in the interface"));
  }
  NodeModule node{std::move(module), kNoId, inputs.empty() ? kNoId : inputs[0]};
  node.entry_function = node.module.entry_points.front().operands[1];
  if (Expected<void> function = CheckEntryFunction(node.module, node.entry_function); !function)
    return refuse(function.error());
  EliminateDead(node.module, node.input);
  if (Expected<void> checked = CheckInputs(node.module, node.input); !checked) return refuse(checked.error());
  if (HasPayloads(node)) {
    SplitHandlePaths(node.module);
    if (Expected<void> typed = TypePayloadPointers(node.module, node.entry_function); !typed)
      return refuse(typed.error());
  }
  return node;
}

}  // namespace trellis::spirv
