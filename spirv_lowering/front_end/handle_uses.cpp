// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/handle_uses.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "spirv_lowering/front_end/handle_plan.h"
#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kAligned = static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);

constexpr const char* kHandleFromNumber = "a payload handle cannot be made from a number: allocate payloads instead";

// Alignment of payloads is the implementation's business.
void DropAligned(Instruction& access, size_t mask_at) {
  if (access.operands.size() <= mask_at || (access.operands[mask_at] & kAligned) == 0) return;
  access.operands[mask_at] &= ~kAligned;
  const auto alignment = access.operands.begin() + static_cast<std::ptrdiff_t>(mask_at) + 1;
  access.operands.erase(alignment);
  if (access.operands[mask_at] == 0 && access.operands.size() == mask_at + 1) access.operands.pop_back();
}

class FunctionRewriter {
 public:
  FunctionRewriter(Module& module, Types& types, const PayloadArrays& arrays, const SourceLines& lines,
                   const TypeMap& type_of, Function& function)
      : module_(module),
        types_(types),
        arrays_(arrays),
        lines_(lines),
        type_of_(type_of),
        function_(function),
        plan_(function, arrays, types, type_of) {}

  Expected<void> Run() {
    std::vector<Instruction> variables = MakeSpillVariables();
    for (BasicBlock& block : function_.blocks) {
      block_ = &block;
      body_.clear();
      bool entering = &block == &function_.blocks.front();
      for (at_ = 0; at_ < block.body.size(); ++at_) {
        Instruction instruction = block.body[at_];
        const bool is_variable = instruction.opcode == spv::Op::OpVariable || instruction.opcode == spv::Op::OpLine;
        if (entering && !is_variable) {
          entering = false;
          body_.insert(body_.begin(), variables.begin(), variables.end());
          for (const Instruction& parameter : function_.parameters) Spill(parameter.result_id);
        }
        if (instruction.opcode != spv::Op::OpPhi) SpillPhis();
        if (Expected<void> done = Rewrite(instruction); !done) return done;
      }
      block.body = std::move(body_);
    }
    RemoveUnusedLoads();
    return {};
  }

 private:
  [[nodiscard]] bool IsHandle(Id id) const { return arrays_.outputs.contains(TypeOf(type_of_, id)); }

  Error Refuse(const std::string& why) const { return Error{Prefix(lines_.At(*block_, at_)) + why}; }

  std::vector<Instruction> MakeSpillVariables() {
    std::vector<Instruction> variables;
    for (const Id value : plan_.spilled()) {
      const Id variable = module_.NewId();
      spill_of_[value] = variable;
      const Id type = types_.Pointer(spv::StorageClass::Function, TypeOf(type_of_, value));
      variables.push_back({spv::Op::OpVariable, type, variable, {static_cast<uint32_t>(spv::StorageClass::Function)}});
    }
    return variables;
  }

  void Spill(Id value) {
    const auto found = spill_of_.find(value);
    if (found != spill_of_.end()) body_.push_back({spv::Op::OpStore, kNoId, kNoId, {found->second, value}});
  }
  void SpillPhis() {
    for (const Id phi : pending_phis_) Spill(phi);
    pending_phis_.clear();
  }

  // A pointer to the payload array that `handle` is a value of, and its storage class.
  struct ArrayPointer {
    Id id;
    spv::StorageClass storage;
  };
  Expected<ArrayPointer> PointerTo(Id handle) const {
    const auto allocation = allocation_of_.find(handle);
    if (allocation != allocation_of_.end()) return ArrayPointer{allocation->second, spv::StorageClass::NodePayloadAMDX};
    const auto spill = spill_of_.find(handle);
    if (spill != spill_of_.end()) return ArrayPointer{spill->second, spv::StorageClass::Function};
    const Id variable = plan_.VariableOf(handle);
    if (variable == kNoId) return Refuse("a payload array is used before it is allocated");
    return ArrayPointer{variable, types_.PointerClass(TypeOf(type_of_, variable))};
  }

  Expected<void> Rewrite(Instruction& instruction) {
    switch (instruction.opcode) {
      case spv::Op::OpAllocateNodePayloadsAMDX:
        return Allocate(instruction);
      case spv::Op::OpIsNodePayloadValidAMDX:
        return AskValidity(instruction);
      case spv::Op::OpFinishWritingNodePayloadAMDX:
        return FinishWriting(instruction);
      case spv::Op::OpEnqueueNodePayloadsAMDX:
        return Enqueue(instruction);
      case spv::Op::OpNodePayloadArrayLengthAMDX:
      case spv::Op::OpArrayLength:
        return Length(instruction);
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return AccessChain(instruction);
      case spv::Op::OpLoad:
        if (class_of_.contains(instruction.operands[0])) DropAligned(instruction, 1);
        break;
      case spv::Op::OpStore:
        if (class_of_.contains(instruction.operands[0])) DropAligned(instruction, 2);
        break;
      case spv::Op::OpBitcast:
      case spv::Op::OpConvertUToPtr:
        // T(uvec2(0)), how the header names the type T to OpIsNodePayloadValidAMDX.
        if (!arrays_.outputs.contains(instruction.type_id)) break;
        type_names_.insert(instruction.result_id);
        return {};
      default:
        break;
    }
    return Keep(std::move(instruction));
  }

  Expected<void> Keep(Instruction instruction) {
    if (Expected<void> fine = CheckOperands(instruction); !fine) return fine;
    const Id result = instruction.result_id;
    const bool is_phi = instruction.opcode == spv::Op::OpPhi;
    body_.push_back(std::move(instruction));
    if (spill_of_.contains(result)) {
      if (is_phi)
        pending_phis_.push_back(result);
      else
        Spill(result);
    }
    return {};
  }

  Expected<void> CheckOperands(const Instruction& instruction) {
    bool names_type = false, uses_handle = false, uses_payload = false;
    ForEachIdOperand(instruction, [&](Id id) {
      names_type = names_type || type_names_.contains(id);
      uses_handle = uses_handle || IsHandle(id);
      uses_payload = uses_payload || class_of_.contains(id);
    });
    if (names_type) return Refuse(kHandleFromNumber);
    switch (instruction.opcode) {
      case spv::Op::OpLine:
      case spv::Op::OpStore:
      case spv::Op::OpLoad:
      case spv::Op::OpPhi:
      case spv::Op::OpSelect:
      case spv::Op::OpFunctionCall:
      case spv::Op::OpReturnValue:
      case spv::Op::OpCopyObject:
      case spv::Op::OpCopyMemory:
        break;
      default:
        if (uses_handle)
          return Refuse(OpcodeName(instruction.opcode) +
                        " on a payload handle: a handle can be copied, passed, written through and enqueued");
        if (uses_payload && instruction.opcode == spv::Op::OpConvertPtrToU) return Refuse("payloads have no address");
    }
    return {};
  }

  Expected<void> Allocate(Instruction& instruction) {
    const Id handle = instruction.result_id;
    const Id array = instruction.type_id;
    if (!arrays_.outputs.contains(array)) return Refuse("an allocation of what is no output");
    instruction.type_id = types_.Pointer(spv::StorageClass::NodePayloadAMDX, array);
    instruction.result_id = module_.NewId();
    allocation_of_[handle] = instruction.result_id;
    const Id allocation = instruction.result_id;
    body_.push_back(std::move(instruction));
    return Keep({spv::Op::OpLoad, array, handle, {allocation}});
  }

  Expected<void> AskValidity(Instruction& instruction) {
    const Id array = TypeOf(type_of_, instruction.operands[0]);
    if (!arrays_.outputs.contains(array)) return Refuse("validity of what is no output");
    instruction.operands[0] = array;
    body_.push_back(std::move(instruction));
    return {};
  }

  Expected<void> FinishWriting(Instruction& instruction) {
    if (arrays_.input == kNoId) return Refuse("node_finish_writing() in a node without NODE_INPUT");
    instruction.operands[0] = arrays_.input;
    body_.push_back(std::move(instruction));
    return {};
  }

  Expected<void> Enqueue(Instruction& instruction) {
    const Id handle = instruction.operands[0];
    if (type_names_.contains(handle) || !IsHandle(handle))
      return Refuse("node_enqueue of what is no allocated payload array");
    const Expected<ArrayPointer> array = PointerTo(handle);
    if (!array) return array.error();
    instruction.operands[0] = array->id;
    // Some versions of glslang emit an instruction without result twice. No program can mean that: the array is gone
    // after the first.
    const bool repeated =
        !body_.empty() && body_.back().opcode == instruction.opcode && body_.back().operands == instruction.operands;
    if (!repeated) body_.push_back(std::move(instruction));
    return {};
  }

  Expected<void> Length(Instruction& instruction) {
    const Id array = instruction.operands[0];
    if (array == arrays_.input) {
      instruction.operands = {array};
    } else if (IsHandle(array) && !type_names_.contains(array)) {
      const Expected<ArrayPointer> pointer = PointerTo(array);
      if (!pointer) return pointer.error();
      instruction.operands = {pointer->id};
    } else {
      return Keep(std::move(instruction));
    }
    instruction.opcode = spv::Op::OpNodePayloadArrayLengthAMDX;
    body_.push_back(std::move(instruction));
    return {};
  }

  Expected<void> AccessChain(Instruction& instruction) {
    std::vector<uint32_t>& operands = instruction.operands;
    spv::StorageClass storage;
    if (const auto known = class_of_.find(operands[0]); known != class_of_.end()) {
      storage = known->second;
    } else if (operands[0] == arrays_.input) {
      storage = spv::StorageClass::NodePayloadAMDX;
      if (Expected<void> fine = EnterBlock(operands, arrays_.input_many, arrays_.input_empty); !fine) return fine;
    } else if (IsHandle(operands[0])) {
      if (type_names_.contains(operands[0])) return Refuse(kHandleFromNumber);
      const bool empty = arrays_.outputs.at(TypeOf(type_of_, operands[0]));
      const Expected<ArrayPointer> array = PointerTo(operands[0]);
      if (!array) return array.error();
      operands[0] = array->id;
      storage = array->storage;
      if (Expected<void> fine = EnterBlock(operands, true, empty); !fine) return fine;
    } else {
      return Keep(std::move(instruction));
    }
    if (!types_.IsPointer(instruction.type_id)) return Refuse("an access chain into a payload leads to no payload");
    instruction.type_id = types_.Pointer(storage, types_.Pointee(instruction.type_id));
    class_of_[instruction.result_id] = storage;
    body_.push_back(std::move(instruction));
    return {};
  }

  // From indices into the GLSL block to indices into the payload array. A block of an array has an index for its one
  // member in front; for a block of one record that index is the element's.
  Expected<void> EnterBlock(std::vector<uint32_t>& operands, bool of_array, bool empty) const {
    if (operands.size() < (of_array ? 3 : 2)) return Refuse("a payload array cannot be used as a value: index it");
    if (empty) return Refuse("a NodeEmpty payload has no content");
    if (of_array) operands.erase(operands.begin() + 1);
    return {};
  }

  // A load whose handle is reached through its variable would look like a copy that lives on.
  void RemoveUnusedLoads() {
    std::unordered_set<Id> used;
    for (const BasicBlock& block : function_.blocks) {
      for (const Instruction& instruction : block.body) ForEachIdOperand(instruction, [&](Id id) { used.insert(id); });
    }
    for (BasicBlock& block : function_.blocks) {
      std::erase_if(block.body, [&](const Instruction& instruction) {
        return instruction.opcode == spv::Op::OpLoad && arrays_.outputs.contains(instruction.type_id) &&
               !used.contains(instruction.result_id);
      });
    }
  }

  Module& module_;
  Types& types_;
  const PayloadArrays& arrays_;
  const SourceLines& lines_;
  const TypeMap& type_of_;
  Function& function_;
  HandlePlan plan_;

  const BasicBlock* block_ = nullptr;
  size_t at_ = 0;
  std::vector<Instruction> body_;
  std::vector<Id> pending_phis_;
  std::unordered_map<Id, Id> spill_of_;                 // handle -> Function variable that holds it
  std::unordered_map<Id, Id> allocation_of_;            // handle -> OpAllocateNodePayloadsAMDX
  std::unordered_map<Id, spv::StorageClass> class_of_;  // of pointers into payloads
  std::unordered_set<Id> type_names_;
};

// Decorations of buffer reference variables say nothing about handles.
void RemovePointerDecorations(Module& module, const Types& types, const PayloadArrays& arrays, const TypeMap& type_of) {
  std::erase_if(module.annotations, [&](const Instruction& annotation) {
    if (annotation.opcode != spv::Op::OpDecorate) return false;
    switch (static_cast<spv::Decoration>(annotation.operands[1])) {
      case spv::Decoration::Aliased:
      case spv::Decoration::Restrict:
      case spv::Decoration::AliasedPointer:
      case spv::Decoration::RestrictPointer:
        break;
      default:
        return false;
    }
    const Id type = TypeOf(type_of, annotation.operands[0]);
    return arrays.outputs.contains(type) || (types.IsPointer(type) && arrays.outputs.contains(types.Pointee(type)));
  });
}

}  // namespace

Expected<void> RewriteHandleCode(Module& module, Types& types, const PayloadArrays& arrays, const SourceLines& lines) {
  const TypeMap type_of = TypesOfResults(module);
  RemovePointerDecorations(module, types, arrays, type_of);
  for (Function& function : module.functions) {
    if (function.blocks.empty()) continue;
    if (Expected<void> done = FunctionRewriter(module, types, arrays, lines, type_of, function).Run(); !done)
      return done;
  }
  return {};
}

}  // namespace trellis::spirv
