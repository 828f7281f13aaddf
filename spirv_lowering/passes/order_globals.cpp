// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/order_globals.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

class Sorter {
 public:
  explicit Sorter(Module& module) : module_(module) {
    for (size_t i = 0; i < module.globals.size(); ++i) {
      const Instruction& global = module.globals[i];
      if (global.result_id != kNoId) position_[global.result_id] = i;
      if (global.opcode == spv::Op::OpTypeForwardPointer) forward_.insert(global.operands[0]);
    }
    placed_.resize(module.globals.size());
  }

  void Run() {
    for (size_t i = 0; i < module_.globals.size(); ++i) Place(i);
    module_.globals = std::move(sorted_);
  }

 private:
  struct Open {
    size_t position;
    std::vector<size_t> needs;
    size_t next = 0;
  };

  std::vector<size_t> Needs(size_t position) const {
    std::vector<size_t> needs;
    const Instruction& global = module_.globals[position];
    const auto need = [&](Id id) {
      const auto found = position_.find(id);
      if (found != position_.end() && !forward_.contains(id)) needs.push_back(found->second);
    };
    need(global.type_id);
    if (global.opcode != spv::Op::OpTypeForwardPointer) ForEachIdOperand(global, need);
    return needs;
  }

  // Depth first without recursion: a module may nest its types deeply.
  void Place(size_t position) {
    std::vector<Open> stack;
    const auto open = [&](size_t at) {
      if (placed_[at]) return;
      placed_[at] = true;
      stack.push_back({at, Needs(at)});
    };
    open(position);
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.next < top.needs.size()) {
        open(top.needs[top.next++]);
        continue;
      }
      sorted_.push_back(std::move(module_.globals[top.position]));
      stack.pop_back();
    }
  }

  Module& module_;
  std::unordered_map<Id, size_t> position_;
  std::unordered_set<Id> forward_;
  std::vector<bool> placed_;
  std::vector<Instruction> sorted_;
};

}  // namespace

void OrderGlobals(Module& module) { Sorter(module).Run(); }

}  // namespace trellis::spirv
