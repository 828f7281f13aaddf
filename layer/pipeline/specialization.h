// SPDX-License-Identifier: Apache-2.0
// VkSpecializationInfo for the two that read it: the lowering and the driver. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <spirv/unified1/spirv.hpp11>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"
#include "spirv_lowering/reflect/reflect.h"

namespace trellis {

// The constants' bytes by id. Entries that leave the data are left out, as if they were not given.
[[nodiscard]] spirv::Specialization ReadSpecialization(const VkSpecializationInfo* info);

// What all decorations of a kind say in lowered words: the SpecIds of constants, or the descriptor sets of variables.
[[nodiscard]] std::set<uint32_t> DecorationLiterals(std::span<const uint32_t> words, spv::Decoration decoration);

// The entries for constants in `ids`: those that the lowered words still have. Those of node names and grids are gone
// after lowering, and SwiftShader crashes on entries with the size of a string. Their bytes are gone too: drivers'
// caches compare all of the data, and the same shader under another name would not be found. The result lives as long
// as the arena; null stays null.
[[nodiscard]] const VkSpecializationInfo* KeepSpecialization(const VkSpecializationInfo* info,
                                                             const std::set<uint32_t>& ids, Arena& arena);

}  // namespace trellis
