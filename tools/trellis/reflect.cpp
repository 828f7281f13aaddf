// SPDX-License-Identifier: Apache-2.0
// trellis reflect: what the entry points are as nodes, and the graph that they form.
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/node_reports.h"
#include "tools/trellis/static_graph.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis reflect FILE [--entry NAME] [--spec ID=VALUE]... [--json]\n"
    "       trellis reflect --graph [NAME=]FILE... [--spec ID=VALUE]... [-o OUTPUT]\n\n"
    "Prints what each entry point of a SPIR-V module is as a node: how it is launched, its input, where it sends "
    "payloads.\n\n"
    "  --entry NAME      only this entry point\n"
    "  --spec ID=VALUE   value of a specialisation constant: an integer, true, false, or a string\n"
    "  --json            an array of objects, one per node\n"
    "  --graph           the graph that the nodes of all files form. A node is named after its entry point, or by "
    "NAME= or NAME[INDEX]=\n"
    "                    in front of a file with one node\n"
    "  -o OUTPUT         with --graph: OUTPUT.dot (Graphviz), .mmd (Mermaid) or .json; default: Mermaid on stdout\n\n"
    "example: trellis reflect worker.spv --json | jq '.[].outputs[].node'\n"
    "example: trellis reflect --graph cull=cull.spv draw=draw.spv -o graph.dot\n"
    "exit status: 0 done, 1 the input was refused, 2 the command line is wrong\n";

// "worker.spv", "name=worker.spv" or "name[3]=worker.spv".
struct GraphInput {
  std::string file;
  std::string name;  // empty: that of the entry point
  std::optional<uint32_t> index;
};

Expected<GraphInput> ParseInput(const std::string& text) {
  const size_t equals = text.find('=');
  std::error_code ignored;
  if (equals == std::string::npos || std::filesystem::exists(text, ignored)) return GraphInput{text, {}, {}};
  GraphInput input = {text.substr(equals + 1), text.substr(0, equals), {}};
  const size_t bracket = input.name.find('[');
  if (bracket == std::string::npos) return input;
  const char* const end = input.name.data() + input.name.size();
  uint32_t index = 0;
  const auto [rest, error] = std::from_chars(input.name.data() + bracket + 1, end, index);
  if (error != std::errc() || rest + 1 != end || *rest != ']')
    return Error{"'" + input.name + "' is not NAME or NAME[INDEX]"};
  input.index = index;
  input.name.resize(bracket);
  return input;
}

Expected<std::vector<NamedNode>> ReadGraph(const std::vector<std::string>& inputs,
                                           const spirv::Specialization& specialization) {
  std::vector<NamedNode> nodes;
  for (const std::string& text : inputs) {
    Expected<GraphInput> input = ParseInput(text);
    if (!input) return input.error();
    Expected<spirv::Module> module = ReadNodes(input->file);
    if (!module) return module.error();
    Expected<std::vector<std::string>> names = ChooseNodes(*module, {});
    if (!names) return Error{input->file + ": " + names.error().message};
    if (!input->name.empty() && names->size() != 1)
      return Error{input->file + ": has " + std::to_string(names->size()) + " nodes, so they cannot be named '" +
                   input->name + "'"};
    for (const std::string& entry : *names) {
      Expected<spirv::NodeInfo> info = ReflectNode(*module, entry, specialization);
      if (!info) return Error{input->file + ": " + info.error().message};
      if (input->index) info->shader_index = *input->index;
      nodes.push_back({input->name.empty() ? entry : input->name, *std::move(info)});
    }
  }
  return nodes;
}

int DrawGraph(const Arguments& arguments, const spirv::Specialization& specialization) {
  const std::filesystem::path output = arguments.Value("-o");
  const std::string form = output.empty() ? ".mmd" : output.extension().string();
  if (form != ".dot" && form != ".mmd" && form != ".json")
    return WrongUsage("reflect", "-o: the name has to end in .dot, .mmd or .json");
  Expected<std::vector<NamedNode>> nodes = ReadGraph(arguments.inputs(), specialization);
  if (!nodes) return Refuse(nodes.error().message);
  const StaticGraph graph = BuildGraph(*nodes);
  const std::string text = form == ".dot" ? AsDot(graph) : form == ".mmd" ? AsMermaid(graph) : AsJson(graph);
  if (output.empty()) {
    std::fputs(text.c_str(), stdout);
    return kOk;
  }
  const Expected<void> written = WriteText(output, text);
  return written ? kOk : Refuse(written.error().message);
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(
      words, {{"--entry", true}, {"--spec", true, false, true}, {"--json"}, {"--graph"}, {"-o", true}});
  if (!arguments) return WrongUsage("reflect", arguments.error().message);
  const bool draws_graph = arguments->Has("--graph");
  if (draws_graph ? arguments->inputs().empty() : arguments->inputs().size() != 1)
    return WrongUsage("reflect", draws_graph ? "--graph: files are needed" : "one input is needed");
  if (draws_graph && (arguments->Has("--json") || arguments->Has("--entry")))
    return WrongUsage("reflect", "--graph takes neither --json nor --entry; -o graph.json writes JSON");
  if (!draws_graph && arguments->Has("-o")) return WrongUsage("reflect", "-o is for --graph");
  Expected<spirv::Specialization> specialization = ParseSpecialization(arguments->Values("--spec"));
  if (!specialization) return WrongUsage("reflect", "--spec: " + specialization.error().message);
  if (draws_graph) return DrawGraph(*arguments, *specialization);
  const std::string& input = arguments->inputs()[0];
  Expected<spirv::Module> module = ReadNodes(PathFromUtf8(input));
  if (!module) return Refuse(module.error().message);

  Expected<std::vector<std::string>> names = ChooseNodes(*module, arguments->Value("--entry"));
  if (!names) return Refuse(input + ": " + names.error().message);
  std::string text;
  for (const std::string& name : *names) {
    Expected<spirv::NodeInfo> info = ReflectNode(*module, name, *specialization);
    if (!info) return Refuse(input + ": " + info.error().message);
    if (arguments->Has("--json")) {
      text += (text.empty() ? "[" : ",\n ") + AsJson(*info);
    } else {
      text += AsText(*info);
    }
  }
  std::printf("%s%s", text.c_str(), arguments->Has("--json") ? "]\n" : "");
  return kOk;
}

}  // namespace

const Verb kReflect = {"reflect", "what a module's entry points are as nodes", kHelp, &Run};

}  // namespace trellis::tool
