// SPDX-License-Identifier: Apache-2.0
// Which validation layer a test run must have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spirv_lowering/support/expected.h"

namespace trellis::test {

inline constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// Returns the version of the validation layer that the loader finds, or 0.
[[nodiscard]] uint32_t FoundValidationVersion();

// The version in the manifest that the run is configured for: of the first folder in `layer_path` (VK_LAYER_PATH, may
// be null) that has one. An error if folders are named and none has one.
[[nodiscard]] Expected<std::optional<uint32_t>> ConfiguredValidationVersion(const char* layer_path);

// Fails, under CI, unless the layer was found (`found` is its version, 0 if it was not) and is the one that the run is
// configured for.
[[nodiscard]] Expected<void> RequireValidation(bool is_ci, uint32_t found, const char* layer_path);

// "1.4.309"; "none" for 0.
[[nodiscard]] std::string VersionText(uint32_t version);

}  // namespace trellis::test
