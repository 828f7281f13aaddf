// SPDX-License-Identifier: Apache-2.0
// What glslang makes of include/trellis/node_payload.glsl -> a module of SPV_AMDX_shader_enqueue revision 2.
#pragma once

#include <unordered_map>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/rules/source_lines.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

struct RewrittenNode {
  Module module;
  // Where input variable and payload array types were declared: what OpLine cannot tell.
  std::unordered_map<Id, SourceLine> declared;
};

// A module without the header's stand-ins (a plain compute shader, which may be a leaf node) comes back unchanged.
// `raw` should have debug information (glslang's -g): errors begin with "file:line: " where it tells.
[[nodiscard]] Expected<RewrittenNode> RewriteRawNode(Module raw);

// Takes OpLine, OpNoLine, OpString, the text of OpSource and OpModuleProcessed out; names stay.
void StripDebugInfo(Module& module);

}  // namespace trellis::spirv
