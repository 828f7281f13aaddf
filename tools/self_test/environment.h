// SPDX-License-Identifier: Apache-2.0
// The environment of the process: what is set, and where the layer is.
#pragma once

#include <string>

namespace trellis::self_test {

// Returns the variables that matter to the loader and the layer, as a JSON object. Call it before EnableLayer.
[[nodiscard]] std::string DescribeEnvironment();

// Returns the system's name and version, as a JSON object.
[[nodiscard]] std::string DescribeSystem();

// Makes the loader enable the layer: the one of the installation or the build tree that holds this program, if there is
// one, else the loader's choice. Returns the folder of its manifest, or an empty text. Call it before the first Vulkan
// command.
std::string EnableLayer();

}  // namespace trellis::self_test
