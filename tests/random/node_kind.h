// SPDX-License-Identifier: Apache-2.0
// The library of node shaders that random graphs are wired from. A kind is what is fixed when a shader is written;
// names, indices, grids, limits and recursion are specialised, and what is sent where comes from tables.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/node_asm.h"

namespace trellis::test::random_graphs {

constexpr uint32_t kMaxKinds = 100;
constexpr uint32_t kMaxOutputs = 3;
constexpr uint32_t kMaxRecordWords = 12;

// PayloadDispatchIndirectAMDX, in words of the record. Components narrower than a word are packed.
struct GridMember {
  uint32_t first_word = 0;
  uint32_t components = 0;
  uint32_t bits = 32;
};

// How a node takes its records.
struct InputForm {
  Launch launch = Launch::kStaticGrid;
  std::array<uint32_t, 3> lanes = {1, 1, 1};
  uint32_t record_words = 0;
  GridMember grid = {};     // dynamic grids
  uint32_t coalesce = 1;    // coalescing: most records a workgroup
  bool declared = true;     // has an input variable; without one and with a dynamic grid the record is the grid
  bool overwrites = false;  // writes its input after reading it
};

struct OutputForm {
  Scope scope = Scope::kWorkgroup;
  uint32_t record_words = 0;
  bool late = false;           // enqueued on some paths only
  bool dense = false;          // an array of known size without holes, used without asking whether the node is there
  bool shares_limits = false;  // with output 0
};

struct NodeKind {
  InputForm input;
  std::vector<OutputForm> outputs;
  Shape shape = Shape::kDxc;
  bool vulkan_memory_model = false;
  bool is_mesh = false;       // draws nothing
  bool can_recurse = false;   // has MaxNodeRecursionAMDX
  bool is_api_entry = true;   // false: says so with IsApiEntryAMDX
  bool shares_input = false;  // has SharesInputWithAMDX

  [[nodiscard]] uint32_t Lanes() const { return input.lanes[0] * input.lanes[1] * input.lanes[2]; }
  [[nodiscard]] bool Coalescing() const { return input.launch == Launch::kCoalescing; }
  // Times that a workgroup may use the budget of one allocation.
  [[nodiscard]] uint32_t BudgetFactor(const OutputForm& output, uint32_t coalesce) const;
};

// At most kMaxKinds, always the same.
[[nodiscard]] const std::vector<NodeKind>& NodeKinds();

// What is specialised and becomes part of the shader that the driver compiles. There are few combinations, so that all
// graphs together need few compilations.
struct Variant {
  uint32_t coalesce = 1;
  std::array<uint32_t, kMaxOutputs> base = {};  // PayloadNodeBaseIndexAMDX: 0 or kVariantBase
  std::array<uint32_t, kMaxOutputs> most = {};  // Output::most
};
constexpr uint32_t kVariants = 2;
constexpr uint32_t kVariantBase = 3;
[[nodiscard]] Variant VariantOf(uint32_t kind, uint32_t variant);

// For people: "dynamic 2 x 16 bit, 4x2x1 lanes, 5 words -> workgroup 2 words late; …".
[[nodiscard]] std::string DescribeKind(const NodeKind& kind);

}  // namespace trellis::test::random_graphs
