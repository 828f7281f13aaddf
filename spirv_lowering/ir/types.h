// SPDX-License-Identifier: Apache-2.0
// Types and constants of a module: look up, find or create, measure. Keeps an index; create it after other code has
// edited Module::globals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

class Types {
 public:
  // `module` must outlive this object. New types and constants are appended to module.globals.
  explicit Types(Module& module);

  // The instruction in module.globals that defines `id`, or null. The pointer is valid until the next creation.
  [[nodiscard]] const Instruction* Find(Id id) const;
  // Whether an instruction in module.globals with that opcode defines `id`.
  [[nodiscard]] bool Is(Id id, spv::Op opcode) const;

  // Find or create. Only types that must be unique (SPIR-V 2.8) are deduplicated; structs and arrays are always created
  // new.
  [[nodiscard]] Id Void();
  [[nodiscard]] Id Bool();
  [[nodiscard]] Id Int(uint32_t width, bool is_signed);
  [[nodiscard]] Id Uint() { return Int(32, false); }
  [[nodiscard]] Id Vector(Id component, uint32_t count);
  [[nodiscard]] Id Pointer(spv::StorageClass storage_class, Id pointee);
  [[nodiscard]] Id FunctionType(Id result, const std::vector<Id>& parameters);
  [[nodiscard]] Id ConstantUint(uint32_t value);
  [[nodiscard]] Id ConstantBool(bool value);
  [[nodiscard]] Id ConstantNull(Id type);
  [[nodiscard]] Id Undef(Id type);
  // Any global instruction with a result, by opcode, type and operand words: for types that SPIR-V 2.8 wants unique and
  // undecorated constants.
  [[nodiscard]] Id FindOrAppend(spv::Op opcode, Id type, std::vector<uint32_t> operands);
  // Appends any instruction with a result to module.globals and indexes it.
  Id Append(spv::Op opcode, Id type, std::vector<uint32_t> operands);
  // The same with a result id that the caller took from Module::NewId.
  void AppendAs(Id result, spv::Op opcode, Id type, std::vector<uint32_t> operands);

  // Return storage class and pointee of an OpTypePointer.
  [[nodiscard]] spv::StorageClass PointerClass(Id type) const;
  [[nodiscard]] Id Pointee(Id type) const;
  [[nodiscard]] bool IsPointer(Id type) const { return Is(type, spv::Op::OpTypePointer); }
  // Element type of a vector, matrix, array, runtime array or node payload array; member `index` of a struct. kNoId if
  // there is none.
  [[nodiscard]] Id ElementType(Id composite, uint32_t index) const;
  // Value of an OpConstant of up to 32-bit integer type; nothing for specialisation constants and others.
  [[nodiscard]] std::optional<uint32_t> ConstantValue(Id id) const;

  // Size in bytes of an explicitly laid-out type, from Offset, ArrayStride and MatrixStride decorations; struct = end
  // of its last member, array and matrix = end of the last element, without the padding behind it. Needs the
  // decorations of the module; nothing if a decoration is missing or the type has no fixed size (booleans, opaque
  // types, runtime arrays, lengths that are specialisation constants).
  [[nodiscard]] std::optional<uint32_t> LaidOutSize(Id type) const;

 private:
  void Index(size_t position);

  Module& module_;
  std::unordered_map<Id, size_t> position_;     // result id -> index in module_.globals
  std::unordered_map<std::string, Id> unique_;  // opcode, type and operand words -> id
};

// An index of a module's decorations. Edits of the annotations make it stale.
class Decorations {
 public:
  explicit Decorations(const Module& module);

  // Literal operand of OpDecorate %target decoration / OpMemberDecorate %type member decoration; nothing if not
  // decorated, 0 for a decoration without operands. Of OpDecorateId: the id. Logarithmic time.
  [[nodiscard]] std::optional<uint32_t> Find(Id target, spv::Decoration decoration) const {
    return FindMember(target, kWhole, decoration);
  }
  [[nodiscard]] std::optional<uint32_t> FindMember(Id type, uint32_t member, spv::Decoration decoration) const;
  [[nodiscard]] bool Has(Id target, spv::Decoration decoration) const { return Find(target, decoration).has_value(); }
  [[nodiscard]] bool HasMember(Id type, uint32_t member, spv::Decoration decoration) const {
    return FindMember(type, member, decoration).has_value();
  }

 private:
  struct Entry {
    Id target;
    uint32_t member;  // kWhole: the target itself
    uint32_t decoration;
    uint32_t literal;
  };
  static constexpr uint32_t kWhole = UINT32_MAX;

  std::vector<Entry> entries_;  // sorted
};

// The same for a target, by linear search, while annotations are edited.
[[nodiscard]] std::optional<uint32_t> FindDecoration(const Module& module, Id target, spv::Decoration decoration);
[[nodiscard]] bool HasDecoration(const Module& module, Id target, spv::Decoration decoration);
// Adds OpDecorate or OpMemberDecorate.
void Decorate(Module& module, Id target, spv::Decoration decoration, const std::vector<uint32_t>& literals = {});
void DecorateMember(Module& module, Id type, uint32_t member, spv::Decoration decoration,
                    const std::vector<uint32_t>& literals = {});
// Gives the decorations and names of `from` to `to`.
void CopyDecorations(Module& module, Id from, Id to);
// OpName of an id, or "%<id>".
[[nodiscard]] std::string NameOf(const Module& module, Id id);

}  // namespace trellis::spirv
