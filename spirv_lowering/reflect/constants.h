// SPDX-License-Identifier: Apache-2.0
// Values of constants under a specialisation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// A constant that was looked at, and what was found.
struct ReadConstant {
  Id id = kNoId;
  std::optional<uint32_t> value;
};

// Evaluates integer, bool and string constants and composites of them, OpSpecConstantOp included, once and for all:
// later edits of the module do not matter. Linear in the module's constants.
class ConstantEvaluator {
 public:
  ConstantEvaluator(const Module& module, const Specialization& specialization);

  // Bits of an integer of at most 32 bits or a bool (0 or 1), or of a wider integer whose value fits. Nothing if `id`
  // is not one or has no value.
  [[nodiscard]] std::optional<uint32_t> Value(Id id) const;
  // True if a reader of `constants` of the same module would find the same here.
  [[nodiscard]] bool Agrees(std::span<const ReadConstant> constants) const;
  // Returns the value of an OpConstantStringAMDX or OpSpecConstantStringAMDX. A specialised string is the entry's bytes
  // up to their end or the first nul.
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

  struct Vector {
    Id component = 0;
    uint32_t count = 0;
  };

  [[nodiscard]] static uint64_t Mask(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
  [[nodiscard]] static int64_t Signed(const Number& number);
  [[nodiscard]] static std::optional<uint64_t> Unary(spv::Op op, const Number& a);
  [[nodiscard]] static std::optional<uint64_t> Binary(spv::Op op, const Number& a, const Number& b);

  void Add(const Instruction& global);
  void AddLiteral(const Instruction& constant);
  void AddNull(const Instruction& constant);
  void AddOperation(const Instruction& constant);
  // OpSpecConstantOp with a vector type: the operation on each component.
  void AddVectorOperation(const Instruction& constant, const Vector& type);
  // The result of `operation`, whose operands are `operands` and whose type has `width` bits.
  [[nodiscard]] std::optional<Number> Operate(spv::Op operation, std::span<const Id> operands, uint32_t width) const;
  [[nodiscard]] std::optional<Id> Extract(std::span<const uint32_t> words) const;
  // The composite `id` with `part` in the place that `indices` lead to.
  [[nodiscard]] std::optional<Id> Insert(Id part, Id id, std::span<const uint32_t> indices);
  [[nodiscard]] std::optional<Id> Shuffle(std::span<const uint32_t> words);
  // An id of our own, for what an operation makes.
  Id AddPart(const Number& number);
  Id AddComposite(std::vector<Id> parts);
  // Gives the value of `from` to `to`.
  void Copy(Id from, Id to);
  [[nodiscard]] const Number* Find(Id id) const;
  // Bytes given for the constant, or null.
  [[nodiscard]] const std::vector<uint8_t>* Specialized(Id id) const;

  const Specialization& specialization_;
  std::unordered_map<Id, uint32_t> spec_ids_;
  std::unordered_map<Id, Scalar> scalars_;  // types
  std::unordered_map<Id, Vector> vectors_;  // types
  std::unordered_map<Id, Number> numbers_;
  std::unordered_map<Id, std::vector<Id>> composites_;
  std::unordered_map<Id, std::string> strings_;
  Expected<void> sizes_;
  Id next_part_ = ~Id{0};  // counts down: the module's ids count up
};

// `what` names an instruction or a mode, `id` the offending id.
[[nodiscard]] Error Refuse(const std::string& what, Id id, const std::string& why);
// Reads an operand of `what`. After an error `value` is what it was.
[[nodiscard]] Expected<void> ReadOperand(const ConstantEvaluator& constants, const std::string& what, Id id,
                                         uint32_t& value);

// Reads values of constants, and remembers which.
class ConstantReader {
 public:
  explicit ConstantReader(const ConstantEvaluator& constants) : constants_(constants) {}

  [[nodiscard]] std::optional<uint32_t> Value(Id id);
  // Each once, in the order in which they were read.
  [[nodiscard]] const std::vector<ReadConstant>& read() const { return read_; }

 private:
  const ConstantEvaluator& constants_;
  std::vector<ReadConstant> read_;
};

}  // namespace trellis::spirv
