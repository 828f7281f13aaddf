// SPDX-License-Identifier: Apache-2.0
// A short bench: figures to compare drivers by, not a measurement of an application.
#pragma once

#include <string>

#include "tools/self_test/device.h"

namespace trellis::self_test {

// Returns a JSON array of figures. Throws Failure.
[[nodiscard]] std::string RunBench(const Device& device);

}  // namespace trellis::self_test
