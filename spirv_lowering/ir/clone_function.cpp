#include "spirv_lowering/ir/clone_function.h"

#include <unordered_map>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

class Cloner {
 public:
  explicit Cloner(Module& module) : module_(module) {}

  Function Run(const Function& function) {
    Name(function.id());
    for (const Instruction& parameter : function.parameters) Name(parameter.result_id);
    for (const BasicBlock& block : function.blocks) {
      Name(block.label);
      for (const Instruction& instruction : block.body) Name(instruction.result_id);
    }
    Function copy = function;
    Map(copy.definition);
    for (Instruction& parameter : copy.parameters) Map(parameter);
    for (BasicBlock& block : copy.blocks) {
      block.label = New(block.label);
      for (Instruction& instruction : block.body) Map(instruction);
    }
    CopyAbout(module_.debug_names);
    CopyAbout(module_.annotations);
    return copy;
  }

 private:
  void Name(Id id) {
    if (id != kNoId) new_.emplace(id, module_.NewId());
  }
  [[nodiscard]] Id New(Id id) const {
    const auto found = new_.find(id);
    return found == new_.end() ? id : found->second;
  }
  void Map(Instruction& instruction) const {
    instruction.result_id = New(instruction.result_id);
    ForEachIdOperand(instruction, [this](Id& id) { id = New(id); });
  }
  // What a section says about the old ids, said about the new ones.
  void CopyAbout(std::vector<Instruction>& section) const {
    for (size_t i = 0, count = section.size(); i < count; ++i) {
      if (section[i].operands.empty() || !new_.contains(section[i].operands[0])) continue;
      Instruction copy = section[i];
      copy.operands[0] = New(copy.operands[0]);
      section.push_back(std::move(copy));
    }
  }

  Module& module_;
  std::unordered_map<Id, Id> new_;
};

}  // namespace

Function CloneFunction(Module& module, const Function& function) { return Cloner(module).Run(function); }

}  // namespace trellis::spirv
