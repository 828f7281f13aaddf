// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace trellis {

// What a render pass instance and a graphics pipeline have to agree on, as far as both tell at once.
struct RenderingShape {
  bool dynamic = false;  // without a render pass object; the other members count only then
  uint32_t view_mask = 0;
  uint32_t color_attachments = 0;
};

}  // namespace trellis
