// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/grid_member.h"

#include <unordered_set>

namespace trellis::spirv {
namespace {

// LaunchBlock::grid_member has 16 bits for the offset.
constexpr uint64_t kMaxOffset = 0xffff;

class Search {
 public:
  Search(const Module& module, const Decorations& decorations, const Types& types, const ConstantValues& lengths)
      : module_(module), decorations_(decorations), types_(types), lengths_(lengths) {}

  Expected<std::optional<GridMember>> Run(Id payload, uint64_t base) {
    const Instruction* shape = types_.Find(payload);
    // Without one once, without one always: structures that are nested many times over are searched once.
    if (shape == nullptr || shape->opcode != spv::Op::OpTypeStruct || !searched_.insert(payload).second)
      return std::optional<GridMember>();
    for (uint32_t member = 0; member < shape->operands.size(); ++member) {
      const uint64_t offset = base + decorations_.FindMember(payload, member, spv::Decoration::Offset).value_or(0);
      if (decorations_.HasMember(payload, member, spv::Decoration::PayloadDispatchIndirectAMDX)) {
        return Measure(payload, member, shape->operands[member], offset);
      }
      Expected<std::optional<GridMember>> nested = Run(shape->operands[member], offset);
      if (!nested || *nested) return nested;
    }
    return std::optional<GridMember>();
  }

 private:
  Expected<std::optional<GridMember>> Measure(Id payload, uint32_t member, Id type, uint64_t offset) const {
    const auto refuse = [&](const char* why) {
      return Error{"member " + std::to_string(member) + " of OpTypeStruct %" + std::to_string(payload) + " (" +
                   NameOf(module_, payload) + "), which is decorated PayloadDispatchIndirectAMDX, " + why};
    };
    const Instruction* shape = types_.Find(type);
    const bool is_array = types_.Is(type, spv::Op::OpTypeArray);
    const bool is_vector = types_.Is(type, spv::Op::OpTypeVector);
    uint32_t count = 1;
    if (is_vector) count = shape->operands[1];
    if (is_array) count = lengths_(shape->operands[1]).value_or(0);
    const Instruction* component = is_array || is_vector ? types_.Find(shape->operands[0]) : shape;
    if (component == nullptr || component->opcode != spv::Op::OpTypeInt || count < 1 || count > 3 ||
        component->operands[0] > 32) {
      return refuse("is not a scalar, 2- or 3-vector of 8-, 16- or 32-bit integers");
    }
    const uint32_t width = component->operands[0] / 8;
    if (is_array && decorations_.Find(type, spv::Decoration::ArrayStride).value_or(width) != width) {
      return refuse("is an array whose stride is not its element's size");
    }
    if (offset % width != 0) return refuse("is not aligned to its component");
    if (offset > kMaxOffset) return refuse("lies past byte 65,535");
    return std::optional(GridMember{static_cast<uint32_t>(offset), width, count});
  }

  const Module& module_;
  const Decorations& decorations_;
  const Types& types_;
  const ConstantValues& lengths_;
  std::unordered_set<Id> searched_;
};

}  // namespace

Expected<std::optional<GridMember>> FindGridMember(const Module& module, const Decorations& decorations,
                                                   const Types& types, const ConstantValues& lengths, Id payload) {
  return Search(module, decorations, types, lengths).Run(payload, 0);
}

}  // namespace trellis::spirv
