// SPDX-License-Identifier: Apache-2.0
// trellis lower: one node to an ordinary shader of its stage, as the layer does it.
#include <charconv>
#include <cstdio>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/node_reports.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis lower FILE -o OUTPUT [--entry NAME] [--spec ID=VALUE]... [--json] [options]\n\n"
    "Lowers one node to an ordinary compute or mesh shader on buffer device addresses, as the layer does at pipeline "
    "creation, and prints what it\n"
    "is as a node.\n\n"
    "  -o OUTPUT          output file\n"
    "  --entry NAME       entry point; may be left out if there is one only\n"
    "  --spec ID=VALUE    value of a specialisation constant: an integer, true, false, or a string\n"
    "  --json             the description as JSON\n"
    "  --launch-offset N  where the layer's 8 bytes of push constants begin (a multiple of 8); default: behind the "
    "shader's own\n"
    "  --subgroup         for devices with subgroup arithmetic, ballot and shuffle in the node's stage\n\n"
    "example: trellis lower worker.spv --entry main -o worker.compute.spv\n"
    "exit status: 0 done, 1 the input was refused, 2 the command line is wrong\n";

Expected<uint32_t> LaunchOffset(const Arguments& arguments, const spirv::NodeInfo& info) {
  if (!arguments.Has("--launch-offset")) return (info.push_constant_end + 7) / 8 * 8;
  const std::string text = arguments.Value("--launch-offset");
  uint32_t offset = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc() || *rest != '\0' || offset % 8 != 0)
    return Error{"--launch-offset: '" + text + "' is not a multiple of 8"};
  if (offset < info.push_constant_end)
    return Error{"--launch-offset: the shader's push constants end at byte " + std::to_string(info.push_constant_end)};
  return offset;
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"-o", true},
                                                           {"--entry", true},
                                                           {"--spec", true, false, true},
                                                           {"--json"},
                                                           {"--launch-offset", true},
                                                           {"--subgroup"}});
  if (!arguments) return WrongUsage("lower", arguments.error().message);
  if (arguments->inputs().size() != 1) return WrongUsage("lower", "one input is needed");
  if (!arguments->Has("-o")) return WrongUsage("lower", "-o is needed");
  Expected<spirv::Specialization> specialization = ParseSpecialization(arguments->Values("--spec"));
  if (!specialization) return WrongUsage("lower", "--spec: " + specialization.error().message);
  const std::string& input = arguments->inputs()[0];
  Expected<spirv::Module> module = ReadNodes(PathFromUtf8(input));
  if (!module) return Refuse(module.error().message);
  Expected<std::vector<std::string>> names = ChooseNodes(*module, arguments->Value("--entry"));
  if (!names) return Refuse(input + ": " + names.error().message);
  if (names->size() > 1)
    return WrongUsage("lower", input + " has the nodes " + Listed(*names, "and") + ": choose one with --entry");

  Expected<spirv::NodeInfo> info = ReflectNode(*module, names->front(), *specialization);
  if (!info) return Refuse(input + ": " + info.error().message);
  Expected<uint32_t> offset = LaunchOffset(*arguments, *info);
  if (!offset) return WrongUsage("lower", offset.error().message);
  spirv::LowerOptions options;
  options.launch_offset = *offset;
  options.target.subgroup_aggregation = options.target.mesh_subgroup_search = arguments->Has("--subgroup");
  Expected<spirv::LoweredNode> lowered = Lower(*module, *info, options, *specialization);
  if (!lowered) return Refuse(input + ": " + lowered.error().message);
  if (Expected<void> written = WriteWords(PathFromUtf8(arguments->Value("-o")), lowered->words); !written)
    return Refuse(written.error().message);
  std::fputs((arguments->Has("--json") ? AsJson(*info) + "\n" : AsText(*info)).c_str(), stdout);
  return kOk;
}

}  // namespace

const Verb kLower = {"lower", "one node to an ordinary compute or mesh shader", kHelp, &Run};

}  // namespace trellis::tool
