// SPDX-License-Identifier: Apache-2.0
// How values differ between the invocations of a workgroup, and which built-ins and operations make them differ.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

struct Divergence {
  static constexpr uint32_t kAll = 0xffffffff;

  // Bit i: component, member or element i may differ; bit 31 stands for all from 31 on. A scalar has all bits or none.
  uint32_t parts = 0;
  Id cause = kNoId;  // the built-in variable or the instruction that the first of them comes from

  explicit operator bool() const { return parts != 0; }

  // Returns whether that adds a part.
  bool Join(const Divergence& other) {
    if ((other.parts & ~parts) == 0) return false;
    if (parts == 0) cause = other.cause;
    parts |= other.parts;
    return true;
  }
  // Returns the divergence of a value computed from all parts.
  [[nodiscard]] Divergence Whole() const { return Only(kAll); }
  // Returns the divergence of a value read from the parts `of`.
  [[nodiscard]] Divergence Only(uint32_t of) const {
    return (parts & of) == 0 ? Divergence() : Divergence{kAll, cause};
  }
};

constexpr uint32_t kLastPart = 31;
[[nodiscard]] constexpr uint32_t PartBit(uint32_t index) { return uint32_t{1} << std::min(index, kLastPart); }

struct WorkgroupShape {
  std::array<bool, 3> varies = {true, true, true};  // more than one invocation in that direction, or not known
  uint64_t invocations = 0;                         // 0: not known
};

// Returns the divergence of the content of `variable`, which is decorated with `built_in`.
[[nodiscard]] Divergence DivergenceOfBuiltIn(spv::BuiltIn built_in, const WorkgroupShape& shape, Id variable);

enum class ResultKind : uint8_t {
  kFromOperands,  // differs if an operand does
  kOfSubgroup,    // the same in each subgroup
  kUniform,       // the same in the workgroup
  kDivergent,     // may differ whatever the operands are
};
[[nodiscard]] ResultKind KindOfResult(const Instruction& instruction);

}  // namespace trellis::spirv
