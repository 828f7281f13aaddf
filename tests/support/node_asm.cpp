// SPDX-License-Identifier: Apache-2.0
#include "tests/support/node_asm.h"

#include <algorithm>
#include <cassert>
#include <sstream>

namespace trellis::test {

NodeAsm::NodeAsm(Shape shape, bool enqueue) : shape_(shape), enqueue_(enqueue) {
  capabilities_.insert("Shader");
  if (!enqueue_) return;
  Capability("ShaderEnqueueAMDX");
  Extension("SPV_AMDX_shader_enqueue");
}

std::string NodeAsm::Text() const {
  std::string text;
  for (const std::string& capability : capabilities_) text += "OpCapability " + capability + "\n";
  for (const std::string& extension : extensions_) text += "OpExtension \"" + extension + "\"\n";
  text += imports_;
  text += vulkan_model_ ? "OpMemoryModel Logical Vulkan\n" : "OpMemoryModel Logical GLSL450\n";
  return text + entry_points_ + modes_ + decorations_ + declarations_ + callees_ + functions_;
}

Id NodeAsm::Declare(const std::string& key, const std::string& text) {
  const auto found = declared_.find(key);
  if (found != declared_.end()) return found->second;
  const Id id = NewId();
  declared_[key] = id;
  declarations_ += id + " = " + text + "\n";
  return id;
}

Id NodeAsm::Type(const std::string& text) { return Declare(text, text); }

Id NodeAsm::Vector(const Id& component, uint32_t count) {
  return Type("OpTypeVector " + component + " " + std::to_string(count));
}

Id NodeAsm::Array(const Id& element, uint32_t count, uint32_t stride) {
  const std::string text = "OpTypeArray " + element + " " + Constant(count);
  const std::string key = text + " stride " + std::to_string(stride);
  const bool is_new = declared_.find(key) == declared_.end();
  const Id id = Declare(key, text);
  if (is_new && stride != 0) Decorate("OpDecorate " + id + " ArrayStride " + std::to_string(stride));
  return id;
}

Id NodeAsm::Pointer(std::string_view storage, const Id& type) {
  return Type("OpTypePointer " + std::string(storage) + " " + type);
}

Id NodeAsm::Struct(const std::vector<Member>& members) {
  const Id id = NewId();
  std::string text = id + " = OpTypeStruct";
  for (size_t i = 0; i < members.size(); ++i) {
    const std::string member = "OpMemberDecorate " + id + " " + std::to_string(i) + " ";
    text += " " + members[i].type;
    Decorate(member + "Offset " + std::to_string(members[i].offset));
    if (members[i].grid) Decorate(member + "PayloadDispatchIndirectAMDX");
    std::istringstream more(members[i].decorations);
    for (std::string decoration; std::getline(more, decoration, ';');) Decorate(member + decoration);
  }
  declarations_ += text + "\n";
  return id;
}

Id NodeAsm::Constant(const Id& type, const std::string& literal) {
  const std::string text = "OpConstant " + type + " " + literal;
  return Declare(text, text);
}

Id NodeAsm::SpecConstant(uint32_t spec_id, uint32_t default_value) {
  const Id id =
      Declare("spec " + std::to_string(spec_id), "OpSpecConstant " + Uint() + " " + std::to_string(default_value));
  Decorate("OpDecorate " + id + " SpecId " + std::to_string(spec_id));
  return id;
}

Id NodeAsm::String(const std::string& text) {
  const std::string declaration = "OpConstantStringAMDX \"" + text + "\"";
  return Declare(declaration, declaration);
}

Id NodeAsm::SpecString(uint32_t spec_id, const std::string& default_text) {
  const Id id = NewId();
  declarations_ += id + " = OpSpecConstantStringAMDX \"" + default_text + "\"\n";
  Decorate("OpDecorate " + id + " SpecId " + std::to_string(spec_id));
  return id;
}

Id NodeAsm::Global(std::string_view storage, const Id& type, const Id& initializer) {
  const Id pointer = Pointer(storage, type);
  const Id id = NewId();
  declarations_ += id + " = OpVariable " + pointer + " " + std::string(storage) + " " + initializer + "\n";
  globals_.push_back(id);
  return id;
}

Id NodeAsm::StorageBuffer(uint32_t binding, uint32_t set) {
  const std::string key = "OpTypeRuntimeArray " + Uint();
  const bool is_new = declared_.find(key) == declared_.end();
  const Id words = Type(key);
  if (is_new) Decorate("OpDecorate " + words + " ArrayStride 4");
  const Id block = Struct({{words, 0}});
  Decorate("OpDecorate " + block + " Block");
  const Id id = Global("StorageBuffer", block);
  Decorate("OpDecorate " + id + " DescriptorSet " + std::to_string(set));
  Decorate("OpDecorate " + id + " Binding " + std::to_string(binding));
  return id;
}

Id NodeAsm::PushConstants(uint32_t words) {
  std::vector<Member> members;
  for (uint32_t i = 0; i < words; ++i) members.push_back({Uint(), i * 4});
  const Id block = Struct(members);
  Decorate("OpDecorate " + block + " Block");
  return Global("PushConstant", block);
}

Id NodeAsm::SharedWords(uint32_t words) { return Global("Workgroup", Array(Uint(), words, 0)); }

Id NodeAsm::ImportSet(const std::string& name) {
  const Id id = NewId();
  imports_ += id + " = OpExtInstImport \"" + name + "\"\n";
  return id;
}

Payload NodeAsm::Input(const Id& record, Value max_payloads) {
  const Id max = Operand(max_payloads);
  const Id array = NewId();
  declarations_ += array + " = OpTypeNodePayloadArrayAMDX " + record + "\n";
  Decorate("OpDecorateId " + array + " NodeMaxPayloadsAMDX " + max);
  return {array, record};
}

Payload NodeAsm::Output(const std::string& target, const Id& record, const OutputOptions& options) {
  const Payload payload = Input(record, options.max_payloads);
  const auto decorate = [&](const std::string& decoration, const Id& operand) {
    Decorate("OpDecorateId " + payload.array + " " + decoration + " " + operand);
  };
  decorate("PayloadNodeNameAMDX", options.name.empty() ? String(target) : options.name);
  if (!options.base_index.id.empty() || options.base_index.constant != 0)
    decorate("PayloadNodeBaseIndexAMDX", Operand(options.base_index));
  if (options.array_size) decorate("PayloadNodeArraySizeAMDX", Operand(*options.array_size));
  if (options.sparse) Decorate("OpDecorate " + payload.array + " PayloadNodeSparseArrayAMDX");
  if (!options.shares_limits_with.empty()) decorate("NodeSharesPayloadLimitsWithAMDX", options.shares_limits_with);
  return payload;
}

void NodeAsm::BeginNode(const NodeOptions& options) {
  assert(function_.empty());
  node_ = options;
  function_ = NewId();
  const auto mode = [&](const std::string& text) { modes_ += "OpExecutionMode " + function_ + " " + text + "\n"; };
  const auto mode_id = [&](const std::string& name, const std::vector<Value>& operands) {
    modes_ += "OpExecutionModeId " + function_ + " " + name;
    for (const Value& operand : operands) modes_ += " " + Operand(operand);
    modes_ += "\n";
  };
  const auto& size = options.local_size;
  if (std::all_of(size.begin(), size.end(), [](const Value& value) { return value.id.empty(); })) {
    const auto literal = [&](size_t i) { return std::to_string(size[i].constant); };
    mode("LocalSize " + literal(0) + " " + literal(1) + " " + literal(2));
  } else {
    mode_id("LocalSizeId", {size[0], size[1], size[2]});
  }
  if (options.is_mesh) {
    Capability("MeshShadingEXT");
    Extension("SPV_EXT_mesh_shader");
    mode("OutputPoints");
    mode("OutputVertices 1");
    mode("OutputPrimitivesEXT 1");
  }
  const bool has_grid =
      !options.grid[0].id.empty() || options.grid[0].constant != 0 || options.launch == Launch::kStaticGrid;
  const std::vector<Value> grid(options.grid.begin(), options.grid.end());
  if (enqueue_) {
    if (options.launch == Launch::kCoalescing) mode("CoalescingAMDX");
    if (options.launch == Launch::kStaticGrid) mode_id("StaticNumWorkgroupsAMDX", grid);
    if (options.launch == Launch::kDynamicGrid && has_grid) mode_id("MaxNumWorkgroupsAMDX", grid);
    if (options.shader_index) mode_id("ShaderIndexAMDX", {*options.shader_index});
    if (options.recursion) mode_id("MaxNodeRecursionAMDX", {*options.recursion});
    if (options.shares_input) mode_id("SharesInputWithAMDX", {options.shares_input->name, options.shares_input->index});
    if (options.is_api_entry) {
      const std::string text = std::string(*options.is_api_entry ? "OpConstantTrue " : "OpConstantFalse ") + Bool();
      mode_id("IsApiEntryAMDX", {Declare(text, text)});
    }
  }
  input_variable_.clear();
  if (!options.input.record.empty()) {
    const bool is_array = !options.input.array.empty();
    const Id type = is_array ? options.input.array : options.input.record;
    const Id pointer = Pointer("NodePayloadAMDX", type);
    input_variable_ = NewId();
    declarations_ += input_variable_ + " = OpVariable " + pointer + " NodePayloadAMDX\n";
    input_ = {input_variable_, "NodePayloadAMDX", is_array};
  }
  parameter_variables_.clear();
  locals_.clear();
  body_.clear();
  first_block_ = block_ = NewId();
  if (options.is_mesh) body_ += "OpSetMeshOutputsEXT " + Constant(0) + " " + Constant(0) + "\n";
}

void NodeAsm::EndNode() {
  const Id type = Type("OpTypeFunction " + Type("OpTypeVoid"));
  const std::string model = node_.is_mesh ? "MeshEXT " : "GLCompute ";
  std::string entry = "OpEntryPoint " + model + function_ + " \"" + node_.name + "\"";
  // An id is used if it stands in the body, or in a function that the node may call, as a whole word.
  std::set<std::string> words;
  std::istringstream stream(callees_ + body_);
  for (std::string word; stream >> word;) words.insert(word);
  for (const Id& global : globals_) {
    if (words.count(global) != 0) entry += " " + global;
  }
  if (!input_variable_.empty() && !node_.strip_input) entry += " " + input_variable_;
  entry_points_ += entry + "\n";
  functions_ += function_ + " = OpFunction " + Type("OpTypeVoid") + " None " + type + "\n";
  functions_ += first_block_ + " = OpLabel\n" + locals_;
  functions_ += body_ + "OpReturn\nOpFunctionEnd\n";
  function_.clear();
}

NodeAsm::Callee NodeAsm::BeginFunction(const Id& result, const std::vector<Id>& parameter_types) {
  assert(function_.empty());
  Callee callee = {NewId(), result, {}};
  std::string type = "OpTypeFunction " + result;
  for (const Id& parameter : parameter_types) type += " " + parameter;
  callees_ += callee.id + " = OpFunction " + result + " None " + Type(type) + "\n";
  for (const Id& parameter : parameter_types) {
    callee.parameters.push_back(NewId());
    callees_ += callee.parameters.back() + " = OpFunctionParameter " + parameter + "\n";
  }
  function_ = callee.id;
  locals_.clear();
  body_.clear();
  parameter_variables_.clear();
  first_block_ = block_ = NewId();
  return callee;
}

void NodeAsm::EndFunction(const Id& value) {
  callees_ += first_block_ + " = OpLabel\n" + locals_ + body_;
  callees_ += (value.empty() ? "OpReturn" : "OpReturnValue " + value) + "\nOpFunctionEnd\n";
  function_.clear();
}

}  // namespace trellis::test
