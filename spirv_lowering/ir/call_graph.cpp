// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/call_graph.h"

namespace trellis::spirv {

CallGraph::CallGraph(const Module& module) {
  for (const Function& function : module.functions) {
    std::vector<Id>& callees = callees_[function.id()];
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (instruction.opcode == spv::Op::OpFunctionCall) callees.push_back(instruction.operands[0]);
      }
    }
  }
}

CallGraph::Order CallGraph::ReachableFrom(const std::vector<Id>& roots) const {
  struct Open {
    Id function;
    size_t next = 0;  // of its callees
  };
  Order order;
  std::vector<Open> stack;
  std::unordered_map<Id, bool> finished;  // false: on the stack
  const auto enter = [&](Id function) {
    const auto [state, is_new] = finished.try_emplace(function, false);
    if (is_new) {
      stack.push_back({function});
    } else if (!state->second) {
      order.recursive = function;
    }
  };
  for (const Id root : roots) {
    enter(root);
    while (!stack.empty()) {
      Open& top = stack.back();
      const std::vector<Id>& callees = callees_.at(top.function);
      if (top.next < callees.size()) {
        enter(callees[top.next++]);
        continue;
      }
      finished[top.function] = true;
      order.functions.push_back(top.function);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace trellis::spirv
