// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/inline_calls.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/call_graph.h"
#include "spirv_lowering/ir/replace_body.h"

namespace trellis::spirv {
namespace {

// Limit of a body that is copied. The header's functions take 15.
constexpr size_t kMaxWords = 80;
// Copies together may take as many words as the module's functions, and these. Memory is promised for the words of the
// input (docs/reliability.md), and made-up modules are calls of one large function. Calls beyond the limit stay calls.
constexpr size_t kMaxCopiedWords = size_t{1} << 14;

size_t WordsOf(const BasicBlock& block) {
  size_t words = 0;
  for (const Instruction& instruction : block.body) words += instruction.WordCount();
  return words;
}
// Returns what a copy takes of the words that are left. An instruction counts as one more than it has, for in memory
// also the shortest has a fixed part.
size_t CopiedWordsOf(const BasicBlock& block) { return WordsOf(block) + block.body.size(); }

bool IsSmall(const Function& function) {
  if (function.blocks.size() != 1 || CopiedWordsOf(function.blocks[0]) > kMaxWords) return false;
  bool wanted = false;
  for (const Instruction& instruction : function.blocks[0].body) {
    if (instruction.opcode == spv::Op::OpVariable || instruction.opcode == spv::Op::OpFunctionCall) return false;
    wanted = wanted || instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX ||
             instruction.opcode == spv::Op::OpIsNodePayloadValidAMDX;
  }
  return wanted && function.blocks[0].body.back().opcode == spv::Op::OpReturnValue;
}

// Appends the callee's body with the call's arguments; lines stay those of the call.
void Expand(Module& module, const Function& callee, const Instruction& call, std::vector<Instruction>& body) {
  std::unordered_map<Id, Id> map;
  for (size_t i = 0; i < callee.parameters.size(); ++i) map[callee.parameters[i].result_id] = call.operands[1 + i];
  const std::vector<Instruction>& source = callee.blocks[0].body;
  const Id returned = source.back().operands[0];
  bool returns_own_result = false;
  for (const Instruction& instruction : source) {
    if (instruction.result_id == kNoId) continue;
    const bool is_returned = instruction.result_id == returned;
    map[instruction.result_id] = is_returned ? call.result_id : module.NewId();
    returns_own_result = returns_own_result || is_returned;
  }
  for (const Instruction& instruction : source) {
    if (IsLine(instruction.opcode) || instruction.opcode == spv::Op::OpReturnValue) continue;
    Instruction copy = instruction;
    if (copy.result_id != kNoId) copy.result_id = map[copy.result_id];
    ForEachIdOperand(copy, [&](Id& id) {
      const auto found = map.find(id);
      if (found != map.end()) id = found->second;
    });
    body.push_back(std::move(copy));
  }
  if (returns_own_result) return;
  const auto argument = map.find(returned);
  const Id value = argument == map.end() ? returned : argument->second;
  body.push_back({spv::Op::OpCopyObject, call.type_id, call.result_id, {value}});
}

using SmallFunctions = std::unordered_map<Id, const Function*>;

void InlineCalls(Module& module, const SmallFunctions& small, Function& function, size_t& words_left) {
  const auto is_call = [&](const Instruction& instruction) {
    return instruction.opcode == spv::Op::OpFunctionCall && small.contains(instruction.operands[0]);
  };
  std::vector<Instruction> body;
  for (BasicBlock& block : function.blocks) {
    if (std::none_of(block.body.begin(), block.body.end(), is_call)) continue;
    for (Instruction& instruction : block.body) {
      const Function* const callee = is_call(instruction) ? small.at(instruction.operands[0]) : nullptr;
      const size_t words = callee != nullptr ? CopiedWordsOf(callee->blocks[0]) : 0;
      if (callee != nullptr && words <= words_left) {
        words_left -= words;
        Expand(module, *callee, instruction, body);
      } else {
        body.push_back(std::move(instruction));
      }
    }
    ReplaceBody(block, body);
  }
}

}  // namespace

void InlineAllocationCalls(Module& module) {
  std::unordered_map<Id, Function*> functions;
  std::vector<Id> ids;
  size_t words_left = kMaxCopiedWords;
  for (Function& function : module.functions) {
    functions.emplace(function.id(), &function);
    ids.push_back(function.id());
    for (const BasicBlock& block : function.blocks) words_left += WordsOf(block);
  }
  SmallFunctions small;
  // Callees come first: what has lost its calls may be small itself.
  for (const Id id : CallGraph(module).ReachableFrom(ids).functions) {
    Function& function = *functions.at(id);
    InlineCalls(module, small, function, words_left);
    if (IsSmall(function)) small.emplace(id, &function);
  }
}

}  // namespace trellis::spirv
