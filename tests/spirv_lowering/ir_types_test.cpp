// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/types.h"

#include <gtest/gtest.h>

#include "spirv_lowering/ir/layout.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

TEST(Types, WhatTheModuleHasIsFound) {
  Module module = ReadTextOrFail(SampleText("control"));
  const size_t before = module.globals.size();
  Types types(module);
  const Id uint = types.Uint();
  (void)types.Void();
  (void)types.Bool();
  (void)types.Int(64, false);
  (void)types.FindOrAppend(spv::Op::OpTypeFloat, kNoId, {32});
  (void)types.ConstantUint(16);
  const Id v2 = types.Vector(uint, 2);
  (void)types.ConstantNull(v2);
  (void)types.Undef(uint);
  (void)types.Pointer(spv::StorageClass::StorageBuffer, uint);
  (void)types.FunctionType(uint, {uint});
  EXPECT_EQ(module.globals.size(), before);
}

TEST(Types, WhatIsMissingIsMadeOnce) {
  Module module = ReadTextOrFail(SampleText("empty"));
  Types types(module);
  const Id vector = types.Vector(types.Uint(), 3);
  EXPECT_EQ(types.Vector(types.Uint(), 3), vector);
  EXPECT_NE(types.Vector(types.Uint(), 4), vector);
  EXPECT_NE(types.Int(32, true), types.Int(32, false));
  EXPECT_EQ(types.ConstantUint(7), types.ConstantUint(7));
  EXPECT_NE(types.ConstantUint(7), types.ConstantUint(8));
  EXPECT_NE(types.ConstantBool(true), types.ConstantBool(false));
  EXPECT_EQ(types.ConstantBool(true), types.ConstantBool(true));
  EXPECT_EQ(types.Undef(vector), types.Undef(vector));
  EXPECT_EQ(types.FunctionType(types.Void(), {vector, vector}), types.FunctionType(types.Void(), {vector, vector}));
  EXPECT_NE(types.FunctionType(types.Void(), {vector}), types.FunctionType(types.Void(), {vector, vector}));
  ASSERT_NE(types.Find(vector), nullptr);
  EXPECT_EQ(types.Find(vector)->opcode, spv::Op::OpTypeVector);
  EXPECT_EQ(types.Find(module.bound + 5), nullptr);
  EXPECT_EQ(Refusal(WriteModule(module)), "");
}

TEST(Types, AggregatesAreMadeAnew) {
  Module module = ReadTextOrFail(SampleText("empty"));
  Types types(module);
  const Id uint = types.Uint();
  EXPECT_NE(types.Append(spv::Op::OpTypeStruct, kNoId, {uint}), types.Append(spv::Op::OpTypeStruct, kNoId, {uint}));
}

TEST(Types, PointersAndElementsAreTakenApart) {
  Module module = ReadTextOrFail(SampleText("producer"));
  Types types(module);
  const Id record = FindId(module, "Record");
  const Id outputs = FindId(module, "out_array");
  const Id pointer = types.Pointer(spv::StorageClass::Function, outputs);
  EXPECT_TRUE(types.IsPointer(pointer));
  EXPECT_FALSE(types.IsPointer(record));
  EXPECT_EQ(types.PointerClass(pointer), spv::StorageClass::Function);
  EXPECT_EQ(types.Pointee(pointer), outputs);
  EXPECT_EQ(types.ElementType(outputs, 5), record);
  EXPECT_EQ(types.ElementType(record, 1), types.Uint());
  EXPECT_EQ(types.ElementType(record, 0), types.Vector(types.Uint(), 3));
  EXPECT_EQ(types.ElementType(record, 3), kNoId);
  EXPECT_EQ(types.ElementType(types.Uint(), 0), kNoId);
  EXPECT_EQ(types.ElementType(types.ElementType(record, 0), 1), types.Uint());
}

TEST(Types, OnlyPlainIntegerConstantsHaveAValue) {
  Module module = ReadTextOrFail(SampleText("control"));
  Types types(module);
  std::vector<uint32_t> values;
  for (const Instruction& global : module.globals) {
    if (const auto value = types.ConstantValue(global.result_id)) values.push_back(*value);
  }
  EXPECT_EQ(values, (std::vector<uint32_t>{0, 1, 16}));
}

// %a to %k: types to measure.
constexpr std::string_view kLayouts = R"(
OpCapability Shader
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpName %plain "plain"
OpName %scalar_layout "scalar_layout"
OpName %nested "nested"
OpName %columns "columns"
OpName %rows "rows"
OpName %matrix_array "matrix_array"
OpName %runtime_end "runtime_end"
OpName %no_offset "no_offset"
OpName %spec_length "spec_length"
OpName %reference "reference"
OpName %nothing "nothing"
OpName %holed "holed"
OpMemberDecorate %plain 0 Offset 0
OpMemberDecorate %plain 1 Offset 16
OpMemberDecorate %scalar_layout 0 Offset 0
OpMemberDecorate %scalar_layout 1 Offset 12
OpMemberDecorate %scalar_layout 2 Offset 14
OpMemberDecorate %nested 0 Offset 0
OpMemberDecorate %nested 1 Offset 16
OpDecorate %array ArrayStride 32
OpMemberDecorate %columns 0 Offset 4
OpMemberDecorate %columns 0 ColMajor
OpMemberDecorate %columns 0 MatrixStride 16
OpMemberDecorate %rows 0 Offset 4
OpMemberDecorate %rows 0 RowMajor
OpMemberDecorate %rows 0 MatrixStride 16
OpMemberDecorate %matrix_array 0 Offset 0
OpMemberDecorate %matrix_array 0 ColMajor
OpMemberDecorate %matrix_array 0 MatrixStride 8
OpDecorate %matrices ArrayStride 24
OpMemberDecorate %runtime_end 0 Offset 0
OpMemberDecorate %runtime_end 1 Offset 4
OpDecorate %runtime ArrayStride 4
OpMemberDecorate %no_offset 0 Offset 0
OpMemberDecorate %spec_length 0 Offset 0
OpDecorate %spec_array ArrayStride 4
OpDecorate %spec SpecId 0
OpMemberDecorate %reference 0 Offset 0
OpMemberDecorate %reference 1 Offset 8
OpMemberDecorate %holed 0 Offset 8
OpMemberDecorate %holed 1 Offset 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%ushort = OpTypeInt 16 0
%byte = OpTypeInt 8 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %uint 3
%v2f = OpTypeVector %float 2
%v3f = OpTypeVector %float 3
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%spec = OpSpecConstant %uint 3
%plain = OpTypeStruct %uint %v3
%scalar_layout = OpTypeStruct %v3 %ushort %byte
%array = OpTypeArray %plain %three
%nested = OpTypeStruct %ulong %array
%m3x2 = OpTypeMatrix %v2f 3
%columns = OpTypeStruct %m3x2
%rows = OpTypeStruct %m3x2
%matrices = OpTypeArray %m3x2 %two
%matrix_array = OpTypeStruct %matrices
%runtime = OpTypeRuntimeArray %uint
%runtime_end = OpTypeStruct %uint %runtime
%no_offset = OpTypeStruct %uint %uint
%spec_array = OpTypeArray %uint %spec
%spec_length = OpTypeStruct %spec_array
%pointer = OpTypePointer PhysicalStorageBuffer %nested
%reference = OpTypeStruct %pointer %uint
%nothing = OpTypeStruct
%holed = OpTypeStruct %uint %uint
)";

TEST(Types, LaidOutSizesFollowTheDecorations) {
  Module module = ReadTextOrFail(kLayouts);
  Types types(module);
  const auto size = [&](std::string_view name) { return types.LaidOutSize(FindId(module, name)); };
  EXPECT_EQ(size("plain"), 28u);
  EXPECT_EQ(size("scalar_layout"), 15u);
  EXPECT_EQ(size("nested"), 16u + 2 * 32 + 28);
  EXPECT_EQ(size("columns"), 4u + 2 * 16 + 8);
  EXPECT_EQ(size("rows"), 4u + 16 + 12);
  EXPECT_EQ(size("matrix_array"), 24u + 2 * 8 + 8);
  EXPECT_EQ(size("reference"), 12u);
  EXPECT_EQ(size("nothing"), 0u);
  EXPECT_EQ(size("holed"), 12u);
  EXPECT_EQ(types.LaidOutSize(types.Vector(types.Uint(), 3)), 12u);
  EXPECT_EQ(types.LaidOutSize(types.Int(16, false)), 2u);
}

TEST(Types, WithoutFixedLayoutThereIsNoSize) {
  Module module = ReadTextOrFail(kLayouts);
  Types types(module);
  for (const std::string_view name : {"runtime_end", "no_offset", "spec_length"}) {
    EXPECT_FALSE(types.LaidOutSize(FindId(module, name)).has_value()) << name;
  }
  EXPECT_FALSE(types.LaidOutSize(types.Bool()).has_value());
  EXPECT_FALSE(types.LaidOutSize(12345).has_value());
}

TEST(Types, DecorationsAddedLaterCount) {
  Module module = ReadTextOrFail(kLayouts);
  Types types(module);
  const Id id = types.Append(spv::Op::OpTypeStruct, kNoId, {types.Uint()});
  EXPECT_FALSE(types.LaidOutSize(id).has_value());
  module.annotations.emplace_back(spv::Op::OpMemberDecorate, kNoId, kNoId, std::vector<uint32_t>{id, 0, 35, 4});
  EXPECT_EQ(types.LaidOutSize(id), 8u);
}

TEST(Types, TheLargestScalarIsFoundAtAnyDepth) {
  Module module = ReadTextOrFail(kLayouts);
  Types types(module);
  LayoutMeter meter(module, types);
  const auto largest = [&](std::string_view name) { return meter.LargestScalar(FindId(module, name)); };
  EXPECT_EQ(largest("plain"), 4u);
  EXPECT_EQ(largest("nested"), 8u);
  EXPECT_EQ(largest("reference"), 8u);
  EXPECT_EQ(largest("columns"), 4u);
  EXPECT_EQ(largest("nothing"), 1u);
  EXPECT_EQ(meter.LargestScalar(types.Vector(types.Int(16, true), 4)), 2u);
}

// Each structure holds the one before it twice: 2^200 scalars, if anything counted them one by one.
TEST(Types, WideNestingIsMeasuredInLinearTime) {
  RawModule raw(1000);
  raw.Start();
  for (uint32_t id = 2; id <= 200; ++id) {
    for (uint32_t member = 0; member < 2; ++member) raw.Op(spv::Op::OpMemberDecorate, {id, member, 35, 0});
  }
  raw.Op(spv::Op::OpTypeInt, {1, 64, 0});
  for (uint32_t id = 2; id <= 200; ++id) raw.Op(spv::Op::OpTypeStruct, {id, id - 1, id - 1});
  Module module = ReadOrFail(raw.words());
  Types types(module);
  EXPECT_EQ(types.LaidOutSize(200), 8u);
  EXPECT_EQ(LayoutMeter(module, types).LargestScalar(200), 8u);
}

TEST(Types, SizesThatOverflowAreNone) {
  RawModule raw(100);
  raw.Start().Op(spv::Op::OpDecorate, {3, 6, 0x10000}).Op(spv::Op::OpDecorate, {4, 6, 0x10000});
  raw.Op(spv::Op::OpTypeInt, {1, 32, 0}).Op(spv::Op::OpConstant, {1, 2, 0xffffffff});
  raw.Op(spv::Op::OpTypeArray, {3, 1, 2}).Op(spv::Op::OpTypeArray, {4, 3, 2});
  Module module = ReadOrFail(raw.words());
  Types types(module);
  EXPECT_FALSE(types.LaidOutSize(3).has_value());
  EXPECT_FALSE(types.LaidOutSize(4).has_value());
}

TEST(Decorations, AreFoundByTargetMemberAndKind) {
  const Module module = ReadTextOrFail(SampleText("producer"));
  const Id record = FindId(module, "Record");
  const Id outputs = FindId(module, "out_array");
  EXPECT_TRUE(HasDecoration(module, record, spv::Decoration::TrackFinishWritingAMDX));
  EXPECT_EQ(FindDecoration(module, record, spv::Decoration::TrackFinishWritingAMDX), 0u);
  EXPECT_FALSE(HasDecoration(module, outputs, spv::Decoration::TrackFinishWritingAMDX));
  EXPECT_TRUE(FindDecoration(module, outputs, spv::Decoration::PayloadNodeNameAMDX).has_value());
  const Decorations decorations(module);
  EXPECT_EQ(decorations.FindMember(record, 1, spv::Decoration::Offset), 12u);
  EXPECT_EQ(decorations.FindMember(record, 7, spv::Decoration::Offset), std::nullopt);
  EXPECT_TRUE(decorations.HasMember(record, 0, spv::Decoration::PayloadDispatchIndirectAMDX));
  EXPECT_FALSE(decorations.HasMember(record, 1, spv::Decoration::PayloadDispatchIndirectAMDX));
  EXPECT_EQ(decorations.Find(record, spv::Decoration::TrackFinishWritingAMDX), 0u);
  EXPECT_FALSE(decorations.Has(outputs, spv::Decoration::TrackFinishWritingAMDX));
  EXPECT_TRUE(decorations.Has(outputs, spv::Decoration::PayloadNodeNameAMDX));
}

TEST(Decorations, NamesFallBackToTheId) {
  const Module module = ReadTextOrFail(SampleText("producer"));
  EXPECT_EQ(NameOf(module, FindId(module, "Record")), "Record");
  EXPECT_EQ(NameOf(module, 4321), "%4321");
}

}  // namespace
}  // namespace trellis::spirv
