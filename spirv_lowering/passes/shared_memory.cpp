// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/shared_memory.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <unordered_map>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/layout.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kAlignment = 16;  // of every type that the runtime has in Workgroup memory

uint64_t RoundUp(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

// Sizes of types without an explicit layout, by the rules of the standard storage buffer layout. A boolean has 32 bits.
class StandardLayout {
 public:
  struct Extent {
    uint64_t bytes = 0;
    uint64_t alignment = 1;
  };

  explicit StandardLayout(const Types& types) : types_(types) {}

  // Nothing for types without a size that is known and fits into 32 bits. Recursion is as deep as types nest.
  [[nodiscard]] std::optional<Extent> Measure(Id type) {
    if (const auto known = known_.find(type); known != known_.end()) return known->second;
    std::optional<Extent> extent = MeasureNew(type);
    if (extent && extent->bytes > std::numeric_limits<uint32_t>::max()) extent.reset();
    known_[type] = extent;
    return extent;
  }

 private:
  std::optional<Extent> MeasureNew(Id type) {
    const Instruction* shape = types_.Find(type);
    if (shape == nullptr) return std::nullopt;
    switch (shape->opcode) {
      case spv::Op::OpTypeBool:
        return Extent{4, 4};
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
        return Extent{BytesOf(*shape), BytesOf(*shape)};
      case spv::Op::OpTypePointer:
        return Extent{8, 8};
      case spv::Op::OpTypeVector:
        return MeasureVector(*shape);
      case spv::Op::OpTypeMatrix:
        return MeasureRepeated(shape->operands[0], shape->operands[1]);
      case spv::Op::OpTypeArray:
        return MeasureRepeated(shape->operands[0], types_.ConstantValue(shape->operands[1]));
      case spv::Op::OpTypeStruct:
        return MeasureStruct(*shape);
      default:
        return std::nullopt;
    }
  }

  static uint64_t BytesOf(const Instruction& scalar) { return std::max<uint64_t>(scalar.operands[0] / 8, 1); }

  std::optional<Extent> MeasureVector(const Instruction& shape) {
    const std::optional<Extent> component = Measure(shape.operands[0]);
    if (!component) return std::nullopt;
    const uint64_t count = shape.operands[1];
    return Extent{count * component->bytes, std::bit_ceil(count) * component->bytes};
  }

  std::optional<Extent> MeasureRepeated(Id element, std::optional<uint32_t> count) {
    const std::optional<Extent> extent = Measure(element);
    if (!extent || !count) return std::nullopt;
    return Extent{*count * RoundUp(extent->bytes, extent->alignment), extent->alignment};
  }

  std::optional<Extent> MeasureStruct(const Instruction& shape) {
    Extent whole;
    for (const Id member : shape.operands) {
      const std::optional<Extent> extent = Measure(member);
      if (!extent) return std::nullopt;
      whole.bytes = RoundUp(whole.bytes, extent->alignment) + extent->bytes;
      whole.alignment = std::max(whole.alignment, extent->alignment);
    }
    return Extent{RoundUp(whole.bytes, whole.alignment), whole.alignment};
  }

  const Types& types_;
  std::unordered_map<Id, std::optional<Extent>> known_;
};

class SharedMemory {
 public:
  explicit SharedMemory(Lowering& lowering) : module_(lowering.module), types_(lowering.types), lowering_(lowering) {}

  Expected<void> Run() {
    const std::vector<Id>& imported = lowering_.runtime.Variables();
    std::vector<Id> ours, blocks;
    for (const Instruction& global : module_.globals) {
      if (!global.IsVariable(spv::StorageClass::Workgroup)) continue;
      if (std::count(imported.begin(), imported.end(), global.result_id) != 0)
        ours.push_back(global.result_id);
      else if (HasDecoration(module_, types_.Pointee(global.type_id), spv::Decoration::Block))
        blocks.push_back(global.result_id);
    }
    if (ours.empty() || blocks.empty()) return {};
    Expected<uint32_t> end = EndOf(blocks);
    if (!end) return end.error();
    MakeBlock(ours, (*end + kAlignment - 1) / kAlignment * kAlignment);
    for (const Id variable : blocks) DecorateAliased(variable);
    DecorateAliased(block_);
    for (Function& function : module_.functions) Rewrite(function);
    return {};
  }

 private:
  Expected<uint32_t> EndOf(const std::vector<Id>& blocks) const {
    LayoutMeter meter(module_, types_, {[this](Id id) { return lowering_.constants.Value(id); }});
    uint32_t end = 0;
    for (const Id variable : blocks) {
      const std::optional<uint32_t> size = meter.Size(types_.Pointee(types_.Find(variable)->type_id));
      // No device has as much as half of what an offset can name.
      if (!size || *size > std::numeric_limits<uint32_t>::max() / 2) {
        return Error{"Workgroup OpVariable %" + std::to_string(variable) +
                     ": the block lacks layout decorations or has no fixed size"};
      }
      end = std::max(end, *size);
    }
    return end;
  }

  void MakeBlock(const std::vector<Id>& ours, uint32_t offset) {
    std::vector<uint32_t> members;
    for (const Id variable : ours) {
      member_of_[variable] = static_cast<uint32_t>(members.size());
      members.push_back(types_.Pointee(types_.Find(variable)->type_id));
    }
    const Id type = types_.Append(spv::Op::OpTypeStruct, kNoId, members);
    Decorate(module_, type, spv::Decoration::Block);
    for (uint32_t member = 0; member < members.size(); ++member) {
      DecorateMember(module_, type, member, spv::Decoration::Offset, {offset});
      const uint32_t size = types_.LaidOutSize(members[member]).value_or(kAlignment);
      offset += (size + kAlignment - 1) / kAlignment * kAlignment;
    }
    block_ = types_.Append(spv::Op::OpVariable, types_.Pointer(spv::StorageClass::Workgroup, type),
                           {static_cast<uint32_t>(spv::StorageClass::Workgroup)});
    module_.entry_points.front().operands.push_back(block_);
  }

  void DecorateAliased(Id variable) {
    if (!HasDecoration(module_, variable, spv::Decoration::Aliased))
      Decorate(module_, variable, spv::Decoration::Aliased);
  }

  // Each use of one of our variables becomes one of a pointer to its member.
  void Rewrite(Function& function) {
    for (BasicBlock& block : function.blocks) {
      std::vector<Instruction> body;
      body.reserve(block.body.size());
      for (Instruction& instruction : block.body) {
        ForEachIdOperand(instruction, [&](Id& id) {
          const auto member = member_of_.find(id);
          if (member == member_of_.end()) return;
          id = Builder(module_, body)
                   .Emit(spv::Op::OpAccessChain, types_.Find(id)->type_id,
                         {block_, types_.ConstantUint(member->second)});
        });
        body.push_back(std::move(instruction));
      }
      block.body = std::move(body);
    }
  }

  Module& module_;
  Types& types_;
  Lowering& lowering_;
  Id block_ = kNoId;  // variable
  std::unordered_map<Id, uint32_t> member_of_;
};

}  // namespace

Expected<void> LayOutSharedMemory(Lowering& lowering) { return SharedMemory(lowering).Run(); }

bool AddsSharedMemory(const Lowering& lowering) {
  const std::vector<Id>& imported = lowering.runtime.Variables();
  return std::any_of(lowering.module.globals.begin(), lowering.module.globals.end(), [&](const Instruction& global) {
    return global.IsVariable(spv::StorageClass::Workgroup) &&
           std::count(imported.begin(), imported.end(), global.result_id) != 0;
  });
}

std::optional<uint64_t> SharedBytes(const Module& module, const Types& types) {
  StandardLayout layout(types);
  LayoutMeter meter(module, types);
  uint64_t end_of_blocks = 0;  // which alias
  uint64_t bytes = 0;
  for (const Instruction& global : module.globals) {
    if (!global.IsVariable(spv::StorageClass::Workgroup)) continue;
    const Id type = types.Pointee(global.type_id);
    if (HasDecoration(module, type, spv::Decoration::Block)) {
      const std::optional<uint32_t> size = meter.Size(type);
      if (!size) return std::nullopt;
      end_of_blocks = std::max<uint64_t>(end_of_blocks, *size);
    } else {
      const std::optional<StandardLayout::Extent> extent = layout.Measure(type);
      if (!extent) return std::nullopt;
      bytes = RoundUp(bytes, extent->alignment) + extent->bytes;
    }
  }
  return std::max(bytes, end_of_blocks);
}

}  // namespace trellis::spirv
