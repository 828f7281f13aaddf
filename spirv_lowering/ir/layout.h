// SPDX-License-Identifier: Apache-2.0
// Sizes of explicitly laid-out types. A LayoutMeter reads the decorations once, when first needed, and remembers what
// it measured; Types::LaidOutSize makes one per call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// The value of an integer constant; nothing if it is none or not known.
using ConstantValues = std::function<std::optional<uint32_t>(Id)>;

// What a boolean takes in a payload: lowering stores it as a 32-bit word.
inline constexpr uint32_t kStoredBoolBytes = 4;

struct MeterOptions {
  ConstantValues lengths = {};  // of arrays; without it, those that no specialisation can change
  uint32_t bool_bytes = 0;      // 0: booleans have no size
};

// Edits of the module's decorations make it stale. Recursion is as deep as types nest (the reader's limit: 255).
class LayoutMeter {
 public:
  LayoutMeter(const Module& module, const Types& types, MeterOptions options = {});

  // Size in bytes of the largest scalar in the type (pointers: 8, booleans: 4, nothing known: 1): what `Aligned` must
  // at least be (VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314).
  [[nodiscard]] uint32_t LargestScalar(Id type);
  // As Types::LaidOutSize says.
  [[nodiscard]] std::optional<uint32_t> Size(Id type);

  // How the part of `type` that an access chain's `indices` lead to is aligned where the whole is aligned to
  // `alignment` bytes (a power of two); 1 if nothing is known of it.
  [[nodiscard]] uint32_t AlignmentAt(Id type, std::span<const Id> indices, uint32_t alignment);

 private:
  // How the member that holds a matrix lays it out.
  struct MatrixLayout {
    std::optional<uint32_t> stride;
    bool row_major = false;
  };

  // Bytes; nothing where a decoration is missing or the size has no bound of 32 bits.
  using Bytes = std::optional<uint64_t>;

  [[nodiscard]] Bytes Measure(Id type, const MatrixLayout& matrix);
  [[nodiscard]] Bytes MeasureStruct(const Instruction& type);
  [[nodiscard]] Bytes MeasureVector(const Instruction& type);
  [[nodiscard]] Bytes MeasureMatrix(const Instruction& type, const MatrixLayout& matrix);
  [[nodiscard]] Bytes MeasureArray(const Instruction& type, const MatrixLayout& matrix);
  // What index `index` of `type` adds to the offset: this many bytes, or a multiple of them where it is no constant.
  [[nodiscard]] std::optional<uint64_t> StepTo(const Instruction& type, Id index);
  [[nodiscard]] const Decorations& Decorated();

  const Module& module_;
  const Types& types_;
  const MeterOptions options_;
  std::optional<Decorations> decorations_;
  std::unordered_map<Id, Bytes> struct_sizes_;
  std::unordered_map<Id, uint32_t> largest_scalars_;
};

}  // namespace trellis::spirv
