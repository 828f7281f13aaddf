// Module -> words.
#pragma once

#include <cstdint>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

[[nodiscard]] std::vector<uint32_t> WriteModule(const Module& module);

}  // namespace trellis::spirv
