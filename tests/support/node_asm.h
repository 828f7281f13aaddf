// SPDX-License-Identifier: Apache-2.0
// Writes node shaders for tests: a small builder that produces SPIR-V assembly text in the two shapes that compilers
// emit.
//
// A module is built front to back: types and outputs, then BeginNode, instructions, EndNode, for each node. Ids are
// strings ("%12"). Everything that takes a Value accepts an id or a plain uint32_t constant. Misuse asserts: this is
// for tests only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::test {

using Id = std::string;

// An id, or a 32-bit unsigned constant.
struct Value {
  Value(uint32_t constant) : constant(constant) {}
  Value(int constant) : constant(static_cast<uint32_t>(constant)) {}
  Value(Id id) : id(std::move(id)) {}
  Value(const char* id) : id(id) {}
  Id id;
  uint32_t constant = 0;
};

// How outputs are written.
//   kDxc     the allocation is loaded as a value, stored into a Function variable, written and enqueued through that
//   kDirect  the allocation's own pointer is used
enum class Shape { kDxc, kDirect };

struct Member {
  Id type;
  uint32_t offset = 0;
  bool grid = false;             // PayloadDispatchIndirectAMDX
  std::string decorations = {};  // more of them, separated by ';', for example "ColMajor;MatrixStride 12"
};

// A payload array type and the structure in it.
struct Payload {
  Id array;
  Id record;
};

struct OutputOptions {
  Value max_payloads = 1;
  Value base_index = 0;  // not decorated if 0
  std::optional<Value> array_size = {};
  bool sparse = false;
  Id shares_limits_with = {};
  Id name = {};  // a string constant's id instead of the target's name
};

// SharesInputWithAMDX.
struct SharedInput {
  Id name;  // a string constant
  Value index = 0;
};

enum class Launch { kStaticGrid, kDynamicGrid, kCoalescing };
enum class Scope : uint32_t { kWorkgroup = 2, kInvocation = 4 };

struct NodeOptions {
  std::string name;
  Launch launch = Launch::kDynamicGrid;
  bool is_mesh = false;                         // a mesh shader that draws nothing
  std::array<Value, 3> local_size = {1, 1, 1};  // with an id among them: LocalSizeId
  // Static grid, or bound of a dynamic one; for the latter {0, 0, 0} leaves it out.
  std::array<Value, 3> grid = {0, 0, 0};
  std::optional<Value> shader_index = {};
  std::optional<Value> recursion = {};
  std::optional<bool> is_api_entry = {};
  std::optional<SharedInput> shares_input = {};
  // Input: a payload array from NodeAsm::Input, or only `record` for a bare structure; neither for none.
  Payload input = {};
  // Leaves the input variable out of the interface though it is declared: what an optimiser does with an unused one.
  bool strip_input = false;
};

// An output array in hand, or the input.
struct Records {
  Id pointer;
  std::string storage;
  bool element_index = true;  // false for a bare structure
};

class NodeAsm {
 public:
  explicit NodeAsm(Shape shape = Shape::kDxc, bool enqueue = true);

  [[nodiscard]] std::string Text() const;

  // OpMemoryModel Logical Vulkan instead of Logical GLSL450.
  void UseVulkanMemoryModel() {
    vulkan_model_ = true;
    Capability("VulkanMemoryModel");
    Capability("VulkanMemoryModelDeviceScope");
  }

  // ---- types, constants, module-scope variables ----
  void Capability(std::string_view name) { capabilities_.insert(std::string(name)); }
  void Extension(const std::string& name) { extensions_.insert(name); }
  Id Type(const std::string& text);  // for example "OpTypeVector %4 3"; the same text gives the same id
  Id Bool() { return Type("OpTypeBool"); }
  Id Uint() { return Type("OpTypeInt 32 0"); }
  Id Float() { return Type("OpTypeFloat 32"); }
  Id Vector(const Id& component, uint32_t count);
  Id Array(const Id& element, uint32_t count, uint32_t stride);
  Id Pointer(std::string_view storage, const Id& type);
  Id Struct(const std::vector<Member>& members);  // always a new one
  Id Constant(uint32_t value) { return Constant(Uint(), std::to_string(value)); }
  Id Constant(const Id& type, const std::string& literal);
  Id SpecConstant(uint32_t spec_id, uint32_t default_value);
  Id String(const std::string& text);
  Id SpecString(uint32_t spec_id, const std::string& default_text);
  Id StorageBuffer(uint32_t binding, uint32_t set = 0);                             // StructuredBuffer<uint>
  Id PushConstants(uint32_t words);                                                 // block of uints
  Id SharedWords(uint32_t words);                                                   // Workgroup array of uints
  Id Global(std::string_view storage, const Id& type, const Id& initializer = {});  // any other variable
  Payload Input(const Id& record, Value max_payloads = 1);                          // input array type
  Payload Output(const std::string& target, const Id& record, const OutputOptions& options = {});
  Id ImportSet(const std::string& name);  // OpExtInstImport
  void Decorate(const std::string& text) { decorations_ += text + "\n"; }
  void Mode(const std::string& text) { modes_ += text + "\n"; }

  // ---- functions ----
  void BeginNode(const NodeOptions& options);
  void EndNode();

  // A function that nodes call, before them; the same instructions serve.
  struct Callee {
    Id id, result;
    std::vector<Id> parameters;
  };
  Callee BeginFunction(const Id& result, const std::vector<Id>& parameter_types);
  void EndFunction(const Id& value = {});  // what it returns
  Id Call(const Callee& callee, const std::vector<Value>& arguments);

  // ---- instructions of the node or function being built ----
  template <typename... Operands>
  Id Op(std::string_view opcode, const Id& type, const Operands&... operands) {
    const Id result = NewId();
    std::string text = result + " = " + std::string(opcode) + " " + type;
    ((text += " " + Operand(operands)), ...);
    Do(text);
    return result;
  }
  void Do(const std::string& text) { body_ += text + "\n"; }
  Id Operand(const Value& value) { return value.id.empty() ? Constant(value.constant) : value.id; }
  Id Local(const Id& type);  // a Function variable

  Id Add(Value a, Value b) { return Op("OpIAdd", Uint(), a, b); }
  Id Sub(Value a, Value b) { return Op("OpISub", Uint(), a, b); }
  Id Mul(Value a, Value b) { return Op("OpIMul", Uint(), a, b); }
  Id Div(Value a, Value b) { return Op("OpUDiv", Uint(), a, b); }
  Id Mod(Value a, Value b) { return Op("OpUMod", Uint(), a, b); }
  Id And(Value a, Value b) { return Op("OpBitwiseAnd", Uint(), a, b); }
  Id Xor(Value a, Value b) { return Op("OpBitwiseXor", Uint(), a, b); }
  Id Shift(Value a, Value b) { return Op("OpShiftRightLogical", Uint(), a, b); }
  Id Less(Value a, Value b) { return Op("OpULessThan", Bool(), a, b); }
  Id Equal(Value a, Value b) { return Op("OpIEqual", Bool(), a, b); }
  Id NotEqual(Value a, Value b) { return Op("OpINotEqual", Bool(), a, b); }
  Id Select(const Id& condition, Value a, Value b) { return Op("OpSelect", Uint(), condition, a, b); }

  Id Load(const Id& type, const Id& pointer) { return Op("OpLoad", type, pointer); }
  void Store(const Id& pointer, const Id& value) { Do("OpStore " + pointer + " " + value); }
  Id Chain(std::string_view storage, const Id& type, const Id& base, const std::vector<Value>& indices);

  // Built-ins. Components are loaded from the vector each time.
  Id LocalIndex() { return BuiltIn("LocalInvocationIndex"); }
  Id ShaderIndex() { return BuiltIn("ShaderIndexAMDX"); }
  Id RemainingRecursion() { return BuiltIn("RemainingRecursionLevelsAMDX"); }
  Id LocalId(uint32_t component) { return BuiltInComponent("LocalInvocationId", component); }
  Id GroupId(uint32_t component) { return BuiltInComponent("WorkgroupId", component); }
  Id GlobalId(uint32_t component) { return BuiltInComponent("GlobalInvocationId", component); }

  // Buffers of words.
  Id WordPointer(const Id& buffer, Value index);
  Id LoadWord(const Id& buffer, Value index) { return Load(Uint(), WordPointer(buffer, index)); }
  void StoreWord(const Id& buffer, Value index, Value value) { Store(WordPointer(buffer, index), Operand(value)); }
  Id AddWord(const Id& buffer, Value index, Value value);  // atomic
  Id PushWord(const Id& block, uint32_t index);
  Id SharedPointer(const Id& array, Value index) { return Chain("Workgroup", Uint(), array, {index}); }

  // Payloads.
  [[nodiscard]] const Records& NodeInput() const { return input_; }
  Records Allocate(const Payload& payload, Scope scope, Value count, Value node_index = 0);
  // Member `path` of record `element`; a pointer, and load and store through one.
  Id Field(const Records& records, const Id& type, Value element, const std::vector<Value>& path);
  Id Get(const Records& records, Value element, Value member) {
    return Load(Uint(), Field(records, Uint(), element, {member}));
  }
  void Set(const Records& records, Value element, Value member, Value value);
  void Enqueue(const Records& records) { Do("OpEnqueueNodePayloadsAMDX " + records.pointer); }
  // Launches `count` empty payloads: kDxc as compilers emit it, an allocation that nothing uses; kDirect with an
  // explicit enqueue.
  void Increment(const Payload& payload, Scope scope, Value count, Value node_index = 0);
  Id Length(const Records& records) { return Op("OpNodePayloadArrayLengthAMDX", Uint(), records.pointer); }
  Id IsValid(const Payload& payload, Value node_index);
  // Structures of producer and consumer whose workgroups finish writing; and the instruction.
  void Track(const Id& record) { Decorate("OpDecorate " + record + " TrackFinishWritingAMDX"); }
  Id FinishWriting() { return Op("OpFinishWritingNodePayloadAMDX", Bool(), input_.pointer); }

  // Control flow.
  void If(const Id& condition, const std::function<void()>& then, const std::function<void()>& otherwise = {});
  void For(Value count, const std::function<void(Id)>& body);
  void WorkgroupBarrier();  // execution and shared memory

  [[nodiscard]] Id NewId() { return "%" + std::to_string(++last_id_); }
  void Label(const Id& label);
  [[nodiscard]] const Id& CurrentBlock() const { return block_; }
  [[nodiscard]] const Id& CurrentFunction() const { return function_; }
  [[nodiscard]] Shape shape() const { return shape_; }

 private:
  Id Declare(const std::string& key, const std::string& text);
  Id BuiltIn(const std::string& name);
  Id BuiltInComponent(const std::string& name, uint32_t component);
  Id BuiltInVariable(const std::string& name, const Id& type);

  const Shape shape_;
  const bool enqueue_;
  bool vulkan_model_ = false;
  uint32_t last_id_ = 0;
  std::set<std::string> capabilities_, extensions_;
  std::map<std::string, Id> declared_;    // text of a type, constant or built-in -> id
  std::map<Id, Id> parameter_variables_;  // kDxc: array type -> the Function variable that carries it
  std::vector<Id> globals_;
  std::string imports_, entry_points_, modes_, decorations_, declarations_, functions_;
  std::string callees_;  // text of functions that are no nodes

  // The node being built.
  NodeOptions node_;
  Id function_, input_variable_, first_block_, block_;
  Records input_;
  std::string locals_, body_;
};

}  // namespace trellis::test
