// SPDX-License-Identifier: Apache-2.0
// trellis compile: GLSL -> nodes.
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "spirv_lowering/front_end/merge.h"
#include "spirv_lowering/front_end/rewrite.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/uniformity.h"
#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"
#include "tools/trellis/sources.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHelp =
    "usage: trellis compile FILE... [-o OUTPUT] [options]\n\n"
    "Compiles nodes written in GLSL (.comp, .mesh) with #include \"trellis/node_payload.glsl\" to SPIR-V with "
    "SPV_AMDX_shader_enqueue,\n"
    "revision 2, and checks them against the extension's rules. Needs glslang 12.0 or newer. Reference: "
    "docs/glsl.md\n\n"
    "  -o OUTPUT          output file; with several inputs one module with all entry points, named by -e. Without it "
    "each FILE becomes FILE.spv\n"
    "  -D NAME[=VALUE]    define a macro\n"
    "  -I FOLDER          look there for includes\n"
    "  -e NAME            name of the entry point, by default main; it is the node's default name. The n-th -e is for "
    "the n-th FILE\n"
    "  -S STAGE           comp or mesh, for files named otherwise\n"
    "  --target-env ENV   vulkan1.2 or vulkan1.3 (default), or what else glslang takes with SPIR-V 1.4 or newer\n"
    "  -g                 keep debug information: lines and sources\n"
    "  -M FILE            write the files that the output depends on, as a Makefile rule\n"
    "  --vn NAME          write a C++ header that defines the words as NAME\n"
    "  --glslang PROGRAM  glslangValidator or glslang; default: $TRELLIS_GLSLANG, else the one in PATH\n\n"
    "example: trellis compile worker.comp -o worker.spv -DGROUP=64 -Ishaders\n"
    "exit status: 0 done, 1 an input was refused, 2 the command line is wrong\n";

struct CompileOptions {
  std::string glslang;
  std::string header_folder;
  std::vector<std::string> defines, includes;
  std::string stage, target_environment;
  bool debug = false;
  std::string variable;  // of a C++ header; empty: a binary
};

std::vector<std::string> GlslangCommand(const CompileOptions& options, const SourceFile& input, const fs::path& raw,
                                        const fs::path& dependencies) {
  // Lines and sources are needed for messages; they are taken out afterwards.
  std::vector<std::string> command = {options.glslang,
                                      "-V",
                                      "-g",
                                      "--target-env",
                                      options.target_environment,
                                      "--depfile",
                                      Utf8FromPath(dependencies),
                                      "-o",
                                      Utf8FromPath(raw)};
  for (const std::string& define : options.defines) command.push_back("-D" + define);
  for (const std::string& folder : options.includes) command.push_back("-I" + folder);
  if (!options.header_folder.empty()) command.push_back("-I" + options.header_folder);
  if (!input.entry_point.empty())
    command.insert(command.end(), {"--source-entrypoint", "main", "-e", input.entry_point});
  if (!options.stage.empty()) command.insert(command.end(), {"-S", options.stage});
  command.push_back(input.path);
  return command;
}

// glslang's messages without the name of the file, which it prints first, and blank lines.
std::string Messages(const ProgramResult& result, const std::string& input) {
  std::istringstream lines(result.output);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line != input) text += line + "\n";
  }
  return text;
}

Expected<void> RunGlslang(const CompileOptions& options, const SourceFile& input, const fs::path& raw,
                          const fs::path& dependencies) {
  const Expected<ProgramResult> result = RunProgram(GlslangCommand(options, input, raw, dependencies));
  if (!result) {
    return Error{"glslang cannot be run: " + result.error().message +
                 "; --glslang or TRELLIS_GLSLANG must name the program glslangValidator or glslang"};
  }
  std::fputs(Messages(*result, input.path).c_str(), stderr);
  if (result->signal != 0) {
    return Error{input.path + ": glslang crashed (signal " + std::to_string(result->signal) +
                 "); some versions do so on an expression over specialisation constants in NODE_INPUTS, NODE_BASE or "
                 "NODE_ARRAY: "
                 "give the expression a name with 'const uint'"};
  }
  std::error_code ignored;
  if (result->exit_code != 0 || !fs::exists(raw, ignored)) return Error{input.path + ": glslang refused it"};
  return {};
}

// Where the violation is, as well as it can be told: the line of the code, the line of the declaration, the file.
spirv::SourceLine Locate(const spirv::RuleViolation& violation, const spirv::RewrittenNode& node) {
  if (violation.where.line != 0) return violation.where;
  const auto declared = node.declared.find(violation.id);
  return declared == node.declared.end() ? spirv::SourceLine() : declared->second;
}

// What to write in GLSL.
std::string_view Hint(const std::string& rule) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kHints = {
      {{"SharesInputWithAMDX/NonWritable", "put 'readonly' in front of NODE_INPUT"},
       {"PayloadDispatchIndirectAMDX/required",
        "mark the member that holds the grid NODE_GRID, or use NODE_STATIC_GRID, or NODE_INPUTS"},
       {"PayloadDispatchIndirectAMDX/type", "NODE_GRID goes on uint, uvec2 or uvec3"},
       {"CoalescingAMDX/exclusive", "NODE_INPUTS takes neither NODE_STATIC_GRID nor NODE_MAX_GRID"},
       {"StaticNumWorkgroupsAMDX/exclusive", "use either NODE_STATIC_GRID or NODE_MAX_GRID"},
       {"TrackFinishWritingAMDX/required", "mark a member of the structure NODE_TRACKED"},
       {"NumWorkgroups/forbidden", "gl_NumWorkGroups is not for nodes: send the number in the payload"}}};
  for (const auto& [name, hint] : kHints) {
    if (name == rule) return hint;
  }
  return {};
}

// What a warning asks for, in words of the header.
std::string_view WarningHint(const std::string& rule) {
  if (rule == "OpAllocateNodePayloadsAMDX/uniform-control-flow")
    return "allocate outside of it, or for each invocation with _thread";
  if (rule.starts_with("OpAllocateNodePayloadsAMDX/")) return "use a value that all of them have, or _thread";
  return "move it out of there";
}

void Warn(const spirv::RewrittenNode& node, const std::string& input) {
  for (spirv::RuleViolation violation : spirv::CheckUniformity(node.module)) {
    violation.message += "; " + std::string(WarningHint(violation.rule));
    const std::string file = violation.where.line == 0 ? input + ": " : std::string();
    std::fprintf(stderr, "%s%s\n", file.c_str(), Describe(violation).c_str());
  }
}

Expected<void> Check(const spirv::RewrittenNode& node, const std::string& input) {
  size_t broken = 0;
  for (spirv::RuleViolation violation : spirv::CheckRules(node.module)) {
    violation.where = Locate(violation, node);
    // Only others' compilers are tolerated.
    violation.tolerated = violation.depends_on_execution;
    broken += violation.tolerated ? 0 : 1;
    const std::string_view hint = Hint(violation.rule);
    if (!hint.empty()) violation.message += "; " + std::string(hint);
    const std::string file = violation.where.line == 0 ? input + ": " : std::string();
    std::fprintf(stderr, "%s%s\n", file.c_str(), Describe(violation).c_str());
  }
  if (broken != 0) return Error{input + ": " + std::to_string(broken) + " rule(s) of the extension broken"};
  return {};
}

constexpr const char* kPlainShader =
    "warning: uses nothing of trellis/node_payload.glsl, so it is an ordinary shader: as a node it enqueues "
    "nothing, and its payload is one uvec3, its grid. Include the header and declare what else it is: NODE_INPUT, "
    "NODE_INPUTS, NODE_STATIC_GRID, NODE_OUTPUT";

struct Compiled {
  spirv::Module module;
  std::string dependencies;  // as in a Makefile rule, behind the colon
};

Expected<Compiled> Compile(const CompileOptions& options, const SourceFile& input) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return Error{"no temporary folder can be made: TMPDIR must name one that can be written"};
  if (Expected<void> fine = CheckSource(input.path, options.stage); !fine) return fine.error();
  const fs::path raw = folder.path() / "raw.spv";
  const fs::path rule = folder.path() / "raw.d";
  if (Expected<void> ran = RunGlslang(options, input, raw, rule); !ran) return ran.error();
  Expected<std::vector<uint32_t>> words = ReadWords(raw);
  if (!words) return words.error();
  Expected<spirv::Module> module = spirv::ReadModule(*words);
  if (!module) return Error{input.path + ": glslang's output: " + module.error().message};
  const bool is_plain = !spirv::UsesShaderEnqueue(*module);
  Expected<spirv::RewrittenNode> node = spirv::RewriteRawNode(*std::move(module));
  if (!node) return node.error();
  if (Expected<void> fine = Check(*node, input.path); !fine) return fine.error();
  if (is_plain) std::fprintf(stderr, "%s: %s\n", input.path.c_str(), kPlainShader);
  Warn(*node, input.path);
  if (!options.debug) spirv::StripDebugInfo(node->module);
  Expected<std::string> dependencies = ReadText(rule);
  if (!dependencies) return dependencies.error();
  std::erase(*dependencies, '\n');
  const size_t colon = dependencies->find(": ");
  return Compiled{std::move(node->module),
                  colon == std::string::npos ? std::string() : dependencies->substr(colon + 1)};
}

std::string AsHeader(const std::vector<uint32_t>& words, const std::string& variable) {
  std::string text =
      "// Made by trellis compile.\n#pragma once\n\n#include <cstdint>\n\ninline constexpr std::uint32_t " + variable +
      "[] = {";
  std::array<char, 16> word;
  for (size_t i = 0; i < words.size(); ++i) {
    (void)std::snprintf(word.data(), word.size(), "0x%08x,", words[i]);
    text += (i % 8 == 0 ? "\n    " : " ") + std::string(word.data());
  }
  return text + "\n};\n";
}

Expected<void> Write(const CompileOptions& options, std::vector<Compiled> parts, const std::string& output,
                     const std::string& dependency_file) {
  std::vector<spirv::Module> modules;
  std::string rule = output + ":";
  for (Compiled& part : parts) {
    modules.push_back(std::move(part.module));
    rule += part.dependencies;
  }
  Expected<spirv::Module> module = spirv::MergeModules(std::move(modules));
  if (!module) return Error{output + ": " + module.error().message};
  const std::vector<uint32_t> words = WriteModule(*module);
  Expected<void> written = options.variable.empty()
                               ? WriteWords(PathFromUtf8(output), words)
                               : WriteText(PathFromUtf8(output), AsHeader(words, options.variable));
  if (!written || dependency_file.empty()) return written;
  return WriteText(PathFromUtf8(dependency_file), rule + "\n");
}

int CompileAll(const CompileOptions& options, const std::vector<SourceFile>& inputs, const Arguments& arguments) {
  std::vector<Compiled> parts;
  int exit_code = kOk;
  for (const SourceFile& input : inputs) {
    Expected<Compiled> compiled = Compile(options, input);
    if (!compiled) {
      exit_code = Refuse(compiled.error().message);
      continue;
    }
    parts.push_back(*std::move(compiled));
    if (arguments.Has("-o")) continue;
    const Expected<void> written = Write(options, std::move(parts), input.path + ".spv", arguments.Value("-M"));
    if (!written) exit_code = Refuse(written.error().message);
    parts.clear();
  }
  if (exit_code != kOk || !arguments.Has("-o")) return exit_code;
  const Expected<void> written = Write(options, std::move(parts), arguments.Value("-o"), arguments.Value("-M"));
  return written ? kOk : Refuse(written.error().message);
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"-o", true},
                                                           {"--target-env", true},
                                                           {"--glslang", true},
                                                           {"--vn", true},
                                                           {"-D", true, true, true},
                                                           {"-I", true, true, true},
                                                           {"-e", true, false, true},
                                                           {"-S", true},
                                                           {"-M", true},
                                                           {"-g"}});
  if (!arguments) return WrongUsage("compile", arguments.error().message);
  if (arguments->inputs().empty()) return WrongUsage("compile", "no input");
  const bool several = arguments->inputs().size() > 1;
  if (several && arguments->Has("-M") && !arguments->Has("-o"))
    return WrongUsage("compile", "-M with several inputs needs -o");
  if (arguments->Has("--vn") && !arguments->Has("-o")) return WrongUsage("compile", "--vn needs -o");
  const std::string stage = arguments->Value("-S");
  if (arguments->Has("-S") && stage != "comp" && stage != "mesh")
    return WrongUsage("compile", "-S takes comp or mesh, not '" + stage + "'");
  const Expected<std::vector<SourceFile>> inputs =
      NameSources(arguments->inputs(), arguments->Values("-e"), arguments->Has("-o"));
  if (!inputs) return WrongUsage("compile", inputs.error().message);
  Expected<std::string> glslang = FindGlslang(arguments->Value("--glslang"));
  if (!glslang) return Refuse(glslang.error().message);
  const CompileOptions options{*glslang,
                               FindHeaderFolder(),
                               arguments->Values("-D"),
                               arguments->Values("-I"),
                               stage,
                               arguments->Value("--target-env", "vulkan1.3"),
                               arguments->Has("-g"),
                               arguments->Value("--vn")};
  return CompileAll(options, *inputs, *arguments);
}

}  // namespace

const Verb kCompile = {"compile", "GLSL nodes to SPIR-V", kHelp, &Run};

}  // namespace trellis::tool
