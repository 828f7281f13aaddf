// SPDX-License-Identifier: Apache-2.0
// Which side of the layer a run of the whole suite looks at (CMakeLists.txt), for tests whose expectations depend on
// it.
#pragma once

#include <cstdlib>

namespace trellis::test {

// True in the variant valid_usage, where the setting `validate` is on for every device.
[[nodiscard]] inline bool RunsWithValidate() { return std::getenv("TRELLIS_VALIDATE") != nullptr; }

}  // namespace trellis::test
