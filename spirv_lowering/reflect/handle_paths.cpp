// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/handle_paths.h"

#include <optional>
#include <utility>
#include <vector>

#include "spirv_lowering/ir/replace_body.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

class Splitter {
 public:
  explicit Splitter(Module& module) : module_(module), types_(module), type_of_(TypesOfResults(module)) {}

  void Run() {
    for (Function& function : module_.functions) {
      for (BasicBlock& block : function.blocks) {
        for (Instruction& instruction : block.body) Split(instruction);
        ReplaceBody(block, body_);
      }
    }
  }

 private:
  [[nodiscard]] bool IsArray(Id type) const { return types_.Is(type, spv::Op::OpTypeNodePayloadArrayAMDX); }

  // Index of the operand behind those that lead from `type` to a payload array, and the array's type. Nothing if the
  // path begins at one or meets none before its last operand.
  struct Meeting {
    size_t end;
    Id array;
  };
  [[nodiscard]] std::optional<Meeting> Meet(Id type, const std::vector<uint32_t>& operands, size_t first,
                                            bool literal) const {
    if (IsArray(type)) return std::nullopt;
    for (size_t i = first; i + 1 < operands.size(); ++i) {
      type = types_.ElementType(type, literal ? operands[i] : types_.ConstantValue(operands[i]).value_or(0));
      if (IsArray(type)) return Meeting{i + 1, type};
    }
    return std::nullopt;
  }

  void Split(Instruction& instruction) {
    switch (instruction.opcode) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        SplitChain(instruction);
        break;
      case spv::Op::OpCompositeExtract:
        SplitExtract(instruction);
        break;
      case spv::Op::OpCompositeInsert:
        SplitInsert(instruction);
        break;
      default:
        break;
    }
    body_.push_back(std::move(instruction));
  }

  // The path's first part, as an instruction of its own. Returns its result.
  Id Emit(spv::Op opcode, Id type, const std::vector<uint32_t>& operands, size_t first, size_t end) {
    const Id result = module_.NewId();
    const auto begin = operands.begin() + static_cast<std::ptrdiff_t>(first);
    body_.emplace_back(opcode, type, result,
                       std::vector<uint32_t>(begin, operands.begin() + static_cast<std::ptrdiff_t>(end)));
    type_of_[result] = type;
    return result;
  }
  // Lets `path` begin at the result of such an instruction, with the same opcode and the operands in front of `end`.
  void SplitOff(Instruction& path, Id type, size_t end) {
    std::vector<uint32_t>& operands = path.operands;
    const Id head = Emit(path.opcode, type, operands, 0, end);
    operands.erase(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(end));
    operands.insert(operands.begin(), head);
  }

  void SplitChain(Instruction& chain) {
    const std::vector<uint32_t>& operands = chain.operands;
    const Id base = TypeOf(type_of_, operands[0]);
    if (!types_.IsPointer(base)) return;
    if (operands.size() == 1 && IsArray(types_.Pointee(base)) && chain.type_id == base) {
      chain.opcode = spv::Op::OpCopyObject;
      return;
    }
    const std::optional<Meeting> meeting = Meet(types_.Pointee(base), operands, 1, false);
    if (meeting) SplitOff(chain, types_.Pointer(types_.PointerClass(base), meeting->array), meeting->end);
  }

  void SplitExtract(Instruction& extract) {
    const Id composite = TypeOf(type_of_, extract.operands[0]);
    if (const std::optional<Meeting> meeting = Meet(composite, extract.operands, 1, true))
      SplitOff(extract, meeting->array, meeting->end);
  }

  // The array inside is a handle, and stays the same one when something is inserted behind it.
  void SplitInsert(Instruction& insert) {
    const std::vector<uint32_t>& operands = insert.operands;
    const std::optional<Meeting> meeting = Meet(TypeOf(type_of_, operands[1]), operands, 2, true);
    if (!meeting) return;
    const Id array = Emit(spv::Op::OpCompositeExtract, meeting->array, operands, 1, meeting->end);
    std::vector<uint32_t> rest = {operands[0], array};
    rest.insert(rest.end(), operands.begin() + static_cast<std::ptrdiff_t>(meeting->end), operands.end());
    (void)Emit(spv::Op::OpCompositeInsert, meeting->array, rest, 0, rest.size());
    insert = Instruction(spv::Op::OpCopyObject, insert.type_id, insert.result_id, {operands[1]});
  }

  Module& module_;
  Types types_;
  TypeMap type_of_;
  std::vector<Instruction> body_;
};

}  // namespace

void SplitHandlePaths(Module& module) { Splitter(module).Run(); }

}  // namespace trellis::spirv
