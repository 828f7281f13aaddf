// SPDX-License-Identifier: Apache-2.0
// What a node is, for people and for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

// "'a', 'b' and 'c'", with another word in place of "and".
[[nodiscard]] std::string Listed(const std::vector<std::string>& words, std::string_view last_joint);

// Entry points that may be nodes: compute and mesh, in the order of the module.
[[nodiscard]] std::vector<std::string> NodeNames(const spirv::Module& module);
// `wanted`, or all of them if it is empty. Error: there are none, or it is not among them.
[[nodiscard]] Expected<std::vector<std::string>> ChooseNodes(const spirv::Module& module, const std::string& wanted);
// Reflects the entry point with that name: the compute one where a mesh one has the same.
[[nodiscard]] Expected<spirv::NodeInfo> ReflectNode(const spirv::Module& module, const std::string& entry_point,
                                                    const spirv::Specialization& specialization);

// Several lines; the last ends in a line break.
[[nodiscard]] std::string AsText(const spirv::NodeInfo& info);
// A string of JSON, with its quotation marks.
[[nodiscard]] std::string JsonString(std::string_view text);
// One JSON object.
[[nodiscard]] std::string AsJson(const spirv::NodeInfo& info);

// "ID=VALUE": an integer, true or false are four bytes, anything else is a string. Error: no such form.
[[nodiscard]] Expected<spirv::Specialization> ParseSpecialization(const std::vector<std::string>& settings);

}  // namespace trellis::tool
