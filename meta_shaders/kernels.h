// SPDX-License-Identifier: Apache-2.0
// The internal kernels as SPIR-V. Their contract: shared/graph_data.h, shared/input_copy.h and
// shared/entry_plan.h.
#pragma once

#include <cstdint>
#include <span>

namespace trellis {

enum class Kernel : uint8_t {
  kBeginGraph,
  kOpenRegions,
  kCopyInputs,
  kCountInfos,
  kAppendInfos,
  kCopyChunks,
  kSumGrids,
  kCloseLevel,
  kLaunchBatches,
  kStepGraph,
  kCountRecords,
  kReportLosses,
  kReleaseRing
};
inline constexpr uint32_t kKernelCount = static_cast<uint32_t>(Kernel::kReleaseRing) + 1;

// Entry point "main"; no descriptors; one push constant range of 8 bytes at offset 0: the address of the kernel's plan.
[[nodiscard]] std::span<const uint32_t> KernelWords(Kernel kernel);
// What debuggers are told, e.g. "trellis close_level".
[[nodiscard]] const char* KernelName(Kernel kernel);

}  // namespace trellis
