// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/selects.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trellis::spirv {
namespace {

// The end of the old block is now that of the last new one.
void RenamePredecessor(Function& function, Id old_label, Id new_label) {
  for (BasicBlock& block : function.blocks) {
    for (Instruction& instruction : block.body) {
      if (instruction.opcode != spv::Op::OpPhi) continue;
      for (size_t i = 1; i < instruction.operands.size(); i += 2) {
        if (instruction.operands[i] == old_label) instruction.operands[i] = new_label;
      }
    }
  }
}

// The select is instruction `at` of the block at `position`.
void Expand(Module& module, Types& types, Function& function, size_t position, size_t at) {
  BasicBlock& block = function.blocks[position];
  const Instruction select = block.body[at];
  const Id variable = module.NewId();
  BasicBlock chosen{module.NewId(), {}}, other{module.NewId(), {}}, rest{module.NewId(), {}};
  const auto store = [&](BasicBlock& into, Id handle) {
    into.body.push_back({spv::Op::OpStore, kNoId, kNoId, {variable, handle}});
    into.body.push_back({spv::Op::OpBranch, kNoId, kNoId, {rest.label}});
  };
  store(chosen, select.operands[1]);
  store(other, select.operands[2]);

  const auto line = std::find_if(block.body.rend() - static_cast<std::ptrdiff_t>(at), block.body.rend(),
                                 [](const Instruction& instruction) { return instruction.opcode == spv::Op::OpLine; });
  if (line != block.body.rend()) rest.body.push_back(*line);
  rest.body.push_back({spv::Op::OpLoad, select.type_id, select.result_id, {variable}});
  const auto after = block.body.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  std::move(after, block.body.end(), std::back_inserter(rest.body));
  block.body.erase(after - 1, block.body.end());
  constexpr auto kNoControl = static_cast<uint32_t>(spv::SelectionControlMask::MaskNone);
  block.body.push_back({spv::Op::OpSelectionMerge, kNoId, kNoId, {rest.label, kNoControl}});
  block.body.push_back({spv::Op::OpBranchConditional, kNoId, kNoId, {select.operands[0], chosen.label, other.label}});
  RenamePredecessor(function, block.label, rest.label);

  BasicBlock added[] = {std::move(chosen), std::move(other), std::move(rest)};
  function.blocks.insert(function.blocks.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                         std::make_move_iterator(std::begin(added)), std::make_move_iterator(std::end(added)));
  std::vector<Instruction>& entry = function.blocks.front().body;
  entry.insert(entry.begin(),
               Instruction(spv::Op::OpVariable, types.Pointer(spv::StorageClass::Function, select.type_id), variable,
                           {static_cast<uint32_t>(spv::StorageClass::Function)}));
}

}  // namespace

void ExpandHandleSelects(Module& module, Types& types, const PayloadArrays& arrays) {
  for (Function& function : module.functions) {
    for (size_t block = 0; block < function.blocks.size(); ++block) {
      const std::vector<Instruction>& body = function.blocks[block].body;
      const auto select = std::find_if(body.begin(), body.end(), [&](const Instruction& instruction) {
        return instruction.opcode == spv::Op::OpSelect && arrays.outputs.contains(instruction.type_id);
      });
      // What follows the select is in a block of its own then, which the loop comes to.
      if (select != body.end()) Expand(module, types, function, block, static_cast<size_t>(select - body.begin()));
    }
  }
}

}  // namespace trellis::spirv
