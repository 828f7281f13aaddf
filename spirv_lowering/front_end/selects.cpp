// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/selects.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis::spirv {
namespace {

class SelectExpander {
 public:
  SelectExpander(Module& module, Types& types, const PayloadArrays& arrays)
      : module_(module), types_(types), arrays_(arrays) {}

  void Run() {
    for (Function& function : module_.functions) {
      for (size_t block = 0; block < function.blocks.size(); ++block) {
        const std::vector<Instruction>& body = function.blocks[block].body;
        const auto select = std::find_if(body.begin(), body.end(), [&](const Instruction& instruction) {
          return instruction.opcode == spv::Op::OpSelect && arrays_.outputs.contains(instruction.type_id);
        });
        // What follows the select is in a block of its own then, which the loop comes to.
        if (select != body.end()) Expand(function, block, static_cast<size_t>(select - body.begin()));
      }
    }
  }

 private:
  void Expand(Function& function, size_t position, size_t at) {
    BasicBlock& block = function.blocks[position];
    const Instruction select = block.body[at];
    const Id variable = module_.NewId();
    BasicBlock chosen{module_.NewId(), {}}, other{module_.NewId(), {}}, rest{module_.NewId(), {}};
    const auto store = [&](BasicBlock& into, Id handle) {
      into.body.emplace_back(spv::Op::OpStore, kNoId, kNoId, std::vector<uint32_t>{variable, handle});
      into.body.emplace_back(spv::Op::OpBranch, kNoId, kNoId, std::vector<uint32_t>{rest.label});
    };
    store(chosen, select.operands[1]);
    store(other, select.operands[2]);

    const auto line =
        std::find_if(block.body.rend() - static_cast<std::ptrdiff_t>(at), block.body.rend(),
                     [](const Instruction& instruction) { return instruction.opcode == spv::Op::OpLine; });
    if (line != block.body.rend()) rest.body.push_back(*line);
    rest.body.emplace_back(spv::Op::OpLoad, select.type_id, select.result_id, std::vector<uint32_t>{variable});
    const auto after = block.body.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    std::move(after, block.body.end(), std::back_inserter(rest.body));
    block.body.erase(after - 1, block.body.end());
    block.body.emplace_back(
        spv::Op::OpSelectionMerge, kNoId, kNoId,
        std::vector<uint32_t>{rest.label, static_cast<uint32_t>(spv::SelectionControlMask::MaskNone)});
    block.body.emplace_back(spv::Op::OpBranchConditional, kNoId, kNoId,
                            std::vector<uint32_t>{select.operands[0], chosen.label, other.label});
    RenamePredecessor(function, block.label, rest.label);

    std::vector<BasicBlock> added;
    added.push_back(std::move(chosen));
    added.push_back(std::move(other));
    added.push_back(std::move(rest));
    function.blocks.insert(function.blocks.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                           std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
    std::vector<Instruction>& entry = function.blocks.front().body;
    entry.insert(entry.begin(),
                 Instruction(spv::Op::OpVariable, types_.Pointer(spv::StorageClass::Function, select.type_id), variable,
                             {static_cast<uint32_t>(spv::StorageClass::Function)}));
  }

  // The end of the old block is now that of the last new one.
  static void RenamePredecessor(Function& function, Id old_label, Id new_label) {
    for (BasicBlock& block : function.blocks) {
      for (Instruction& instruction : block.body) {
        if (instruction.opcode != spv::Op::OpPhi) continue;
        for (size_t i = 1; i < instruction.operands.size(); i += 2) {
          if (instruction.operands[i] == old_label) instruction.operands[i] = new_label;
        }
      }
    }
  }

  Module& module_;
  Types& types_;
  const PayloadArrays& arrays_;
};

}  // namespace

void ExpandHandleSelects(Module& module, Types& types, const PayloadArrays& arrays) {
  SelectExpander(module, types, arrays).Run();
}

}  // namespace trellis::spirv
