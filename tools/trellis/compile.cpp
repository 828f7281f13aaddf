// trellis compile: GLSL -> nodes.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "spirv_lowering/front_end/rewrite.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/rules/check_rules.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHelp =
    "usage: trellis compile FILE... [-o OUTPUT] [options]\n\n"
    "Compiles nodes written in GLSL (.comp, .mesh) with #include \"trellis/node_payload.glsl\" to SPIR-V with SPV_AMDX_shader_enqueue,\n"
    "revision 2, and checks them against the extension's rules. Needs glslang 12.0 or newer.\n\n"
    "  -o OUTPUT          output file; with several inputs it must be left out. Default: FILE.spv\n"
    "  -D NAME[=VALUE]    define a macro\n"
    "  -I FOLDER          look there for includes\n"
    "  -e NAME            name of the entry point, by default main; it is the node's default name\n"
    "  -S STAGE           comp or mesh, for files named otherwise\n"
    "  --target-env ENV   vulkan1.2 or vulkan1.3 (default), or what else glslang takes with SPIR-V 1.4 or newer\n"
    "  -g                 keep debug information: lines and sources\n"
    "  -M FILE            write the files that the output depends on, as a Makefile rule (one input)\n"
    "  --glslang PROGRAM  glslangValidator or glslang; default: $TRELLIS_GLSLANG, else the one in PATH\n\n"
    "example: trellis compile worker.comp -o worker.spv -DGROUP=64 -Ishaders\n"
    "exit status: 0 done, 1 an input was refused, 2 the command line is wrong\n";

struct CompileOptions {
  std::string glslang;
  std::string header_folder;
  std::vector<std::string> defines, includes;
  std::string entry_point, stage, target_environment;
  bool debug = false;
};

std::vector<std::string> GlslangCommand(const CompileOptions& options, const std::string& input, const fs::path& raw, const fs::path& dependencies) {
  // Lines and sources are needed for messages; they are taken out afterwards.
  std::vector<std::string> command = {options.glslang, "-V", "-g", "--target-env", options.target_environment, "--depfile", dependencies.string(), "-o", raw.string()};
  for (const std::string& define : options.defines) command.push_back("-D" + define);
  for (const std::string& folder : options.includes) command.push_back("-I" + folder);
  if (!options.header_folder.empty()) command.push_back("-I" + options.header_folder);
  if (!options.entry_point.empty()) command.insert(command.end(), {"--source-entrypoint", "main", "-e", options.entry_point});
  if (!options.stage.empty()) command.insert(command.end(), {"-S", options.stage});
  command.push_back(input);
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

Expected<void> RunGlslang(const CompileOptions& options, const std::string& input, const fs::path& raw, const fs::path& dependencies) {
  const Expected<ProgramResult> result = RunProgram(GlslangCommand(options, input, raw, dependencies));
  if (!result) return result.error();
  std::fputs(Messages(*result, input).c_str(), stderr);
  if (result->signal != 0) {
    return Error{input + ": glslang crashed (signal " + std::to_string(result->signal) +
                 "); some versions do so on an expression over specialisation constants in NODE_INPUTS, NODE_BASE or NODE_ARRAY: "
                 "give the expression a name with 'const uint'"};
  }
  std::error_code ignored;
  if (result->exit_code != 0 || !fs::exists(raw, ignored)) return Error{input + ": glslang refused it"};
  return {};
}

// The rule that glslang wrote, for the real output.
Expected<void> WriteDependencies(const fs::path& from, const fs::path& to, const fs::path& output) {
  Expected<std::string> text = ReadText(from);
  if (!text) return text.error();
  const size_t colon = text->find(": ");
  return WriteText(to, output.string() + (colon == std::string::npos ? ":\n" : text->substr(colon)));
}

// Where the violation is, as well as it can be told: the line of the code, the line of the declaration, the file.
spirv::SourceLine Locate(const spirv::RuleViolation& violation, const spirv::RewrittenNode& node) {
  if (violation.where.line != 0) return violation.where;
  const auto declared = node.declared.find(violation.id);
  return declared == node.declared.end() ? spirv::SourceLine() : declared->second;
}

Expected<void> Check(const spirv::RewrittenNode& node, const std::string& input) {
  const std::vector<spirv::RuleViolation> violations = spirv::CheckRules(node.module);
  for (spirv::RuleViolation violation : violations) {
    violation.where = Locate(violation, node);
    // Only others' compilers are tolerated.
    violation.tolerated = false;
    const std::string file = violation.where.line == 0 ? input + ": " : std::string();
    std::fprintf(stderr, "%s%s\n", file.c_str(), Describe(violation).c_str());
  }
  if (!violations.empty()) return Error{input + ": " + std::to_string(violations.size()) + " rule(s) of the extension broken"};
  return {};
}

Expected<void> Compile(const CompileOptions& options, const std::string& input, const fs::path& output, const fs::path& dependencies) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return Error{"no temporary folder can be made"};
  const fs::path raw = folder.path() / "raw.spv";
  if (Expected<void> ran = RunGlslang(options, input, raw, folder.path() / "raw.d"); !ran) return ran;
  Expected<std::vector<uint32_t>> words = ReadWords(raw);
  if (!words) return words.error();
  Expected<spirv::Module> module = spirv::ReadModule(*words);
  if (!module) return Error{input + ": glslang's output: " + module.error().message};
  Expected<spirv::RewrittenNode> node = spirv::RewriteRawNode(*std::move(module));
  if (!node) return node.error();
  if (Expected<void> fine = Check(*node, input); !fine) return fine;
  if (!options.debug) spirv::StripDebugInfo(node->module);
  if (Expected<void> written = WriteWords(output, WriteModule(node->module)); !written) return written;
  if (dependencies.empty()) return {};
  return WriteDependencies(folder.path() / "raw.d", dependencies, output);
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"-o", true},
                                                           {"--target-env", true},
                                                           {"--glslang", true},
                                                           {"-D", true, true, true},
                                                           {"-I", true, true, true},
                                                           {"-e", true},
                                                           {"-S", true},
                                                           {"-M", true},
                                                           {"-g"}});
  if (!arguments) return WrongUsage("compile", arguments.error().message);
  if (arguments->inputs().empty()) return WrongUsage("compile", "no input");
  const bool several = arguments->inputs().size() > 1;
  if (several && (arguments->Has("-o") || arguments->Has("-M"))) return WrongUsage("compile", "-o and -M are for one input");
  Expected<std::string> glslang = FindGlslang(arguments->Value("--glslang"));
  if (!glslang) return Refuse(glslang.error().message);
  const CompileOptions options{*glslang,
                               FindHeaderFolder(),
                               arguments->Values("-D"),
                               arguments->Values("-I"),
                               arguments->Value("-e"),
                               arguments->Value("-S"),
                               arguments->Value("--target-env", "vulkan1.3"),
                               arguments->Has("-g")};
  int exit_code = kOk;
  for (const std::string& input : arguments->inputs()) {
    Expected<void> compiled = Compile(options, input, arguments->Value("-o", input + ".spv"), arguments->Value("-M"));
    if (!compiled) exit_code = Refuse(compiled.error().message);
  }
  return exit_code;
}

}  // namespace

const Verb kCompile = {"compile", "GLSL nodes to SPIR-V", kHelp, &Run};

}  // namespace trellis::tool
