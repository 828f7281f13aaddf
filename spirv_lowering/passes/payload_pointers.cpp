#include "spirv_lowering/passes/payload_pointers.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

bool IsAccessChain(spv::Op op) {
  return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain || op == spv::Op::OpPtrAccessChain ||
         op == spv::Op::OpInBoundsPtrAccessChain;
}

class Search {
 public:
  Search(const HandleTypes& handle_types, const Types& types, const std::unordered_map<Id, Id>& type_of, Id input)
      : handle_types_(handle_types), types_(types), type_of_(type_of), input_(input) {}

  Expected<PayloadPointers> Run(const Function& function) {
    if (input_ != kNoId && handle_types_.IsPayloadPointer(TypeOf(input_)))
      pointers_[input_] = types_.Pointee(TypeOf(input_));
    for (const Instruction& parameter : function.parameters) AddTyped(parameter);
    // Definitions precede uses except for OpPhi, so this settles after one round more than phis are chained.
    for (bool changed = true; changed;) {
      const size_t before = pointers_.size();
      for (const BasicBlock& block : function.blocks) {
        for (const Instruction& instruction : block.body) Visit(instruction);
      }
      changed = pointers_.size() != before && has_phis_;
    }
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (Expected<void> fine = Check(instruction); !fine) return fine.error();
      }
    }
    return std::move(pointers_);
  }

 private:
  [[nodiscard]] Id TypeOf(Id id) const {
    const auto found = type_of_.find(id);
    return found == type_of_.end() ? kNoId : found->second;
  }
  // Derived from a handle variable: the original type does not tell.
  [[nodiscard]] bool IsDerived(Id id) const {
    return pointers_.contains(id) && !handle_types_.IsPayloadPointer(TypeOf(id));
  }

  void Add(const Instruction& instruction) {
    if (types_.IsPointer(instruction.type_id)) pointers_[instruction.result_id] = types_.Pointee(instruction.type_id);
  }
  void AddTyped(const Instruction& instruction) {
    if (handle_types_.IsPayloadPointer(instruction.type_id)) Add(instruction);
  }

  void Visit(const Instruction& instruction) {
    AddTyped(instruction);
    const std::vector<uint32_t>& operands = instruction.operands;
    switch (instruction.opcode) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (operands.size() > 1 && IsHandle(operands[0])) Add(instruction);
        [[fallthrough]];
      case spv::Op::OpPtrAccessChain:
      case spv::Op::OpInBoundsPtrAccessChain:
      case spv::Op::OpCopyObject:
        if (pointers_.contains(operands[0])) Add(instruction);
        break;
      case spv::Op::OpPhi:
        has_phis_ = true;
        for (size_t i = 0; i < operands.size(); i += 2) {
          if (pointers_.contains(operands[i])) Add(instruction);
        }
        break;
      case spv::Op::OpSelect:
        if (pointers_.contains(operands[1])) Add(instruction);
        break;
      default:
        break;
    }
  }
  [[nodiscard]] bool IsHandle(Id id) const {
    return handle_types_.IsHandleVariable(TypeOf(id)) || handle_types_.IsHandleByPointer(TypeOf(id));
  }

  Expected<void> Check(const Instruction& instruction) const {
    const std::vector<uint32_t>& operands = instruction.operands;
    const auto refuse = [&](const char* why) {
      return Error{OpcodeName(instruction.opcode) + " %" +
                   std::to_string(instruction.result_id != kNoId ? instruction.result_id : operands[0]) + ": " + why};
    };
    switch (instruction.opcode) {
      case spv::Op::OpPhi:
        for (size_t i = 0; i < operands.size(); i += 2) {
          if (pointers_.contains(operands[i]) != pointers_.contains(instruction.result_id)) {
            return refuse("a pointer into a payload meets a pointer to ordinary memory");
          }
        }
        return {};
      case spv::Op::OpSelect:
        if (pointers_.contains(operands[1]) != pointers_.contains(operands[2]))
          return refuse("a pointer into a payload meets a pointer to ordinary memory");
        return {};
      case spv::Op::OpFunctionCall:
        if (std::any_of(operands.begin() + 1, operands.end(), [&](Id id) { return IsDerived(id); })) {
          return refuse(
              "a pointer into an output payload is passed to a function: not supported (docs/limitations.md)");
        }
        return {};
      case spv::Op::OpReturnValue:
        if (IsDerived(operands[0]))
          return refuse("a pointer into an output payload is returned from a function: not supported");
        return {};
      case spv::Op::OpStore:
        if (pointers_.contains(operands[1])) return refuse("a pointer into a payload is stored: not supported");
        return {};
      case spv::Op::OpCopyMemorySized:
        if (pointers_.contains(operands[0]) || pointers_.contains(operands[1]))
          return refuse("not supported on payloads");
        return {};
      default:
        return {};
    }
  }

  const HandleTypes& handle_types_;
  const Types& types_;
  const std::unordered_map<Id, Id>& type_of_;
  Id input_;
  bool has_phis_ = false;
  PayloadPointers pointers_;
};

}  // namespace

Expected<PayloadPointers> FindPayloadPointers(const Function& function, const HandleTypes& handle_types,
                                              const Types& types, const std::unordered_map<Id, Id>& type_of, Id input) {
  return Search(handle_types, types, type_of, input).Run(function);
}

bool ReadsOutputs(const Function& function, const PayloadPointers& pointers, Id input) {
  std::unordered_set<Id> of_input = {input};
  for (const BasicBlock& block : function.blocks) {
    for (const Instruction& instruction : block.body) {
      const std::vector<uint32_t>& operands = instruction.operands;
      if (IsAccessChain(instruction.opcode) || instruction.opcode == spv::Op::OpCopyObject) {
        if (of_input.contains(operands[0])) of_input.insert(instruction.result_id);
        continue;
      }
      // Only the place written to, and the first operand at that, is harmless; a word that is no id makes this more
      // careful, no more.
      const size_t first =
          instruction.opcode == spv::Op::OpStore || instruction.opcode == spv::Op::OpCopyMemory ? 1 : 0;
      for (size_t i = first; i < operands.size(); ++i) {
        if (pointers.contains(operands[i]) && !of_input.contains(operands[i])) return true;
      }
    }
  }
  return false;
}

}  // namespace trellis::spirv
