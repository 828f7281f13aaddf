// SPDX-License-Identifier: Apache-2.0
// trellis disassemble: SPIR-V as text.
#include <cstdio>

#include "spirv_lowering/post/post.h"
#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis disassemble FILE [-o OUTPUT]\n\n"
    "Prints a SPIR-V module as text, with the ids that the other verbs name. Knows the extension's instructions, which "
    "the spirv-dis of older\n"
    "distributions does not.\n\n"
    "  -o OUTPUT  write to a file\n\n"
    "example: trellis disassemble worker.spv | less\n"
    "exit status: 0 done, 1 the input was refused, 2 the command line is wrong\n";

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"-o", true}});
  if (!arguments) return WrongUsage("disassemble", arguments.error().message);
  if (arguments->inputs().size() != 1) return WrongUsage("disassemble", "one input is needed");
  const std::string& input = arguments->inputs()[0];
  Expected<std::vector<uint32_t>> module = ReadWords(PathFromUtf8(input));
  if (!module) return Refuse(module.error().message);
  Expected<std::string> text = spirv::Disassemble(*module);
  if (!text) return Refuse(AboutModule(input, text.error().message).message);
  if (arguments->Has("-o")) {
    Expected<void> written = WriteText(PathFromUtf8(arguments->Value("-o")), *text);
    return written ? kOk : Refuse(written.error().message);
  }
  std::fputs(text->c_str(), stdout);
  return kOk;
}

}  // namespace

const Verb kDisassemble = {"disassemble", "SPIR-V as text", kHelp, &Run};

}  // namespace trellis::tool
