// What a node is, for people and for programs.
#pragma once

#include <string>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

struct NodeReport {
  std::string stage;  // "compute" or "mesh"
  spirv::NodeInfo info;
};

// Entry points that may be nodes: compute and mesh, in the order of the module.
[[nodiscard]] std::vector<std::string> NodeNames(const spirv::Module& module);
[[nodiscard]] Expected<NodeReport> ReportNode(const spirv::Module& module, const std::string& entry_point,
                                              const spirv::Specialization& specialization);

// Several lines; the last ends in a line break.
[[nodiscard]] std::string AsText(const NodeReport& report);
// One JSON object.
[[nodiscard]] std::string AsJson(const NodeReport& report);

// "ID=VALUE": an integer, true or false are four bytes, anything else is a string. Error: no such form.
[[nodiscard]] Expected<spirv::Specialization> ParseSpecialization(const std::vector<std::string>& settings);

}  // namespace trellis::tool
