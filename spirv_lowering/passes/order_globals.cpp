// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/order_globals.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {

void OrderGlobals(Module& module) {
  std::unordered_map<Id, size_t> position;
  std::unordered_set<Id> forward;
  for (size_t i = 0; i < module.globals.size(); ++i) {
    const Instruction& global = module.globals[i];
    if (global.result_id != kNoId) position[global.result_id] = i;
    if (global.opcode == spv::Op::OpTypeForwardPointer) forward.insert(global.operands[0]);
  }
  struct Open {
    size_t position;
    std::vector<size_t> needs;
    size_t next = 0;
  };
  std::vector<Open> stack;
  std::vector<bool> placed(module.globals.size());
  const auto open = [&](size_t at) {
    if (placed[at]) return;
    placed[at] = true;
    std::vector<size_t> needs;
    const auto need = [&](Id id) {
      const auto found = position.find(id);
      if (found != position.end() && !forward.contains(id)) needs.push_back(found->second);
    };
    const Instruction& global = module.globals[at];
    need(global.type_id);
    if (global.opcode != spv::Op::OpTypeForwardPointer) ForEachIdOperand(global, need);
    stack.push_back({at, std::move(needs)});
  };
  std::vector<Instruction> sorted;
  // Depth first without recursion: a module may nest its types deeply.
  for (size_t i = 0; i < module.globals.size(); ++i) {
    open(i);
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.next < top.needs.size()) {
        open(top.needs[top.next++]);
        continue;
      }
      sorted.push_back(std::move(module.globals[top.position]));
      stack.pop_back();
    }
  }
  module.globals = std::move(sorted);
}

}  // namespace trellis::spirv
