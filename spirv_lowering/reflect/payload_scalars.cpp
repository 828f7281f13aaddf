// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/payload_scalars.h"

#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/node_module.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kStoredBoolBits = 32;  // lowering stores booleans as words
constexpr uint32_t kAddressBits = 64;

// How the structure that holds a matrix lays it out.
struct MatrixLayout {
  uint32_t stride = 0;
  bool row_major = false;
};

std::map<std::pair<Id, uint32_t>, std::string> MemberNames(const Module& module) {
  std::map<std::pair<Id, uint32_t>, std::string> names;
  for (const Instruction& name : module.debug_names) {
    if (name.opcode != spv::Op::OpMemberName) continue;
    std::string text = DecodeString(name.operands.data() + 2, name.operands.size() - 2);
    if (!text.empty()) names[{name.operands[0], name.operands[1]}] = std::move(text);
  }
  return names;
}

std::string Component(uint32_t index) { return std::string(".") + "xyzw"[index % 4]; }

class Walk {
 public:
  Walk(Module& module, const Specialization& specialization, size_t max_scalars)
      : max_scalars_(max_scalars),
        types_(module),
        decorations_(module),
        constants_(module, specialization),
        names_(MemberNames(module)) {}

  std::vector<PayloadScalar> Run(Id input) {
    Id type = types_.Pointee(types_.Find(input)->type_id);
    const Instruction* shape = types_.Find(type);
    if (shape != nullptr && (shape->opcode == spv::Op::OpTypeNodePayloadArrayAMDX ||
                             shape->opcode == spv::Op::OpTypeArray || shape->opcode == spv::Op::OpTypeRuntimeArray))
      type = shape->operands[0];
    Visit(type, "", 0, {});
    return std::move(scalars_);
  }

 private:
  [[nodiscard]] bool IsFull() const { return scalars_.size() >= max_scalars_; }

  void Add(const std::string& name, uint64_t offset, ScalarKind kind, uint32_t bits) {
    if (!IsFull()) scalars_.push_back({name, static_cast<uint32_t>(offset), kind, bits});
  }

  // Recursion is as deep as types nest (the reader's limit: 255), and ends once there are enough. Types that hold
  // nothing are visited once, however often they are nested.
  void Visit(Id type, const std::string& name, uint64_t offset, const MatrixLayout& matrix) {
    const Instruction* shape = types_.Find(type);
    if (shape == nullptr || IsFull() || offset > UINT32_MAX || empty_.contains(type)) return;
    const size_t before = scalars_.size();
    VisitShape(*shape, name, offset, matrix);
    if (scalars_.size() == before) empty_.insert(type);
  }

  void VisitShape(const Instruction& shape, const std::string& name, uint64_t offset, const MatrixLayout& matrix) {
    switch (shape.opcode) {
      case spv::Op::OpTypeInt:
        return Add(name, offset, shape.operands[1] != 0 ? ScalarKind::kInt : ScalarKind::kUint, shape.operands[0]);
      case spv::Op::OpTypeFloat:
        return Add(name, offset, ScalarKind::kFloat, shape.operands[0]);
      case spv::Op::OpTypeBool:
        return Add(name, offset, ScalarKind::kBool, kStoredBoolBits);
      case spv::Op::OpTypePointer:
        return Add(name, offset, ScalarKind::kUint, kAddressBits);
      case spv::Op::OpTypeVector:
        return VisitVector(shape, name, offset, SizeOfScalar(shape.operands[0]));
      case spv::Op::OpTypeMatrix:
        return VisitMatrix(shape, name, offset, matrix);
      case spv::Op::OpTypeArray:
        return VisitArray(shape, name, offset, matrix);
      case spv::Op::OpTypeStruct:
        return VisitStruct(shape, name, offset);
      default:
        return;
    }
  }

  [[nodiscard]] uint32_t SizeOfScalar(Id type) const {
    const bool has_width = types_.Is(type, spv::Op::OpTypeInt) || types_.Is(type, spv::Op::OpTypeFloat);
    return (has_width ? types_.Find(type)->operands[0] : kStoredBoolBits) / 8;
  }

  void VisitVector(const Instruction& shape, const std::string& name, uint64_t offset, uint64_t step) {
    for (uint32_t i = 0; i < shape.operands[1] && !IsFull(); ++i)
      Visit(shape.operands[0], name + Component(i), offset + i * step, {});
  }

  void VisitMatrix(const Instruction& shape, const std::string& name, uint64_t offset, const MatrixLayout& matrix) {
    const Instruction* column = types_.Find(shape.operands[0]);
    if (column == nullptr || column->opcode != spv::Op::OpTypeVector) return;
    const uint32_t size = SizeOfScalar(column->operands[0]);
    for (uint32_t i = 0; i < shape.operands[1] && !IsFull(); ++i)
      VisitVector(*column, name + "[" + std::to_string(i) + "]",
                  offset + uint64_t{i} * (matrix.row_major ? size : matrix.stride),
                  matrix.row_major ? matrix.stride : size);
  }

  void VisitArray(const Instruction& shape, const std::string& name, uint64_t offset, const MatrixLayout& matrix) {
    const uint64_t stride = decorations_.Find(shape.result_id, spv::Decoration::ArrayStride).value_or(0);
    const uint32_t length = constants_.Value(shape.operands[1]).value_or(0);
    const size_t before = scalars_.size();
    for (uint32_t i = 0; i < length && !IsFull(); ++i) {
      Visit(shape.operands[0], name + "[" + std::to_string(i) + "]", offset + i * stride, matrix);
      if (scalars_.size() == before) return;  // elements hold nothing, however many there are
    }
  }

  void VisitStruct(const Instruction& shape, const std::string& name, uint64_t offset) {
    for (uint32_t i = 0; i < shape.operands.size() && !IsFull(); ++i) {
      const auto known = names_.find({shape.result_id, i});
      const std::string member = known == names_.end() ? "member" + std::to_string(i) : known->second;
      const MatrixLayout matrix = {
          decorations_.FindMember(shape.result_id, i, spv::Decoration::MatrixStride).value_or(0),
          decorations_.HasMember(shape.result_id, i, spv::Decoration::RowMajor)};
      Visit(shape.operands[i], name.empty() ? member : name + "." + member,
            offset + decorations_.FindMember(shape.result_id, i, spv::Decoration::Offset).value_or(0), matrix);
    }
  }

  const size_t max_scalars_;
  const Types types_;
  const Decorations decorations_;
  const ConstantEvaluator constants_;
  const std::map<std::pair<Id, uint32_t>, std::string> names_;
  std::vector<PayloadScalar> scalars_;
  std::unordered_set<Id> empty_;
};

}  // namespace

std::vector<PayloadScalar> ReadInputScalars(const Module& module, std::string_view entry_point,
                                            const Specialization& specialization, ExecutionModel execution_model,
                                            size_t max_scalars) {
  Expected<NodeModule> node = ExtractNode(module, entry_point, execution_model);
  if (!node || node->input == kNoId) return {};
  return Walk(node->module, specialization, max_scalars).Run(node->input);
}

}  // namespace trellis::spirv
