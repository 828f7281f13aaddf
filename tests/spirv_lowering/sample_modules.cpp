// SPDX-License-Identifier: Apache-2.0
#include "tests/spirv_lowering/sample_modules.h"

namespace trellis::spirv {
namespace {

constexpr std::string_view kEmpty = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

// A node in the shape that compilers emit: handles in Function variables, id decorations, id execution modes.
constexpr std::string_view kProducer = R"(
OpCapability Shader
OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "producer" %input %group
OpExecutionMode %main LocalSize 32 1 1
OpExecutionModeId %main ShaderIndexAMDX %index
OpExecutionModeId %main StaticNumWorkgroupsAMDX %four %spec %four
OpSource HLSL 680
OpName %main "producer"
OpName %record "Record"
OpMemberName %record 0 "grid"
OpName %input "in.var.input"
OpName %outputs "out_array"
OpMemberDecorate %record 0 Offset 0
OpMemberDecorate %record 0 PayloadDispatchIndirectAMDX
OpMemberDecorate %record 1 Offset 12
OpMemberDecorate %record 2 Offset 16
OpDecorate %record TrackFinishWritingAMDX
OpDecorateId %inputs NodeMaxPayloadsAMDX %one
OpDecorateId %outputs PayloadNodeNameAMDX %name
OpDecorateId %outputs NodeMaxPayloadsAMDX %four
OpDecorateId %outputs PayloadNodeBaseIndexAMDX %one
OpDecorate %outputs PayloadNodeSparseArrayAMDX
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %spec SpecId 7
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%half = OpTypeFloat 16
%v3 = OpTypeVector %uint 3
%zero = OpConstant %uint 0
%index = OpConstant %uint 3
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%four = OpConstant %uint 4
%spec = OpSpecConstant %uint 8
%iz = OpConstant %int 0
%i1 = OpConstant %int 1
%name = OpConstantStringAMDX "consumer"
%record = OpTypeStruct %v3 %uint %half
%inputs = OpTypeNodePayloadArrayAMDX %record
%outputs = OpTypeNodePayloadArrayAMDX %record
%ptr_in = OpTypePointer NodePayloadAMDX %inputs
%ptr_out = OpTypePointer NodePayloadAMDX %outputs
%ptr_record = OpTypePointer NodePayloadAMDX %record
%ptr_uint_in = OpTypePointer NodePayloadAMDX %uint
%ptr_fn_out = OpTypePointer Function %outputs
%ptr_fn_uint = OpTypePointer Function %uint
%ptr_input_v3 = OpTypePointer Input %v3
%fn = OpTypeFunction %void
%input = OpVariable %ptr_in NodePayloadAMDX
%group = OpVariable %ptr_input_v3 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%param = OpVariable %ptr_fn_out Function
%local = OpVariable %ptr_fn_out Function
%element = OpAccessChain %ptr_record %input %zero
%member = OpAccessChain %ptr_uint_in %input %zero %i1
%value = OpLoad %uint %member
%valid = OpIsNodePayloadValidAMDX %bool %param %zero
OpSelectionMerge %merge None
OpBranchConditional %valid %then %merge
%then = OpLabel
%allocated = OpAllocateNodePayloadsAMDX %ptr_out %two %four %zero
%handle = OpLoad %outputs %allocated
OpStore %local %handle
%target = OpAccessChain %ptr_fn_uint %local %zero %i1
OpStore %target %value
OpEnqueueNodePayloadsAMDX %local
OpBranch %merge
%merge = OpLabel
%length = OpNodePayloadArrayLengthAMDX %uint %input
%last = OpFinishWritingNodePayloadAMDX %bool %input
OpReturn
OpFunctionEnd
)";

// Loops, switches of both widths, phis, calls of later functions, memory and image operands, wide constants, spec
// constant operations.
constexpr std::string_view kControl = R"(
OpCapability Shader
OpCapability Int64
OpCapability StorageImageExtendedFormats
OpExtension "SPV_KHR_storage_buffer_storage_class"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data %image
OpExecutionMode %main LocalSize 64 1 1
%file = OpString "shader.comp"
OpSource GLSL 460 %file "void main() {}"
OpSourceExtension "GL_EXT_x"
OpName %main "main"
OpName %later "later(u1;"
OpModuleProcessed "made by hand"
OpDecorate %runtime ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 1
OpDecorate %sized BuiltIn WorkgroupSize
OpDecorate %sx SpecId 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%double_word = OpConstant %ulong 0x100000002
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%sixteen = OpConstant %uint 16
%pi = OpConstant %float 3.14159274
%sx = OpSpecConstant %uint 64
%sum = OpSpecConstantOp %uint IAdd %sx %one
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%v4f = OpTypeVector %float 4
%sized = OpSpecConstantComposite %v3 %sx %one %one
%origin = OpConstantNull %v2
%undefined = OpUndef %uint
%table_type = OpTypeArray %uint %sixteen
%table = OpConstantNull %table_type
%runtime = OpTypeRuntimeArray %uint
%block = OpTypeStruct %runtime
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_uint = OpTypePointer StorageBuffer %uint
%ptr_local = OpTypePointer Function %uint
%image_type = OpTypeImage %float 2D 0 0 0 2 Rgba32f
%ptr_image = OpTypePointer UniformConstant %image_type
%data = OpVariable %ptr_block StorageBuffer
%image = OpVariable %ptr_image UniformConstant
%fn = OpTypeFunction %void
%fn_later = OpTypeFunction %uint %uint
%main = OpFunction %void None %fn
%entry = OpLabel
%counter = OpVariable %ptr_local Function %zero
OpLine %file 1 2
%first = OpAccessChain %ptr_uint %data %zero %zero
%loaded = OpLoad %uint %first Aligned 4
%wide = OpUConvert %ulong %loaded
OpSelectionMerge %after None
OpSwitch %wide %default 4294967298 %case_a 7 %case_b
%case_a = OpLabel
OpBranch %after
%case_b = OpLabel
OpBranch %after
%default = OpLabel
%root = OpExtInst %float %glsl Sqrt %pi
OpNoLine
OpBranch %after
%after = OpLabel
%chosen = OpPhi %uint %zero %case_a %one %case_b %sixteen %default
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %zero %after %next %continue
%more = OpULessThan %bool %i %sum
OpLoopMerge %exit %continue DontUnroll
OpBranchConditional %more %body %exit 3 1
%body = OpLabel
OpSelectionMerge %continue Flatten
OpSwitch %i %continue 0 %low 1 %low 5 %high
%low = OpLabel
%called = OpFunctionCall %uint %later %i
OpStore %first %called Volatile|Aligned 4
OpBranch %continue
%high = OpLabel
%texture = OpLoad %image_type %image
%texel = OpImageRead %v4f %texture %origin
OpImageWrite %texture %origin %texel
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %one
OpBranch %header
%exit = OpLabel
OpReturn
OpFunctionEnd
%later = OpFunction %uint Inline %fn_later
%x = OpFunctionParameter %uint
%later_entry = OpLabel
%twice = OpIAdd %uint %x %x
OpReturnValue %twice
OpFunctionEnd
)";

// Buffer references that contain themselves, and the debug information that names what it describes before it is there.
constexpr std::string_view kReferences = R"(
OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpExtension "SPV_KHR_non_semantic_info"
%info = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %push
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "list.comp"
%text = OpString "value %u"
%label = OpString "main"
OpName %list "List"
OpMemberDecorate %list 0 Offset 0
OpMemberDecorate %list 1 Offset 8
OpMemberDecorate %push_block 0 Offset 0
OpDecorate %push_block Block
OpDecorate %list Block
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%four = OpConstant %uint 4
%debug_source = OpExtInst %void %info DebugSource %file
%debug_unit = OpExtInst %void %info DebugCompilationUnit %one %four %debug_source %one
OpTypeForwardPointer %ptr_list PhysicalStorageBuffer
%list = OpTypeStruct %ptr_list %uint
%ptr_list = OpTypePointer PhysicalStorageBuffer %list
%ptr_uint = OpTypePointer PhysicalStorageBuffer %uint
%push_block = OpTypeStruct %ptr_list
%ptr_push = OpTypePointer PushConstant %push_block
%ptr_push_list = OpTypePointer PushConstant %ptr_list
%push = OpVariable %ptr_push PushConstant
%debug_type = OpExtInst %void %info DebugTypeFunction %zero %void
%debug_function = OpExtInst %void %info DebugFunction %label %debug_type %debug_source %one %one %debug_unit %label %zero %one
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
%definition = OpExtInst %void %info DebugFunctionDefinition %debug_function %main
%head_at = OpAccessChain %ptr_push_list %push %zero
%head = OpLoad %ptr_list %head_at
%value_at = OpAccessChain %ptr_uint %head %one
%value = OpLoad %uint %value_at Aligned 4
%print = OpExtInst %void %printf 1 %text %value
OpReturn
OpFunctionEnd
)";

}  // namespace

const std::vector<SampleModule>& SampleModules() {
  static const std::vector<SampleModule> modules = {
      {"empty", kEmpty}, {"producer", kProducer}, {"control", kControl}, {"references", kReferences}};
  return modules;
}

std::string_view SampleText(std::string_view name) {
  for (const SampleModule& module : SampleModules()) {
    if (module.name == name) return module.text;
  }
  return {};
}

}  // namespace trellis::spirv
