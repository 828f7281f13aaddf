// SPDX-License-Identifier: Apache-2.0
#include "tests/spirv_lowering/node_samples.h"

#include <fstream>
#include <sstream>

#include "tests/spirv_lowering/mesh_parts.h"
#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every instruction and decoration of the extension that is supported, calls, copies and a push constant.
NodeSample Everything() {
  NodeParts parts;
  parts.interface = "%input %group %invocation %index %remaining %push";
  parts.modes = R"(
OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %spec %sum
OpExecutionModeId %main ShaderIndexAMDX %uint_3
OpExecutionModeId %main IsApiEntryAMDX %true
OpExecutionModeId %main MaxNodeRecursionAMDX %uint_2
)";
  parts.decorations = R"(
OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX
OpDecorateId %outputs2 PayloadNodeBaseIndexAMDX %uint_2
OpDecorateId %outputs2 PayloadNodeArraySizeAMDX %spec
OpDecorate %outputs2 PayloadNodeSparseArrayAMDX
OpDecorateId %outputs2 NodeSharesPayloadLimitsWithAMDX %outputs
OpDecorate %spec SpecId 0
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %invocation BuiltIn GlobalInvocationId
OpDecorate %index BuiltIn ShaderIndexAMDX
OpDecorate %remaining BuiltIn RemainingRecursionLevelsAMDX
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
)";
  parts.globals = R"(
%spec = OpSpecConstant %uint 4
%sum = OpSpecConstantOp %uint IAdd %spec %uint_1
%block = OpTypeStruct %v4uint %uint
%ptr_block = OpTypePointer PushConstant %block
%ptr_push_uint = OpTypePointer PushConstant %uint
%push = OpVariable %ptr_block PushConstant
%ptr_in_uint = OpTypePointer Input %uint
%ptr_in_v3uint = OpTypePointer Input %v3uint
%group = OpVariable %ptr_in_v3uint Input
%invocation = OpVariable %ptr_in_v3uint Input
%index = OpVariable %ptr_in_uint Input
%remaining = OpVariable %ptr_in_uint Input
%helper_type = OpTypeFunction %uint %in_ptr %fn_out %out2_ptr
)";
  parts.variables =
      "%param = OpVariable %fn_out Function\n%local = OpVariable %fn_out Function\n%copy = OpVariable %fn_record "
      "Function";
  parts.body = R"(
%group_y_ptr = OpAccessChain %ptr_in_uint %group %uint_1
%group_y = OpLoad %uint %group_y_ptr
%id = OpLoad %v3uint %invocation
%shader = OpLoad %uint %index
%left = OpLoad %uint %remaining
%pushed_ptr = OpAccessChain %ptr_push_uint %push %int_1
%pushed = OpLoad %uint %pushed_ptr
%valid = OpIsNodePayloadValidAMDX %bool %param %shader
OpSelectionMerge %join None
OpBranchConditional %valid %then %join
%then = OpLabel
%first = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %pushed %left
%first_value = OpLoad %outputs %first
OpStore %local %first_value
%element = OpAccessChain %np_record %input %uint_0
%whole = OpLoad %record %element
OpStore %copy %whole
%target = OpAccessChain %fn_record %local %group_y
OpCopyMemory %target %copy
OpEnqueueNodePayloadsAMDX %local
OpBranch %join
%join = OpLabel
%second = OpAllocateNodePayloadsAMDX %out2_ptr %uint_4 %uint_1 %shader
%r = OpFunctionCall %uint %helper %input %param %second
OpMemoryBarrier %uint_5 %uint_64_72
%signal = OpAllocateNodePayloadsAMDX %signal_ptr %uint_2 %r %uint_0
)";
  parts.globals += "%uint_64_72 = OpConstant %uint 4168\n";
  parts.functions = R"(
%helper = OpFunction %uint None %helper_type
%given = OpFunctionParameter %in_ptr
%given_variable = OpFunctionParameter %fn_out
%given_output = OpFunctionParameter %out2_ptr
%helper_begin = OpLabel
%length = OpNodePayloadArrayLengthAMDX %uint %given
%out_member = OpAccessChain %np_uint %given_output %uint_0 %int_1
%old = OpAtomicIAdd %uint %out_member %uint_1 %uint_0 %length
OpEnqueueNodePayloadsAMDX %given_output
OpReturnValue %old
OpFunctionEnd
)";
  return {"everything", Compose(parts)};
}

// Handles through phis, selects and loops; a bare structure as input; the Vulkan memory model.
NodeSample Flow() {
  NodeParts parts;
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  parts.globals = "%bare = OpVariable %np_record NodePayloadAMDX";
  parts.variables = "%local = OpVariable %fn_out Function";
  parts.body = R"(
%count_ptr = OpAccessChain %np_uint %bare %int_1
%count = OpLoad %uint %count_ptr
%many = OpUGreaterThan %bool %count %uint_2
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %uint_0 %main_begin %next %continue
%more = OpULessThan %bool %i %count
OpLoopMerge %done %continue None
OpBranchConditional %more %work %done
%work = OpLabel
%one = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %i
%two = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_2 %uint_0
OpSelectionMerge %pick None
OpSwitch %i %other 0 %zero 7 %seven
%zero = OpLabel
OpBranch %pick
%seven = OpLabel
OpBranch %pick
%other = OpLabel
OpBranch %pick
%pick = OpLabel
%chosen = OpPhi %out_ptr %one %zero %two %seven %one %other
%selected = OpSelect %out_ptr %many %chosen %two
%value = OpLoad %outputs %selected
OpStore %local %value
%target = OpAccessChain %fn_uint %local %uint_0 %int_0
OpStore %target %i
OpStore %count_ptr %i
OpEnqueueNodePayloadsAMDX %local
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %uint_1
OpBranch %header
%done = OpLabel
)";
  return {"flow", Compose(parts)};
}

// Pointers into payloads through functions, aggregates of handles, stores of whole arrays.
NodeSample Shapes() {
  NodeParts parts;
  parts.decorations = R"(
OpMemberDecorate %deep 0 Offset 0
OpMemberDecorate %deep 0 RowMajor
OpMemberDecorate %deep 0 MatrixStride 16
OpMemberDecorate %deep 1 Offset 28
OpDecorateId %deeps NodeMaxPayloadsAMDX %uint_4
OpDecorateId %deeps PayloadNodeNameAMDX %target_name
)";
  parts.globals = R"(
%v2float = OpTypeVector %float 2
%matrix = OpTypeMatrix %v2float 2
%deep = OpTypeStruct %matrix %uint
%deeps = OpTypeNodePayloadArrayAMDX %deep
%deep_ptr = OpTypePointer NodePayloadAMDX %deeps
%pair = OpTypeStruct %uint %deeps
%pairs = OpTypeArray %pair %uint_2
%fn_deeps = OpTypePointer Function %deeps
%fn_pair = OpTypePointer Function %pair
%fn_pairs = OpTypePointer Function %pairs
%fn_matrix = OpTypePointer Function %matrix
%null_matrix = OpConstantNull %matrix
%set_type = OpTypeFunction %void %fn_uint %fn_uint
%turn_type = OpTypeFunction %void %fn_matrix
%fill_type = OpTypeFunction %uint %fn_deeps %deeps
)";
  parts.variables = "%state = OpVariable %fn_pairs Function\n%number = OpVariable %fn_uint Function";
  parts.body = R"(
%one = OpAllocateNodePayloadsAMDX %deep_ptr %uint_2 %uint_2 %uint_0
%two = OpAllocateNodePayloadsAMDX %deep_ptr %uint_4 %uint_2 %uint_1
%one_value = OpLoad %deeps %one
%two_value = OpLoad %deeps %two
%made = OpCompositeConstruct %pair %uint_1 %one_value
%slot = OpAccessChain %fn_pair %state %int_1
OpStore %slot %made
%handle = OpAccessChain %fn_deeps %state %uint_0 %int_1
OpStore %handle %two_value
%member = OpAccessChain %fn_uint %state %uint_1 %int_1 %uint_0 %int_1
%turned = OpAccessChain %fn_matrix %handle %uint_1 %int_0
%r1 = OpFunctionCall %void %set %member %number
%r2 = OpFunctionCall %void %set %number %member
%r3 = OpFunctionCall %void %set %number %number
%r4 = OpFunctionCall %void %turn %turned
%r5 = OpFunctionCall %uint %fill %handle %two_value
OpStore %one %two_value
%loaded = OpLoad %pairs %state
%inside = OpCompositeExtract %uint %loaded 1 1 0 1
%changed = OpCompositeInsert %pairs %inside %loaded 0 1 1 1
%sent = OpCompositeExtract %deeps %changed 1 1
OpEnqueueNodePayloadsAMDX %sent
OpEnqueueNodePayloadsAMDX %handle
)";
  parts.functions = R"(
%set = OpFunction %void None %set_type
%to = OpFunctionParameter %fn_uint
%from = OpFunctionParameter %fn_uint
%set_begin = OpLabel
%moved = OpLoad %uint %from
OpStore %to %moved
OpReturn
OpFunctionEnd
%turn = OpFunction %void None %turn_type
%of = OpFunctionParameter %fn_matrix
%turn_begin = OpLabel
OpStore %of %null_matrix
OpReturn
OpFunctionEnd
%fill = OpFunction %uint None %fill_type
%variable = OpFunctionParameter %fn_deeps
%value = OpFunctionParameter %deeps
%fill_begin = OpLabel
%target = OpAccessChain %fn_uint %variable %uint_0 %int_1
%again = OpFunctionCall %void %set %target %target
%length = OpNodePayloadArrayLengthAMDX %uint %value
OpReturnValue %length
OpFunctionEnd
)";
  return {"shapes", Compose(parts)};
}

// A mesh node that writes its input, and a fragment shader.
NodeSample Mesh() {
  NodeParts parts = MeshParts();
  parts.modes = std::string(kMeshModes) + "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %uint_8 %uint_7";
  parts.interface += " %group";
  parts.decorations +=
      "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX\nOpDecorate %record TrackFinishWritingAMDX\n"
      "OpDecorate %group BuiltIn WorkgroupId\n";
  parts.globals += "%in_uint = OpTypePointer Input %uint\n%group = OpVariable %in_v3uint Input\n";
  parts.body += R"(
%group_x_ptr = OpAccessChain %in_uint %group %uint_0
%group_x = OpLoad %uint %group_x_ptr
%member = OpAccessChain %np_uint %input %uint_0 %uint_0
OpStore %member %group_x
%last = OpFinishWritingNodePayloadAMDX %bool %input
)";
  return {"mesh", ComposeWithFragment(parts), "node", ExecutionModel::kMeshEXT};
}

}  // namespace

const std::vector<NodeSample>& NodeSamples() {
  static const std::vector<NodeSample> samples = {
      {"hello_graph", ReadFile(TRELLIS_SOURCE_DIR "/samples/hello_graph/hello_graph.spvasm"), "firstNode"},
      Everything(),
      Flow(),
      Shapes(),
      Mesh()};
  return samples;
}

}  // namespace trellis::spirv
