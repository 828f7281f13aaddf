// trellis reflect: what the entry points are as nodes.
#include <cstdio>

#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/node_reports.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis reflect FILE [--entry NAME] [--spec ID=VALUE]... [--json]\n\n"
    "Prints what each entry point of a SPIR-V module is as a node: how it is launched, its input, where it sends "
    "payloads.\n\n"
    "  --entry NAME      only this entry point\n"
    "  --spec ID=VALUE   value of a specialisation constant: an integer, true, false, or a string\n"
    "  --json            an array of objects, one per node\n\n"
    "example: trellis reflect worker.spv --json | jq '.[].outputs[].node'\n"
    "exit status: 0 done, 1 the input was refused, 2 the command line is wrong\n";

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments =
      Arguments::Parse(words, {{"--entry", true}, {"--spec", true, false, true}, {"--json"}});
  if (!arguments) return WrongUsage("reflect", arguments.error().message);
  if (arguments->inputs().size() != 1) return WrongUsage("reflect", "one input is needed");
  Expected<spirv::Specialization> specialization = ParseSpecialization(arguments->Values("--spec"));
  if (!specialization) return WrongUsage("reflect", "--spec: " + specialization.error().message);
  const std::string& input = arguments->inputs()[0];
  Expected<spirv::Module> module = ReadNodes(input);
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
