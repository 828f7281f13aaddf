// SPDX-License-Identifier: Apache-2.0
// The corpus: nodes in the shapes that DXC (dxc -spirv -T lib_6_8 -fspv-target-env=vulkan1.3) emits. Each module shows
// one feature, named in its first line, and adds to words from which the result can be told.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run.h"

namespace trellis::test {

struct CorpusNode {
  std::string entry;
  std::optional<std::string> name = {};  // where the application has to give it, as for [NodeID("name")]
  std::optional<uint32_t> index = {};
  std::vector<Specialization> specialization = {};
};

struct CorpusRow {
  std::string module;  // file, without .spvasm
  std::vector<CorpusNode> nodes = {};
  std::vector<GraphInput> inputs = {};
  std::vector<uint32_t> expected = {};  // what is added to the words of the result buffer
  std::string folder = "tests/corpus";
  // Words for which `expected` is only the most that they can be: the HLSL behind the module has a race. Together they
  // have at least 1 for each submission.
  uint32_t first_racing_word = 0;
  uint32_t racing_words = 0;
  // Part of the message with which SPIRV-Tools 2025.1 refuses the module though DXC emits it; empty: it is valid.
  std::string validator_says = {};
  bool narrow_and_wide_types = false;  // 16- and 64-bit integers and floats
  bool int16 = false;
  // Part of the message with which the layer refuses the module, for good; empty: it does not.
  std::string refused_with = {};
};

[[nodiscard]] std::vector<CorpusRow> LaunchRows();  // launch kinds, grids, barriers, constants
[[nodiscard]] std::vector<CorpusRow> RecordRows();  // inputs, and members of records
[[nodiscard]] std::vector<CorpusRow> OutputRows();
[[nodiscard]] std::vector<CorpusRow> AllRows();
void PrintTo(const CorpusRow& row, std::ostream* stream);

// spirv-val on -Od code, which passes pointers to payloads to functions.
inline constexpr char kPointerParameter[] = "Invalid storage class for pointer operand";
// spirv-val on barriers in scope QueueFamily or with OutputMemory, in a module without the Vulkan memory model.
inline constexpr char kNeedsMemoryModel[] = "requires capability VulkanMemoryModelKHR";

[[nodiscard]] CorpusNode Entry(std::string entry);
[[nodiscard]] std::vector<CorpusNode> Entries(std::initializer_list<const char*> entries);
// Payloads of so many words each; the number of payloads follows from `words`.
[[nodiscard]] GraphInput Payloads(std::string node, uint32_t words_each, const std::vector<uint32_t>& words);
// Launches without payload.
[[nodiscard]] GraphInput Launches(std::string node, uint32_t count);

// Words that are 0 but for these.
[[nodiscard]] std::vector<uint32_t> At(std::initializer_list<std::pair<uint32_t, uint32_t>> words);
struct GridSize {
  uint32_t x = 1, y = 1, z = 1;
};
// Adds `value` to the word of each workgroup of a grid: first + x + row * (y + column * z).
void AddPerWorkgroup(std::vector<uint32_t>& words, uint32_t first, GridSize grid, uint32_t row, uint32_t column,
                     uint32_t value);
[[nodiscard]] uint32_t FloatBits(float value);

}  // namespace trellis::test
