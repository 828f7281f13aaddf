// SPDX-License-Identifier: Apache-2.0
#include <trellis/vulkan_shader_enqueue.h>

#include "nodes.h"

int main() { return kNodes[0] == 0x07230203u && VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION == 2 ? 0 : 1; }
