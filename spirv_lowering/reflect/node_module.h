// SPDX-License-Identifier: Apache-2.0
// Words of an application's shader module -> the part of it that is one node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// ReadModule, with revision-1 modules refused by name before their instructions confuse anyone.
[[nodiscard]] Expected<Module> ReadNodeModule(std::span<const uint32_t> words);

// Returns whether the module declares the extension's capability; plain shaders do not.
[[nodiscard]] bool UsesShaderEnqueue(const Module& module);

// Returns the execution model of an OpEntryPoint if nodes can have it.
[[nodiscard]] std::optional<ExecutionModel> NodeModelOf(const Instruction& entry_point);
[[nodiscard]] spv::ExecutionModel ModelInModules(ExecutionModel model);

// What is left of `module` when only the entry point with that name and execution model, and what it uses, is kept. The
// input variable stays even if the compiler has stripped it from the interface (checklist: an unused input still tells
// the payload's layout); it is `input`, kNoId if there is none.
//
// Paths to payloads are in one form: they begin at a payload array, and pointers into payloads have the class
// NodePayloadAMDX (reflect/handle_paths.h, reflect/payload_pointers.h).
struct NodeModule {
  Module module;
  Id entry_function = kNoId;
  Id input = kNoId;
};
[[nodiscard]] Expected<NodeModule> ExtractNode(Module module, std::string_view entry_point,
                                               ExecutionModel execution_model);

}  // namespace trellis::spirv
