// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/stand_ins.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace trellis::spirv {
namespace {

constexpr std::string_view kOutput = "node_output_";
constexpr std::string_view kLimit = "node_limit_";
constexpr std::string_view kInput = "node_input_";
constexpr std::string_view kSharedInput = "node_shares_input_";
constexpr std::string_view kSharedIndex = "node_shares_index_";

// The decorations of one variable, as the header writes them.
struct Carried {
  std::string name, type;  // UserSemantic, UserTypeGOOGLE
  std::optional<uint32_t> spec_id;
  uint32_t line = 0;
  Id max_payloads = kNoId, base_index = kNoId, array_size = kNoId, max_per_node = kNoId;
  bool sparse = false;
};

void Read(const Instruction& annotation, Carried& carried) {
  const std::vector<uint32_t>& words = annotation.operands;
  const auto text = [&] { return DecodeString(words.data() + 2, words.size() - 2); };
  switch (static_cast<spv::Decoration>(words[1])) {
    case spv::Decoration::UserSemantic:
      carried.name = text();
      break;
    case spv::Decoration::UserTypeGOOGLE:
      carried.type = text();
      break;
    case spv::Decoration::SpecId:
      carried.spec_id = words[2];
      break;
    case spv::Decoration::Location:
      carried.line = words[2];
      break;
    case spv::Decoration::NodeMaxPayloadsAMDX:
      carried.max_payloads = words[2];
      break;
    case spv::Decoration::PayloadNodeBaseIndexAMDX:
      carried.base_index = words[2];
      break;
    case spv::Decoration::PayloadNodeArraySizeAMDX:
      carried.array_size = words[2];
      break;
    // Here the maximum for each node of an array: limits are shared by name.
    case spv::Decoration::NodeSharesPayloadLimitsWithAMDX:
      carried.max_per_node = words[2];
      break;
    case spv::Decoration::PayloadNodeSparseArrayAMDX:
      carried.sparse = true;
      break;
    default:
      break;
  }
}

bool Takes(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

class Finder {
 public:
  Finder(const Module& module, const Types& types, const SourceLines& lines)
      : module_(module), types_(types), lines_(lines), names_(ReadNames(module)) {
    for (const Instruction& global : module.globals) {
      if (global.opcode == spv::Op::OpVariable) carried_[global.result_id] = {};
    }
    for (const Instruction& annotation : module.annotations) {
      const bool on_variable = annotation.opcode == spv::Op::OpDecorate || annotation.opcode == spv::Op::OpDecorateId ||
                               annotation.opcode == spv::Op::OpDecorateString;
      const auto found = on_variable ? carried_.find(annotation.operands[0]) : carried_.end();
      if (found != carried_.end()) Read(annotation, found->second);
    }
  }

  Expected<StandIns> Run() {
    std::unordered_map<std::string, Id> limits;
    for (const Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpVariable) continue;
      const Id id = global.result_id;
      const Carried& carried = carried_[id];
      std::string_view name = names_[id];
      if (static_cast<spv::StorageClass>(global.operands[0]) == spv::StorageClass::StorageBuffer) {
        if (Expected<void> read = ReadInput(global, carried); !read) return read.error();
      } else if (Takes(name, kOutput)) {
        found_.outputs.push_back({std::string(name),
                                  {carried.name, carried.spec_id},
                                  kNoId,
                                  carried.base_index,
                                  carried.array_size,
                                  carried.max_per_node,
                                  carried.sparse,
                                  carried.type,
                                  lines_.Declaration(carried.line, name)});
        found_.variables.push_back(id);
      } else if (Takes(name, kLimit)) {
        limits[std::string(name)] = carried.max_payloads;
        found_.variables.push_back(id);
      } else if (name == kSharedInput) {
        Shared().target = {carried.name, carried.spec_id};
        Shared().where = lines_.Declaration(carried.line, carried.name);
        found_.variables.push_back(id);
      } else if (name == kSharedIndex) {
        Shared().index = carried.base_index;
        found_.variables.push_back(id);
      }
    }
    for (OutputStandIn& output : found_.outputs) output.max_payloads = limits[output.type_name];
    return std::move(found_);
  }

 private:
  SharedInputStandIn& Shared() {
    if (!found_.shared_input) found_.shared_input.emplace();
    return *found_.shared_input;
  }

  // A storage buffer with NodeMaxPayloadsAMDX.
  Expected<void> ReadInput(const Instruction& variable, const Carried& carried) {
    if (carried.max_payloads == kNoId || !types_.IsPointer(variable.type_id)) return {};
    const Id block = types_.Pointee(variable.type_id);
    std::string_view name = names_[block];
    if (!Takes(name, kInput) || !types_.Is(block, spv::Op::OpTypeStruct)) return {};
    const std::vector<Id>& members = types_.Find(block)->operands;
    if (members.size() != 1) return {};
    const SourceLine where = lines_.Declaration(carried.line, name);
    if (found_.input) {
      return Error{Prefix(where) + "a node has one input: '" + found_.input->name + "' is declared already"};
    }
    found_.input = InputStandIn{std::string(name),
                                variable.result_id,
                                block,
                                types_.Is(members[0], spv::Op::OpTypeRuntimeArray),
                                Decorations(module_).HasMember(block, 0, spv::Decoration::NonWritable),
                                carried.max_payloads,
                                where};
    return {};
  }

  const Module& module_;
  const Types& types_;
  const SourceLines& lines_;
  std::unordered_map<Id, std::string> names_;
  std::unordered_map<Id, Carried> carried_;
  StandIns found_;
};

}  // namespace

std::unordered_map<Id, std::string> ReadNames(const Module& module) {
  std::unordered_map<Id, std::string> names;
  for (const Instruction& name : module.debug_names) {
    if (name.opcode == spv::Op::OpName)
      names[name.operands[0]] = DecodeString(name.operands.data() + 1, name.operands.size() - 1);
  }
  return names;
}

Expected<StandIns> FindStandIns(const Module& module, const Types& types, const SourceLines& lines) {
  return Finder(module, types, lines).Run();
}

void RemoveVariables(Module& module, const std::vector<Id>& ids) {
  const std::unordered_set<Id> gone(ids.begin(), ids.end());
  std::erase_if(module.globals, [&](const Instruction& global) { return gone.contains(global.result_id); });
  const auto targets_one = [&](const Instruction& instruction) { return gone.contains(instruction.operands[0]); };
  std::erase_if(module.annotations, targets_one);
  std::erase_if(module.debug_names, targets_one);
  for (Instruction& entry : module.entry_points) {
    const auto interface = entry.operands.begin() + static_cast<std::ptrdiff_t>(InterfaceStart(entry));
    entry.operands.erase(std::remove_if(interface, entry.operands.end(), [&](Id id) { return gone.contains(id); }),
                         entry.operands.end());
  }
}

}  // namespace trellis::spirv
