// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/reader.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "spirv_lowering/ir/binary_index.h"
#include "spirv_lowering/ir/call_graph.h"
#include "spirv_lowering/ir/debug_references.h"
#include "spirv_lowering/ir/decoration_groups.h"
#include "spirv_lowering/ir/instruction_checker.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {
namespace {

// Sections of the logical layout, in order (SPIR-V 2.4): of kSections, then functions.
enum class Section : uint8_t {
  kCapabilities,
  kExtensions,
  kImports,
  kMemoryModel,
  kEntryPoints,
  kExecutionModes,
  kSources,
  kNames,
  kProcessed,
  kAnnotations,
  kGlobals,
  kFunctions,
  kNone,  // belongs into a function
};
static_assert(std::size(kSections) == static_cast<size_t>(Section::kFunctions));

Section SectionOf(const RawInstruction& instruction) {
  switch (instruction.opcode) {
    case spv::Op::OpCapability:
      return Section::kCapabilities;
    case spv::Op::OpExtension:
      return Section::kExtensions;
    case spv::Op::OpExtInstImport:
      return Section::kImports;
    case spv::Op::OpMemoryModel:
      return Section::kMemoryModel;
    case spv::Op::OpEntryPoint:
      return Section::kEntryPoints;
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return Section::kExecutionModes;
    case spv::Op::OpString:
    case spv::Op::OpSource:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpSourceContinued:
      return Section::kSources;
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
      return Section::kNames;
    case spv::Op::OpModuleProcessed:
      return Section::kProcessed;
    case spv::Op::OpVariable:
    case spv::Op::OpUntypedVariableKHR:
    case spv::Op::OpUndef:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpExtInst:
    case spv::Op::OpExtInstWithForwardRefsKHR:
      return Section::kGlobals;
    case spv::Op::OpFunction:
      return Section::kFunctions;
    default:
      break;
  }
  switch (instruction.info->opcode_class) {
    case OpcodeClass::kAnnotation:
      return Section::kAnnotations;
    case OpcodeClass::kType:
    case OpcodeClass::kConstant:
      return Section::kGlobals;
    default:
      return Section::kNone;
  }
}

bool IsTerminator(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpBranch:
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
    case spv::Op::OpReturn:
    case spv::Op::OpReturnValue:
    case spv::Op::OpKill:
    case spv::Op::OpUnreachable:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpIgnoreIntersectionKHR:
    case spv::Op::OpTerminateRayKHR:
    case spv::Op::OpEmitMeshTasksEXT:
      return true;
    default:
      return false;
  }
}

// May stand in a block: of the globals, all but types and constants.
bool MayBeLocal(const RawInstruction& instruction) {
  const Section section = SectionOf(instruction);
  const OpcodeClass kind = instruction.info->opcode_class;
  return section == Section::kNone ||
         (section == Section::kGlobals && kind != OpcodeClass::kType && kind != OpcodeClass::kConstant);
}

class Reader {
 public:
  explicit Reader(const BinaryIndex& index) : index_(index), checker_(index) {}

  Expected<Module> Read(std::span<const uint32_t> words) {
    module_.version = words[1];
    module_.generator = words[2];
    module_.bound = words[3];
    size_t offset = BinaryIndex::kFirstOffset;
    while (offset < index_.EndOffset()) {
      const RawInstruction instruction = index_.At(offset);
      Expected<size_t> next =
          instruction.opcode == spv::Op::OpFunction ? ReadFunction(instruction) : ReadGlobal(instruction);
      if (!next) return next.error();
      offset = *next;
    }
    if (module_.memory_model.size() != 1) return Error{"the module has no OpMemoryModel"};
    // Groups made by tools repeat a handful of decorations; the input's own size is far more than they need.
    if (Expected<void> flat = FlattenDecorationGroups(module_, 4 * words.size()); !flat) return flat.error();
    if (!dropped_.empty()) RemoveDebugReferences(module_, dropped_);
    if (Expected<void> acyclic = CheckCalls(); !acyclic) return acyclic.error();
    return std::move(module_);
  }

 private:
  [[nodiscard]] Instruction Copy(const RawInstruction& raw) const {
    Instruction copy(raw.opcode, raw.type_id, raw.result_id, {raw.operands.begin(), raw.operands.end()});
    if (raw.opcode == spv::Op::OpSwitch) copy.case_words = index_.LiteralWords(raw);
    return copy;
  }

  // Both return the offset of what comes next.
  Expected<size_t> ReadGlobal(const RawInstruction& instruction) {
    const size_t next = instruction.offset + size_t{instruction.word_count};
    if (instruction.opcode == spv::Op::OpNop) return next;
    const Section section = SectionOf(instruction);
    if (section == Section::kNone) return ErrorAt(instruction, "stands outside a function");
    if (IsExtInst(instruction.opcode)) {
      const Expected<bool> kept = KeepsExtInst(instruction, section_ != Section::kFunctions);
      if (!kept) return kept.error();
      if (!*kept) return next;
    }
    if (IsLine(instruction.opcode) && section_ == Section::kFunctions) {
      if (Expected<void> check = checker_.Check(instruction, Place::kFunction); !check) return check.error();
      return next;
    }
    if (section < section_) return ErrorAt(instruction, "stands after the section it belongs to");
    section_ = section;
    const Place place = section == Section::kGlobals ? Place::kGlobals : Place::kPreamble;
    if (Expected<void> check = checker_.Check(instruction, place); !check) return check.error();
    if (section == Section::kMemoryModel && !module_.memory_model.empty())
      return ErrorAt(instruction, "there is one already");
    if (section == Section::kImports && ImportSet(instruction)) return next;
    (module_.*kSections[static_cast<size_t>(section)]).push_back(Copy(instruction));
    return next;
  }

  // Notes what an import is; true if it is left out.
  bool ImportSet(const RawInstruction& instruction) {
    const std::string name = DecodeString(instruction.operands.data(), instruction.operands.size());
    if (name.starts_with("NonSemantic.")) non_semantic_sets_.insert(instruction.result_id);
    if (name != "OpenCL.DebugInfo.100" && name != "DebugInfo") return false;
    left_out_sets_.insert(instruction.result_id);
    dropped_.insert(instruction.result_id);
    return true;
  }

  // False: leave it out. Error: it may not stand here. `in_place`: non-semantic instructions are allowed here.
  Expected<bool> KeepsExtInst(const RawInstruction& instruction, bool in_place, bool in_block = false) {
    if (instruction.operands.size() < 2) return ErrorAt(instruction, "too few operand words");
    const Id set = instruction.operands[0];
    const bool non_semantic = non_semantic_sets_.contains(set);
    const bool left_out = left_out_sets_.contains(set);
    if (!in_block && !non_semantic && !left_out) return ErrorAt(instruction, "stands outside a function");
    const bool sound = !non_semantic || AllDefined(instruction.operands.subspan(2));
    if (in_place && !left_out && sound) return true;
    // Nothing but other debug information can use a void result, so leaving this out is safe.
    if (!index_.IsDefinedBy(instruction.type_id, spv::Op::OpTypeVoid))
      return ErrorAt(instruction, "a non-semantic instruction of a type other than void");
    dropped_.insert(instruction.result_id);
    return false;
  }

  // Debug information in the wild names ids that do not exist (glslang 12 with -gVS: zero). That says nothing against
  // the shader.
  bool AllDefined(std::span<const uint32_t> ids) const {
    return std::all_of(ids.begin(), ids.end(), [this](Id id) { return index_.Definition(id).has_value(); });
  }

  // The offset of the OpFunctionEnd that belongs to an OpFunction, or of whatever comes where it should be.
  size_t FindFunctionEnd(const RawInstruction& definition) const {
    size_t offset = definition.offset + size_t{definition.word_count};
    while (offset < index_.EndOffset()) {
      const RawInstruction instruction = index_.At(offset);
      if (instruction.opcode == spv::Op::OpFunctionEnd || instruction.opcode == spv::Op::OpFunction) break;
      offset += instruction.word_count;
    }
    return offset;
  }

  Expected<size_t> ReadFunction(const RawInstruction& definition) {
    section_ = Section::kFunctions;
    const size_t end = FindFunctionEnd(definition);
    if (end == index_.EndOffset() || index_.At(end).opcode != spv::Op::OpFunctionEnd) {
      return ErrorAt(definition, "the function has no OpFunctionEnd");
    }
    const RawInstruction function_end = index_.At(end);
    if (function_end.word_count != 1) return ErrorAt(function_end, "too many operand words");
    checker_.EnterFunction(definition.offset, end);
    if (Expected<void> check = checker_.Check(definition, Place::kFunction); !check) return check.error();

    Function function;
    function.definition = Copy(definition);
    in_block_ = false;
    for (size_t offset = definition.offset + size_t{definition.word_count}; offset < end;) {
      const RawInstruction instruction = index_.At(offset);
      if (Expected<void> read = ReadInFunction(instruction, function); !read) return read.error();
      offset += instruction.word_count;
    }
    if (in_block_) return ErrorAt(function_end, "the last block has no terminator");
    if (Expected<void> match = CheckParameters(definition, function); !match) return match.error();
    module_.functions.push_back(std::move(function));
    return end + function_end.word_count;
  }

  Expected<void> ReadInFunction(const RawInstruction& instruction, Function& function) {
    if (IsExtInst(instruction.opcode)) {
      Expected<bool> kept = KeepsExtInst(instruction, in_block_, in_block_);
      if (!kept) return kept.error();
      if (!*kept) return {};
    }
    if (Expected<void> check = checker_.Check(instruction, Place::kFunction); !check) return check;
    if (instruction.opcode == spv::Op::OpFunctionParameter) {
      if (in_block_ || !function.blocks.empty())
        return ErrorAt(instruction, "stands behind the function's first block");
      function.parameters.push_back(Copy(instruction));
      return {};
    }
    if (instruction.opcode == spv::Op::OpLabel) {
      if (in_block_) return ErrorAt(instruction, "the block before it has no terminator");
      function.blocks.push_back({instruction.result_id, {}});
      in_block_ = true;
      return {};
    }
    if (!MayBeLocal(instruction)) return ErrorAt(instruction, "stands inside a function");
    if (!in_block_) {
      if (IsLine(instruction.opcode) || instruction.opcode == spv::Op::OpNop) return {};
      return ErrorAt(instruction, "stands outside a block");
    }
    function.blocks.back().body.push_back(Copy(instruction));
    if (IsTerminator(instruction.opcode)) in_block_ = false;
    return {};
  }

  Expected<void> CheckParameters(const RawInstruction& definition, const Function& function) const {
    const std::optional<RawInstruction> type = index_.Definition(definition.operands[1]);
    bool match = type->operands.size() == function.parameters.size() + 1;
    for (size_t i = 0; match && i < function.parameters.size(); ++i)
      match = function.parameters[i].type_id == type->operands[i + 1];
    if (!match) return ErrorAt(definition, "the parameters are not those of the function type");
    return {};
  }

  [[nodiscard]] Expected<void> CheckCalls() const {
    std::vector<Id> roots;
    for (const Instruction& entry : module_.entry_points) roots.push_back(entry.operands[1]);
    const Id recursive = CallGraph(module_).ReachableFrom(roots).recursive;
    if (recursive == kNoId) return {};
    return Error{"OpFunction %" + std::to_string(recursive) + " (" + NameOf(module_, recursive) +
                 "): calls itself, directly or through other functions, which Vulkan does not allow "
                 "(VUID-StandaloneSpirv-None-04634)"};
  }

  const BinaryIndex& index_;
  InstructionChecker checker_;
  Module module_;
  Section section_ = Section::kCapabilities;
  bool in_block_ = false;
  std::unordered_set<Id> non_semantic_sets_;
  std::unordered_set<Id> left_out_sets_;
  std::unordered_set<Id> dropped_;
};

uint32_t SwapBytes(uint32_t word) {
  return (word >> 24) | ((word >> 8) & 0xff00u) | ((word << 8) & 0xff0000u) | (word << 24);
}

}  // namespace

Expected<Module> ReadModule(std::span<const uint32_t> words) {
  std::vector<uint32_t> swapped;
  if (!words.empty() && words[0] == SwapBytes(spv::MagicNumber)) {
    swapped.reserve(words.size());
    for (const uint32_t word : words) swapped.push_back(SwapBytes(word));
    words = swapped;
  }
  Expected<BinaryIndex> index = BinaryIndex::Build(words);
  if (!index) return index.error();
  return Reader(*index).Read(words);
}

}  // namespace trellis::spirv
