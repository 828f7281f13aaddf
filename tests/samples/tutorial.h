// SPDX-License-Identifier: Apache-2.0
// The code in docs/tutorial.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trellis::test {

// Blocks that begin with "// file: NAME" are written to folder/NAME; those of one name one after the other. False if
// there are none.
[[nodiscard]] bool WriteTutorialFiles(const std::filesystem::path& folder);
// The first block of that language without a file that holds `word`.
[[nodiscard]] std::string TutorialText(const std::string& language, const std::string& word);
// The module of step 5, compiled as the tutorial says. A failure fails the test and gives none.
[[nodiscard]] std::vector<uint32_t> CompileTutorial();

}  // namespace trellis::test
