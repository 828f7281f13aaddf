// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/built_ins.h"

#include <utility>

namespace trellis::spirv {

std::optional<BuiltInTarget> BuiltInOf(const Instruction& annotation) {
  const bool on_member = annotation.opcode == spv::Op::OpMemberDecorate;
  if (!on_member && annotation.opcode != spv::Op::OpDecorate) return std::nullopt;
  const std::vector<uint32_t>& words = annotation.operands;
  const size_t at = on_member ? 2 : 1;
  if (words[at] != static_cast<uint32_t>(spv::Decoration::BuiltIn)) return std::nullopt;
  BuiltInTarget found = {static_cast<spv::BuiltIn>(words[at + 1]), words[0]};
  if (on_member) found.member = words[1];
  return found;
}

std::vector<BuiltInTarget> FindBuiltIns(const Module& module) {
  std::vector<BuiltInTarget> targets;
  for (const Instruction& annotation : module.annotations) {
    if (const std::optional<BuiltInTarget> found = BuiltInOf(annotation)) targets.push_back(*found);
  }
  return targets;
}

void RemoveBuiltIn(Module& module, spv::BuiltIn built_in) {
  std::erase_if(module.annotations, [built_in](const Instruction& annotation) {
    const std::optional<BuiltInTarget> found = BuiltInOf(annotation);
    return found && found->built_in == built_in;
  });
}

bool IsPlace(spv::BuiltIn built_in) {
  return built_in == spv::BuiltIn::WorkgroupId || built_in == spv::BuiltIn::GlobalInvocationId ||
         built_in == spv::BuiltIn::LocalInvocationId || built_in == spv::BuiltIn::LocalInvocationIndex;
}

bool IsOfGraph(spv::BuiltIn built_in) {
  return built_in == spv::BuiltIn::WorkgroupId || built_in == spv::BuiltIn::GlobalInvocationId ||
         built_in == spv::BuiltIn::ShaderIndexAMDX || built_in == spv::BuiltIn::RemainingRecursionLevelsAMDX;
}

std::string_view FindBuiltInName(spv::BuiltIn built_in) {
  static constexpr std::pair<spv::BuiltIn, std::string_view> kNames[] = {
      {spv::BuiltIn::NumWorkgroups, "NumWorkgroups"},
      {spv::BuiltIn::WorkgroupId, "WorkgroupId"},
      {spv::BuiltIn::LocalInvocationId, "LocalInvocationId"},
      {spv::BuiltIn::LocalInvocationIndex, "LocalInvocationIndex"},
      {spv::BuiltIn::GlobalInvocationId, "GlobalInvocationId"},
      {spv::BuiltIn::ShaderIndexAMDX, "ShaderIndexAMDX"},
      {spv::BuiltIn::RemainingRecursionLevelsAMDX, "RemainingRecursionLevelsAMDX"},
      {spv::BuiltIn::SubgroupId, "SubgroupId"},
      {spv::BuiltIn::SubgroupLocalInvocationId, "SubgroupLocalInvocationId"},
  };
  for (const auto& [known, name] : kNames)
    if (known == built_in) return name;
  return {};
}

std::string BuiltInName(spv::BuiltIn built_in) {
  const std::string_view name = FindBuiltInName(built_in);
  return name.empty() ? std::to_string(static_cast<uint32_t>(built_in)) : std::string(name);
}

}  // namespace trellis::spirv
