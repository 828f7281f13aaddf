// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/validator_view.h"

#include <unordered_set>

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

class View {
 public:
  explicit View(Module& module) : module_(module), types_(module), payload_pointers_(FindPayloadPointers()) {}

  void Run() {
    std::erase_if(module_.annotations, [&](const Instruction& annotation) {
      return annotation.opcode == spv::Op::OpDecorate &&
             static_cast<spv::Decoration>(annotation.operands[1]) == spv::Decoration::SpecId &&
             types_.Is(annotation.operands[0], spv::Op::OpSpecConstantStringAMDX);
    });
    for (Function& function : module_.functions) {
      for (BasicBlock& block : function.blocks) Change(block);
    }
  }

 private:
  [[nodiscard]] bool IsPayloadArray(Id type) const { return types_.Is(type, spv::Op::OpTypeNodePayloadArrayAMDX); }
  // Pointers in NodePayloadAMDX, those to variables that hold a payload array, and what derives from either.
  [[nodiscard]] std::unordered_set<Id> FindPayloadPointers() const {
    std::vector<Id> roots;
    for (const auto& [id, type] : TypesOfResults(module_)) {
      if (types_.IsPointer(type) &&
          (types_.PointerClass(type) == spv::StorageClass::NodePayloadAMDX || IsPayloadArray(types_.Pointee(type))))
        roots.push_back(id);
    }
    return DefUse(module_).DerivedFrom(std::move(roots));
  }
  [[nodiscard]] bool IsAtomicOnPayload(const Instruction& instruction) const {
    return IsAtomic(instruction.opcode) && !instruction.operands.empty() &&
           payload_pointers_.contains(instruction.operands[0]);
  }
  static size_t FirstValue(spv::Op atomic) {
    const bool compares = atomic == spv::Op::OpAtomicCompareExchange || atomic == spv::Op::OpAtomicCompareExchangeWeak;
    return compares ? 4 : 3;  // behind the pointer, the scope, and one semantics or two
  }

  // Stores of the values that it takes, then a load of what it returns.
  static void SplitAtomic(const Instruction& atomic, std::vector<Instruction>& body) {
    const Id pointer = atomic.operands[0];
    for (size_t i = FirstValue(atomic.opcode); i < atomic.operands.size(); ++i)
      body.emplace_back(spv::Op::OpStore, kNoId, kNoId, std::vector<uint32_t>{pointer, atomic.operands[i]});
    if (atomic.result_id != kNoId)
      body.emplace_back(spv::Op::OpLoad, atomic.type_id, atomic.result_id, std::vector<uint32_t>{pointer});
  }
  void Change(BasicBlock& block) {
    std::vector<Instruction> body;
    body.reserve(block.body.size());
    for (Instruction& instruction : block.body) {
      // The type operand.
      if (instruction.opcode == spv::Op::OpIsNodePayloadValidAMDX && IsPayloadArray(instruction.operands[0]))
        instruction.operands[0] = types_.Undef(instruction.operands[0]);
      if (IsAtomicOnPayload(instruction)) {
        SplitAtomic(instruction, body);
      } else {
        body.push_back(std::move(instruction));
      }
    }
    block.body = std::move(body);
  }

  Module& module_;
  Types types_;
  const std::unordered_set<Id> payload_pointers_;
};

}  // namespace

Module ForValidator(Module module) {
  View(module).Run();
  return module;
}

}  // namespace trellis::spirv
