// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "spirv_lowering/ir/dead_code.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "tests/link_library_glsl450.h"
#include "tests/link_library_vulkan.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr std::string_view kLibrary = R"(
OpCapability Shader
OpCapability Int64
OpExtension "SPV_KHR_storage_buffer_storage_class"
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %2 "main" %3 %4
OpExecutionMode %2 LocalSize 8 1 1
OpName %2 "main"
OpName %10 "add(u1;u1;"
OpName %11 "add_more(u1;"
OpName %3 "private_word"
OpName %12 "a"
OpDecorate %4 BuiltIn LocalInvocationIndex
OpDecorate %3 RelaxedPrecision
OpDecorate %31 NoContraction
%20 = OpTypeVoid
%21 = OpTypeFunction %20
%22 = OpTypeInt 32 0
%23 = OpTypePointer Private %22
%24 = OpTypePointer Input %22
%25 = OpConstant %22 77
%26 = OpTypeFunction %22 %22 %22
%27 = OpTypeFunction %22 %22
%3 = OpVariable %23 Private %25
%4 = OpVariable %24 Input
%2 = OpFunction %20 None %21
%28 = OpLabel
OpReturn
OpFunctionEnd
%10 = OpFunction %22 None %26
%12 = OpFunctionParameter %22
%13 = OpFunctionParameter %22
%29 = OpLabel
%30 = OpLoad %22 %3
%31 = OpIAdd %22 %12 %30
%32 = OpIAdd %22 %31 %13
OpReturnValue %32
OpFunctionEnd
%11 = OpFunction %22 None %27
%14 = OpFunctionParameter %22
%33 = OpLabel
%34 = OpLoad %22 %4
%35 = OpFunctionCall %22 %10 %14 %34
OpReturnValue %35
OpFunctionEnd
)";

constexpr std::string_view kDestination = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%1 = OpFunction %2 None %3
%5 = OpLabel
OpReturn
OpFunctionEnd
)";

TEST(Link, AFunctionComesWithAllItNeeds) {
  const Module library = ReadTextOrFail(kLibrary);
  Module module = ReadTextOrFail(kDestination);
  Types types(module);
  Importer importer(module, types, library);
  const Expected<Id> function = importer.ImportFunction("add");
  ASSERT_TRUE(function) << function.error().message;
  EXPECT_EQ(*function, 6u);
  EXPECT_EQ(ToText(module), Normalise(R"(
OpCapability Shader
OpCapability Int64
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
OpName %6 "add(u1;u1;"
OpName %7 "a"
OpName %16 "private_word"
OpDecorate %16 RelaxedPrecision
OpDecorate %11 NoContraction
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%13 = OpTypeFunction %4 %4 %4
%14 = OpTypePointer Private %4
%15 = OpConstant %4 77
%16 = OpVariable %14 Private %15
%1 = OpFunction %2 None %3
%5 = OpLabel
OpReturn
OpFunctionEnd
%6 = OpFunction %4 None %13
%7 = OpFunctionParameter %4
%8 = OpFunctionParameter %4
%9 = OpLabel
%10 = OpLoad %4 %16
%11 = OpIAdd %4 %7 %10
%12 = OpIAdd %4 %11 %8
OpReturnValue %12
OpFunctionEnd
)"));
  EXPECT_EQ(importer.Variables(), (std::vector<Id>{16}));
}

TEST(Link, ImportingTwiceGivesTheSame) {
  const Module library = ReadTextOrFail(kLibrary);
  Module module = ReadTextOrFail(kDestination);
  Types types(module);
  Importer importer(module, types, library);
  const Id add = *importer.ImportFunction("add(u1;u1;");
  const Id more = *importer.ImportFunction("add_more");
  EXPECT_NE(add, more);
  const std::string text = ToText(module);
  EXPECT_EQ(*importer.ImportFunction("add"), add);
  EXPECT_EQ(*importer.ImportFunction("add_more"), more);
  EXPECT_EQ(*importer.ImportVariable("private_word"), importer.Variables()[0]);
  EXPECT_EQ(ToText(module), text);
  EXPECT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(importer.Variables().size(), 2u);
}

TEST(Link, NamesMatchWhollyOrUpToTheParenthesis) {
  const Module library = ReadTextOrFail(kLibrary);
  Module module = ReadTextOrFail(kDestination);
  Types types(module);
  Importer importer(module, types, library);
  for (const std::string_view name : {"ad", "add(", "add_mor", "private_word", ""}) {
    const Expected<Id> function = importer.ImportFunction(name);
    ASSERT_FALSE(function) << name;
    EXPECT_TRUE(Contains(function.error().message, name));
  }
  EXPECT_FALSE(importer.ImportVariable("add"));
  EXPECT_FALSE(importer.ImportVariable("private"));
}

TEST(Link, BuiltInsOfTheDestinationAreReused) {
  std::string text(kDestination);
  text.replace(text.find("\"main\""), 6, "\"main\" %7");
  text.insert(text.find("%2 = "), "OpDecorate %7 BuiltIn LocalInvocationIndex\n");
  text.insert(text.find("%1 = OpF"), "%6 = OpTypePointer Input %4\n%7 = OpVariable %6 Input\n");
  const Module library = ReadTextOrFail(kLibrary);
  Module module = ReadTextOrFail(text);
  Types types(module);
  Importer importer(module, types, library);
  ASSERT_TRUE(importer.ImportFunction("add_more"));
  EXPECT_EQ(std::count(importer.Variables().begin(), importer.Variables().end(), 7u), 1);
  const auto inputs = std::count_if(module.globals.begin(), module.globals.end(), [](const Instruction& i) {
    return i.opcode == spv::Op::OpVariable && i.operands[0] == static_cast<uint32_t>(spv::StorageClass::Input);
  });
  EXPECT_EQ(inputs, 1);
}

TEST(Link, TheVulkanMemoryModelIsNotBroughtIn) {
  std::string text(kLibrary);
  text.replace(text.find("OpMemoryModel Logical GLSL450"), 29, "OpMemoryModel Logical Vulkan");
  text.insert(1, "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope\n");
  const Module library = ReadTextOrFail(text);
  Module module = ReadTextOrFail(kDestination);
  Types types(module);
  Importer importer(module, types, library);
  ASSERT_TRUE(importer.ImportFunction("add"));
  EXPECT_FALSE(Contains(ToText(module), "Vulkan"));
}

TEST(Link, DeclarationsAreRefused) {
  std::string text(kLibrary);
  text.erase(text.find("OpDecorate %31"), std::string_view("OpDecorate %31 NoContraction\n").size());
  text = text.substr(0, text.find("%29 = OpLabel")) + text.substr(text.find("OpFunctionEnd\n%11"));
  const Module library = ReadTextOrFail(text);
  Module module = ReadTextOrFail(kDestination);
  Types types(module);
  Importer importer(module, types, library);
  const Expected<Id> function = importer.ImportFunction("add_more");
  ASSERT_FALSE(function);
  EXPECT_TRUE(Contains(function.error().message, "only declares"));
}

// Calls from the end of main, so that spirv-val looks at imported code as used code.
void CallFromMain(Module& module, Types& types, Id function, const std::vector<Id>& arguments) {
  std::vector<uint32_t> words = {function};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<Instruction>& body = module.functions[0].blocks.back().body;
  body.insert(body.end() - 1, Instruction(spv::Op::OpFunctionCall, types.Uint(), module.NewId(), words));
}

class CompiledLibrary : public testing::TestWithParam<bool> {
 protected:
  Module Library() const { return GetParam() ? ReadOrFail(kLinkLibraryVulkan) : ReadOrFail(kLinkLibraryGlsl450); }

  Module Destination() const {
    std::string text(kDestination);
    text.replace(text.find("OpMemoryModel Logical GLSL450"), 29,
                 std::string("OpCapability PhysicalStorageBufferAddresses\n") +
                     (GetParam() ? "OpCapability VulkanMemoryModel\n" : "") + "OpMemoryModel PhysicalStorageBuffer64 " +
                     (GetParam() ? "Vulkan" : "GLSL450"));
    return ReadTextOrFail(text);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, CompiledLibrary, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Vulkan" : "Glsl450"); });

TEST_P(CompiledLibrary, IsReadAndWrittenUnchanged) {
  const auto words =
      GetParam() ? std::span<const uint32_t>(kLinkLibraryVulkan) : std::span<const uint32_t>(kLinkLibraryGlsl450);
  EXPECT_EQ(WriteModule(ReadOrFail(words)), std::vector<uint32_t>(words.begin(), words.end()));
}

TEST_P(CompiledLibrary, ImportedFunctionsPassTheValidator) {
  const Module library = Library();
  Module module = Destination();
  Types types(module);
  Importer importer(module, types, library);
  std::map<std::string_view, Id> functions;
  for (const std::string_view name : {"list_sum", "take", "swap_sum"}) {
    const Expected<Id> id = importer.ImportFunction(name);
    ASSERT_TRUE(id) << id.error().message;
    functions[name] = *id;
  }
  const auto local = [&](Id pointee) {
    const Id pointer = types.Pointer(spv::StorageClass::Function, pointee);
    std::vector<Instruction>& body = module.functions[0].blocks[0].body;
    const Id id = module.NewId();
    const auto function = static_cast<uint32_t>(spv::StorageClass::Function);
    body.insert(body.begin(), Instruction(spv::Op::OpVariable, pointer, id, {function}));
    return id;
  };
  const Id address = local(types.Vector(types.Uint(), 2));
  const Id amount = local(types.Uint());
  CallFromMain(module, types, functions["list_sum"], {address});
  CallFromMain(module, types, functions["take"], {address, amount});
  CallFromMain(module, types, functions["swap_sum"], {amount, amount});
  for (const Id variable : importer.Variables()) module.entry_points[0].operands.push_back(variable);

  const Expected<void> valid = Validate(WriteModule(module));
  EXPECT_TRUE(valid) << valid.error().message << '\n' << ToText(module);
  EXPECT_EQ(FindId(module, "never_used"), kNoId);
  EXPECT_EQ(module.entry_points.size(), 1u);
  EXPECT_EQ(module.execution_modes.size(), 1u);
  EXPECT_TRUE(Contains(ToText(module), "SpecId 12"));
  EXPECT_TRUE(Contains(ToText(module), "OpTypeForwardPointer"));

  EliminateDead(module);
  const Expected<void> still_valid = Validate(WriteModule(module));
  EXPECT_TRUE(still_valid) << still_valid.error().message;
  EXPECT_NE(FindId(module, "group_sum"), kNoId);

  const Expected<std::vector<uint32_t>> optimised = Optimize(WriteModule(module));
  ASSERT_TRUE(optimised) << optimised.error().message;
  EXPECT_TRUE(Validate(*optimised));
}

TEST_P(CompiledLibrary, UniqueTypesStayUnique) {
  const Module library = Library();
  Module module = Destination();
  Types types(module);
  Importer importer(module, types, library);
  ASSERT_TRUE(importer.ImportFunction("list_sum"));
  ASSERT_TRUE(importer.ImportFunction("take"));
  std::set<std::pair<spv::Op, std::vector<uint32_t>>> seen;
  for (const Instruction& global : module.globals) {
    switch (global.opcode) {
      case spv::Op::OpTypeVoid:
      case spv::Op::OpTypeBool:
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeFunction:
        EXPECT_TRUE(seen.emplace(global.opcode, global.operands).second);
        break;
      default:
        break;
    }
  }
}

TEST_P(CompiledLibrary, ASecondImporterFindsTheSharedTypesAgain) {
  const Module library = Library();
  Module module = Destination();
  Types types(module);
  ASSERT_TRUE(Importer(module, types, library).ImportVariable("group_sum"));
  const size_t before = module.globals.size();
  ASSERT_TRUE(Importer(module, types, library).ImportVariable("group_sum"));
  EXPECT_EQ(module.globals.size(), before + 1);
}

}  // namespace
}  // namespace trellis::spirv
