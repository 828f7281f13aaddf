// SPDX-License-Identifier: Apache-2.0
#include "meta_shaders/kernels.h"

#include "meta_shaders/kernel_headers.inc"

namespace trellis {
namespace {

struct Row {
  std::span<const uint32_t> words;
  const char* name;
};

constexpr Row kRows[] = {
#define TRELLIS_KERNEL(name, file) {k##name##Spv, "trellis " #file},
#include "meta_shaders/kernels.inc"
#undef TRELLIS_KERNEL
};

}  // namespace

std::span<const uint32_t> KernelWords(Kernel kernel) { return kRows[static_cast<size_t>(kernel)].words; }

const char* KernelName(Kernel kernel) { return kRows[static_cast<size_t>(kernel)].name; }

}  // namespace trellis
