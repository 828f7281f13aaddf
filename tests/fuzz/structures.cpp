// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/structures.h"

#include <algorithm>
#include <utility>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/ir/writer.h"

namespace trellis::fuzz {
namespace {

using spirv::Id;
using spirv::kNoId;

std::vector<uint32_t> Words(spv::StorageClass storage) { return {static_cast<uint32_t>(storage)}; }

// A node with a coalescing input and one output, both of records {uint, uint}; main has one open block.
class Node {
 public:
  Node() : types(module) {
    using spirv::EncodeString;
    const auto enumerant = [](auto value) { return static_cast<uint32_t>(value); };
    module.capabilities = {{spv::Op::OpCapability, kNoId, kNoId, {enumerant(spv::Capability::Shader)}},
                           {spv::Op::OpCapability, kNoId, kNoId, {enumerant(spv::Capability::ShaderEnqueueAMDX)}},
                           {spv::Op::OpCapability, kNoId, kNoId, {enumerant(spv::Capability::VariablePointers)}}};
    module.extensions = {{spv::Op::OpExtension, kNoId, kNoId, EncodeString("SPV_AMDX_shader_enqueue")}};
    module.memory_model = {{spv::Op::OpMemoryModel, kNoId, kNoId, {0, enumerant(spv::MemoryModel::GLSL450)}}};
    uint = types.Uint();
    record = types.Append(spv::Op::OpTypeStruct, kNoId, {uint, uint});
    Decorate(record, 0, spv::Decoration::Offset, 0);
    Decorate(record, 1, spv::Decoration::Offset, 4);
    outputs = MakeOutputs(record);
    fn_uint = types.Pointer(spv::StorageClass::Function, uint);
    const Id inputs = types.Append(spv::Op::OpTypeNodePayloadArrayAMDX, kNoId, {record});
    DecorateId(inputs, spv::Decoration::NodeMaxPayloadsAMDX, types.ConstantUint(4));
    input = types.Append(spv::Op::OpVariable, types.Pointer(spv::StorageClass::NodePayloadAMDX, inputs),
                         Words(spv::StorageClass::NodePayloadAMDX));
    spirv::Function& main = AddFunction(types.Void(), {});
    std::vector<uint32_t> entry = {enumerant(spv::ExecutionModel::GLCompute), main.id()};
    for (const uint32_t word : EncodeString("node")) entry.push_back(word);
    entry.push_back(input);
    module.entry_points = {{spv::Op::OpEntryPoint, kNoId, kNoId, entry}};
    module.execution_modes = {
        {spv::Op::OpExecutionMode, kNoId, kNoId, {main.id(), enumerant(spv::ExecutionMode::LocalSize), 64, 1, 1}},
        {spv::Op::OpExecutionMode, kNoId, kNoId, {main.id(), enumerant(spv::ExecutionMode::CoalescingAMDX)}}};
  }

  Id MakeOutputs(Id payload) {
    const Id array = types.Append(spv::Op::OpTypeNodePayloadArrayAMDX, kNoId, {payload});
    DecorateId(array, spv::Decoration::NodeMaxPayloadsAMDX, types.ConstantUint(4));
    DecorateId(array, spv::Decoration::PayloadNodeNameAMDX,
               types.FindOrAppend(spv::Op::OpConstantStringAMDX, kNoId, spirv::EncodeString("target")));
    return array;
  }
  void Decorate(Id type, uint32_t member, spv::Decoration decoration, uint32_t value) {
    module.annotations.emplace_back(spv::Op::OpMemberDecorate, kNoId, kNoId,
                                    std::vector<uint32_t>{type, member, static_cast<uint32_t>(decoration), value});
  }
  void DecorateId(Id target, spv::Decoration decoration, Id operand) {
    module.annotations.emplace_back(spv::Op::OpDecorateId, kNoId, kNoId,
                                    std::vector<uint32_t>{target, static_cast<uint32_t>(decoration), operand});
  }

  // Becomes the open function.
  spirv::Function& AddFunction(Id result, const std::vector<Id>& parameters) {
    spirv::Function& function = module.functions.emplace_back();
    function.definition = {spv::Op::OpFunction, result, module.NewId(), {0, types.FunctionType(result, parameters)}};
    for (const Id type : parameters)
      function.parameters.emplace_back(spv::Op::OpFunctionParameter, type, module.NewId(), std::vector<uint32_t>{});
    Open(module.NewId());
    return function;
  }
  // Ends the open block with a branch to a new one.
  void NextBlock() {
    const Id label = module.NewId();
    EmitVoid(spv::Op::OpBranch, {label});
    Open(label);
  }
  void Open(Id label) { module.functions.back().blocks.push_back({label, {}}); }
  [[nodiscard]] Id OpenLabel() { return module.functions.back().blocks.back().label; }

  Id Emit(spv::Op opcode, Id type, std::vector<uint32_t> operands) {
    const Id result = module.NewId();
    module.functions.back().blocks.back().body.emplace_back(opcode, type, result, std::move(operands));
    return result;
  }
  void EmitVoid(spv::Op opcode, std::vector<uint32_t> operands) {
    module.functions.back().blocks.back().body.emplace_back(opcode, kNoId, kNoId, std::move(operands));
  }
  Id Allocate(Id array) {
    return Emit(spv::Op::OpAllocateNodePayloadsAMDX, types.Pointer(spv::StorageClass::NodePayloadAMDX, array),
                {types.ConstantUint(2), types.ConstantUint(1), types.ConstantUint(0)});
  }
  void Enqueue(Id array) { EmitVoid(spv::Op::OpEnqueueNodePayloadsAMDX, {array}); }
  // A pointer, in Function as compilers have it, to the first word of an allocation that is enqueued at the end.
  Id MemberOfOutput() {
    const Id local = Emit(spv::Op::OpVariable, types.Pointer(spv::StorageClass::Function, outputs),
                          Words(spv::StorageClass::Function));
    const Id handle = Emit(spv::Op::OpLoad, outputs, {Allocate(outputs)});
    EmitVoid(spv::Op::OpStore, {local, handle});
    return Emit(spv::Op::OpAccessChain, fn_uint, {local, types.ConstantUint(0), types.ConstantUint(0)});
  }
  void Store(Id pointer) { EmitVoid(spv::Op::OpStore, {pointer, types.ConstantUint(7)}); }

  std::vector<uint32_t> Finish() {
    EmitVoid(spv::Op::OpReturn, {});
    return spirv::WriteModule(module);
  }

  spirv::Module module;
  spirv::Types types;
  Id uint = kNoId, record = kNoId, outputs = kNoId, fn_uint = kNoId, input = kNoId;
};

// Blocks of one pointer phi each.
std::vector<uint32_t> PhiChain(uint32_t size) {
  Node node;
  Id pointer = node.MemberOfOutput();
  for (uint32_t i = 0; i < size; ++i) {
    const Id from = node.OpenLabel();
    node.NextBlock();
    pointer = node.Emit(spv::Op::OpPhi, node.fn_uint, {pointer, from});
  }
  node.Store(pointer);
  return node.Finish();
}

// The same with the blocks in the opposite order.
std::vector<uint32_t> PhiChainBackwards(uint32_t size) {
  Node node;
  Id pointer = node.MemberOfOutput();
  std::vector<Id> labels = {node.OpenLabel()};
  for (uint32_t i = 0; i <= size; ++i) labels.push_back(node.module.NewId());
  node.EmitVoid(spv::Op::OpBranch, {labels[1]});
  std::vector<spirv::BasicBlock> blocks;
  for (uint32_t i = 1; i <= size; ++i) {
    spirv::BasicBlock& block = blocks.emplace_back(spirv::BasicBlock{labels[i], {}});
    const Id result = node.module.NewId();
    block.body.emplace_back(spv::Op::OpPhi, node.fn_uint, result, std::vector<uint32_t>{pointer, labels[i - 1]});
    block.body.emplace_back(spv::Op::OpBranch, kNoId, kNoId, std::vector<uint32_t>{labels[i + 1]});
    pointer = result;
  }
  std::vector<spirv::BasicBlock>& body = node.module.functions.back().blocks;
  body.insert(body.end(), blocks.rbegin(), blocks.rend());
  node.Open(labels[size + 1]);
  node.Store(pointer);
  return node.Finish();
}

std::vector<uint32_t> CopyChain(uint32_t size) {
  Node node;
  Id pointer = node.MemberOfOutput();
  for (uint32_t i = 0; i < size; ++i) pointer = node.Emit(spv::Op::OpCopyObject, node.fn_uint, {pointer});
  node.Store(pointer);
  return node.Finish();
}

// Every pointer is used many times.
std::vector<uint32_t> ManyUses(uint32_t size) {
  Node node;
  const Id pointer = node.MemberOfOutput();
  for (uint32_t i = 0; i < size; ++i) node.Store(pointer);
  return node.Finish();
}

// Arrays in arrays, 200 deep, and chains of one index each through them.
std::vector<uint32_t> DeepChains(uint32_t size) {
  constexpr uint32_t kDepth = 200;
  Node node;
  std::vector<Id> pointers;
  Id type = node.uint;
  const Id one = node.types.ConstantUint(1);
  for (uint32_t depth = 0; depth < kDepth; ++depth) {
    type = node.types.Append(spv::Op::OpTypeArray, kNoId, {type, one});
    node.module.annotations.emplace_back(
        spv::Op::OpDecorate, kNoId, kNoId,
        std::vector<uint32_t>{type, static_cast<uint32_t>(spv::Decoration::ArrayStride), 4});
    pointers.push_back(node.types.Pointer(spv::StorageClass::NodePayloadAMDX, type));
  }
  const Id payload = node.types.Append(spv::Op::OpTypeStruct, kNoId, {type});
  node.Decorate(payload, 0, spv::Decoration::Offset, 0);
  const Id outputs = node.MakeOutputs(payload);
  const Id zero = node.types.ConstantUint(0);
  const Id np_uint = node.types.Pointer(spv::StorageClass::NodePayloadAMDX, node.uint);
  const Id array = node.Allocate(outputs);
  for (uint32_t i = 0; i < size / kDepth; ++i) {
    Id pointer = node.Emit(spv::Op::OpAccessChain, pointers.back(), {array, zero, zero});
    for (size_t depth = kDepth - 1; depth-- > 0;)
      pointer = node.Emit(spv::Op::OpAccessChain, pointers[depth], {pointer, zero});
    node.Store(node.Emit(spv::Op::OpAccessChain, np_uint, {pointer, zero}));
  }
  node.Enqueue(array);
  return node.Finish();
}

// Functions that hand a pointer on to the next one.
std::vector<uint32_t> CallChain(uint32_t size) {
  Node node;
  const Id pointer = node.MemberOfOutput();
  const size_t call = node.module.functions[0].blocks[0].body.size();
  (void)node.Emit(spv::Op::OpFunctionCall, node.types.Void(), {kNoId, pointer});
  node.EmitVoid(spv::Op::OpReturn, {});
  for (uint32_t i = 0; i < size; ++i) {
    const spirv::Function& function = node.AddFunction(node.types.Void(), {node.fn_uint});
    const Id id = function.id();
    const Id parameter = function.parameters[0].result_id;
    spirv::Function& caller = node.module.functions[node.module.functions.size() - 2];
    caller.blocks[0].body[i == 0 ? call : 0].operands[0] = id;
    if (i + 1 == size) {
      node.Store(parameter);
    } else {
      (void)node.Emit(spv::Op::OpFunctionCall, node.types.Void(), {kNoId, parameter});
      node.EmitVoid(spv::Op::OpReturn, {});
    }
  }
  return node.Finish();
}

// 60 functions that call each other, each of `size` variables and `size` blocks.
std::vector<uint32_t> NestedVariables(uint32_t size) {
  constexpr uint32_t kFunctions = 60;
  Node node;
  (void)node.MemberOfOutput();
  for (uint32_t i = 0; i < kFunctions; ++i) {
    const Id callee = node.module.NewId();
    (void)node.Emit(spv::Op::OpFunctionCall, node.types.Void(), {callee});
    node.EmitVoid(spv::Op::OpReturn, {});
    node.AddFunction(node.types.Void(), {}).definition.result_id = callee;
    for (uint32_t variable = 0; variable < size; ++variable)
      (void)node.Emit(spv::Op::OpVariable, node.fn_uint, Words(spv::StorageClass::Function));
    for (uint32_t block = 0; block < size; ++block) node.NextBlock();
  }
  return node.Finish();
}

// One function that takes pointers into payloads and others by turns.
std::vector<uint32_t> ManyCalls(uint32_t size) {
  Node node;
  const Id real = node.Emit(spv::Op::OpVariable, node.fn_uint, Words(spv::StorageClass::Function));
  const Id pointer = node.MemberOfOutput();
  const Id callee = node.module.NewId();
  for (uint32_t i = 0; i < size; ++i)
    (void)node.Emit(spv::Op::OpFunctionCall, node.types.Void(), {callee, i % 2 == 0 ? pointer : real});
  node.EmitVoid(spv::Op::OpReturn, {});
  spirv::Function& function = node.AddFunction(node.types.Void(), {node.fn_uint});
  function.definition.result_id = callee;
  node.Store(function.parameters[0].result_id);
  return node.Finish();
}

constexpr uint32_t kVersionParameters = 13;

// Calls one function, with as many combinations of a pointer into a payload and a pointer to a variable as are asked
// for. That function is open afterwards.
void CallInManyVersions(Node& node, uint32_t versions) {
  const Id real = node.Emit(spv::Op::OpVariable, node.fn_uint, Words(spv::StorageClass::Function));
  const Id pointer = node.MemberOfOutput();
  const Id callee = node.module.NewId();
  for (uint32_t i = 0; i < versions; ++i) {
    std::vector<uint32_t> operands = {callee};
    for (uint32_t bit = 0; bit < kVersionParameters; ++bit) operands.push_back((i >> bit & 1) != 0 ? pointer : real);
    (void)node.Emit(spv::Op::OpFunctionCall, node.types.Void(), std::move(operands));
  }
  node.EmitVoid(spv::Op::OpReturn, {});
  node.AddFunction(node.types.Void(), std::vector<Id>(kVersionParameters, node.fn_uint)).definition.result_id = callee;
}

// A function of many stores that one function calls with many combinations of pointers.
std::vector<uint32_t> VersionsOfStores(uint32_t versions, uint32_t stores) {
  Node node;
  CallInManyVersions(node, versions);
  const Id pointer = node.module.functions.back().parameters[0].result_id;
  constexpr uint32_t kNoMemoryOperands = 0;
  for (uint32_t i = 0; i < stores; ++i)
    node.EmitVoid(spv::Op::OpStore, {pointer, node.types.ConstantUint(7), kNoMemoryOperands});
  return node.Finish();
}
std::vector<uint32_t> ManyVersions(uint32_t size) { return VersionsOfStores(size, size); }
std::vector<uint32_t> VersionsOfParameters(uint32_t size) { return VersionsOfStores(size, 0); }

// The function itself, for calls without payloads, and three copies.
constexpr uint32_t kFewVersions = 4;
std::vector<uint32_t> VersionsOfLargeFunction(uint32_t size) { return VersionsOfStores(kFewVersions, size); }

// The same with empty blocks.
std::vector<uint32_t> VersionsOfBlocks(uint32_t size) {
  Node node;
  CallInManyVersions(node, kFewVersions);
  for (uint32_t i = 0; i < size; ++i) node.NextBlock();
  return node.Finish();
}

// The same with instructions of one word.
std::vector<uint32_t> VersionsOfNops(uint32_t size) {
  Node node;
  CallInManyVersions(node, kFewVersions);
  for (uint32_t i = 0; i < size; ++i) node.EmitVoid(spv::Op::OpNop, {});
  return node.Finish();
}

// The same with a small function, a parameter of which has a long name.
std::vector<uint32_t> ManyVersionsOfAName(uint32_t size) {
  constexpr uint32_t kVersions = 1000;
  Node node;
  CallInManyVersions(node, kVersions);
  std::vector<uint32_t> operands = {node.module.functions.back().parameters[0].result_id};
  const std::vector<uint32_t> name = spirv::EncodeString(std::string(size_t{4} * size, 'n'));
  operands.insert(operands.end(), name.begin(), name.end());
  node.module.debug_names.emplace_back(spv::Op::OpName, kNoId, kNoId, std::move(operands));
  return node.Finish();
}

// Functions of many parameters.
std::vector<uint32_t> ManyParameters(uint32_t size) {
  constexpr uint32_t kParameters = 250;
  Node node;
  const Id pointer = node.MemberOfOutput();
  const std::vector<Id> types(kParameters, node.fn_uint);
  std::vector<uint32_t> arguments(kParameters + 1, pointer);
  const uint32_t functions = size / kParameters;
  std::vector<Id> ids;
  for (uint32_t i = 0; i < functions; ++i) {
    ids.push_back(node.module.NewId());
    arguments[0] = ids.back();
    (void)node.Emit(spv::Op::OpFunctionCall, node.types.Void(), arguments);
  }
  for (const Id id : ids) {
    node.EmitVoid(spv::Op::OpReturn, {});
    node.AddFunction(node.types.Void(), types).definition.result_id = id;
  }
  return node.Finish();
}

// Calls of a small function that returns an allocation, behind nops. The function makes an array of `elements` and has
// nops too.
struct AllocationCalls {
  uint32_t nops = 0;
  uint32_t calls;
  uint32_t elements = 0;
  uint32_t nops_of_function = 0;
};
std::vector<uint32_t> MakeAllocationCalls(const AllocationCalls& counts) {
  Node node;
  const Id handle = node.types.Pointer(spv::StorageClass::NodePayloadAMDX, node.outputs);
  const Id callee = node.module.NewId();
  for (uint32_t i = 0; i < counts.nops; ++i) node.EmitVoid(spv::Op::OpNop, {});
  for (uint32_t i = 0; i < counts.calls; ++i) (void)node.Emit(spv::Op::OpFunctionCall, handle, {callee});
  node.EmitVoid(spv::Op::OpReturn, {});
  node.AddFunction(handle, {}).definition.result_id = callee;
  if (counts.elements > 0) {
    const Id length = node.types.ConstantUint(counts.elements);
    const Id array = node.types.Append(spv::Op::OpTypeArray, kNoId, {node.uint, length});
    (void)node.Emit(spv::Op::OpCompositeConstruct, array, std::vector<uint32_t>(counts.elements, length));
  }
  for (uint32_t i = 0; i < counts.nops_of_function; ++i) node.EmitVoid(spv::Op::OpNop, {});
  node.EmitVoid(spv::Op::OpReturnValue, {node.Allocate(node.outputs)});
  return spirv::WriteModule(node.module);
}
std::vector<uint32_t> CallsOfWideFunction(uint32_t size) {
  return MakeAllocationCalls({.calls = 1000, .elements = size});
}
std::vector<uint32_t> CallsOfSmallFunction(uint32_t size) {
  return MakeAllocationCalls({.calls = size, .nops_of_function = 10});
}
std::vector<uint32_t> CallsBehindNops(uint32_t size) {
  return MakeAllocationCalls({.nops = size, .calls = size / 10, .nops_of_function = 24});
}

// A switch whose cases lead to blocks of their own, which meet in one phi.
std::vector<uint32_t> LargeSwitch(uint32_t size) {
  Node node;
  const Id pointer = node.MemberOfOutput();
  const Id selector = node.Emit(spv::Op::OpNodePayloadArrayLengthAMDX, node.uint, {node.input});
  const Id join = node.module.NewId();
  std::vector<uint32_t> cases = {selector, join};
  std::vector<uint32_t> incoming = {pointer, node.OpenLabel()};
  std::vector<Id> labels;
  for (uint32_t i = 0; i < size; ++i) {
    labels.push_back(node.module.NewId());
    cases.insert(cases.end(), {i, labels.back()});
  }
  node.EmitVoid(spv::Op::OpSelectionMerge, {join, 0});
  node.EmitVoid(spv::Op::OpSwitch, cases);
  for (const Id label : labels) {
    node.Open(label);
    incoming.insert(incoming.end(), {node.Emit(spv::Op::OpCopyObject, node.fn_uint, {pointer}), label});
    node.EmitVoid(spv::Op::OpBranch, {join});
  }
  node.Open(join);
  node.Store(node.Emit(spv::Op::OpPhi, node.fn_uint, incoming));
  return node.Finish();
}

// if in if in if.
std::vector<uint32_t> DeepSelections(uint32_t size) {
  Node node;
  const Id pointer = node.MemberOfOutput();
  const Id condition = node.types.ConstantBool(true);
  std::vector<Id> joins;
  for (uint32_t i = 0; i < size; ++i) {
    joins.push_back(node.module.NewId());
    const Id inside = node.module.NewId();
    node.EmitVoid(spv::Op::OpSelectionMerge, {joins.back(), 0});
    node.EmitVoid(spv::Op::OpBranchConditional, {condition, inside, joins.back()});
    node.Open(inside);
  }
  node.Store(pointer);
  for (; !joins.empty(); joins.pop_back()) {
    node.EmitVoid(spv::Op::OpBranch, {joins.back()});
    node.Open(joins.back());
  }
  return node.Finish();
}

// Loops in loops.
std::vector<uint32_t> DeepLoops(uint32_t size) {
  Node node;
  const Id pointer = node.MemberOfOutput();
  const Id condition = node.types.ConstantBool(true);
  struct Loop {
    Id header, next, done;
  };
  std::vector<Loop> loops;
  for (uint32_t i = 0; i < size; ++i) {
    const Loop& loop = loops.emplace_back(Loop{node.module.NewId(), node.module.NewId(), node.module.NewId()});
    const Id inside = node.module.NewId();
    node.EmitVoid(spv::Op::OpBranch, {loop.header});
    node.Open(loop.header);
    node.EmitVoid(spv::Op::OpLoopMerge, {loop.done, loop.next, 0});
    node.EmitVoid(spv::Op::OpBranchConditional, {condition, inside, loop.done});
    node.Open(inside);
  }
  node.Store(pointer);
  for (; !loops.empty(); loops.pop_back()) {
    node.EmitVoid(spv::Op::OpBranch, {loops.back().next});
    node.Open(loops.back().next);
    node.EmitVoid(spv::Op::OpBranch, {loops.back().header});
    node.Open(loops.back().done);
  }
  return node.Finish();
}

// Allocations and enqueues, each in a block of its own.
std::vector<uint32_t> ManyAllocations(uint32_t size) {
  Node node;
  const auto next = [&] {
    const Id label = node.module.NewId();
    node.EmitVoid(spv::Op::OpBranch, {label});
    node.Open(label);
  };
  for (uint32_t i = 0; i < size; ++i) {
    const Id array = node.Allocate(node.outputs);
    next();
    node.Enqueue(array);
    next();
  }
  return node.Finish();
}

// Allocations in the first block, as many empty blocks, and the enqueues in the last one.
std::vector<uint32_t> FarEnqueues(uint32_t size) {
  Node node;
  std::vector<Id> arrays;
  for (uint32_t i = 0; i < size; ++i) arrays.push_back(node.Allocate(node.outputs));
  for (uint32_t i = 0; i < size; ++i) node.NextBlock();
  for (const Id array : arrays) node.Enqueue(array);
  return node.Finish();
}

// A structure of many members, loaded and stored as a whole.
std::vector<uint32_t> WideStructure(uint32_t size) {
  Node node;
  const uint32_t members = std::min<uint32_t>(size, 16383);  // SPIR-V 2.17
  const Id wide = node.types.Append(spv::Op::OpTypeStruct, kNoId, std::vector<uint32_t>(members, node.uint));
  for (uint32_t member = 0; member < members; ++member)
    node.Decorate(wide, member, spv::Decoration::Offset, 4 * member);
  const Id array = node.Allocate(node.MakeOutputs(wide));
  const Id pointer = node.Emit(spv::Op::OpAccessChain, node.types.Pointer(spv::StorageClass::NodePayloadAMDX, wide),
                               {array, node.types.ConstantUint(0)});
  node.EmitVoid(spv::Op::OpStore, {pointer, node.Emit(spv::Op::OpLoad, wide, {pointer})});
  node.Enqueue(array);
  return node.Finish();
}

// Structures in structures, each of which holds the next one twice.
std::vector<uint32_t> NestedStructures(uint32_t size) {
  Node node;
  const uint32_t depth = std::min<uint32_t>(size, 26);
  Id type = node.record;
  for (uint32_t i = 0; i < depth; ++i) {
    type = node.types.Append(spv::Op::OpTypeStruct, kNoId, {type, type});
    node.Decorate(type, 0, spv::Decoration::Offset, 0);
    node.Decorate(type, 1, spv::Decoration::Offset, uint32_t{8} << i);
  }
  node.Enqueue(node.Allocate(node.MakeOutputs(type)));
  return node.Finish();
}

// Private variables with initial values, all of them written.
std::vector<uint32_t> ManyVariables(uint32_t size) {
  Node node;
  const Id pointer = node.types.Pointer(spv::StorageClass::Private, node.uint);
  for (uint32_t i = 0; i < size; ++i) {
    std::vector<uint32_t> operands = Words(spv::StorageClass::Private);
    operands.push_back(node.types.ConstantUint(i));
    const Id variable = node.types.Append(spv::Op::OpVariable, pointer, operands);
    node.module.entry_points[0].operands.push_back(variable);
    node.Store(variable);
  }
  return node.Finish();
}

// Constants made of constants.
std::vector<uint32_t> ConstantChain(uint32_t size) {
  Node node;
  Id value = node.types.ConstantUint(1);
  for (uint32_t i = 0; i < size; ++i)
    value = node.types.Append(spv::Op::OpSpecConstantOp, node.uint,
                              {static_cast<uint32_t>(spv::Op::OpIAdd), value, node.types.ConstantUint(1)});
  const Id pointer = node.MemberOfOutput();
  node.EmitVoid(spv::Op::OpStore, {pointer, value});
  return node.Finish();
}

// Node array types, each with a name, an allocation and an enqueue.
std::vector<uint32_t> ManyOutputs(uint32_t size) {
  Node node;
  for (uint32_t i = 0; i < size; ++i) node.Enqueue(node.Allocate(node.MakeOutputs(node.record)));
  return node.Finish();
}

}  // namespace

const std::vector<Structure>& Structures() {
  constexpr const char* kTooManyVersions = "too many combinations of pointers in calls of functions";
  static const std::vector<Structure> structures = {
      {"phi_chain", PhiChain, 24000},
      {"phi_chain_backwards", PhiChainBackwards, 24000},
      {"copy_chain", CopyChain, 24000},
      {"many_uses", ManyUses, 24000},
      {"deep_chains", DeepChains, 24000},
      {"call_chain", CallChain, 1000},
      {"many_calls", ManyCalls, 24000},
      {"many_parameters", ManyParameters, 24000},
      {"calls_of_wide_function", CallsOfWideFunction, 16000},
      {"calls_of_small_function", CallsOfSmallFunction, 24000},
      {"calls_behind_nops", CallsBehindNops, 240000},
      {"large_switch", LargeSwitch, 16000},
      {"deep_selections", DeepSelections, 10000},
      {"deep_loops", DeepLoops, 5000},
      {"many_allocations", ManyAllocations, 4000},
      {"wide_structure", WideStructure, 16383},
      {"nested_structures", NestedStructures, 26},
      {"many_variables", ManyVariables, 10000},
      {"constant_chain", ConstantChain, 24000},
      {"many_outputs", ManyOutputs, 1000},
      {"far_enqueues", FarEnqueues, 4000},
      {"nested_variables", NestedVariables, 500},
      {"some_versions", ManyVersions, 45},
      {"versions_of_large_function", VersionsOfLargeFunction, 24000},
      {"versions_of_parameters", VersionsOfParameters, 200},
      {"versions_of_blocks", VersionsOfBlocks, 24000},
      {"versions_of_nops", VersionsOfNops, 7000},
      {"many_versions", ManyVersions, 8000, kTooManyVersions},
      {"many_versions_of_a_name", ManyVersionsOfAName, 16000, kTooManyVersions}};
  return structures;
}

std::vector<uint32_t> MakeAnyStructure(size_t max_words, std::mt19937& random) {
  const Structure& structure = Structures()[random() % Structures().size()];
  for (uint32_t size = 1 + random() % structure.size;; size /= 2) {
    std::vector<uint32_t> words = structure.make(std::max(size, 1u));
    if (words.size() <= max_words || size <= 1) {
      words.resize(std::min(words.size(), max_words));
      return words;
    }
  }
}

void InsertCopies(std::vector<uint32_t>& words, uint32_t count, size_t max_words, std::mt19937& random) {
  constexpr size_t kHeaderWords = 5, kBound = 3, kCopyWords = 4;
  struct Result {
    size_t end;
    Id type, id;
  };
  std::vector<Result> results;
  bool in_function = false;
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t length = words[at] >> 16;
    const auto opcode = static_cast<spv::Op>(words[at] & 0xffff);
    if (length == 0 || at + length > words.size()) return;
    in_function = in_function || opcode == spv::Op::OpFunction;
    // What has a type and may be followed by any instruction.
    if (in_function && length >= 4 && (opcode == spv::Op::OpLoad || opcode == spv::Op::OpAccessChain))
      results.push_back({at + length, words[at + 1], words[at + 2]});
    at += length;
  }
  if (results.empty() || max_words < words.size()) return;
  const Result& result = results[random() % results.size()];
  count = std::min(count, static_cast<uint32_t>((max_words - words.size()) / kCopyWords));
  if (count == 0) return;
  const uint32_t first = words[kBound];
  const uint32_t last = first + count - 1;
  std::replace(words.begin() + static_cast<std::ptrdiff_t>(result.end), words.end(), result.id, last);
  std::vector<uint32_t> copies;
  for (uint32_t id = first; id <= last; ++id) {
    copies.insert(copies.end(), {static_cast<uint32_t>(kCopyWords << 16) | static_cast<uint32_t>(spv::Op::OpCopyObject),
                                 result.type, id, id == first ? result.id : id - 1});
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(result.end), copies.begin(), copies.end());
  words[kBound] += count;
}

}  // namespace trellis::fuzz
