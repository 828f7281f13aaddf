#include "spirv_lowering/passes/builtins.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

bool IsReplaced(spv::BuiltIn built_in, bool packed) {
  return (packed && IsPlace(built_in)) || built_in == spv::BuiltIn::WorkgroupId ||
         built_in == spv::BuiltIn::GlobalInvocationId || built_in == spv::BuiltIn::ShaderIndexAMDX ||
         built_in == spv::BuiltIn::RemainingRecursionLevelsAMDX;
}

// Gives every pointer derived from `roots` the class Private; the roots are variables that already have it.
Expected<void> RetypeDerivedPointers(Module& module, Types& types, std::unordered_set<Id> roots) {
  if (roots.empty()) return {};
  for (Function& function : module.functions) {
    for (BasicBlock& block : function.blocks) {
      for (Instruction& instruction : block.body) {
        const auto refuse = [&](const char* why) {
          return Error{OpcodeName(instruction.opcode) + " %" + std::to_string(instruction.result_id) + ": " + why};
        };
        switch (instruction.opcode) {
          case spv::Op::OpAccessChain:
          case spv::Op::OpInBoundsAccessChain:
          case spv::Op::OpCopyObject:
            if (!roots.contains(instruction.operands[0])) break;
            if (!types.IsPointer(instruction.type_id)) return refuse("a built-in variable used as a value");
            instruction.type_id = types.Pointer(spv::StorageClass::Private, types.Pointee(instruction.type_id));
            roots.insert(instruction.result_id);
            break;
          case spv::Op::OpFunctionCall:
          case spv::Op::OpPhi:
          case spv::Op::OpSelect:
            if (std::any_of(instruction.operands.begin(), instruction.operands.end(),
                            [&](Id id) { return roots.contains(id); })) {
              return refuse("a pointer to a built-in is passed on: not supported");
            }
            break;
          default:
            break;
        }
      }
    }
  }
  return {};
}

// Whether the built-in's value can stand in a variable of that type: 32-bit integers, of either sign.
bool Fits(const Types& types, spv::BuiltIn built_in, Id value_type) {
  const bool is_vector = IsPlace(built_in) && built_in != spv::BuiltIn::LocalInvocationIndex;
  const Instruction* type = types.Find(value_type);
  if (is_vector) {
    if (type == nullptr || type->opcode != spv::Op::OpTypeVector || type->operands[1] != 3) return false;
    type = types.Find(type->operands[0]);
  }
  return type != nullptr && type->opcode == spv::Op::OpTypeInt && type->operands[0] == 32;
}

}  // namespace

bool IsPlace(spv::BuiltIn built_in) {
  return built_in == spv::BuiltIn::WorkgroupId || built_in == spv::BuiltIn::GlobalInvocationId ||
         built_in == spv::BuiltIn::LocalInvocationId || built_in == spv::BuiltIn::LocalInvocationIndex;
}

Expected<std::vector<ReplacedBuiltIn>> ReplaceBuiltIns(Module& module, Types& types, bool packed) {
  std::unordered_map<Id, spv::BuiltIn> decorated;
  for (const Instruction& annotation : module.annotations) {
    if (annotation.opcode != spv::Op::OpDecorate || annotation.operands.size() != 3 ||
        annotation.operands[1] != static_cast<uint32_t>(spv::Decoration::BuiltIn)) {
      continue;
    }
    const auto built_in = static_cast<spv::BuiltIn>(annotation.operands[2]);
    if (IsReplaced(built_in, packed)) decorated.emplace(annotation.operands[0], built_in);
  }
  std::vector<ReplacedBuiltIn> replaced;
  std::unordered_set<Id> variables;
  for (size_t i = 0; i < module.globals.size(); ++i) {
    const auto found = decorated.find(module.globals[i].result_id);
    if (module.globals[i].opcode != spv::Op::OpVariable || found == decorated.end()) continue;
    const Id variable = module.globals[i].result_id;
    const Id value_type = types.Pointee(module.globals[i].type_id);
    if (!Fits(types, found->second, value_type)) {
      return Error{"OpVariable %" + std::to_string(variable) + ": the type does not fit its built-in"};
    }
    // May append to the globals.
    const Id pointer = types.Pointer(spv::StorageClass::Private, value_type);
    module.globals[i].type_id = pointer;
    module.globals[i].operands = {static_cast<uint32_t>(spv::StorageClass::Private)};
    replaced.push_back({found->second, variable, value_type});
    variables.insert(variable);
  }
  std::erase_if(module.annotations,
                [&](const Instruction& annotation) { return variables.contains(annotation.operands[0]); });
  if (Expected<void> retyped = RetypeDerivedPointers(module, types, variables); !retyped) return retyped.error();
  return replaced;
}

}  // namespace trellis::spirv
