// SPDX-License-Identifier: Apache-2.0
#include "tests/front_end/compile_glsl.h"

#include <gtest/gtest.h>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/validator_view.h"
#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"

namespace trellis::spirv {

Expected<RewrittenNode> RewriteGlsl(std::string_view body, const GlslOptions& options, std::string_view preamble) {
  const tool::TemporaryFolder folder;
  const std::string source = (folder.path() / ("test." + options.stage)).string();
  const std::string raw = (folder.path() / "raw.spv").string();
  const std::string text = "#version 460\n#extension GL_GOOGLE_include_directive : require\n" + std::string(preamble) +
                           "\n#include \"trellis/node_payload.glsl\"\n#line 1 \"test.comp\"\n" + std::string(body);
  if (Expected<void> written = tool::WriteText(source, text); !written) return written.error();
  Expected<tool::ProgramResult> ran = tool::RunProgram(
      {TRELLIS_GLSLANG, "-V", "-g", "--target-env", options.target_environment, "-I" TRELLIS_INCLUDE_DIR,
       "--source-entrypoint", "main", "-e", options.entry_point, "-o", raw, source});
  if (!ran) return ran.error();
  EXPECT_EQ(ran->exit_code, 0) << ran->output;
  EXPECT_EQ(ran->signal, 0) << ran->output;
  Expected<std::vector<uint32_t>> words = tool::ReadWords(raw);
  if (!words) return words.error();
  Expected<Module> module = ReadModule(*words);
  if (!module) return module.error();
  return RewriteRawNode(*std::move(module));
}

Module NodeOrFail(std::string_view body, const GlslOptions& options, std::string_view preamble) {
  Expected<RewrittenNode> node = RewriteGlsl(body, options, preamble);
  if (!node) {
    ADD_FAILURE() << node.error().message;
    return {};
  }
  for (const RuleViolation& violation : CheckRules(node->module)) ADD_FAILURE() << Describe(violation);
  StripDebugInfo(node->module);
  const Expected<void> valid = Validate(WriteModule(ForValidator(node->module)));
  EXPECT_TRUE(valid) << valid.error().message;
  return std::move(node->module);
}

std::string RefusalOfGlsl(std::string_view body, const GlslOptions& options, std::string_view preamble) {
  const Expected<RewrittenNode> node = RewriteGlsl(body, options, preamble);
  if (!node) return node.error().message;
  std::string lines;
  for (const RuleViolation& violation : CheckRules(node->module)) lines += Describe(violation) + "\n";
  return lines;
}

}  // namespace trellis::spirv
