// SPDX-License-Identifier: Apache-2.0
// Copies functions and variables out of one module into another, by name.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Brings parts of `library` (read by ReadModule: well-formed) into `destination`, whose index `types` is kept up to
// date. All three must outlive the importer and only the importer and `types` may add globals meanwhile. What an import
// needs comes with it: called functions, types, constants, variables, decorations and names, once each however often it
// is asked for. With the first import come the library's capabilities, extensions and instruction sets that the
// destination lacks, but for those of the Vulkan memory model when the destination does not use it. Never copied: entry
// points, execution modes, memory model, OpLine, NonSemantic.Shader.DebugInfo.
//
// Types that SPIR-V wants unique become the destination's. Structures and arrays are copied once each. A variable with
// a BuiltIn decoration becomes the destination's variable of the same built-in, class and type where there is one: an
// entry point may list each built-in once. So rename or retype the destination's built-ins before importing.
//
// After an error the destination may hold parts that nothing uses; it is still well-formed.
class Importer {
 public:
  Importer(Module& destination, Types& types, const Module& library);

  // `name` is that of OpName, or the part before '(' of it, as glslang mangles: "f" finds "f(u1;u1;".
  [[nodiscard]] Expected<Id> ImportFunction(std::string_view name);
  // A global variable by OpName.
  [[nodiscard]] Expected<Id> ImportVariable(std::string_view name);
  // Global variables of the destination that imported code uses, in the order in which they came: what entry points
  // that call it have to list (SPIR-V 1.4 on: all of them; before: Input and Output ones).
  [[nodiscard]] const std::vector<Id>& Variables() const { return variables_; }

 private:
  [[nodiscard]] Id FindNamed(std::string_view name, bool function) const;
  void MergeDeclarations();
  [[nodiscard]] Expected<Id> Finish(Expected<Id> id);
  [[nodiscard]] Expected<void> CopyFunction(const Function& function);
  [[nodiscard]] Expected<Instruction> CopyInstruction(const Instruction& instruction);
  void MapLocal(Id id);
  [[nodiscard]] bool IsLeftOut(const Instruction& instruction) const;

  // Each returns the destination's id for one of the library.
  [[nodiscard]] Expected<Id> Map(Id id);
  [[nodiscard]] Expected<Id> MapGlobal(const Instruction& global);
  [[nodiscard]] Expected<Id> MapStruct(const Instruction& type);
  [[nodiscard]] Expected<Id> MapForwardPointer(const Instruction& type);
  [[nodiscard]] Expected<Id> MapVariable(const Instruction& variable);
  [[nodiscard]] Expected<Id> MapUnique(const Instruction& global);
  [[nodiscard]] Expected<Id> MapCopied(const Instruction& global);
  [[nodiscard]] Id MapFunction(const Function& function);
  [[nodiscard]] Id MapImport(const Instruction& import);
  [[nodiscard]] Id MapString(const Instruction& string);
  [[nodiscard]] Expected<void> DefinePendingPointers();
  [[nodiscard]] Id FindBuiltIn(Id variable, Id pointer_type) const;

  // Names and decorations.
  [[nodiscard]] Expected<void> CopyAnnotations(Id from, Id to);

  Module& destination_;
  Types& types_;
  const Module& library_;
  bool merged_ = false;

  // Declarations and functions of the library.
  std::unordered_map<Id, const Instruction*> globals_;  // types, constants, variables, imports, strings
  std::unordered_map<Id, const Function*> functions_;
  std::unordered_map<Id, std::vector<const Instruction*>> annotations_;
  std::unordered_map<Id, std::vector<const Instruction*>> names_;
  std::unordered_set<Id> forward_pointers_;
  std::unordered_set<Id> debug_sets_;

  std::unordered_map<Id, Id> mapped_;  // library id -> destination id
  unsigned open_structs_ = 0;
  std::vector<const Instruction*> pending_pointers_;  // have an id, wait for the structures around them
  std::vector<const Function*> pending_functions_;    // have an id, are to be copied
  std::vector<Id> variables_;
};

}  // namespace trellis::spirv
