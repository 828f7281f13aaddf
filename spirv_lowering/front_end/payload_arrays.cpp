// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/payload_arrays.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>

#include "spirv_lowering/passes/order_globals.h"
#include "spirv_lowering/reflect/records_per_node.h"

namespace trellis::spirv {
namespace {

constexpr const char* kEmptyRecord = "NodeEmpty";

Id AppendString(Module& module, Types& types, const NodeNameStandIn& name) {
  if (!name.spec_id) return types.FindOrAppend(spv::Op::OpConstantStringAMDX, kNoId, EncodeString(name.text));
  const Id id = types.Append(spv::Op::OpSpecConstantStringAMDX, kNoId, EncodeString(name.text));
  constexpr auto kSpecId = static_cast<uint32_t>(spv::Decoration::SpecId);
  module.annotations.push_back({spv::Op::OpDecorate, kNoId, kNoId, {id, kSpecId, *name.spec_id}});
  return id;
}

class Maker {
 public:
  Maker(Module& module, Types& types, const StandIns& stand_ins)
      : module_(module), types_(types), stand_ins_(stand_ins), names_(ReadNames(module)) {}

  Expected<PayloadArrays> Run() {
    for (const OutputStandIn& output : stand_ins_.outputs) {
      if (Expected<void> made = MakeOutput(output); !made) return made.error();
    }
    for (const OutputStandIn& output : stand_ins_.outputs) {
      if (Expected<void> joined = JoinLimits(output); !joined) return joined.error();
    }
    if (stand_ins_.input && types_.ConstantValue(stand_ins_.input->max_payloads) == 0u) {
      return Error{Prefix(stand_ins_.input->where) + "the maximum of NODE_INPUTS '" + stand_ins_.input->name +
                   "' is 0, so no payload can arrive: give the largest number of payloads that one workgroup takes"};
    }
    if (stand_ins_.input) MakeInput(*stand_ins_.input);
    MoveStructDecorations();
    if (Expected<void> fine = CheckHolders(); !fine) return fine.error();
    return std::move(made_);
  }

 private:
  void Decorate(Id target, spv::Decoration decoration) {
    module_.annotations.push_back({spv::Op::OpDecorate, kNoId, kNoId, {target, static_cast<uint32_t>(decoration)}});
  }
  void DecorateId(Id target, spv::Decoration decoration, Id operand) {
    if (operand == kNoId) return;
    module_.annotations.push_back(
        {spv::Op::OpDecorateId, kNoId, kNoId, {target, static_cast<uint32_t>(decoration), operand}});
  }

  // The record that the payload array gets for an element type of the GLSL block.
  Id RecordOf(Id element, bool& empty) {
    empty = names_[element] == kEmptyRecord;
    if (!empty) {
      records_.insert(element);
      return element;
    }
    if (empty_record_ == kNoId) empty_record_ = types_.Append(spv::Op::OpTypeStruct, kNoId, {});
    return empty_record_;
  }

  // Pointers that GLSL has for handles of the block `type_name`; the block's element type.
  std::pair<std::vector<Instruction*>, Id> FindBlock(const std::string& type_name) {
    std::vector<Instruction*> pointers;
    Id element = kNoId;
    for (Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpTypePointer || names_[global.operands[1]] != type_name) continue;
      if (static_cast<spv::StorageClass>(global.operands[0]) != spv::StorageClass::PhysicalStorageBuffer) continue;
      const Instruction* block = types_.Find(global.operands[1]);
      const Instruction* member =
          block != nullptr && block->operands.size() == 1 ? types_.Find(block->operands[0]) : nullptr;
      if (member == nullptr || member->opcode != spv::Op::OpTypeRuntimeArray) continue;
      element = member->operands[0];
      pointers.push_back(&global);
    }
    return {pointers, element};
  }

  Expected<void> MakeOutput(const OutputStandIn& output) {
    if (output.target.text.empty())
      return Error{Prefix(output.where) + "output '" + output.type_name + "' has no node name"};
    const auto [pointers, element] = FindBlock(output.type_name);
    // Declared and never used: glslang leaves nothing of the block.
    if (pointers.empty()) return {};
    if (Expected<void> fine = CheckNumbers(output); !fine) return fine;
    if (pointers.size() > 1)
      return Error{Prefix(output.where) + "output '" + output.type_name + "' has more than one handle type"};
    const Id array = pointers[0]->result_id;
    bool empty = false;
    const Id record = RecordOf(element, empty);
    // Creating the record may have moved the globals.
    *std::ranges::find(module_.globals, array, &Instruction::result_id) =
        Instruction(spv::Op::OpTypeNodePayloadArrayAMDX, kNoId, array, {record});
    std::erase_if(module_.debug_names, [&](const Instruction& name) { return name.operands[0] == array; });
    made_.outputs[array] = empty;
    made_.declared[array] = output.where;
    made_.declared[record] = output.where;
    Declare(output, array);
    DecorateId(array, spv::Decoration::PayloadNodeBaseIndexAMDX, output.base_index);
    DecorateId(array, spv::Decoration::PayloadNodeArraySizeAMDX, output.array_size);
    if (output.sparse) Decorate(array, spv::Decoration::PayloadNodeSparseArrayAMDX);
    return LimitEachNode(output, array);
  }

  void Declare(const OutputStandIn& output, Id array) {
    module_.debug_names.push_back(NameInstruction(array, output.type_name));
    array_of_[output.type_name] = array;
    DecorateId(array, spv::Decoration::PayloadNodeNameAMDX, AppendString(module_, types_, output.target));
    DecorateId(array, spv::Decoration::NodeMaxPayloadsAMDX, output.max_payloads);
  }

  // With 0 nothing can be enqueued. The maximum of an output that shares another one's means nothing.
  [[nodiscard]] Expected<void> CheckNumbers(const OutputStandIn& output) const {
    const auto refuse = [&](const std::string& what, const std::string& number) {
      return Error{Prefix(output.where) + what + " '" + output.type_name + "' for node '" + output.target.text +
                   "' is 0, so nothing can be enqueued: give the largest number of payloads that one workgroup " +
                   number};
    };
    if (output.limit_of.empty() && types_.ConstantValue(output.max_payloads) == 0u)
      return refuse("the maximum of NODE_OUTPUT", "allocates");
    if (types_.ConstantValue(output.max_per_node) == 0u)
      return refuse("NODE_MAX_PER_NODE in front of", "enqueues to one node");
    return {};
  }

  Expected<void> LimitEachNode(const OutputStandIn& output, Id array) {
    if (output.max_per_node == kNoId) return {};
    const std::optional<uint32_t> count = types_.ConstantValue(output.max_per_node);
    if (!count) {
      return Error{Prefix(output.where) + "NODE_MAX_PER_NODE in front of '" + output.type_name +
                   "': the number must be an integer that does not depend on specialisation constants"};
    }
    std::vector<uint32_t> words = EncodeString(FormatRecordsPerNode(*count));
    words.insert(words.begin(), {array, static_cast<uint32_t>(spv::Decoration::UserSemantic)});
    module_.annotations.emplace_back(spv::Op::OpDecorateString, kNoId, kNoId, std::move(words));
    return {};
  }

  static Instruction NameInstruction(Id id, const std::string& text) {
    std::vector<uint32_t> words = EncodeString(text);
    words.insert(words.begin(), id);
    return {spv::Op::OpName, kNoId, kNoId, std::move(words)};
  }

  Expected<void> JoinLimits(const OutputStandIn& output) {
    const auto array = array_of_.find(output.type_name);
    if (output.limit_of.empty() || array == array_of_.end()) return {};
    const auto refuse = [&](const char* why) {
      return Error{Prefix(output.where) + "NODE_LIMIT_OF(\"" + output.limit_of + "\") in front of '" +
                   output.type_name + "': " + why};
    };
    const auto target = std::ranges::find(stand_ins_.outputs, output.limit_of, &OutputStandIn::type_name);
    if (target == stand_ins_.outputs.end()) return refuse("there is no output of that type name");
    if (target->type_name == output.type_name || !target->limit_of.empty())
      return refuse("that output must have a maximum of its own");
    Id target_array = array_of_[output.limit_of];
    if (target_array == kNoId) target_array = MakeUnusedOutput(*target);
    DecorateId(array->second, spv::Decoration::NodeSharesPayloadLimitsWithAMDX, target_array);
    return {};
  }

  // Makes an output that nothing uses: only its maximum counts, and its payload's type is not kept.
  Id MakeUnusedOutput(const OutputStandIn& output) {
    if (empty_record_ == kNoId) empty_record_ = types_.Append(spv::Op::OpTypeStruct, kNoId, {});
    const Id array = types_.Append(spv::Op::OpTypeNodePayloadArrayAMDX, kNoId, {empty_record_});
    Declare(output, array);
    return array;
  }

  void MakeInput(const InputStandIn& input) {
    Id element = types_.Find(input.block)->operands[0];
    if (input.many) element = types_.Find(element)->operands[0];
    const bool is_output_record = records_.contains(element);
    const Id record = RecordOf(element, made_.input_empty);
    const Id array = types_.Append(spv::Op::OpTypeNodePayloadArrayAMDX, kNoId, {record});
    const Id pointer = types_.Pointer(spv::StorageClass::NodePayloadAMDX, array);
    Instruction& variable = *std::ranges::find(module_.globals, input.variable, &Instruction::result_id);
    variable.type_id = pointer;
    variable.operands[0] = static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
    made_.input = input.variable;
    for (const Id id : {input.variable, array, record}) made_.declared[id] = input.where;
    made_.input_many = input.many;
    const auto names_input = [&](const Instruction& instruction) { return instruction.operands[0] == input.variable; };
    std::erase_if(module_.annotations, names_input);
    std::erase_if(module_.debug_names, names_input);
    module_.debug_names.push_back(NameInstruction(input.variable, input.name));
    DecorateId(array, spv::Decoration::NodeMaxPayloadsAMDX, input.max_payloads);
    // glslang gives each block a structure of its own; if it did not, the outputs must stay writable.
    if (!input.read_only || is_output_record) return;
    const size_t members = types_.Find(record)->operands.size();
    constexpr auto kNonWritable = static_cast<uint32_t>(spv::Decoration::NonWritable);
    for (uint32_t member = 0; member < members; ++member)
      module_.annotations.push_back({spv::Op::OpMemberDecorate, kNoId, kNoId, {record, member, kNonWritable}});
  }

  // TrackFinishWritingAMDX stands on a member, since GLSL cannot decorate a structure; structures of local copies carry
  // it for nothing.
  void MoveStructDecorations() {
    std::unordered_set<Id> tracked;
    std::unordered_set<Id> laid_out;
    for (const Instruction& annotation : module_.annotations)
      if (annotation.opcode == spv::Op::OpMemberDecorate && annotation.operands[1] == 0 &&
          annotation.operands[2] == static_cast<uint32_t>(spv::Decoration::Offset))
        laid_out.insert(annotation.operands[0]);
    std::erase_if(module_.annotations, [&](const Instruction& annotation) {
      if (annotation.opcode != spv::Op::OpMemberDecorate) return false;
      const Id type = annotation.operands[0];
      const auto decoration = static_cast<spv::Decoration>(annotation.operands[2]);
      if (decoration == spv::Decoration::TrackFinishWritingAMDX) {
        if (records_.contains(type)) tracked.insert(type);
        return true;
      }
      return decoration == spv::Decoration::PayloadDispatchIndirectAMDX && !laid_out.contains(type);
    });
    for (const Id type : tracked) Decorate(type, spv::Decoration::TrackFinishWritingAMDX);
  }

  Expected<void> CheckHolders() {
    for (const Instruction& global : module_.globals) {
      const bool holder = global.opcode == spv::Op::OpTypeStruct || global.opcode == spv::Op::OpTypeArray ||
                          global.opcode == spv::Op::OpTypeRuntimeArray;
      if (!holder) continue;
      for (const Id part : global.operands) {
        if (!made_.outputs.contains(part)) continue;
        return Error{"a payload handle of type '" + NameOf(module_, part) + "' is kept in " +
                     (global.opcode == spv::Op::OpTypeStruct ? "structure '" + NameOf(module_, global.result_id) + "'"
                                                             : std::string("an array")) +
                     ": keep handles in variables of their own"};
      }
    }
    return {};
  }

  Module& module_;
  Types& types_;
  const StandIns& stand_ins_;
  std::unordered_map<Id, std::string> names_;
  std::unordered_map<std::string, Id> array_of_;
  std::unordered_set<Id> records_;
  Id empty_record_ = kNoId;
  PayloadArrays made_;
};

bool IsScalarGlobal(const Instruction& global, const std::unordered_set<Id>& scalars) {
  switch (global.opcode) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeFloat:
    case spv::Op::OpConstantStringAMDX:
    case spv::Op::OpSpecConstantStringAMDX:
      return true;
    case spv::Op::OpConstant:
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpSpecConstantOp:
      return scalars.contains(global.type_id);
    default:
      return false;
  }
}

}  // namespace

Expected<PayloadArrays> MakePayloadArrays(Module& module, Types& types, const StandIns& stand_ins) {
  return Maker(module, types, stand_ins).Run();
}

void AddSharedInputMode(Module& module, Types& types, const SharedInputStandIn& shared_input) {
  const Id name = AppendString(module, types, shared_input.target);
  const Id index = shared_input.index == kNoId ? types.ConstantUint(0) : shared_input.index;
  constexpr auto kMode = static_cast<uint32_t>(spv::ExecutionMode::SharesInputWithAMDX);
  for (const Instruction& entry : module.entry_points)
    module.execution_modes.push_back(
        {spv::Op::OpExecutionModeId, kNoId, kNoId, {entry.operands[1], kMode, name, index}});
}

void OrderDecorationOperands(Module& module) {
  std::unordered_set<Id> scalars, sharing;
  for (const Instruction& annotation : module.annotations) {
    if (annotation.opcode == spv::Op::OpDecorateId &&
        static_cast<spv::Decoration>(annotation.operands[1]) == spv::Decoration::NodeSharesPayloadLimitsWithAMDX) {
      sharing.insert(annotation.operands[0]);
    }
  }
  std::array<std::vector<Instruction>, 4>
      parts;  // scalars, payload arrays with a maximum of their own, those that share, the rest
  for (Instruction& global : module.globals) {
    size_t part = 3;
    // Announcements of pointers move along: a payload that moves forward may hold such a pointer.
    if (IsScalarGlobal(global, scalars) || global.opcode == spv::Op::OpTypeForwardPointer) {
      part = 0;
      if (global.type_id == kNoId && global.result_id != kNoId) scalars.insert(global.result_id);
    } else if (global.opcode == spv::Op::OpTypeNodePayloadArrayAMDX) {
      part = sharing.contains(global.result_id) ? 2 : 1;
    }
    parts[part].push_back(std::move(global));
  }
  module.globals.clear();
  for (std::vector<Instruction>& part : parts) std::move(part.begin(), part.end(), std::back_inserter(module.globals));
  OrderGlobals(module);
}

}  // namespace trellis::spirv
