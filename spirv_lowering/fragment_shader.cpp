// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/fragment_shader.h"

#include <string>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/dead_code.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/passes/plain_module.h"

namespace trellis::spirv {
namespace {

// All of the extension's instructions need one of these.
bool IsOfExtension(const Instruction& global) {
  switch (global.opcode) {
    case spv::Op::OpTypeNodePayloadArrayAMDX:
    case spv::Op::OpConstantStringAMDX:
    case spv::Op::OpSpecConstantStringAMDX:
      return true;
    case spv::Op::OpTypePointer:
      return global.operands[0] == static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
    default:
      return false;
  }
}

Expected<void> CheckUnused(const Module& module) {
  for (const Instruction& global : module.globals) {
    if (IsOfExtension(global))
      return Error{OpcodeName(global.opcode) + " %" + std::to_string(global.result_id) +
                   ": SPV_AMDX_shader_enqueue is not for fragment shaders"};
  }
  for (const BuiltInTarget& found : FindBuiltIns(module)) {
    if (found.built_in == spv::BuiltIn::ShaderIndexAMDX || found.built_in == spv::BuiltIn::RemainingRecursionLevelsAMDX)
      return Error{"OpVariable %" + std::to_string(found.target) + ": the built-in " + BuiltInName(found.built_in) +
                   " is not for fragment shaders"};
  }
  return {};
}

}  // namespace

Expected<std::vector<uint32_t>> ExtractFragmentShader(Module module, std::string_view entry_point) {
  if (Expected<void> kept = KeepEntryPoint(module, entry_point, spv::ExecutionModel::Fragment); !kept)
    return kept.error();
  // Before dead code goes: decorations keep what they name.
  StripExtension(module);
  EliminateDead(module);
  const auto refuse = [&](const std::string& why) {
    return Error{"fragment shader '" + std::string(entry_point) + "': " + why};
  };
  if (Expected<void> unused = CheckUnused(module); !unused) return refuse(unused.error().message);
  std::vector<uint32_t> words = WriteModule(module);
  // A module that spirv-val would refuse may turn into one that crashes a driver.
  if (const Expected<Module> readable = ReadModule(words); !readable)
    return refuse("it is not well-formed by itself, so the module is not valid: " + readable.error().message);
  return words;
}

}  // namespace trellis::spirv
