// SPDX-License-Identifier: Apache-2.0
// GLSL text -> nodes, for tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "spirv_lowering/front_end/rewrite.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

struct GlslOptions {
  std::string stage = "comp";
  std::string target_environment = "vulkan1.3";
  std::string entry_point = "main";
};

// `body` follows the version, the include of the header and `preamble`'s lines in front of it. Line numbers of errors
// are those of `body`: its first line is line 1 of "test.comp". A failure of glslang fails the test.
[[nodiscard]] Expected<RewrittenNode> RewriteGlsl(std::string_view body, const GlslOptions& options = {},
                                                  std::string_view preamble = {});
// The module, without debug information; a refusal, a broken rule or a complaint of spirv-val fails the test.
[[nodiscard]] Module NodeOrFail(std::string_view body, const GlslOptions& options = {}, std::string_view preamble = {});
// Why the rewriter or the rules refuse it, one line each; empty if they do not.
[[nodiscard]] std::string RefusalOfGlsl(std::string_view body, const GlslOptions& options = {},
                                        std::string_view preamble = {});

// How often `word` stands in `text`.
[[nodiscard]] inline size_t CountOf(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace trellis::spirv
