// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/function_divergence.h"

#include <algorithm>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

// Numbers of variables, or of operands of an instruction, that count as one step of work.
constexpr size_t kVariablesPerStep = 8;
constexpr size_t kOperandsPerStep = 8;
// Memory besides the variables' states, in values of Divergence: Control and a state's bounds per block; entries of
// values_ and places_ per instruction.
constexpr size_t kCellsPerBlock = 8;
constexpr size_t kCellsPerInstruction = 8;

bool IsPerInvocation(spv::StorageClass storage) {
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

}  // namespace

FunctionDivergence::FunctionDivergence(EntryDivergence& entry, const Function& function, BranchRegions& regions,
                                       const CallState& called_with, CallResult& result)
    : entry_(entry),
      context_(entry.context()),
      function_(function),
      regions_(regions),
      called_with_(called_with),
      result_(result) {}

FunctionDivergence::~FunctionDivergence() { entry_.ReturnCells(cells_); }

bool FunctionDivergence::TakeCells(size_t cells) {
  if (!entry_.TakeCells(cells)) return false;
  cells_ += cells;
  return true;
}

void FunctionDivergence::InitialiseState() {
  const size_t blocks = function_.blocks.size();
  controls_.resize(blocks);
  parted_.assign(blocks, false);
  State start;
  for (size_t i = 0; i < function_.parameters.size() && i < called_with_.arguments.size(); ++i) {
    const Instruction& parameter = function_.parameters[i];
    values_[parameter.result_id] = called_with_.arguments[i];
    if (!context_.types().IsPointer(parameter.type_id) ||
        !IsPerInvocation(context_.types().PointerClass(parameter.type_id)))
      continue;
    variables_.emplace(parameter.result_id, start.size());
    places_[parameter.result_id] = {parameter.result_id};
    start.push_back(called_with_.contents[i]);
  }
  for (const Instruction& instruction : function_.blocks.front().body) {
    if (instruction.opcode != spv::Op::OpVariable) continue;
    variables_.emplace(instruction.result_id, start.size());
    places_[instruction.result_id] = {instruction.result_id};
    start.emplace_back();
  }
  // A function too large for that has one state for all blocks, and stores only add to it.
  follows_flow_ = TakeCells(blocks * start.size());
  if (follows_flow_) {
    states_.assign(blocks, State(start.size()));
    (void)entry_.Spend(blocks * (1 + start.size() / kVariablesPerStep));
  }
  (follows_flow_ ? states_.front() : state_) = std::move(start);
}

void FunctionDivergence::Run() {
  size_t instructions = function_.parameters.size();
  for (const BasicBlock& block : function_.blocks) instructions += block.body.size();
  const size_t cells = kCellsPerBlock * function_.blocks.size() + kCellsPerInstruction * instructions;
  if (!TakeCells(cells) || !entry_.Spend(cells / kVariablesPerStep)) return;
  InitialiseState();
  result_.contents.resize(called_with_.contents.size());
  do {
    changed_ = false;
    for (const uint32_t block : regions_.blocks()) {
      size_t steps = 0;
      for (const Instruction& instruction : function_.blocks[block].body)
        steps += 1 + instruction.operands.size() / kOperandsPerStep;
      if (follows_flow_) steps += (1 + regions_.Successors(block).size()) * (variables_.size() / kVariablesPerStep);
      if (!entry_.Spend(steps)) return;
      Visit(block);
    }
  } while (changed_);
}

void FunctionDivergence::Visit(uint32_t block) {
  block_ = block;
  control_ = controls_[block] ? controls_[block] : called_with_.control;
  if (follows_flow_) state_ = states_[block];
  const std::vector<Instruction>& body = function_.blocks[block].body;
  for (at_ = 0; at_ < body.size(); ++at_) Transfer(body[at_]);
  if (!follows_flow_) return;
  for (const uint32_t successor : regions_.Successors(block)) {
    State& next = states_[successor];
    for (size_t i = 0; i < state_.size(); ++i) changed_ = next[i].Join(state_[i]) || changed_;
  }
}

Divergence FunctionDivergence::ValueOf(Id id) const {
  const auto found = values_.find(id);
  return found == values_.end() ? Divergence() : found->second;
}

void FunctionDivergence::SetValue(Id id, const Divergence& value) {
  if (!value || entry_.IsPromisedUniform(id)) return;
  changed_ = values_[id].Join(value) || changed_;
}

FunctionDivergence::Place FunctionDivergence::PlaceOf(Id pointer) const {
  const auto found = places_.find(pointer);
  if (found != places_.end()) return found->second;
  return entry_.FindGlobal(pointer) == nullptr ? Place() : Place{pointer};
}

Divergence FunctionDivergence::ContentOf(const Place& place) const {
  if (place.variable == kNoId) return {};
  const auto own = variables_.find(place.variable);
  const Divergence& content = own == variables_.end() ? *entry_.FindGlobal(place.variable) : state_[own->second];
  return place.whole ? content : content.Only(place.parts);
}

// The content's cause comes first: NoteEnqueue looks for it.
Divergence FunctionDivergence::Read(Id pointer) const {
  Divergence value = ContentOf(PlaceOf(pointer));
  value.Join(ValueOf(pointer).Whole());
  return value;
}

// Where only some invocations write, the variable differs afterwards from that of the others.
void FunctionDivergence::Write(Id pointer, Divergence value) {
  value.Join(ValueOf(pointer).Whole());
  if (control_) value.Join({Divergence::kAll, control_.cause});
  WriteTo(PlaceOf(pointer), value);
}

void FunctionDivergence::WriteTo(const Place& place, const Divergence& value) {
  Clear(place);
  AddTo(place, value);
}

void FunctionDivergence::Clear(const Place& place) {
  const auto own = variables_.find(place.variable);
  if (!follows_flow_ || own == variables_.end()) return;
  Divergence& content = state_[own->second];
  if (place.whole) content.parts = 0;
  if (place.exact && place.parts != PartBit(kLastPart)) content.parts &= ~place.parts;
}

void FunctionDivergence::AddTo(const Place& place, const Divergence& value) {
  if (place.variable == kNoId) return;
  const Divergence added = place.whole || !value ? value : Divergence{place.parts, value.cause};
  const auto own = variables_.find(place.variable);
  if (own == variables_.end()) return entry_.WriteGlobal(place.variable, added);
  const bool added_any = state_[own->second].Join(added);
  changed_ = changed_ || (added_any && !follows_flow_);
}

void FunctionDivergence::Transfer(const Instruction& instruction) {
  const std::vector<uint32_t>& operands = instruction.operands;
  switch (instruction.opcode) {
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpVariable:
    case spv::Op::OpBranch:
      return;
    case spv::Op::OpLoad:
      return SetValue(instruction.result_id, Read(operands[0]));
    case spv::Op::OpStore:
      return Write(operands[0], ValueOf(operands[1]));
    case spv::Op::OpCopyMemory:
    case spv::Op::OpCopyMemorySized:
      return Write(operands[0], Read(operands[1]));
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
      return Chain(instruction);
    case spv::Op::OpCopyObject:
    case spv::Op::OpCopyLogical:
      if (const Place place = PlaceOf(operands[0]); place.variable != kNoId) places_[instruction.result_id] = place;
      return SetValue(instruction.result_id, ValueOf(operands[0]));
    case spv::Op::OpPhi:
      return Phi(instruction);
    case spv::Op::OpFunctionCall:
      return CallFunction(instruction);
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
      return Branch(operands[0]);
    case spv::Op::OpReturnValue:
      result_.value.Join(ValueOf(operands[0]));
      if (controls_[block_]) result_.value.Join({Divergence::kAll, controls_[block_].cause});
      return Return();
    case spv::Op::OpReturn:
      return Return();
    case spv::Op::OpCompositeConstruct:
      return Construct(instruction);
    case spv::Op::OpCompositeExtract:
      return Extract(instruction);
    case spv::Op::OpCompositeInsert:
      return Insert(instruction);
    case spv::Op::OpVectorShuffle:
      return Shuffle(instruction);
    case spv::Op::OpAllocateNodePayloadsAMDX:
      return NoteAllocation(instruction);
    case spv::Op::OpEnqueueNodePayloadsAMDX:
      return NoteEnqueue(instruction);
    case spv::Op::OpFinishWritingNodePayloadAMDX:
      return NoteControl();
    case spv::Op::OpNodePayloadArrayLengthAMDX:
      return SetValue(instruction.result_id, Read(operands[0]).Whole());
    case spv::Op::OpIsNodePayloadValidAMDX:
      return SetValue(instruction.result_id, ValueOf(operands[1]).Whole());
    default:
      if (!entry_.IsNonSemantic(instruction)) Compute(instruction);
      return;
  }
}

void FunctionDivergence::Chain(const Instruction& chain) {
  const Types& types = context_.types();
  const Id base = chain.operands[0];
  const Id base_type = context_.TypeOf(base);
  if (!types.IsPointer(base_type)) return Compute(chain);
  const bool has_element =
      chain.opcode == spv::Op::OpPtrAccessChain || chain.opcode == spv::Op::OpInBoundsPtrAccessChain;
  Divergence where = ValueOf(base).Whole();
  Place place = PlaceOf(base);
  Id type = types.Pointee(base_type);
  for (size_t i = 1; i < chain.operands.size(); ++i) {
    const Id index = chain.operands[i];
    where.Join(ValueOf(index).Whole());
    if (has_element && i == 1) continue;
    if (types.Is(type, spv::Op::OpTypeNodePayloadArrayAMDX)) {
      // The variable holds a handle; payloads are memory that the workgroup shares.
      where.Join(ContentOf(place).Whole());
      place = {};
    }
    if (place.variable != kNoId) Narrow(place, index);
    type = types.ElementType(type, types.ConstantValue(index).value_or(0));
  }
  SetValue(chain.result_id, where);
  if (place.variable != kNoId) places_[chain.result_id] = place;
}

void FunctionDivergence::Narrow(Place& place, Id index) const {
  const std::optional<uint32_t> constant = context_.types().ConstantValue(index);
  if (!place.whole) {
    place.exact = false;
    return;
  }
  place.whole = false;
  place.exact = constant.has_value();
  place.parts = constant ? PartBit(*constant) : Divergence::kAll;
}

// Invocations that came by different ways have different values.
void FunctionDivergence::Phi(const Instruction& phi) {
  Divergence value;
  bool one_value = true;
  for (size_t i = 0; i + 1 < phi.operands.size(); i += 2) {
    value.Join(ValueOf(phi.operands[i]));
    one_value = one_value && phi.operands[i] == phi.operands[0];
  }
  for (size_t i = 1; !one_value && i < phi.operands.size(); i += 2) {
    const size_t from = regions_.BlockOf(phi.operands[i]);
    if (from != SIZE_MAX && controls_[from]) value.Join({Divergence::kAll, controls_[from].cause});
  }
  SetValue(phi.result_id, value);
}

void FunctionDivergence::CallFunction(const Instruction& call) {
  CallState state;
  state.control = control_;
  std::vector<Place> places;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    places.push_back(PlaceOf(call.operands[i]));
    state.arguments.push_back(ValueOf(call.operands[i]));
    state.contents.push_back(ContentOf(places.back()));
  }
  const CallResult result = entry_.Call(call.operands[0], state);
  SetValue(call.result_id, result.value);
  // Past the limit the contents are not known.
  if (!entry_.Spend(call.operands.size())) return;
  places.resize(std::min(places.size(), result.contents.size()));
  // A variable may be passed twice, so all are cleared before any is added to.
  for (const Place& place : places) Clear(place);
  for (size_t i = 0; i < places.size(); ++i) AddTo(places[i], result.contents[i]);
}

void FunctionDivergence::Return() {
  for (size_t i = 0; i < std::min(function_.parameters.size(), result_.contents.size()); ++i) {
    const auto variable = variables_.find(function_.parameters[i].result_id);
    if (variable != variables_.end()) result_.contents[i].Join(state_[variable->second]);
  }
}

void FunctionDivergence::Branch(Id condition) {
  const Divergence divergence = ValueOf(condition);
  if (!divergence || parted_[block_] || regions_.Successors(block_).size() < 2) return;
  parted_[block_] = true;
  changed_ = true;
  const BranchRegions::Region region = regions_.From(block_);
  Control control{&function_.blocks[block_], divergence.cause, Control::Kind::kBranch};
  if (region.loops) control.kind = Control::Kind::kLoop;
  if (region.to_end) control.kind = Control::Kind::kReturn;
  for (const uint32_t block : region.blocks) {
    if (!controls_[block]) controls_[block] = control;
  }
  // The walk is work too; what was marked stays right if there was too much.
  (void)entry_.Spend(region.blocks.size() + region.edges);
}

}  // namespace trellis::spirv
