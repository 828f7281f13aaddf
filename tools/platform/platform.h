// SPDX-License-Identifier: Apache-2.0
// Everything in which operating systems differ for the tools. Each system has one file that implements it. Text is
// UTF-8.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

// Returns the words of the command line after the name of the program. Call once, first of all: on Windows it also
// makes the console show UTF-8.
[[nodiscard]] std::vector<std::string> CommandLine(int argc, char** argv);

// Nothing for a variable that is not set.
[[nodiscard]] std::optional<std::string> EnvironmentVariable(const std::string& name);

// Names and values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> EnvironmentVariables();

// Nothing takes the variable out.
void SetEnvironmentVariableTo(const std::string& name, const std::optional<std::string>& value);

// Returns the home folder of the user, or an empty text.
[[nodiscard]] std::string HomeFolder();

// Makes a Vulkan loader that starts later in this process look at the layer's manifest of the installation or the build
// tree that holds this program. Returns the folder of the manifest, or an empty path if there is none or the loader
// would not look there.
[[nodiscard]] std::filesystem::path SelectOwnLayer();

struct SystemName {
  std::string kernel;        // name and version
  std::string machine;       // of the processor, as "x86_64"
  std::string distribution;  // empty where there is none
};
[[nodiscard]] SystemName NameSystem();

// As std::fopen: null, with errno set, when the file cannot be opened.
[[nodiscard]] std::FILE* OpenFile(const std::filesystem::path& path, const char* mode);

// Creates an empty folder, which other users cannot have prepared. Returns an empty path if that fails.
[[nodiscard]] std::filesystem::path MakeTemporaryFolder();

// Returns the file of this program, or an empty path if the system does not tell.
[[nodiscard]] std::filesystem::path OwnProgram();

// Returns the path of a program in one of the folders of PATH, or nothing.
[[nodiscard]] std::string FindInPath(const std::string& name);

struct ProgramResult {
  int exit_code = 0;   // of a program that ended by itself
  int signal = 0;      // what ended it otherwise: a signal, or the code of an exception of Windows
  std::string output;  // stdout and stderr, with '\n' at the end of lines
};

// Runs a program, which is looked up in PATH if it has no slash, and waits for it.
[[nodiscard]] Expected<ProgramResult> RunProgram(const std::vector<std::string>& command);

}  // namespace trellis::tool
