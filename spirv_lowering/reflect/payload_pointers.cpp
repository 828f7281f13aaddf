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
#include "spirv_lowering/ir/literal_widths.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

constexpr size_t kMostVersions = 1024;  // of all functions; no compiler comes near it, made-up modules must not pass it
constexpr size_t kOutParameter = 3;     // of Modf and Frexp: behind set, number and value
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
      : module_(module), types_(module), type_of_(TypesOfResults(module)), widths_(module) {
    for (const Instruction& import : module.ext_inst_imports) {
      if (DecodeString(import.operands.data(), import.operands.size()) == "GLSL.std.450")
        glsl_sets_.insert(import.result_id);
    }
    std::swap(originals_, module_.functions);
    for (size_t i = 0; i < originals_.size(); ++i) index_of_[originals_[i].id()] = i;
  }

  Expected<void> Run(Id entry) {
    (void)VersionOf(entry, Parameters(originals_[index_of_.at(entry)].parameters.size()));
    for (size_t i = 0; i < versions_.size(); ++i) {
      if (versions_.size() > kMostVersions) return Error{"too many combinations of pointers in calls of functions"};
      // Further calls grow the list.
      Function function = std::move(versions_[i].function);
      if (Expected<void> typed = Type(function, Parameters(versions_[i].payload_parameters)); !typed) return typed;
      versions_[i].function = std::move(function);
    }
    std::stable_sort(versions_.begin(), versions_.end(),
                     [](const Version& a, const Version& b) { return a.original < b.original; });
    for (Version& version : versions_) module_.functions.push_back(std::move(version.function));
    return {};
  }

 private:
  // Of a pointer whose own type does not tell.
  struct Derived {
    // To a matrix, or to a vector out of one. How it lies in memory is decorated on the structure around it, so a
    // parameter's type cannot say it: calls get a variable instead.
    bool matrix_part = false;
  };

  [[nodiscard]] Id TypeOf(Id id) const {
    const auto found = type_of_.find(id);
    return found == type_of_.end() ? kNoId : found->second;
  }
  [[nodiscard]] bool Is(Id type, spv::Op opcode) const {
    const Instruction* found = types_.Find(type);
    return found != nullptr && found->opcode == opcode;
  }
  [[nodiscard]] bool IsTyped(Id id) const {
    const Id type = TypeOf(id);
    return types_.IsPointer(type) && types_.PointerClass(type) == kPayloadClass;
  }
  [[nodiscard]] bool PointsIntoPayload(Id id) const { return derived_.contains(id) || IsTyped(id); }

  // The id of the function that is to be called instead of `function` with those arguments.
  Id VersionOf(Id function, const Parameters& payload_parameters) {
    const auto [found, is_new] = version_of_.try_emplace({function, payload_parameters}, kNoId);
    if (!is_new) return found->second;
    const size_t original = index_of_.at(function);
    const bool changes =
        std::find(payload_parameters.begin(), payload_parameters.end(), true) != payload_parameters.end();
    Function copy = changes ? CloneFunction(module_, originals_[original], widths_) : originals_[original];
    found->second = copy.id();
    if (changes) NoteTypes(copy);
    versions_.push_back({original, payload_parameters, std::move(copy)});
    return found->second;
  }
  void NoteTypes(const Function& function) {
    for (const Instruction& parameter : function.parameters) type_of_[parameter.result_id] = parameter.type_id;
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (instruction.type_id != kNoId) type_of_[instruction.result_id] = instruction.type_id;
      }
    }
  }

  Expected<void> Type(Function& function, const Parameters& payload_parameters) {
    FindDerived(function, payload_parameters);
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (Expected<void> fine = Check(instruction); !fine) return fine;
      }
    }
    RedirectCalls(function);
    TypeDerived(function);
    return {};
  }

  void FindDerived(const Function& function, const Parameters& payload_parameters) {
    derived_.clear();
    for (size_t i = 0; i < payload_parameters.size(); ++i) {
      if (payload_parameters[i]) Add(function.parameters[i], false);
    }
    // Definitions precede uses except for OpPhi, so this settles after one round more than phis are chained.
    has_phis_ = false;
    for (bool changed = true; changed;) {
      const size_t before = derived_.size();
      for (const BasicBlock& block : function.blocks) {
        for (const Instruction& instruction : block.body) Visit(instruction);
      }
      changed = derived_.size() != before && has_phis_;
    }
  }
  void Add(const Instruction& instruction, bool of_matrix) {
    if (!types_.IsPointer(instruction.type_id) || IsTyped(instruction.result_id)) return;
    Id pointee = types_.Pointee(instruction.type_id);
    const bool vector_of_matrix = of_matrix && Is(pointee, spv::Op::OpTypeVector);
    while (Is(pointee, spv::Op::OpTypeArray)) pointee = types_.ElementType(pointee, 0);
    derived_[instruction.result_id] = {vector_of_matrix || Is(pointee, spv::Op::OpTypeMatrix)};
  }
  void AddLike(const Instruction& instruction, Id source) {
    const auto found = derived_.find(source);
    if (found != derived_.end()) Add(instruction, found->second.matrix_part);
  }

  void Visit(const Instruction& instruction) {
    const std::vector<uint32_t>& operands = instruction.operands;
    switch (instruction.opcode) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (operands.size() > 1 && (derived_.contains(operands[0]) || IsPayloadArray(operands[0])))
          Add(instruction, PassesMatrix(operands));
        break;
      case spv::Op::OpCopyObject:
        AddLike(instruction, operands[0]);
        break;
      case spv::Op::OpPhi:
        has_phis_ = true;
        for (size_t i = 0; i < operands.size(); i += 2) AddLike(instruction, operands[i]);
        break;
      case spv::Op::OpSelect:
        AddLike(instruction, operands[1]);
        break;
      default:
        break;
    }
  }
  // A pointer to one.
  [[nodiscard]] bool IsPayloadArray(Id id) const {
    const Id type = TypeOf(id);
    return types_.IsPointer(type) && Is(types_.Pointee(type), spv::Op::OpTypeNodePayloadArrayAMDX);
  }
  [[nodiscard]] bool PassesMatrix(const std::vector<uint32_t>& chain) const {
    Id type = types_.Pointee(TypeOf(chain[0]));
    for (size_t i = 1; i < chain.size(); ++i) {
      if (Is(type, spv::Op::OpTypeMatrix)) return true;
      type = types_.ElementType(type, types_.ConstantValue(chain[i]).value_or(0));
    }
    return false;
  }

  // SPIR-V 2.16.1: only pointers in StorageBuffer and Workgroup can be variable pointers.
  Expected<void> Check(const Instruction& instruction) const {
    const std::vector<uint32_t>& operands = instruction.operands;
    const auto refuse = [&](const char* why) {
      return Error{OpcodeName(instruction.opcode) + " %" +
                   std::to_string(instruction.result_id != kNoId ? instruction.result_id : operands[0]) + ": " + why};
    };
    constexpr const char* kMeets = "a pointer into a payload meets a pointer to ordinary memory";
    switch (instruction.opcode) {
      case spv::Op::OpPhi:
        for (size_t i = 0; i < operands.size(); i += 2) {
          if (PointsIntoPayload(operands[i]) != PointsIntoPayload(instruction.result_id)) return refuse(kMeets);
        }
        return {};
      case spv::Op::OpSelect:
        if (PointsIntoPayload(operands[1]) != PointsIntoPayload(operands[2])) return refuse(kMeets);
        return {};
      case spv::Op::OpReturnValue:
        if (derived_.contains(operands[0])) return refuse("a pointer into a payload is returned as one in Function");
        return {};
      case spv::Op::OpStore:
        if (PointsIntoPayload(operands[1])) return refuse("a pointer into a payload is stored");
        return {};
      case spv::Op::OpPtrAccessChain:
      case spv::Op::OpInBoundsPtrAccessChain:
        if (PointsIntoPayload(operands[0])) return refuse("its base points into a payload");
        return {};
      case spv::Op::OpCopyMemorySized:
        if (PointsIntoPayload(operands[0]) || PointsIntoPayload(operands[1])) return refuse("copies payloads");
        return {};
      default:
        return {};
    }
  }

  void RedirectCalls(Function& function) {
    std::vector<Instruction> variables;
    for (BasicBlock& block : function.blocks) {
      body_.clear();
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
      std::swap(block.body, body_);
    }
    if (variables.empty()) return;
    std::vector<Instruction>& first = function.blocks.front().body;
    first.insert(first.begin(), std::make_move_iterator(variables.begin()), std::make_move_iterator(variables.end()));
  }

  // Of an extended instruction: physical pointers cannot say there how they are aligned.
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
    const Id type = types_.Pointee(TypeOf(pointer));
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
      const auto found = derived_.find(call.operands[i]);
      if (found == derived_.end()) continue;
      if (found->second.matrix_part) {
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
      if (instruction.result_id == kNoId || !derived_.contains(instruction.result_id)) return;
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
  std::unordered_map<Id, Id> type_of_;  // as the compiler has it; of copies too
  LiteralWidths widths_;
  std::vector<Function> originals_;
  std::unordered_map<Id, size_t> index_of_;
  std::unordered_set<Id> glsl_sets_;
  std::vector<Version> versions_;
  std::map<std::pair<Id, Parameters>, Id> version_of_;

  // Of the function being typed.
  std::unordered_map<Id, Derived> derived_;
  bool has_phis_ = false;
  std::vector<Instruction> body_;
};

}  // namespace

Expected<void> TypePayloadPointers(Module& module, Id entry) { return PointerTyping(module).Run(entry); }

}  // namespace trellis::spirv
