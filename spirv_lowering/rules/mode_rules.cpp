// SPDX-License-Identifier: Apache-2.0
// Execution modes.
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "spirv_lowering/reflect/grid_member.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kImplicitGridBytes = 12;  // VkDispatchIndirectCommand

struct ModeShape {
  spv::ExecutionMode mode;
  const char* name;
  const char* operands;  // one letter each: i integer, b bool, s string
};

constexpr std::array<ModeShape, 7> kModes = {
    {{spv::ExecutionMode::CoalescingAMDX, "CoalescingAMDX", ""},
     {spv::ExecutionMode::IsApiEntryAMDX, "IsApiEntryAMDX", "b"},
     {spv::ExecutionMode::MaxNodeRecursionAMDX, "MaxNodeRecursionAMDX", "i"},
     {spv::ExecutionMode::StaticNumWorkgroupsAMDX, "StaticNumWorkgroupsAMDX", "iii"},
     {spv::ExecutionMode::ShaderIndexAMDX, "ShaderIndexAMDX", "i"},
     {spv::ExecutionMode::MaxNumWorkgroupsAMDX, "MaxNumWorkgroupsAMDX", "iii"},
     {spv::ExecutionMode::SharesInputWithAMDX, "SharesInputWithAMDX", "si"}}};

void CheckOperands(RuleContext& context, const EntryPointFacts& entry, const Instruction& mode,
                   const ModeShape& shape) {
  const std::string name = shape.name;
  for (size_t i = 0; shape.operands[i] != '\0' && 2 + i < mode.operands.size(); ++i) {
    const Id operand = mode.operands[2 + i];
    const auto report = [&](const char* problem) {
      context.Report(name + "/operands", operand, name + ": " + problem, &entry);
    };
    if (shape.operands[i] == 'i' && !context.IsInt32Constant(operand)) {
      report("the operand must be a 32-bit integer constant");
    } else if (shape.operands[i] == 'b' && !context.IsBoolConstant(operand)) {
      report("the operand must be a bool constant");
    } else if (shape.operands[i] == 's' && !context.IsStringConstant(operand)) {
      report("the node name must be an OpConstantStringAMDX or OpSpecConstantStringAMDX");
    }
  }
}

void CheckCombination(RuleContext& context, const EntryPointFacts& entry) {
  const bool coalescing = entry.Mode(spv::ExecutionMode::CoalescingAMDX) != nullptr;
  const bool fixed = entry.Mode(spv::ExecutionMode::StaticNumWorkgroupsAMDX) != nullptr;
  const bool bounded = entry.Mode(spv::ExecutionMode::MaxNumWorkgroupsAMDX) != nullptr;
  if (coalescing && (fixed || bounded)) {
    context.Report("CoalescingAMDX/exclusive", entry.function,
                   std::string("a coalescing node has no grid: CoalescingAMDX excludes ") +
                       (fixed ? "StaticNumWorkgroupsAMDX" : "MaxNumWorkgroupsAMDX"),
                   &entry);
  } else if (fixed && bounded) {
    context.Report("StaticNumWorkgroupsAMDX/exclusive", entry.function,
                   "StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX exclude each other", &entry);
  }
  if (entry.model == spv::ExecutionModel::GLCompute) return;
  if (coalescing)
    context.Report("CoalescingAMDX/execution-model", entry.function, "CoalescingAMDX is only for GLCompute", &entry);
  if (entry.Mode(spv::ExecutionMode::MaxNodeRecursionAMDX) != nullptr) {
    context.Report("MaxNodeRecursionAMDX/execution-model", entry.function,
                   "MaxNodeRecursionAMDX is only for GLCompute: other nodes enqueue nothing", &entry);
  }
}

Id InputPayload(const RuleContext& context, const EntryPointFacts& entry) {
  return entry.input() == kNoId ? kNoId : context.PayloadOf(context.types().Pointee(context.TypeOf(entry.input())));
}

bool IsNonWritable(const RuleContext& context, Id variable, Id payload) {
  if (context.decorations().Has(variable, spv::Decoration::NonWritable)) return true;
  const size_t members = context.types().Find(payload)->operands.size();
  for (uint32_t member = 0; member < members; ++member) {
    if (!context.decorations().HasMember(payload, member, spv::Decoration::NonWritable)) return false;
  }
  return true;
}

// Where the first store or atomic is through a pointer derived from the entry point's input, in the functions that it
// can run.
std::optional<SourceLine> FindPayloadWrite(const RuleContext& context, const EntryPointFacts& entry) {
  const DefUse& def_use = context.def_use();
  const std::vector<Function>& functions = context.module().functions;
  std::optional<DefUse::Use> first;
  const auto position = [](const DefUse::Use& use) { return std::tuple(use.function, use.block, use.index); };
  for (const Id pointer : def_use.DerivedFrom({entry.input()})) {
    for (const DefUse::Use& use : def_use.Of(pointer)) {
      const bool writes = def_use.KindOf(use) == PointerUse::kWrites &&
                          def_use.UserOf(use).opcode != spv::Op::OpFinishWritingNodePayloadAMDX;
      if (!writes || !entry.functions.contains(functions[use.function].id())) continue;
      if (!first || position(use) < position(*first)) first = use;
    }
  }
  if (!first) return std::nullopt;
  return context.lines().At(functions[first->function].blocks[first->block], first->index);
}

void CheckSharing(RuleContext& context, const EntryPointFacts& entry) {
  if (entry.Mode(spv::ExecutionMode::SharesInputWithAMDX) == nullptr) return;
  if (const Instruction* api = entry.Mode(spv::ExecutionMode::IsApiEntryAMDX)) {
    if (context.types().Is(api->operands[2], spv::Op::OpConstantTrue)) {
      context.Report("SharesInputWithAMDX/IsApiEntryAMDX", api->operands[2],
                     "a node that shares its input is no API entry: IsApiEntryAMDX must be false", &entry);
    }
  }
  const Id payload = InputPayload(context, entry);
  if (payload == kNoId) return;
  const std::optional<SourceLine> write = FindPayloadWrite(context, entry);
  const bool is_declared = IsNonWritable(context, entry.input(), payload);
  if (is_declared && !write) return;
  RuleViolation& violation = context.Report("SharesInputWithAMDX/NonWritable", entry.input(),
                                            "the input " + context.Name(entry.input()) + " of a node that shares it " +
                                                (is_declared ? "is NonWritable" : "must be NonWritable") +
                                                (write ? ", and it is written" : ""),
                                            &entry, write.value_or(SourceLine()));
  violation.tolerated = !write;
}

// A node with neither a static grid nor coalescing takes its grid from the payload.
void CheckGridMember(RuleContext& context, const EntryPointFacts& entry) {
  if (entry.Mode(spv::ExecutionMode::CoalescingAMDX) != nullptr ||
      entry.Mode(spv::ExecutionMode::StaticNumWorkgroupsAMDX) != nullptr)
    return;
  const Id payload = InputPayload(context, entry);
  if (payload == kNoId) return;
  const auto length = [&](Id id) { return context.types().ConstantValue(id); };
  const Expected<std::optional<GridMember>> member =
      FindGridMember(context.module(), context.decorations(), context.types(), length, payload);
  // A member of a wrong type is reported where it is decorated, or when the length of its array is specialised.
  if (!member || *member) return;
  RuleViolation& violation =
      context.Report("PayloadDispatchIndirectAMDX/required", entry.input(),
                     "the node has no grid: neither StaticNumWorkgroupsAMDX nor CoalescingAMDX, and its payload " +
                         context.Name(payload) + " has no member with PayloadDispatchIndirectAMDX",
                     &entry);
  // A size that depends on specialisation is checked at pipeline creation.
  violation.tolerated = context.types().LaidOutSize(payload).value_or(kImplicitGridBytes) >= kImplicitGridBytes;
}

}  // namespace

void CheckModeRules(RuleContext& context) {
  for (const EntryPointFacts& entry : context.entry_points()) {
    std::unordered_set<uint32_t> seen;
    for (const Instruction* mode : entry.modes) {
      const auto shape =
          std::ranges::find(kModes, static_cast<spv::ExecutionMode>(mode->operands[1]), &ModeShape::mode);
      if (shape == kModes.end()) continue;
      if (!seen.insert(mode->operands[1]).second) {
        context.Report(std::string(shape->name) + "/once", entry.function,
                       std::string("the execution mode ") + shape->name + " is declared twice", &entry);
      }
      CheckOperands(context, entry, *mode, *shape);
    }
    CheckCombination(context, entry);
    CheckSharing(context, entry);
    CheckGridMember(context, entry);
  }
}

}  // namespace trellis::spirv
