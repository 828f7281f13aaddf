#include "spirv_lowering/rules/validator_view.h"

#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

class View {
 public:
  explicit View(Module& module) : module_(module), types_(module), type_of_(TypesOfResults(module)) {}

  void Run() {
    std::erase_if(module_.annotations, [&](const Instruction& annotation) {
      if (annotation.opcode != spv::Op::OpDecorate ||
          static_cast<spv::Decoration>(annotation.operands[1]) != spv::Decoration::SpecId)
        return false;
      const Instruction* target = types_.Find(annotation.operands[0]);
      return target != nullptr && target->opcode == spv::Op::OpSpecConstantStringAMDX;
    });
    for (Function& function : module_.functions) {
      for (BasicBlock& block : function.blocks) Change(block);
    }
  }

 private:
  [[nodiscard]] bool IsPayloadArray(Id type) const {
    const Instruction* definition = types_.Find(type);
    return definition != nullptr && definition->opcode == spv::Op::OpTypeNodePayloadArrayAMDX;
  }
  // In NodePayloadAMDX, or a variable that holds a payload array.
  [[nodiscard]] bool LeadsToPayload(Id pointer) const {
    if (payload_pointers_.contains(pointer)) return true;
    const auto found = type_of_.find(pointer);
    if (found == type_of_.end() || !types_.IsPointer(found->second)) return false;
    return types_.PointerClass(found->second) == spv::StorageClass::NodePayloadAMDX ||
           IsPayloadArray(types_.Pointee(found->second));
  }

  void Change(Instruction& instruction) {
    switch (instruction.opcode) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCopyObject:
        if (LeadsToPayload(instruction.operands[0])) payload_pointers_.insert(instruction.result_id);
        return;
      case spv::Op::OpIsNodePayloadValidAMDX:
        if (IsPayloadArray(instruction.operands[0])) instruction.operands[0] = types_.Undef(instruction.operands[0]);
        return;
      default:
        break;
    }
  }
  [[nodiscard]] bool IsAtomicOnPayload(const Instruction& instruction) const {
    return OpcodeName(instruction.opcode).starts_with("OpAtomic") && !instruction.operands.empty() &&
           LeadsToPayload(instruction.operands[0]);
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
      Change(instruction);
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
  std::unordered_map<Id, Id> type_of_;
  std::unordered_set<Id> payload_pointers_;
};

}  // namespace

Module ForValidator(Module module) {
  View(module).Run();
  return module;
}

}  // namespace trellis::spirv
