// SPDX-License-Identifier: Apache-2.0
// trellis lower: one node to an ordinary shader of its stage.
#include <cstdio>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/saved_options.h"
#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/node_reports.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis lower FILE -o OUTPUT [--entry NAME] [--spec ID=VALUE]... [--json] [options]\n\n"
    "Lowers one node to an ordinary compute or mesh shader on buffer device addresses, and prints what it is as a "
    "node. At pipeline creation\n"
    "the layer chooses options for the device. With its setting dump_dir it writes them next to each shader, and with "
    "that file the result here\n"
    "has the same bytes as the layer's. The default is what every device runs.\n\n"
    "  -o OUTPUT           output file\n"
    "  --entry NAME        entry point; may be left out if there is one only\n"
    "  --spec ID=VALUE     value of a specialisation constant: an integer, true, false, or a string\n"
    "  --json              the description as JSON\n"
    "  --options FILE      the layer's options, from a file NAME_lowered.options\n"
    "  --option KEY=VALUE  one line of such a file; truth values are 0 and 1\n\n"
    "example: trellis lower worker.spv --entry main -o worker.compute.spv\n"
    "example: trellis lower 1_main_original.spv --options 1_main_lowered.options -o again.spv\n"
    "example: trellis lower worker.spv --option subgroup_aggregation=1 --option int64_addresses=1 -o worker.gpu.spv\n"
    "exit status: 0 done, 1 the input was refused, 2 the command line is wrong\n";

// In place of a launch_offset: behind the shader's own push constants.
constexpr uint32_t kBehindTheOthers = UINT32_MAX;

// Error: that of the command line, except for files.
Expected<spirv::SavedOptions> ReadSavedOptions(const Arguments& arguments, const std::string& file_text) {
  spirv::SavedOptions saved;
  saved.options.launch_offset = kBehindTheOthers;
  if (Expected<void> read = ReadOptions(file_text, saved); !read)
    return Error{arguments.Value("--options") + ": " + read.error().message};
  for (const std::string& option : arguments.Values("--option"))
    if (Expected<void> read = ReadOptions(option, saved); !read) return Error{"--option: " + read.error().message};
  Expected<spirv::Specialization> specialization = ParseSpecialization(arguments.Values("--spec"));
  if (!specialization) return Error{"--spec: " + specialization.error().message};
  for (auto& [id, bytes] : *specialization) saved.specialization.insert_or_assign(id, bytes);
  saved.entry_point = arguments.Value("--entry", saved.entry_point);
  return saved;
}

// `info`: in, of Reflect; out, as the layer has it.
Expected<std::vector<uint32_t>> LowerWith(spirv::SavedOptions& saved, const spirv::Module& module,
                                          spirv::NodeInfo& info) {
  uint32_t& offset = saved.options.launch_offset;
  if (offset == kBehindTheOthers) offset = (info.push_constant_end + 7) / 8 * 8;
  if (Expected<void> applied = Apply(saved, info); !applied) return applied.error();
  Expected<spirv::LoweredNode> lowered = Lower(module, info, saved.options, saved.specialization);
  if (!lowered) return lowered.error();
  return saved.optimize ? spirv::Optimize(lowered->words) : std::move(lowered->words);
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"-o", true},
                                                           {"--entry", true},
                                                           {"--spec", true, false, true},
                                                           {"--json"},
                                                           {"--options", true},
                                                           {"--option", true, false, true}});
  if (!arguments) return WrongUsage("lower", arguments.error().message);
  if (arguments->inputs().size() != 1) return WrongUsage("lower", "one input is needed");
  if (!arguments->Has("-o")) return WrongUsage("lower", "-o is needed");
  Expected<std::string> file = std::string();
  if (arguments->Has("--options")) file = ReadText(PathFromUtf8(arguments->Value("--options")));
  if (!file) return Refuse(file.error().message);
  Expected<spirv::SavedOptions> saved = ReadSavedOptions(*arguments, *file);
  if (!saved) return WrongUsage("lower", saved.error().message);
  const std::string& input = arguments->inputs()[0];
  Expected<spirv::Module> module = ReadNodes(PathFromUtf8(input));
  if (!module) return Refuse(module.error().message);
  Expected<std::vector<std::string>> names = ChooseNodes(*module, saved->entry_point);
  if (!names) return Refuse(input + ": " + names.error().message);
  if (names->size() > 1)
    return WrongUsage("lower", input + " has the nodes " + Listed(*names, "and") + ": choose one with --entry");

  Expected<spirv::NodeInfo> info = ReflectNode(*module, names->front(), saved->specialization);
  if (!info) return Refuse(input + ": " + info.error().message);
  Expected<std::vector<uint32_t>> lowered = LowerWith(*saved, *module, *info);
  if (!lowered) return Refuse(input + ": " + lowered.error().message);
  if (Expected<void> written = WriteWords(PathFromUtf8(arguments->Value("-o")), *lowered); !written)
    return Refuse(written.error().message);
  std::fputs((arguments->Has("--json") ? AsJson(*info) + "\n" : AsText(*info)).c_str(), stdout);
  return kOk;
}

}  // namespace

const Verb kLower = {"lower", "one node to an ordinary compute or mesh shader", kHelp, &Run};

}  // namespace trellis::tool
