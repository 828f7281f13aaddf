// SPDX-License-Identifier: Apache-2.0
// The internal kernels as SPIR-V. Their contract: shared/graph_data.h, and the plans next to it.
#pragma once

#include <cstdint>
#include <span>

namespace trellis {

// TRELLIS_KERNEL(name, file) for each kernel of CMakeLists.txt.
enum class Kernel : uint8_t {
#define TRELLIS_KERNEL(name, file) k##name,
#include "meta_shaders/kernels.inc"
#undef TRELLIS_KERNEL
};
inline constexpr uint32_t kKernelCount = 0
#define TRELLIS_KERNEL(name, file) +1
#include "meta_shaders/kernels.inc"
#undef TRELLIS_KERNEL
    ;

// Entry point "main"; no descriptors; one push constant range of 8 bytes at offset 0: the address of the kernel's plan.
[[nodiscard]] std::span<const uint32_t> KernelWords(Kernel kernel);
// What debuggers are told, e.g. "trellis size_launches".
[[nodiscard]] const char* KernelName(Kernel kernel);

}  // namespace trellis
