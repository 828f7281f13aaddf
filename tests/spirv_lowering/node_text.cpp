// SPDX-License-Identifier: Apache-2.0
#include "tests/spirv_lowering/node_text.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <sstream>

#include "spirv_lowering/post/post.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/reflect/packing.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kVersion15 = 0x00010500;
constexpr std::string_view kDecorations = R"(
OpMemberDecorate %record 0 Offset 0
OpMemberDecorate %record 1 Offset 4
OpDecorateId %inputs NodeMaxPayloadsAMDX %uint_4
OpDecorateId %outputs NodeMaxPayloadsAMDX %uint_4
OpDecorateId %outputs PayloadNodeNameAMDX %target_name
OpDecorateId %outputs2 NodeMaxPayloadsAMDX %uint_4
OpDecorateId %outputs2 PayloadNodeNameAMDX %other_name
OpDecorateId %signals NodeMaxPayloadsAMDX %uint_4
OpDecorateId %signals PayloadNodeNameAMDX %signal_name
)";
constexpr std::string_view kTypes = R"(
%target_name = OpConstantStringAMDX "target"
%other_name = OpConstantStringAMDX "other"
%signal_name = OpConstantStringAMDX "signal"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v3uint = OpTypeVector %uint 3
%v4uint = OpTypeVector %uint 4
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_2 = OpConstant %uint 2
%uint_3 = OpConstant %uint 3
%uint_4 = OpConstant %uint 4
%uint_5 = OpConstant %uint 5
%uint_6 = OpConstant %uint 6
%uint_7 = OpConstant %uint 7
%uint_8 = OpConstant %uint 8
%uint_9 = OpConstant %uint 9
%uint_64 = OpConstant %uint 64
%int_0 = OpConstant %int 0
%int_1 = OpConstant %int 1
%int_2 = OpConstant %int 2
%int_3 = OpConstant %int 3
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%record = OpTypeStruct %uint %uint
%nothing = OpTypeStruct
%inputs = OpTypeNodePayloadArrayAMDX %record
%outputs = OpTypeNodePayloadArrayAMDX %record
%outputs2 = OpTypeNodePayloadArrayAMDX %record
%signals = OpTypeNodePayloadArrayAMDX %nothing
%in_ptr = OpTypePointer NodePayloadAMDX %inputs
%out_ptr = OpTypePointer NodePayloadAMDX %outputs
%out2_ptr = OpTypePointer NodePayloadAMDX %outputs2
%signal_ptr = OpTypePointer NodePayloadAMDX %signals
%np_record = OpTypePointer NodePayloadAMDX %record
%np_uint = OpTypePointer NodePayloadAMDX %uint
%fn_out = OpTypePointer Function %outputs
%fn_out2 = OpTypePointer Function %outputs2
%fn_record = OpTypePointer Function %record
%fn_uint = OpTypePointer Function %uint
%fn_void = OpTypeFunction %void
)";

// OpName for every id that a line defines.
std::string NamesOf(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream tokens(line);
    std::string id, equals;
    if (tokens >> id >> equals && equals == "=" && id[0] == '%')
      names.append("OpName ").append(id).append(" \"").append(id.substr(1)).append("\"\n");
  }
  return names;
}

std::vector<std::string> Tokens(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> tokens;
  for (std::string token; stream >> token;) tokens.push_back(token);
  return tokens;
}

std::vector<std::string> Lines(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Matches(std::string_view line, std::string_view pattern) {
  const std::vector<std::string> have = Tokens(line);
  const std::vector<std::string> want = Tokens(pattern);
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] == "...") return true;
    if (i >= have.size() || (want[i] != "*" && want[i] != have[i])) return false;
  }
  return have.size() == want.size();
}

// A name for what a definition makes, if it is a simple type or an integer constant. `name` gives those of its
// operands.
std::optional<std::string> NameFor(const std::vector<std::string>& tokens,
                                   const std::map<std::string, std::string>& names) {
  const auto name = [&](size_t i) {
    const auto found = names.find(tokens[i]);
    return (found == names.end() ? tokens[i] : found->second).substr(1);
  };
  const std::string& op = tokens[2];
  if (op == "OpTypeVoid") return "%void";
  if (op == "OpTypeBool") return "%bool";
  if (op == "OpTypeInt") return (tokens[4] == "0" ? "%uint" : "%int") + (tokens[3] == "32" ? std::string() : tokens[3]);
  if (op == "OpTypeFloat") return "%float" + (tokens[3] == "32" ? std::string() : tokens[3]);
  if (op == "OpTypeVector") return "%v" + tokens[4] + name(3);
  if (op == "OpTypePointer") return "%ptr_" + tokens[3] + "_" + name(4);
  if (op == "OpConstantTrue") return "%true";
  if (op == "OpConstantFalse") return "%false";
  if (op == "OpConstantNull") return "%null_" + name(3);
  if (op == "OpConstant") return "%" + name(3) + "_" + tokens[4];
  return std::nullopt;
}

std::vector<uint32_t> Assembled(std::string_view text) { return AssembleOrFail(text); }

std::optional<Module> ReadNode(const std::vector<uint32_t>& words, std::string& refusal) {
  Expected<Module> module = ReadNodeModule(words);
  if (module) return std::move(*module);
  refusal = module.error().message;
  return std::nullopt;
}

void ExpectPlain(const std::vector<uint32_t>& words) {
  Expected<std::string> text = Disassemble(words);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->find("AMDX"), std::string::npos) << *text;
  EXPECT_EQ(text->find("SPV_AMDX"), std::string::npos);
  if (Expected<void> valid = Validate(words); !valid) ADD_FAILURE() << valid.error().message << "\n" << Readable(words);
  if (words[1] <= kVersion15) {
    if (Expected<void> valid = Validate(words, true); !valid)
      ADD_FAILURE() << "Vulkan 1.2: " << valid.error().message << "\n" << Readable(words);
  }
  EXPECT_EQ(Refusal(words), "");
}

ExecutionModel ModelOf(const NodeParts& parts) {
  return parts.execution_model == "MeshEXT" ? ExecutionModel::kMeshEXT : ExecutionModel::kGLCompute;
}

std::vector<uint32_t> LowerOnce(const std::vector<uint32_t>& words, const LowerRequest& request, bool aggregation) {
  std::string refusal;
  const std::optional<Module> module = ReadNode(words, refusal);
  if (!module) {
    ADD_FAILURE() << refusal;
    return {};
  }
  Expected<NodeInfo> info = Reflect(*module, request.entry_point, request.specialization, request.execution_model);
  if (!info) {
    ADD_FAILURE() << info.error().message;
    return {};
  }
  info->packed = request.packed;
  info->in_batches = info->in_batches && request.in_batches;
  if (Strides(*info, request.for_cpu)) info->max_workgroups = 1000;
  LowerOptions options;
  options.launch_offset = request.launch_offset;
  options.target.subgroup_aggregation = options.target.mesh_subgroup_search = aggregation;
  options.push_constant_copy_offset = request.push_constant_copy_offset;
  options.robust_access = request.robust_access;
  options.target.for_cpu = request.for_cpu;
  Expected<LoweredNode> lowered = Lower(*module, *info, options, request.specialization);
  if (!lowered) {
    ADD_FAILURE() << lowered.error().message;
    return {};
  }
  EXPECT_EQ(lowered->entry_point, "main");
  ExpectPlain(lowered->words);
  return std::move(lowered->words);
}

}  // namespace

std::string Compose(const NodeParts& parts) {
  std::string code;
  if (parts.declare_input) code += "%input = OpVariable %in_ptr NodePayloadAMDX\n";
  code += "%main = OpFunction %void None %fn_void\n%main_begin = OpLabel\n" + parts.variables + "\n" + parts.body +
          "\n" + parts.end + "\nOpFunctionEnd\n" + parts.functions;
  const std::string definitions = std::string(kTypes) + parts.globals + "\n" + code;
  return "OpCapability Shader\nOpCapability ShaderEnqueueAMDX\n" + parts.capabilities + "\nOpExtension \"SPV_AMDX_shader_enqueue\"\n" + parts.extensions + "\n" +
         parts.memory_model + "\nOpEntryPoint " + parts.execution_model + " %main \"node\" " + (parts.declare_input ? parts.interface : parts.interface == "%input" ? "" : parts.interface) +
         "\n" + parts.local_size + "\n" + parts.modes + "\n" + NamesOf(definitions) + std::string(kDecorations) + parts.decorations + "\n" + definitions;
}

NodeInfo ReflectText(std::string_view text, const Specialization& specialization, std::string_view entry_point,
                     ExecutionModel execution_model) {
  std::string refusal;
  const std::optional<Module> module = ReadNode(Assembled(text), refusal);
  if (!module) {
    ADD_FAILURE() << refusal;
    return {};
  }
  Expected<NodeInfo> info = Reflect(*module, entry_point, specialization, execution_model);
  if (info) return *std::move(info);
  ADD_FAILURE() << info.error().message;
  return {};
}

NodeInfo ReflectParts(const NodeParts& parts, const Specialization& specialization) {
  return ReflectText(Compose(parts), specialization, "node", ModelOf(parts));
}

std::string LoweringRefusal(std::string_view text, const Specialization& specialization, std::string_view entry_point,
                            ExecutionModel execution_model) {
  std::string refusal;
  const std::optional<Module> module = ReadNode(Assembled(text), refusal);
  if (!module) return refusal;
  Expected<NodeInfo> info = Reflect(*module, entry_point, specialization, execution_model);
  if (!info) return info.error().message;
  Expected<LoweredNode> lowered = Lower(*module, *info, {.launch_offset = 64}, specialization);
  return lowered ? std::string() : lowered.error().message;
}

std::string LoweringRefusal(const NodeParts& parts, const Specialization& specialization) {
  return LoweringRefusal(Compose(parts), specialization, "node", ModelOf(parts));
}

std::string LowerText(std::string_view text, const LowerRequest& request) {
  std::vector<uint32_t> words = Assembled(text);
  if (words.size() < 5) return {};
  if (request.version != 0) words[1] = request.version;
  if (words[1] > kVersion15) {
    std::vector<uint32_t> older = words;
    older[1] = kVersion15;
    (void)LowerOnce(older, request, false);
  }
  (void)LowerOnce(words, request, true);
  LowerRequest for_other_target = request;
  for_other_target.for_cpu = !request.for_cpu;
  (void)LowerOnce(words, for_other_target, false);
  return Readable(LowerOnce(words, request, false));
}

std::string LowerParts(const NodeParts& parts, const LowerRequest& request) {
  LowerRequest of_model = request;
  of_model.execution_model = ModelOf(parts);
  return LowerText(Compose(parts), of_model);
}

std::string Readable(const std::vector<uint32_t>& words) {
  Expected<std::string> text = Disassemble(words);
  if (!text) return "";
  std::map<std::string, std::string> names;
  const std::vector<std::string> lines = Lines(Normalise(*text));
  for (const std::string& line : lines) {
    const std::vector<std::string> tokens = Tokens(line);
    if (tokens.size() == 3 && tokens[0] == "OpName") {
      const std::string name = tokens[2].substr(1, tokens[2].find_last_of('"') - 1);
      names[tokens[1]] = "%" + name.substr(0, name.find('('));
    } else if (tokens.size() > 2 && tokens[1] == "=" && !names.contains(tokens[0])) {
      if (const std::optional<std::string> name = NameFor(tokens, names)) names[tokens[0]] = *name;
    }
  }
  std::string result;
  for (const std::string& line : lines) {
    std::string readable;
    for (const std::string& token : Tokens(line)) {
      const auto name = names.find(token);
      readable += (readable.empty() ? "" : " ") + (name == names.end() ? token : name->second);
    }
    result += readable + "\n";
  }
  return result;
}

std::string FunctionText(std::string_view text, std::string_view name) {
  std::string result;
  bool inside = false;
  for (const std::string& line : Lines(text)) {
    const std::vector<std::string> tokens = Tokens(line);
    if (tokens.size() > 2 && tokens[2] == "OpFunction" && tokens[0] == "%" + std::string(name)) inside = true;
    if (inside) result += line + "\n";
    if (line == "OpFunctionEnd") inside = false;
  }
  return result;
}

bool HasLine(std::string_view text, std::string_view pattern) { return CountLines(text, pattern) != 0; }

bool HasLines(std::string_view text, std::initializer_list<std::string_view> patterns) {
  auto next = patterns.begin();
  for (const std::string& line : Lines(text)) {
    if (next != patterns.end() && Matches(line, *next)) ++next;
  }
  return next == patterns.end();
}

size_t CountLines(std::string_view text, std::string_view pattern) {
  size_t count = 0;
  for (const std::string& line : Lines(text)) count += Matches(line, pattern) ? 1 : 0;
  return count;
}

}  // namespace trellis::spirv
