// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/tutorial.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"

namespace trellis::test {
namespace {

struct Block {
  std::string language;
  std::string file;  // empty: none is named
  std::string text;
};

std::vector<Block> ReadBlocks() {
  Expected<std::string> tutorial = tool::ReadText(TRELLIS_TUTORIAL);
  if (!tutorial) return {};
  std::vector<Block> blocks;
  std::istringstream lines(*tutorial);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string file = "// file: ";
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), {}, {}});
    } else if (inside && blocks.back().text.empty() && line.starts_with(file)) {
      blocks.back().file = line.substr(file.size());
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

}  // namespace

bool WriteTutorialFiles(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const Block& block : ReadBlocks()) {
    if (!block.file.empty()) files[block.file] += block.text;
  }
  for (const auto& [name, text] : files) {
    if (!tool::WriteText(folder / name, text)) return false;
  }
  return !files.empty();
}

std::string TutorialText(const std::string& language, const std::string& word) {
  for (const Block& block : ReadBlocks()) {
    if (block.file.empty() && block.language == language && block.text.find(word) != std::string::npos)
      return block.text;
  }
  return {};
}

std::vector<uint32_t> CompileTutorial() {
  const tool::TemporaryFolder folder;
  EXPECT_TRUE(WriteTutorialFiles(folder.path()));
  std::istringstream words(TutorialText("sh", "trellis compile"));
  std::string line;
  std::getline(words, line);
  std::vector<std::string> command = {"sh", "-c",
                                      "cd '" + folder.path().string() + "' && PATH=\"" +
                                          std::filesystem::path(TRELLIS_PROGRAM).parent_path().string() +
                                          ":$PATH\" TRELLIS_GLSLANG='" TRELLIS_GLSLANG "' " + line};
  Expected<tool::ProgramResult> ran = tool::RunProgram(command);
  if (!ran || ran->exit_code != 0) {
    ADD_FAILURE() << (ran ? ran->output : ran.error().message);
    return {};
  }
  Expected<std::vector<uint32_t>> module = tool::ReadWords(folder.path() / "primes.spv");
  return module ? *std::move(module) : std::vector<uint32_t>();
}

}  // namespace trellis::test
