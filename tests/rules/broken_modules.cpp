// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/broken_modules.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <ostream>

namespace trellis::spirv {
namespace {

// Anchors that several rows share.
constexpr const char* kMaxGrid = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_4 %uint_1 %uint_1";
constexpr const char* kAllocate = "%array = OpAllocateNodePayloadsAMDX %ptr_work %uint_2 %uint_1 %uint_0";
constexpr const char* kMember = "%member = OpAccessChain %ptr_uint %array %uint_0 %uint_0";
constexpr const char* kLength = "%length = OpNodePayloadArrayLengthAMDX %uint %input";
constexpr const char* kSeed = "%seed = OpAccessChain %ptr_uint %input %uint_0 %uint_1";
constexpr const char* kEnqueue = "OpEnqueueNodePayloadsAMDX %array";

Edit Mode(const std::string& line) { return Before(kMaxGrid, line); }
Edit Decoration(const std::string& line) { return Before("%uint = OpTypeInt", line); }
Edit Statement(const std::string& line) { return Before(kAllocate, line); }

Edits Join(std::initializer_list<Edits> parts) {
  Edits all;
  for (const Edits& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Adds the variable `id` to the interface of the entry point.
Edits BuiltInVariable(const std::string& id, const std::string& built_in, const std::string& storage_class,
                      const std::string& type) {
  const std::string pointer = "%ptr_" + id.substr(1);
  return {
      {"\"main\" %input", "\"main\" %input " + id},
      Before("OpDecorateId %tasks", "OpDecorate " + id + " BuiltIn " + built_in),
      Before("%input = OpVariable", pointer + " = OpTypePointer " + storage_class + " " + type),
      Before("%input = OpVariable", id + " = OpVariable " + pointer + " " + storage_class),
  };
}

// Makes the entry point a mesh shader.
Edits Mesh() {
  return {
      {"OpCapability Shader\n", "OpCapability MeshShadingEXT\n"},
      Before("OpMemoryModel", "OpExtension \"SPV_EXT_mesh_shader\""),
      {"GLCompute", "MeshEXT"},
      Before("OpExecutionModeId %main ShaderIndexAMDX",
             "OpExecutionMode %main OutputVertices 3\n"
             "OpExecutionMode %main OutputPrimitivesEXT 1\n"
             "OpExecutionMode %main OutputTrianglesEXT"),
  };
}

Edits WithoutOutput() {
  return {Delete(kAllocate), Delete(kMember), Delete("OpStore %member %value"), Delete(kEnqueue)};
}

// Adds an entry point with the given operands; it does nothing.
Edits VertexEntryPoint(const std::string& operands) {
  return {
      Before("OpExecutionMode %main LocalSize", "OpEntryPoint Vertex " + operands),
      Before("OpReturn",
             "OpReturn\n"
             "OpFunctionEnd\n"
             "%vertex = OpFunction %void None %function\n"
             "%vertex_label = OpLabel"),
  };
}

// Workgroups of 32 invocations; %index is that of the invocation, and %first tells whether it is 0.
Edits ManyInvocations() {
  return Join({BuiltInVariable("%lane", "LocalInvocationIndex", "Input", "%uint"),
               {{"LocalSize 1 1 1", "LocalSize 32 1 1"},
                Before(kLength,
                       "%index = OpLoad %uint %lane\n"
                       "%first = OpIEqual %bool %index %uint_0")}});
}

// What stands between the two lines executes in the first invocation only.
constexpr const char* kIfFirst =
    "OpSelectionMerge %merge None\n"
    "OpBranchConditional %first %then %merge\n"
    "%then = OpLabel";
constexpr const char* kEndIf =
    "OpBranch %merge\n"
    "%merge = OpLabel";

// Promises not to write the input.
Edits NonWritableInput() {
  return {Before("OpMemberDecorate %Item 0 Offset",
                 "OpMemberDecorate %Task 0 NonWritable\n"
                 "OpMemberDecorate %Task 1 NonWritable")};
}

std::vector<BrokenModule> MakeBrokenModules() {
  const std::string coalescing = "OpExecutionMode %main CoalescingAMDX";
  const std::string static_grid = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_4 %uint_1 %uint_1";
  const std::string api_entry = "OpExecutionModeId %main IsApiEntryAMDX %true";
  const std::string recursion = "OpExecutionModeId %main MaxNodeRecursionAMDX %uint_1";
  const std::string shares_input = "OpExecutionModeId %main SharesInputWithAMDX %worker %uint_0";
  const std::string tracked = "OpDecorate %Task TrackFinishWritingAMDX";
  const std::string vertex = "%vertex \"vertex\"";
  return {
      {"allocate_above_maximum",
       "NodeMaxPayloadsAMDX/count",
       {{"%uint_2 %uint_1 %uint_0", "%uint_2 %uint_3 %uint_0"}},
       true},
      {"allocate_count_float",
       "OpAllocateNodePayloadsAMDX/Payload-Count",
       {{"%uint_2 %uint_1 %uint_0", "%uint_2 %float_1 %uint_0"}}},
      {"allocate_divergent", "OpAllocateNodePayloadsAMDX/uniform-control-flow",
       Join({ManyInvocations(), {Statement(kIfFirst), {kEnqueue, kEndIf}}}), true},
      {"allocate_divergent_count", "OpAllocateNodePayloadsAMDX/uniform-count",
       Join({ManyInvocations(), {{"%uint_2 %uint_1 %uint_0", "%uint_2 %index %uint_0"}}}), true},
      {"allocate_divergent_index", "OpAllocateNodePayloadsAMDX/uniform-index",
       Join({ManyInvocations(), {{"%uint_2 %uint_1 %uint_0", "%uint_2 %uint_1 %index"}}}), true},
      {"allocate_index_float",
       "OpAllocateNodePayloadsAMDX/Node-Index",
       {{"%uint_2 %uint_1 %uint_0", "%uint_2 %uint_1 %float_1"}}},
      {"allocate_input_type",
       "PayloadNodeNameAMDX/required",
       {{"OpAllocateNodePayloadsAMDX %ptr_work", "OpAllocateNodePayloadsAMDX %ptr_tasks"},
        {kMember, "%member = OpAccessChain %ptr_uint %array %uint_0 %uint_1"}}},
      {"allocate_structure",
       "OpAllocateNodePayloadsAMDX/Result-Type",
       {Before("%input = OpVariable", "%ptr_item = OpTypePointer NodePayloadAMDX %Item"),
        {"OpAllocateNodePayloadsAMDX %ptr_work", "OpAllocateNodePayloadsAMDX %ptr_item"},
        {kMember, "%member = OpAccessChain %ptr_uint %array %uint_0"},
        Delete(kEnqueue)}},
      {"api_entry_integer", "IsApiEntryAMDX/operands", {Mode("OpExecutionModeId %main IsApiEntryAMDX %uint_1")}},
      {"api_entry_twice", "IsApiEntryAMDX/once", {Mode(api_entry + "\n" + api_entry)}},
      {"array_size_float",
       "PayloadNodeArraySizeAMDX/operand",
       {{"PayloadNodeArraySizeAMDX %uint_4", "PayloadNodeArraySizeAMDX %float_1"}}},
      {"array_size_on_structure",
       "PayloadNodeArraySizeAMDX/target",
       {Decoration("OpDecorateId %Item PayloadNodeArraySizeAMDX %uint_1")}},
      {"array_stride_missing", "NodePayloadAMDX/ArrayStride", {Delete("OpDecorate %floats ArrayStride 4")}},
      {"base_index_float",
       "PayloadNodeBaseIndexAMDX/operand",
       {Decoration("OpDecorateId %work PayloadNodeBaseIndexAMDX %float_1")}},
      {"base_index_on_structure",
       "PayloadNodeBaseIndexAMDX/target",
       {Decoration("OpDecorateId %Item PayloadNodeBaseIndexAMDX %uint_1")}},
      {"coalescing_bare_structure",
       "CoalescingAMDX/input-type",
       {{kMaxGrid, coalescing},
        {"NodePayloadAMDX %tasks", "NodePayloadAMDX %Task"},
        Delete(kLength),
        {kSeed, "%seed = OpAccessChain %ptr_uint %input %uint_1"}}},
      {"coalescing_twice", "CoalescingAMDX/once", {{kMaxGrid, coalescing + "\n" + coalescing}}},
      {"coalescing_with_maximum_grid", "CoalescingAMDX/exclusive", {Mode(coalescing)}},
      {"coalescing_with_static_grid", "CoalescingAMDX/exclusive", {{kMaxGrid, coalescing + "\n" + static_grid}}},
      {"enqueue_divergent", "OpEnqueueNodePayloadsAMDX/uniform-control-flow",
       Join({ManyInvocations(), {Before(kEnqueue, kIfFirst), Before("OpReturn", kEndIf)}}), true},
      {"enqueue_input", "OpEnqueueNodePayloadsAMDX/Payload-Array", {{kEnqueue, "OpEnqueueNodePayloadsAMDX %input"}}},
      {"enqueue_integer", "OpEnqueueNodePayloadsAMDX/Payload-Array", {{kEnqueue, "OpEnqueueNodePayloadsAMDX %value"}}},
      {"finish_allocation",
       "OpFinishWritingNodePayloadAMDX/Payload",
       {Decoration(tracked), Before(kEnqueue, "%finish = OpFinishWritingNodePayloadAMDX %bool %array")}},
      {"finish_coalescing",
       "OpFinishWritingNodePayloadAMDX/CoalescingAMDX",
       {{kMaxGrid, coalescing},
        Decoration(tracked),
        Statement("%finish = OpFinishWritingNodePayloadAMDX %bool %input")}},
      {"finish_divergent", "OpFinishWritingNodePayloadAMDX/uniform-control-flow",
       Join({ManyInvocations(),
             {Decoration(tracked), Before("OpReturn", kIfFirst),
              Before("OpReturn", "%last = OpFinishWritingNodePayloadAMDX %bool %input"), Before("OpReturn", kEndIf)}}),
       true},
      {"finish_integer",
       "OpFinishWritingNodePayloadAMDX/Result-Type",
       {Decoration(tracked), Statement("%finish = OpFinishWritingNodePayloadAMDX %uint %input")}},
      {"finish_untracked",
       "TrackFinishWritingAMDX/required",
       {Statement("%finish = OpFinishWritingNodePayloadAMDX %bool %input")}},
      {"grid_missing",
       "PayloadDispatchIndirectAMDX/required",
       {Delete("OpMemberDecorate %Task 0 PayloadDispatchIndirectAMDX")},
       true},
      {"grid_on_structure",
       "PayloadDispatchIndirectAMDX/target",
       {Decoration("OpDecorate %Item PayloadDispatchIndirectAMDX")}},
      {"grid_signed",
       "PayloadDispatchIndirectAMDX/type",
       {{"%Task = OpTypeStruct %v3uint %uint", "%v3int = OpTypeVector %int 3\n%Task = OpTypeStruct %v3int %uint"}}},
      {"index_above_array_size",
       "PayloadNodeArraySizeAMDX/index",
       {{"%uint_2 %uint_1 %uint_0", "%uint_2 %uint_1 %uint_4"}},
       true},
      {"input_initializer",
       "NodePayloadAMDX/initializer",
       {{"%input = OpVariable %ptr_tasks NodePayloadAMDX",
         "%null = OpConstantNull %tasks\n%input = OpVariable %ptr_tasks NodePayloadAMDX %null"}}},
      {"input_integer",
       "NodePayloadAMDX/input-type",
       {{"NodePayloadAMDX %tasks", "NodePayloadAMDX %uint"},
        Delete(kLength),
        Delete(kSeed),
        {"OpLoad %uint %seed", "OpLoad %uint %input"}}},
      {"length_float",
       "OpNodePayloadArrayLengthAMDX/Result-Type",
       {{kLength, "%length = OpNodePayloadArrayLengthAMDX %float %input"}}},
      {"length_of_integer",
       "OpNodePayloadArrayLengthAMDX/Payload-Array",
       {Statement("%other_length = OpNodePayloadArrayLengthAMDX %uint %value")}},
      {"limits_of_itself",
       "NodeSharesPayloadLimitsWithAMDX/chain",
       {Decoration("OpDecorateId %work NodeSharesPayloadLimitsWithAMDX %work")}},
      {"limits_of_structure",
       "NodeSharesPayloadLimitsWithAMDX/operand",
       {Decoration("OpDecorateId %work NodeSharesPayloadLimitsWithAMDX %Task")}},
      {"limits_on_structure",
       "NodeSharesPayloadLimitsWithAMDX/target",
       {Decoration("OpDecorateId %Item NodeSharesPayloadLimitsWithAMDX %work")}},
      {"matrix_stride_missing", "NodePayloadAMDX/MatrixStride", {Delete("OpMemberDecorate %Item 2 MatrixStride 16")}},
      {"max_payloads_float",
       "NodeMaxPayloadsAMDX/operand",
       {{"NodeMaxPayloadsAMDX %uint_2", "NodeMaxPayloadsAMDX %float_1"}}},
      {"max_payloads_missing",
       "NodeMaxPayloadsAMDX/required",
       {Delete("OpDecorateId %work NodeMaxPayloadsAMDX %uint_2")}},
      {"max_payloads_on_structure",
       "NodeMaxPayloadsAMDX/target",
       {Decoration("OpDecorateId %Item NodeMaxPayloadsAMDX %uint_1")}},
      {"maximum_grid_float",
       "MaxNumWorkgroupsAMDX/operands",
       {{"MaxNumWorkgroupsAMDX %uint_4", "MaxNumWorkgroupsAMDX %float_1"}}},
      {"maximum_grid_twice", "MaxNumWorkgroupsAMDX/once", {Mode(kMaxGrid)}},
      {"mesh_allocates", "OpAllocateNodePayloadsAMDX/execution-model", Mesh()},
      {"mesh_coalescing", "CoalescingAMDX/execution-model", Join({Mesh(), {{kMaxGrid, coalescing}}, WithoutOutput()})},
      {"mesh_recursion", "MaxNodeRecursionAMDX/execution-model", Join({Mesh(), {Mode(recursion)}, WithoutOutput()})},
      {"node_name_integer",
       "PayloadNodeNameAMDX/operand",
       {{"PayloadNodeNameAMDX %worker", "PayloadNodeNameAMDX %uint_1"}}},
      {"node_name_missing", "PayloadNodeNameAMDX/required", {Delete("OpDecorateId %work PayloadNodeNameAMDX %worker")}},
      {"node_name_on_input",
       "PayloadNodeNameAMDX/output-only",
       {Before("OpDecorateId %work PayloadNodeArraySizeAMDX", "OpDecorateId %tasks PayloadNodeNameAMDX %worker")}},
      {"node_name_on_structure",
       "PayloadNodeNameAMDX/target",
       {Decoration("OpDecorateId %Item PayloadNodeNameAMDX %worker")}},
      {"num_workgroups", "NumWorkgroups/forbidden", BuiltInVariable("%groups", "NumWorkgroups", "Input", "%v3uint")},
      {"offset_missing", "NodePayloadAMDX/Offset", {Delete("OpMemberDecorate %Item 0 Offset 0")}},
      {"payload_integer",
       "OpTypeNodePayloadArrayAMDX/Payload-Type",
       {{"OpTypeNodePayloadArrayAMDX %Item", "OpTypeNodePayloadArrayAMDX %uint"},
        {kMember, "%member = OpAccessChain %ptr_uint %array %uint_0"}}},
      {"records_per_node_no_number",
       "MaxRecordsPerNode/form",
       {Decoration("OpDecorateString %work UserSemantic \"MaxRecordsPerNode:many\"")}},
      {"records_per_node_on_structure",
       "MaxRecordsPerNode/target",
       {Decoration("OpDecorateString %Item UserSemantic \"MaxRecordsPerNode:4\"")}},
      {"recursion_bool", "MaxNodeRecursionAMDX/operands", {Mode("OpExecutionModeId %main MaxNodeRecursionAMDX %true")}},
      {"recursion_levels_float", "RemainingRecursionLevelsAMDX/type",
       BuiltInVariable("%index", "RemainingRecursionLevelsAMDX", "Input", "%float")},
      {"recursion_levels_private", "RemainingRecursionLevelsAMDX/storage-class",
       BuiltInVariable("%index", "RemainingRecursionLevelsAMDX", "Private", "%uint")},
      {"recursion_twice", "MaxNodeRecursionAMDX/once", {Mode(recursion + "\n" + recursion)}},
      {"shader_index_bool", "ShaderIndexAMDX/operands", {{"ShaderIndexAMDX %uint_0", "ShaderIndexAMDX %true"}}},
      {"shader_index_float", "VUID-ShaderIndexAMDX-ShaderIndexAMDX-09176",
       BuiltInVariable("%index", "ShaderIndexAMDX", "Input", "%float")},
      {"shader_index_output", "VUID-ShaderIndexAMDX-ShaderIndexAMDX-09175",
       BuiltInVariable("%index", "ShaderIndexAMDX", "Private", "%uint")},
      {"shader_index_twice",
       "ShaderIndexAMDX/once",
       {Before("OpExecutionModeId %main ShaderIndexAMDX", "OpExecutionModeId %main ShaderIndexAMDX %uint_0")}},
      {"shared_input_api_entry", "SharesInputWithAMDX/IsApiEntryAMDX",
       Join({{Mode(shares_input), Mode(api_entry)}, NonWritableInput()})},
      {"shared_input_name_integer", "SharesInputWithAMDX/operands",
       Join({{Mode("OpExecutionModeId %main SharesInputWithAMDX %uint_1 %uint_0")}, NonWritableInput()})},
      {"shared_input_twice", "SharesInputWithAMDX/once",
       Join({{Mode(shares_input + "\n" + shares_input)}, NonWritableInput()})},
      {"shared_input_writable", "SharesInputWithAMDX/NonWritable", {Mode(shares_input)}, true},
      {"shared_input_written",
       "SharesInputWithAMDX/NonWritable",
       {Mode(shares_input), Statement("OpStore %seed %value")}},
      {"shared_input_written_although_not_writable", "SharesInputWithAMDX/NonWritable",
       Join({{Mode(shares_input), Statement("OpStore %seed %value")}, NonWritableInput()})},
      {"sparse_on_structure",
       "PayloadNodeSparseArrayAMDX/target",
       {Decoration("OpDecorate %Item PayloadNodeSparseArrayAMDX")}},
      {"spirv_version", "ShaderEnqueueAMDX/version", {}, false, 0x00010300},
      {"static_and_maximum_grid", "StaticNumWorkgroupsAMDX/exclusive", {Mode(static_grid)}},
      {"static_grid_float",
       "StaticNumWorkgroupsAMDX/operands",
       {{"MaxNumWorkgroupsAMDX %uint_4", "StaticNumWorkgroupsAMDX %float_1"}}},
      {"static_grid_twice", "StaticNumWorkgroupsAMDX/once", {{kMaxGrid, static_grid + "\n" + static_grid}}},
      {"track_on_variable", "TrackFinishWritingAMDX/target", {Decoration("OpDecorate %input TrackFinishWritingAMDX")}},
      {"two_inputs",
       "NodePayloadAMDX/one-input",
       {{"\"main\" %input", "\"main\" %input %second"},
        Before("%main = OpFunction", "%second = OpVariable %ptr_tasks NodePayloadAMDX")}},
      {"valid_index_float",
       "OpIsNodePayloadValidAMDX/Node-Index",
       {Statement("%valid = OpIsNodePayloadValidAMDX %bool %work %float_1")}},
      {"valid_integer",
       "OpIsNodePayloadValidAMDX/Result-Type",
       {Statement("%valid = OpIsNodePayloadValidAMDX %uint %work %uint_0")}},
      {"valid_of_structure",
       "OpIsNodePayloadValidAMDX/Payload-Type",
       {Statement("%valid = OpIsNodePayloadValidAMDX %bool %Item %uint_0")}},
      {"vertex_entry_point", "VUID-RuntimeSpirv-ShaderEnqueueAMDX-09191", VertexEntryPoint(vertex)},
      {"vertex_input", "VUID-RuntimeSpirv-NodePayloadAMDX-09192",
       Join({{Delete("OpCapability ShaderEnqueueAMDX")}, VertexEntryPoint(vertex + " %input")})},
      {"visibility_subgroup",
       "OpAllocateNodePayloadsAMDX/Visibility",
       {{"%uint_2 %uint_1 %uint_0", "%uint_3 %uint_1 %uint_0"}}},
  };
}

}  // namespace

Edit Before(const std::string& anchor, const std::string& line) { return {anchor, line + "\n" + anchor}; }

Edit Delete(const std::string& anchor) { return {anchor, ""}; }

Expected<std::string> ApplyEdits(std::string text, const Edits& edits) {
  for (const auto& [anchor, replacement] : edits) {
    if (anchor.empty()) return Error{"an edit has no anchor"};
    if (anchor == replacement) return Error{"the edit of '" + anchor + "' changes nothing"};
    const size_t at = text.find(anchor);
    if (at == std::string::npos) return Error{"'" + anchor + "' does not occur in the text"};
    if (text.find(anchor, at + 1) != std::string::npos) return Error{"'" + anchor + "' occurs more than once"};
    text.replace(at, anchor.size(), replacement);
  }
  return text;
}

void PrintTo(const BrokenModule& module, std::ostream* out) { *out << module.name; }

const std::vector<BrokenModule>& BrokenModules() {
  static const std::vector<BrokenModule> modules = MakeBrokenModules();
  return modules;
}

Expected<std::string> ValidText() {
  std::ifstream file(TRELLIS_RULES_DIR "/valid.spvasm");
  if (!file.is_open()) return Error{"valid.spvasm cannot be read"};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Expected<std::string> MeshText() {
  Expected<std::string> valid = ValidText();
  if (!valid) return valid.error();
  return ApplyEdits(*std::move(valid), Join({Mesh(), WithoutOutput()}));
}

Expected<std::string> BrokenText(std::string_view name) {
  const std::vector<BrokenModule>& modules = BrokenModules();
  const auto module = std::find_if(modules.begin(), modules.end(), [&](const auto& each) { return each.name == name; });
  if (module == modules.end()) return Error{"no broken module is named '" + std::string(name) + "'"};
  Expected<std::string> valid = ValidText();
  if (!valid) return valid.error();
  return ApplyEdits(*std::move(valid), module->edits);
}

}  // namespace trellis::spirv
