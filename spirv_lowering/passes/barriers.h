// SPDX-License-Identifier: Apache-2.0
// Barriers of the node's own code, which were written for payloads that are no buffer memory.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// Memory semantics of every ordering OpControlBarrier and OpMemoryBarrier gain UniformMemory, which stands for buffers
// and so for lowered payloads; compilers leave it out. In GLSL450 modules, what needs the Vulkan memory model goes:
// OutputMemory, availability and visibility, and the scope QueueFamily, which becomes Device. Constants only;
// specialisation constants are left as they are. Runs before the runtime is imported.
void WidenBarriers(Module& module, Types& types, bool vulkan_memory_model);

}  // namespace trellis::spirv
