// SPDX-License-Identifier: Apache-2.0
// Setting `dump_dir`: what the application gave and what the driver gets, as files. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "layer/pipeline/creation_context.h"

namespace trellis {

// Writes `words` to <dump_dir>/<graph id>_<node>_<kind>.spv; characters of the node's label that a file name should not
// have become '_'. Does nothing without the setting. A file that cannot be written is reported and changes nothing
// else.
void DumpShader(const CreationContext& context, const std::string& node_label, const char* kind,
                std::span<const uint32_t> words);

}  // namespace trellis
