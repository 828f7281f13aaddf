// SPDX-License-Identifier: Apache-2.0
// The modules that break one rule each, as edits of valid.spvasm.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Replaces `anchor`, which occurs exactly once in the text being edited.
struct Edit {
  std::string anchor;
  std::string replacement;
};

using Edits = std::vector<Edit>;

// Inserts `line` before the line that begins with `anchor`.
Edit Before(const std::string& anchor, const std::string& line);
Edit Delete(const std::string& anchor);

// Applies the edits in order, each to the result of the one before. Fails if an anchor does not occur exactly once or
// an edit changes nothing.
[[nodiscard]] Expected<std::string> ApplyEdits(std::string text, const Edits& edits);

struct BrokenModule {
  std::string name;  // of the test
  std::string rule;  // as the checker prints it; the module breaks no other
  Edits edits;
  bool tolerated = false;         // a warning unless strict
  uint32_t version = 0x00010600;  // of SPIR-V, as in the module's header
};

// Prints the name: GoogleTest shows it as the parameter of a test.
void PrintTo(const BrokenModule& module, std::ostream* out);

const std::vector<BrokenModule>& BrokenModules();

// The text of valid.spvasm.
[[nodiscard]] Expected<std::string> ValidText();
// The same as a mesh node, without its output.
[[nodiscard]] Expected<std::string> MeshText();
// The text of the broken module `name`. The version is not part of it.
[[nodiscard]] Expected<std::string> BrokenText(std::string_view name);

}  // namespace trellis::spirv
