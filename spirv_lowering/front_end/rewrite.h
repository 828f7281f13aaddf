// What glslang makes of include/trellis/node_payload.glsl -> a module of SPV_AMDX_shader_enqueue revision 2.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

struct RewriteOptions {
  // Keep OpLine, OpString and the sources. The raw module should have them in any case: messages name source lines.
  bool keep_debug_info = true;
};

// A module without the header's stand-ins (a plain compute shader, which may be a leaf node) comes back unchanged but for debug information. Errors begin
// with "file:line: " where the raw module tells.
[[nodiscard]] Expected<Module> RewriteRawNode(Module raw, const RewriteOptions& options);

// Takes OpLine, OpNoLine, OpString, the text of OpSource and OpModuleProcessed out; names stay.
void StripDebugInfo(Module& module);

}  // namespace trellis::spirv
