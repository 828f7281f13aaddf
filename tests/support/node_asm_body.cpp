// SPDX-License-Identifier: Apache-2.0
// NodeAsm: the instructions of a node's body.
#include <cassert>

#include "tests/support/node_asm.h"

namespace trellis::test {

Id NodeAsm::Local(const Id& type) {
  const Id pointer = Pointer("Function", type);
  const Id id = NewId();
  locals_ += id + " = OpVariable " + pointer + " Function\n";
  return id;
}

Id NodeAsm::Chain(std::string_view storage, const Id& type, const Id& base, const std::vector<Value>& indices) {
  const Id pointer = Pointer(storage, type);
  std::string operands = base;
  for (const Value& index : indices) operands += " " + Operand(index);
  return Op("OpAccessChain", pointer, Id(operands));
}

Id NodeAsm::Call(const Callee& callee, const std::vector<Value>& arguments) {
  std::string operands = callee.id;
  for (const Value& argument : arguments) operands += " " + Operand(argument);
  return Op("OpFunctionCall", callee.result, Id(operands));
}

Id NodeAsm::BuiltInVariable(const std::string& name, const Id& type) {
  const std::string key = "built-in " + name;
  const auto found = declared_.find(key);
  if (found != declared_.end()) return found->second;
  const Id id = Global("Input", type);
  declared_[key] = id;
  Decorate("OpDecorate " + id + " BuiltIn " + name);
  return id;
}

Id NodeAsm::BuiltIn(const std::string& name) { return Load(Uint(), BuiltInVariable(name, Uint())); }

Id NodeAsm::BuiltInComponent(const std::string& name, uint32_t component) {
  const Id vector = Vector(Uint(), 3);
  const Id value = Load(vector, BuiltInVariable(name, vector));
  return Op("OpCompositeExtract", Uint(), value, Id(std::to_string(component)));
}

Id NodeAsm::WordPointer(const Id& buffer, Value index) { return Chain("StorageBuffer", Uint(), buffer, {0, index}); }

Id NodeAsm::AddWord(const Id& buffer, Value index, Value value) {
  const Id pointer = WordPointer(buffer, index);
  return Op("OpAtomicIAdd", Uint(), pointer, 1, 0, value);
}

Id NodeAsm::PushWord(const Id& block, uint32_t index) {
  return Load(Uint(), Chain("PushConstant", Uint(), block, {index}));
}

Records NodeAsm::Allocate(const Payload& payload, Scope scope, Value count, Value node_index) {
  const Id pointer_type = Pointer("NodePayloadAMDX", payload.array);
  const Id allocation = Op("OpAllocateNodePayloadsAMDX", pointer_type, static_cast<uint32_t>(scope), count, node_index);
  if (shape_ == Shape::kDirect) return {allocation, "NodePayloadAMDX"};
  const Id variable = Local(payload.array);
  Store(variable, Load(payload.array, allocation));
  return {variable, "Function"};
}

void NodeAsm::Increment(const Payload& payload, Scope scope, Value count, Value node_index) {
  const Id pointer_type = Pointer("NodePayloadAMDX", payload.array);
  const Id allocation = Op("OpAllocateNodePayloadsAMDX", pointer_type, static_cast<uint32_t>(scope), count, node_index);
  if (shape_ == Shape::kDirect) Do("OpEnqueueNodePayloadsAMDX " + allocation);
}

Id NodeAsm::Field(const Records& records, const Id& type, Value element, const std::vector<Value>& path) {
  std::vector<Value> indices;
  if (records.element_index) indices.push_back(element);
  indices.insert(indices.end(), path.begin(), path.end());
  return Chain(records.storage, type, records.pointer, indices);
}

void NodeAsm::Set(const Records& records, Value element, Value member, Value value) {
  const Id operand = Operand(value);
  Store(Field(records, Uint(), element, {member}), operand);
}

Id NodeAsm::IsValid(const Payload& payload, Value node_index) {
  if (shape_ == Shape::kDirect) return Op("OpIsNodePayloadValidAMDX", Bool(), payload.array, node_index);
  Id& variable = parameter_variables_[payload.array];
  if (variable.empty()) variable = Local(payload.array);
  return Op("OpIsNodePayloadValidAMDX", Bool(), variable, node_index);
}

void NodeAsm::Label(const Id& label) {
  Do(label + " = OpLabel");
  block_ = label;
}

void NodeAsm::If(const Id& condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
  const Id then_label = NewId();
  const Id else_label = otherwise ? NewId() : Id();
  const Id merge = NewId();
  Do("OpSelectionMerge " + merge + " None");
  Do("OpBranchConditional " + condition + " " + then_label + " " + (otherwise ? else_label : merge));
  Label(then_label);
  then();
  Do("OpBranch " + merge);
  if (otherwise) {
    Label(else_label);
    otherwise();
    Do("OpBranch " + merge);
  }
  Label(merge);
}

void NodeAsm::For(Value count, const std::function<void(Id)>& body) {
  const Id limit = Operand(count);
  const Id before = block_;
  const Id header = NewId(), index = NewId(), next = NewId(), inside = NewId(), step = NewId(), merge = NewId();
  Do("OpBranch " + header);
  Label(header);
  Do(index + " = OpPhi " + Uint() + " " + Constant(0) + " " + before + " " + next + " " + step);
  const Id more = Less(index, limit);
  Do("OpLoopMerge " + merge + " " + step + " None");
  Do("OpBranchConditional " + more + " " + inside + " " + merge);
  Label(inside);
  body(index);
  Do("OpBranch " + step);
  Label(step);
  Do(next + " = OpIAdd " + Uint() + " " + index + " " + Constant(1));
  Do("OpBranch " + header);
  Label(merge);
}

void NodeAsm::WorkgroupBarrier() {
  // Workgroup scope; AcquireRelease and WorkgroupMemory.
  Do("OpControlBarrier " + Constant(2) + " " + Constant(2) + " " + Constant(264));
}

}  // namespace trellis::test
