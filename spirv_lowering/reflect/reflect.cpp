// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/reflect.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/layout.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/execution_modes.h"
#include "spirv_lowering/reflect/grid_member.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/reflect/packing.h"
#include "spirv_lowering/reflect/records_per_node.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kDeepestConstantIndices = 4096;  // distinct constant node indices worth remembering
constexpr uint64_t kUncounted = uint64_t{1} << 48;  // payloads: more than any limit
constexpr uint32_t kWidestAccess = 16;              // bytes
constexpr uint32_t kImplicitPayloadSize = 12;  // struct { uvec3 grid }: a dynamic-grid node that declares no payload

// See PayloadLayout.
uint32_t AlignmentOf(uint32_t size, uint32_t largest_scalar) {
  if (size == 0) return 1;
  const uint32_t without_padding = size & (~size + 1);
  return std::max(largest_scalar, std::min(without_padding, kWidestAccess));
}

Expected<void> CheckMeshMode(const Instruction& mode) {
  switch (static_cast<spv::ExecutionMode>(mode.operands[1])) {
    case spv::ExecutionMode::CoalescingAMDX:
      return Refuse("CoalescingAMDX", mode.operands[0], "only compute nodes coalesce");
    case spv::ExecutionMode::MaxNodeRecursionAMDX:
      return Refuse("MaxNodeRecursionAMDX", mode.operands[0], "a mesh node enqueues nothing, not even for itself");
    default:
      return {};
  }
}

Expected<void> CheckMeshInstruction(const Instruction& instruction) {
  switch (instruction.opcode) {
    case spv::Op::OpAllocateNodePayloadsAMDX:
      return Refuse(OpcodeName(instruction.opcode), instruction.result_id, "only compute nodes enqueue");
    case spv::Op::OpEnqueueNodePayloadsAMDX:
      return Refuse(OpcodeName(instruction.opcode), instruction.operands[0], "only compute nodes enqueue");
    case spv::Op::OpIsNodePayloadValidAMDX:
      return Refuse(OpcodeName(instruction.opcode), instruction.result_id, "only compute nodes have outputs");
    default:
      return {};
  }
}

// Refuses what only compute nodes have (outputs, coalescing, recursion), and payloads of task shaders.
Expected<void> CheckMeshNode(const NodeModule& node) {
  for (const Instruction& mode : node.module.execution_modes) {
    if (Expected<void> checked = CheckMeshMode(mode); !checked) return checked;
  }
  for (const Instruction& global : node.module.globals) {
    if (global.IsVariable(spv::StorageClass::TaskPayloadWorkgroupEXT))
      return Refuse("OpVariable", global.result_id,
                    "TaskPayloadWorkgroupEXT in a node: no task shader comes before it");
  }
  for (const Function& function : node.module.functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (Expected<void> checked = CheckMeshInstruction(instruction); !checked) return checked;
      }
    }
  }
  return {};
}

class Reflection {
 public:
  Reflection(NodeModule node, const Specialization& specialization, std::string_view entry_point,
             ExecutionModel execution_model)
      : node_(std::move(node)),
        module_(node_.module),
        types_(module_),
        decorations_(module_),
        constants_(module_, specialization),
        lengths_([this](Id id) { return constants_.Value(id); }),
        payload_meter_(module_, types_, {lengths_, kStoredBoolBytes}),
        type_of_(TypesOfResults(module_)),
        def_use_(module_),
        outputs_(FindOutputs(module_, types_, def_use_)) {
    info_.entry_point = entry_point;
    info_.execution_model = execution_model;
    info_.in_batches = !IsMesh();
  }

  Expected<NodeInfo> Run() {
    if (!constants_.sizes()) return Error{"node '" + info_.entry_point + "': " + constants_.sizes().error().message};
    for (const auto step : {&Reflection::CheckModel, &Reflection::ReadCapabilities, &Reflection::ReadModes,
                            &Reflection::ReadInput, &Reflection::ReadFinishWriting, &Reflection::ReadOutputs,
                            &Reflection::ReadPushConstants, &Reflection::CheckSupported}) {
      if (Expected<void> done = (this->*step)(); !done)
        return Error{"node '" + info_.entry_point + "': " + done.error().message};
    }
    if (const uint32_t invocations = info_.Invocations(); invocations < kLargeWorkgroup)
      info_.packing_obstacle =
          IsMesh() ? "a mesh node" : FindPackingObstacle(module_, types_, constants_, invocations).value_or("");
    return std::move(info_);
  }

 private:
  [[nodiscard]] bool IsMesh() const { return info_.execution_model == ExecutionModel::kMeshEXT; }

  Expected<void> CheckModel() { return IsMesh() ? CheckMeshNode(node_) : Expected<void>(); }

  Expected<void> ReadCapabilities() {
    info_.has_enqueue_capability = UsesShaderEnqueue(module_);
    info_.vulkan_memory_model =
        module_.memory_model.front().operands[1] == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    return {};
  }

  Expected<void> ReadModes() { return ReadExecutionModes(node_, types_, constants_, info_); }

  Expected<PayloadLayout> Measure(const std::string& what, Id payload) {
    if (!types_.Is(payload, spv::Op::OpTypeStruct)) return Refuse(what, payload, "not a structure");
    const std::optional<uint32_t> size = payload_meter_.Size(payload);
    if (!size)
      return Refuse(
          what, payload,
          NameOf(module_, payload) + " lacks Offset, ArrayStride or MatrixStride decorations, or has no fixed size");
    return PayloadLayout{*size, AlignmentOf(*size, payload_meter_.LargestScalar(payload))};
  }

  Expected<void> ReadFinishWriting() {
    std::unordered_set<Id> inputs;
    if (node_.input != kNoId) inputs = PointersToWhole(def_use_, type_of_, {node_.input});
    for (const Function& function : module_.functions) {
      for (const BasicBlock& block : function.blocks) {
        for (const Instruction& instruction : block.body) {
          if (instruction.opcode != spv::Op::OpFinishWritingNodePayloadAMDX) continue;
          if (!inputs.contains(instruction.operands[0]))
            return Refuse("OpFinishWritingNodePayloadAMDX", instruction.result_id,
                          "the operand is not the node's input");
          info_.finishes_writing = true;
        }
      }
    }
    return {};
  }

  Expected<void> ReadInput() {
    if (node_.input == kNoId) {
      if (info_.kind == LaunchKind::kDynamicGrid) {
        info_.input = {kImplicitPayloadSize, 4};
        info_.grid_member = GridMember{0, 4, 3};
      }
      return {};
    }
    const Id type = types_.Pointee(types_.Find(node_.input)->type_id);
    const Instruction* shape = types_.Find(type);
    if (shape == nullptr) return Refuse("input OpVariable", node_.input, "its type is not known");
    const bool is_array = shape->opcode == spv::Op::OpTypeNodePayloadArrayAMDX ||
                          shape->opcode == spv::Op::OpTypeArray || shape->opcode == spv::Op::OpTypeRuntimeArray;
    const Id payload = is_array ? shape->operands[0] : type;
    Expected<PayloadLayout> layout = Measure("input OpVariable", payload);
    if (!layout) return layout.error();
    info_.input = *layout;
    if (info_.kind == LaunchKind::kCoalescing) {
      if (!is_array)
        return Refuse("input OpVariable", node_.input, "the input of a coalescing node is not a payload array");
      if (Expected<void> read =
              ReadDecorationId(type, spv::Decoration::NodeMaxPayloadsAMDX, "NodeMaxPayloadsAMDX", info_.coalesce);
          !read)
        return read;
      info_.coalesce = std::max(info_.coalesce, 1u);
    }
    if (info_.kind == LaunchKind::kDynamicGrid) {
      Expected<std::optional<GridMember>> member = FindGridMember(module_, decorations_, types_, lengths_, payload);
      if (!member) return member.error();
      if (!*member && info_.input.size < kImplicitPayloadSize) {
        return Refuse("input OpVariable", node_.input,
                      "the node has neither StaticNumWorkgroupsAMDX nor CoalescingAMDX, and its payload has no member "
                      "with PayloadDispatchIndirectAMDX");
      }
      // Without the decoration the payload begins with a VkDispatchIndirectCommand (the chapter's older wording).
      info_.grid_member = member->value_or(GridMember{0, 4, 3});
    }
    info_.writes_input = WritesVariable(def_use_, types_, type_of_, node_.input);
    return {};
  }

  // The id operand of an OpDecorateId on `target`, evaluated; `into` keeps its value if there is none.
  Expected<void> ReadDecorationId(Id target, spv::Decoration decoration, const char* name, uint32_t& into) const {
    const std::optional<uint32_t> id = decorations_.Find(target, decoration);
    return id ? ReadOperand(constants_, name, *id, into) : Expected<void>();
  }

  // The type with the maximum of payloads that counts for an output.
  [[nodiscard]] Id LimitOf(Id array_type) const {
    return decorations_.Find(array_type, spv::Decoration::NodeSharesPayloadLimitsWithAMDX).value_or(array_type);
  }

  Expected<NodeOutputInfo> ReadOutput(Id array_type) {
    NodeOutputInfo output;
    const std::optional<uint32_t> name_id = decorations_.Find(array_type, spv::Decoration::PayloadNodeNameAMDX);
    if (!name_id) return Refuse("OpTypeNodePayloadArrayAMDX", array_type, "an output type without PayloadNodeNameAMDX");
    const std::optional<std::string> name = constants_.String(*name_id);
    if (!name)
      return Refuse("PayloadNodeNameAMDX", *name_id,
                    "the node name is not an OpConstantStringAMDX or OpSpecConstantStringAMDX");
    output.target_name = *name;
    const Id budget = LimitOf(array_type);
    if (!decorations_.Has(budget, spv::Decoration::NodeMaxPayloadsAMDX)) {
      return Refuse("OpTypeNodePayloadArrayAMDX", budget, "an output type without NodeMaxPayloadsAMDX");
    }
    for (const auto& [decoration, label, target, into] :
         {std::tuple{spv::Decoration::NodeMaxPayloadsAMDX, "NodeMaxPayloadsAMDX", budget, &output.max_payloads},
          std::tuple{spv::Decoration::PayloadNodeBaseIndexAMDX, "PayloadNodeBaseIndexAMDX", array_type,
                     &output.base_index},
          std::tuple{spv::Decoration::PayloadNodeArraySizeAMDX, "PayloadNodeArraySizeAMDX", array_type,
                     &output.array_size}}) {
      if (Expected<void> read = ReadDecorationId(target, decoration, label, *into); !read) return read.error();
    }
    Expected<std::optional<uint32_t>> per_node = FindRecordsPerNode(module_, array_type);
    if (!per_node) return Refuse("OpTypeNodePayloadArrayAMDX", array_type, per_node.error().message);
    if (*per_node) output.max_payloads_per_node = std::min(**per_node, output.max_payloads);
    output.sparse = decorations_.Has(array_type, spv::Decoration::PayloadNodeSparseArrayAMDX);
    const auto [asked, end] = outputs_.asked_indices.equal_range(array_type);
    output.is_asked_by_base =
        output.base_index != 0 && output.array_size == 0 &&
        std::any_of(asked, end, [&](const auto& pair) { return constants_.Value(pair.second) == output.base_index; });
    Expected<PayloadLayout> layout =
        Measure("payload of OpTypeNodePayloadArrayAMDX", types_.Find(array_type)->operands[0]);
    if (!layout) return layout.error();
    output.payload = *layout;
    return output;
  }

  // Payloads that the allocation takes for one workgroup at most; each time that it runs they are cut to the limit of
  // the output. What is enqueued by itself may be enqueued more than once.
  [[nodiscard]] uint64_t MaxSent(const Allocation& allocation, const NodeOutputInfo& output) const {
    if (!allocation.runs_once || allocation.commit == Commit::kAtEnqueue) return kUncounted;
    const std::vector<uint32_t>& operands = allocation.instruction->operands;
    const bool of_workgroup = constants_.Value(operands[0]) == static_cast<uint32_t>(spv::Scope::Workgroup);
    const uint64_t invocations = of_workgroup ? 1 : info_.Invocations();
    return invocations * std::min(constants_.Value(operands[1]).value_or(output.max_payloads), output.max_payloads);
  }

  Expected<void> ReadOutputs() {
    std::vector<Id> limits;  // the types that have them
    for (const Id array_type : outputs_.array_types) {
      Expected<NodeOutputInfo> output = ReadOutput(array_type);
      if (!output) return output.error();
      const Id limit = LimitOf(array_type);
      if (const auto first = std::find(limits.begin(), limits.end(), limit); first != limits.end())
        output->shares_limit_with = static_cast<uint32_t>(first - limits.begin());
      limits.push_back(limit);
      info_.outputs.push_back(*std::move(output));
    }
    std::vector<std::set<uint32_t>> indices(info_.outputs.size());
    std::vector<bool> constant(info_.outputs.size(), true);
    std::vector<uint64_t> max_sent(info_.outputs.size());
    for (const auto& [id, allocation] : outputs_.allocations) {
      if (allocation.output_number >= info_.outputs.size() ||
          types_.PointerClass(allocation.instruction->type_id) != spv::StorageClass::NodePayloadAMDX) {
        return Refuse("OpAllocateNodePayloadsAMDX", id,
                      "the result is not a NodePayloadAMDX pointer to a payload array");
      }
      NodeOutputInfo& output = info_.outputs[allocation.output_number];
      output.uses_heap = output.uses_heap || allocation.commit == Commit::kAtEnqueue;
      uint64_t& sent = max_sent[allocation.output_number];
      sent = std::min(sent + MaxSent(allocation, output), kUncounted);
      const std::optional<uint32_t> index = constants_.Value(allocation.instruction->operands[2]);
      if (!index || indices[allocation.output_number].size() >= kDeepestConstantIndices) {
        constant[allocation.output_number] = false;
      } else {
        indices[allocation.output_number].insert(*index + output.base_index);
      }
    }
    std::vector<uint64_t> sent_by_group(info_.outputs.size());
    for (size_t i = 0; i < info_.outputs.size(); ++i) {
      uint64_t& sent = sent_by_group[info_.outputs[i].shares_limit_with.value_or(i)];
      sent = std::min(sent + max_sent[i], kUncounted);
    }
    for (size_t i = 0; i < info_.outputs.size(); ++i) {
      NodeOutputInfo& output = info_.outputs[i];
      if (constant[i]) output.constant_indices.emplace(indices[i].begin(), indices[i].end());
      output.limit_holds = max_sent[i] <= output.max_payloads_per_node.value_or(output.max_payloads) &&
                           sent_by_group[output.shares_limit_with.value_or(i)] <= output.max_payloads;
    }
    return {};
  }

  Expected<void> ReadPushConstants() {
    for (const Instruction& global : module_.globals) {
      if (!global.IsVariable(spv::StorageClass::PushConstant)) continue;
      const Id type = types_.Pointee(global.type_id);
      const std::optional<uint32_t> size = LayoutMeter(module_, types_, {lengths_}).Size(type);
      if (!size)
        return Refuse("push constant OpVariable", global.result_id,
                      "the block lacks layout decorations or has no fixed size");
      info_.push_constant_end = std::max(info_.push_constant_end, *size);
    }
    return {};
  }

  Expected<void> CheckSupported() {
    for (const BuiltInTarget& found : FindBuiltIns(module_)) {
      if (types_.Find(found.target) == nullptr) continue;
      if (found.built_in == spv::BuiltIn::NumWorkgroups)
        return Refuse(found.member ? "OpTypeStruct" : "OpVariable", found.target,
                      "the built-in NumWorkgroups must not be used in an execution graph");
      if (found.member && IsOfGraph(found.built_in))
        return Refuse("OpTypeStruct", found.target,
                      "member " + std::to_string(*found.member) + " is the built-in " + BuiltInName(found.built_in) +
                          ": not supported in a block, declare a variable of its own (docs/limitations.md)");
    }
    for (const Instruction& global : module_.globals) {
      if (global.opcode == spv::Op::OpUntypedVariableKHR &&
          global.operands[0] == static_cast<uint32_t>(spv::StorageClass::PushConstant)) {
        return Refuse("OpUntypedVariableKHR", global.result_id,
                      "untyped push constants: not supported (docs/limitations.md)");
      }
    }
    for (const Instruction& capability : module_.capabilities) {
      // It comes with the execution mode SubgroupSize, which compilers emit for HLSL's WaveSize.
      if (capability.operands[0] != static_cast<uint32_t>(spv::Capability::SubgroupDispatch)) continue;
      return Refuse(
          "OpCapability SubgroupDispatch in the module of OpEntryPoint", node_.entry_function,
          "not for Vulkan. VkPipelineShaderStageRequiredSubgroupSizeCreateInfo demands a subgroup size, not the "
          "execution mode SubgroupSize");
    }
    return {};
  }

  NodeModule node_;
  Module& module_;
  Types types_;
  const Decorations decorations_;
  ConstantEvaluator constants_;
  const ConstantValues lengths_;
  LayoutMeter payload_meter_;
  const TypeMap type_of_;
  const DefUse def_use_;
  Outputs outputs_;
  NodeInfo info_;
};

}  // namespace

Expected<NodeInfo> Reflect(const Module& module, std::string_view entry_point, const Specialization& specialization,
                           ExecutionModel execution_model) {
  Expected<NodeModule> node = ExtractNode(module, entry_point, execution_model);
  if (!node) return node.error();
  // Members keep pointers into each other: the object must not move.
  Reflection reflection(*std::move(node), specialization, entry_point, execution_model);
  return reflection.Run();
}

}  // namespace trellis::spirv
