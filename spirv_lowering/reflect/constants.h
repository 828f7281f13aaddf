// Values of constants under a specialisation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Evaluates integer, bool and string constants, OpSpecConstantOp included, once and for all: later edits of the module
// do not matter. Linear in the module's constants.
class ConstantEvaluator {
 public:
  ConstantEvaluator(const Module& module, const Specialization& specialization);

  // Bits of an integer of at most 32 bits or a bool (0 or 1), or of a wider integer whose value fits. Nothing if `id`
  // is not one or has no value.
  [[nodiscard]] std::optional<uint32_t> Value(Id id) const;
  // Of OpConstantStringAMDX and OpSpecConstantStringAMDX. A specialised string is the entry's bytes up to their end or
  // the first nul.
  [[nodiscard]] std::optional<std::string> String(Id id) const;
  // The first specialised constant whose entry has another size than the constant
  // (VUID-VkSpecializationMapEntry-constantID-00776).
  [[nodiscard]] const Expected<void>& sizes() const { return sizes_; }

 private:
  struct Number {
    uint64_t bits = 0;   // zero above `width`
    uint32_t width = 0;  // 1 for booleans
  };

  struct Scalar {
    uint32_t width = 0;
    bool is_float = false;
  };

  [[nodiscard]] static uint64_t Mask(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
  [[nodiscard]] static int64_t Signed(const Number& number);
  [[nodiscard]] static std::optional<uint64_t> Unary(spv::Op op, const Number& a);
  [[nodiscard]] static std::optional<uint64_t> Binary(spv::Op op, const Number& a, const Number& b);

  void Add(const Instruction& global);
  void AddLiteral(const Instruction& constant);
  [[nodiscard]] std::optional<uint64_t> Operation(const Instruction& constant) const;
  [[nodiscard]] std::optional<uint64_t> Extract(const Instruction& constant) const;
  [[nodiscard]] const Number* Find(Id id) const;
  // Bytes given for the constant, or null.
  [[nodiscard]] const std::vector<uint8_t>* Specialized(Id id) const;

  const Specialization& specialization_;
  std::unordered_map<Id, uint32_t> spec_ids_;
  std::unordered_map<Id, Scalar> scalars_;  // types
  std::unordered_map<Id, Number> numbers_;
  std::unordered_map<Id, std::vector<Id>> composites_;
  std::unordered_map<Id, std::string> strings_;
  Expected<void> sizes_;
};

}  // namespace trellis::spirv
