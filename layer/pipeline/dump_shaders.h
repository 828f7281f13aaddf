// SPDX-License-Identifier: Apache-2.0
// Setting `dump_dir`: what the application gave and what the driver gets, as files. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/shader_cache.h"

namespace trellis {

// Writes <dump_dir>/<graph id>_<node>_original.spv; characters of the node's label that a file name should not have
// become '_'. Does nothing without the setting. A file that cannot be written is reported and changes nothing else.
void DumpOriginal(const CreationContext& context, const std::string& node_label, std::span<const uint32_t> words);
// The same for ..._lowered.spv, and for ..._lowered.options with which `trellis lower` makes it of the original.
void DumpLowered(const CreationContext& context, const std::string& node_label, const LoweredShader& shader);

}  // namespace trellis
