// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/payload_pointers.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <spirv/unified1/GLSL.std.450.h>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/clone_function.h"
#include "spirv_lowering/ir/debug_references.h"
#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/replace_body.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

// Limits of the copies of functions, for made-up modules; no compiler comes near them. Copies may take kMaxCopiedWords,
// and kMaxCopiedPerWord for each word of the module's functions. Memory has a limit of its own (docs/reliability.md):
// copies have to fit into what is promised for the words that they are copied from, and into the fixed part.
constexpr size_t kMaxCopies = 1024;
constexpr size_t kMaxCopiedWords = size_t{1} << 14;
constexpr size_t kMaxCopiedPerWord = 4;
// The copy's own function type names each parameter, and lowering decorates each as Aliased and Coherent.
constexpr size_t kWordsPerParameter = 7;
constexpr size_t kOutParameter = 3;  // of Modf and Frexp: behind set, number and value
constexpr auto kPayloadClass = spv::StorageClass::NodePayloadAMDX;

// Which parameters of a function are pointers into payloads whose types do not say so.
using Parameters = std::vector<bool>;

struct Version {
  size_t original = 0;
  Parameters payload_parameters;
  Function function;
};

class PointerTyping {
 public:
  explicit PointerTyping(Module& module)
      : module_(module),
        types_(module),
        type_of_(TypesOfResults(module)),
        debug_imports_(NonSemanticImports(module)),
        cloner_(module) {
    for (const Instruction& import : module.ext_inst_imports) {
      if (DecodeString(import.operands.data(), import.operands.size()) == "GLSL.std.450")
        glsl_sets_.insert(import.result_id);
    }
    std::swap(originals_, module_.functions);
    for (size_t i = 0; i < originals_.size(); ++i) {
      index_of_[originals_[i].id()] = i;
      words_left_ += kMaxCopiedPerWord * cloner_.WordsOf(originals_[i]);
    }
  }

  Expected<void> Run(Id entry) {
    (void)VersionOf(entry, Parameters(originals_[index_of_.at(entry)].parameters.size()));
    for (size_t i = 0; i < versions_.size(); ++i) {
      // Further calls grow the list.
      Function function = std::move(versions_[i].function);
      if (Expected<void> typed = Type(function, Parameters(versions_[i].payload_parameters)); !typed) return typed;
      if (too_many_) return Error{"too many combinations of pointers in calls of functions"};
      versions_[i].function = std::move(function);
    }
    std::stable_sort(versions_.begin(), versions_.end(),
                     [](const Version& a, const Version& b) { return a.original < b.original; });
    for (Version& version : versions_) module_.functions.push_back(std::move(version.function));
    return {};
  }

 private:
  [[nodiscard]] bool IsTyped(Id id) const {
    const Id type = TypeOf(type_of_, id);
    return types_.IsPointer(type) && types_.PointerClass(type) == kPayloadClass;
  }
  [[nodiscard]] bool PointsIntoPayload(Id id) const { return derived_.contains(id) || IsTyped(id); }
  // Its own type does not tell.
  [[nodiscard]] bool IsUntyped(Id id) const { return derived_.contains(id) && !IsTyped(id); }
  // To a matrix, or to a vector out of one. How it lies in memory is decorated on the structure around it, so no
  // pointer that begins anew (a parameter, a choice) can say it.
  [[nodiscard]] bool IsMatrixPart(Id id) const {
    const auto found = derived_.find(id);
    return found != derived_.end() && found->second;
  }

  // Returns the id of the function that is to be called instead of `function` with those arguments. Past a limit
  // nothing is copied any more: the result is then `function`.
  Id VersionOf(Id function, const Parameters& payload_parameters) {
    if (too_many_) return function;
    const auto [found, is_new] = version_of_.try_emplace({function, payload_parameters}, function);
    if (!is_new) return found->second;
    const size_t original = index_of_.at(function);
    const bool changes =
        std::find(payload_parameters.begin(), payload_parameters.end(), true) != payload_parameters.end();
    Function version = changes ? MakeCopy(originals_[original]) : originals_[original];
    if (too_many_) return function;
    found->second = version.id();
    versions_.push_back({original, payload_parameters, std::move(version)});
    return found->second;
  }
  // Returns what a copy takes of the words that are left. An instruction counts as one more than it has, for in memory
  // also the shortest has a fixed part.
  [[nodiscard]] size_t CopiedWordsOf(const Function& function) const {
    size_t words = cloner_.WordsOf(function) + kWordsPerParameter * function.parameters.size();
    for (const BasicBlock& block : function.blocks) words += block.body.size();
    return words;
  }
  // Returns an empty function, and sets too_many_, where a limit is met.
  Function MakeCopy(const Function& function) {
    const size_t words = CopiedWordsOf(function);
    too_many_ = copies_left_ == 0 || words > words_left_;
    if (too_many_) return {};
    --copies_left_;
    words_left_ -= words;
    Function copy = cloner_.Clone(function);
    AddTypesOfResults(copy, type_of_);
    return copy;
  }

  Expected<void> Type(Function& function, const Parameters& payload_parameters) {
    const DefUse def_use({&function, 1}, debug_imports_);
    FindDerived(def_use, function, payload_parameters);
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (IsChoice(instruction) && derived_.contains(instruction.result_id) && !AllIntoPayloads(instruction))
          return Refuse(instruction, "a pointer into a payload meets a pointer to ordinary memory");
      }
    }
    for (const DefUse::Use& use : def_use.All()) {
      if (!PointsIntoPayload(use.id)) continue;
      if (Expected<void> fine = Check(def_use.UserOf(use), use.operand); !fine) return fine;
    }
    RedirectCalls(function);
    TypeDerived(function);
    return {};
  }

  void FindDerived(const DefUse& def_use, const Function& function, const Parameters& payload_parameters) {
    derived_.clear();
    std::vector<Id> roots;
    const auto add_root = [&](const Instruction& pointer, bool of_matrix) {
      if (Add(pointer, of_matrix)) roots.push_back(pointer.result_id);
    };
    for (size_t i = 0; i < payload_parameters.size(); ++i) {
      const Instruction& parameter = function.parameters[i];
      if (payload_parameters[i] || IsTyped(parameter.result_id)) add_root(parameter, false);
    }
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (!IsChain(instruction) || instruction.operands.size() < 2) continue;
        const Id base = instruction.operands[0];
        if (IsPayloadArray(base) || IsTyped(base)) add_root(instruction, PassesMatrix(instruction.operands));
      }
    }
    def_use.Follow(std::move(roots), [&](const DefUse::Use& use) {
      const Instruction& user = def_use.UserOf(use);
      if (def_use.KindOf(use) != PointerUse::kDerives) return kNoId;
      const bool deeper = IsChain(user) && user.operands.size() > 1;
      return Add(user, deeper ? PassesMatrix(user.operands) : IsMatrixPart(use.id)) ? user.result_id : kNoId;
    });
  }
  static bool IsChoice(const Instruction& instruction) {
    return instruction.opcode == spv::Op::OpPhi || instruction.opcode == spv::Op::OpSelect;
  }
  static Error Refuse(const Instruction& user, const char* why) {
    return Error{OpcodeName(user.opcode) + " %" +
                 std::to_string(user.result_id != kNoId ? user.result_id : user.operands[0]) + ": " + why};
  }
  static bool IsChain(const Instruction& instruction) {
    return instruction.opcode == spv::Op::OpAccessChain || instruction.opcode == spv::Op::OpInBoundsAccessChain;
  }
  // Returns whether the pointer is new, or newly known to be part of a matrix.
  bool Add(const Instruction& instruction, bool of_matrix) {
    if (!types_.IsPointer(instruction.type_id)) return false;
    Id pointee = types_.Pointee(instruction.type_id);
    const bool vector_of_matrix = of_matrix && types_.Is(pointee, spv::Op::OpTypeVector);
    while (types_.Is(pointee, spv::Op::OpTypeArray)) pointee = types_.ElementType(pointee, 0);
    const bool matrix_part = vector_of_matrix || types_.Is(pointee, spv::Op::OpTypeMatrix);
    const auto [entry, is_new] = derived_.try_emplace(instruction.result_id, matrix_part);
    if (is_new || entry->second || !matrix_part) return is_new;
    entry->second = true;
    return true;
  }

  // A pointer to one.
  [[nodiscard]] bool IsPayloadArray(Id id) const {
    const Id type = TypeOf(type_of_, id);
    return types_.IsPointer(type) && types_.Is(types_.Pointee(type), spv::Op::OpTypeNodePayloadArrayAMDX);
  }
  [[nodiscard]] bool PassesMatrix(const std::vector<uint32_t>& chain) const {
    Id type = types_.Pointee(TypeOf(type_of_, chain[0]));
    for (size_t i = 1; i < chain.size(); ++i) {
      if (types_.Is(type, spv::Op::OpTypeMatrix)) return true;
      type = types_.ElementType(type, types_.ConstantValue(chain[i]).value_or(0));
    }
    return false;
  }

  // What `user` does with a pointer into a payload.
  Expected<void> Check(const Instruction& user, size_t operand) const {
    const Id pointer = user.operands[operand];
    const auto refuse = [&](const char* why) { return Refuse(user, why); };
    constexpr const char* kLayoutLost =
        "a pointer to a matrix in a payload, or to a part of one, goes where its layout is not known";
    switch (UseOfPointer(user, operand)) {
      case PointerUse::kInspects:
        return {};
      case PointerUse::kReads:
      case PointerUse::kWrites:
        if (user.opcode == spv::Op::OpCopyMemorySized) return refuse("copies payloads");
        return {};
      case PointerUse::kDerives:
        if (IsChoice(user)) {
          if (IsMatrixPart(pointer)) return refuse(kLayoutLost);
        } else if (!IsChain(user) && user.opcode != spv::Op::OpCopyObject) {
          return refuse("its base points into a payload");
        }
        return {};
      case PointerUse::kPasses:
        // Others go through a variable.
        if (IsMatrixPart(pointer) && IsTyped(pointer)) return refuse(kLayoutLost);
        return {};
      case PointerUse::kEscapes:
        break;
    }
    switch (user.opcode) {
      case spv::Op::OpEnqueueNodePayloadsAMDX:
        return {};
      case spv::Op::OpReturnValue:
        if (IsUntyped(pointer)) return refuse("a pointer into a payload is returned as one in Function");
        if (IsMatrixPart(pointer)) return refuse(kLayoutLost);
        return {};
      case spv::Op::OpStore:
        return refuse("a pointer into a payload is stored");
      default:
        if (HasOutParameter(user) && operand == kOutParameter) return {};
        return refuse("takes a pointer into a payload: not supported");
    }
  }
  // SPIR-V 2.16.1: only pointers in StorageBuffer and Workgroup can be variable pointers.
  [[nodiscard]] bool AllIntoPayloads(const Instruction& choice) const {
    for (size_t i = 0; i < choice.operands.size(); ++i) {
      if (UseOfPointer(choice, i) == PointerUse::kDerives && !PointsIntoPayload(choice.operands[i])) return false;
    }
    return true;
  }

  void RedirectCalls(Function& function) {
    std::vector<Instruction> variables;
    for (BasicBlock& block : function.blocks) {
      for (Instruction& instruction : block.body) {
        if (instruction.opcode == spv::Op::OpFunctionCall) {
          Redirect(std::move(instruction), variables);
        } else if (HasOutParameter(instruction) && PointsIntoPayload(instruction.operands[kOutParameter])) {
          const Passed passed = PassThroughVariable(instruction.operands[kOutParameter], variables);
          body_.push_back(std::move(instruction));
          Copy(passed.variable, passed.target, passed.type);
        } else {
          body_.push_back(std::move(instruction));
        }
      }
      ReplaceBody(block, body_);
    }
    if (variables.empty()) return;
    std::vector<Instruction>& first = function.blocks.front().body;
    first.insert(first.begin(), std::make_move_iterator(variables.begin()), std::make_move_iterator(variables.end()));
  }

  // Whether an extended instruction writes through a pointer: physical ones cannot say there how they are aligned.
  [[nodiscard]] bool HasOutParameter(const Instruction& instruction) const {
    return instruction.opcode == spv::Op::OpExtInst && instruction.operands.size() > kOutParameter &&
           glsl_sets_.contains(instruction.operands[0]) &&
           (instruction.operands[1] == GLSLstd450Modf || instruction.operands[1] == GLSLstd450Frexp);
  }

  // A pointer into a payload, and the variable that stands for what it points to during a call.
  struct Passed {
    Id target, variable, type;
  };
  // Copies what `pointer` points to into a new variable, and makes it a pointer to that.
  Passed PassThroughVariable(Id& pointer, std::vector<Instruction>& variables) {
    const Id type = types_.Pointee(TypeOf(type_of_, pointer));
    const Passed passed = {pointer, module_.NewId(), type};
    variables.emplace_back(spv::Op::OpVariable, types_.Pointer(spv::StorageClass::Function, type), passed.variable,
                           std::vector<uint32_t>{static_cast<uint32_t>(spv::StorageClass::Function)});
    Copy(passed.target, passed.variable, type);
    pointer = passed.variable;
    return passed;
  }

  void Redirect(Instruction call, std::vector<Instruction>& variables) {
    std::vector<Passed> passed;
    Parameters payload_parameters(call.operands.size() - 1);
    for (size_t i = 1; i < call.operands.size(); ++i) {
      if (!IsUntyped(call.operands[i])) continue;
      if (IsMatrixPart(call.operands[i])) {
        passed.push_back(PassThroughVariable(call.operands[i], variables));
      } else {
        payload_parameters[i - 1] = true;
      }
    }
    call.operands[0] = VersionOf(call.operands[0], payload_parameters);
    body_.push_back(std::move(call));
    for (const Passed& back : passed) Copy(back.variable, back.target, back.type);
  }
  void Copy(Id from, Id to, Id type) {
    const Id value = module_.NewId();
    body_.emplace_back(spv::Op::OpLoad, type, value, std::vector<uint32_t>{from});
    body_.emplace_back(spv::Op::OpStore, kNoId, kNoId, std::vector<uint32_t>{to, value});
  }

  void TypeDerived(Function& function) {
    if (derived_.empty()) return;
    const auto type = [this](Instruction& instruction) {
      if (IsUntyped(instruction.result_id))
        instruction.type_id = types_.Pointer(kPayloadClass, types_.Pointee(instruction.type_id));
    };
    std::for_each(function.parameters.begin(), function.parameters.end(), type);
    for (BasicBlock& block : function.blocks) std::for_each(block.body.begin(), block.body.end(), type);
    std::vector<Id> signature;
    for (const Instruction& parameter : function.parameters) signature.push_back(parameter.type_id);
    function.definition.operands[1] = types_.FunctionType(function.definition.type_id, signature);
  }

  Module& module_;
  Types types_;
  TypeMap type_of_;  // as the compiler has it; of copies too
  const std::unordered_set<Id> debug_imports_;
  std::vector<Function> originals_;
  std::unordered_map<Id, size_t> index_of_;
  std::unordered_set<Id> glsl_sets_;
  std::vector<Version> versions_;
  FunctionCloner cloner_;
  size_t copies_left_ = kMaxCopies;
  size_t words_left_ = kMaxCopiedWords;  // for further copies
  bool too_many_ = false;                // a limit was met
  std::map<std::pair<Id, Parameters>, Id> version_of_;

  // State of the function being typed.
  std::unordered_map<Id, bool> derived_;  // pointers into payloads that derive from others -> IsMatrixPart
  std::vector<Instruction> body_;
};

}  // namespace

Expected<void> TypePayloadPointers(Module& module, Id entry) { return PointerTyping(module).Run(entry); }

}  // namespace trellis::spirv
