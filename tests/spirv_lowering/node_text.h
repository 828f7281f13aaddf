// SPDX-License-Identifier: Apache-2.0
// Node modules composed of text, and their lowered form as text again.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/reflect/reflect.h"

namespace trellis::spirv {

// The parts of a module with one entry point %main, "node". Compose adds:
//
// - types: %void %bool %uint %int %float %v2uint %v3uint %v4uint
// - constants: %uint_0 … %uint_9, %uint_64, %int_0 … %int_3, %true, %false
// - payloads: %record = {uint, uint}; arrays of it: %inputs, %outputs (to "target"), %outputs2 (to "other");
//   %nothing = {}, %signals of it (to "signal"); all of at most 4
// - pointers: %in_ptr %out_ptr %out2_ptr %signal_ptr (NodePayloadAMDX, to the arrays), %np_record %np_uint, %fn_out
//   %fn_out2 %fn_record %fn_uint
// - input: %input, an array %inputs
//
// Every id with a result gets an OpName, so that it can be recognised afterwards.
struct NodeParts {
  std::string execution_model = "GLCompute";
  std::string capabilities;  // more of them
  std::string extensions;    // likewise
  std::string memory_model = "OpMemoryModel Logical GLSL450";
  std::string interface = "%input";
  std::string local_size = "OpExecutionMode %main LocalSize 64 1 1";
  std::string modes = "OpExecutionMode %main CoalescingAMDX";
  std::string decorations;
  std::string globals;
  std::string variables;         // Function variables of %main
  std::string body;              // of %main, from its first block on
  std::string end = "OpReturn";  // terminator of the last block
  std::string functions;         // more of them
  bool declare_input = true;     // false: no %input
};

[[nodiscard]] std::string Compose(const NodeParts& parts);

// Assembles and reflects; a failure fails the test.
[[nodiscard]] NodeInfo ReflectText(std::string_view text, const Specialization& specialization = {},
                                   std::string_view entry_point = "node",
                                   ExecutionModel execution_model = ExecutionModel::kGLCompute);
[[nodiscard]] NodeInfo ReflectParts(const NodeParts& parts, const Specialization& specialization = {});
// Why reflection or lowering refuses the module; empty if neither does.
[[nodiscard]] std::string LoweringRefusal(std::string_view text, const Specialization& specialization = {},
                                          std::string_view entry_point = "node",
                                          ExecutionModel execution_model = ExecutionModel::kGLCompute);
[[nodiscard]] std::string LoweringRefusal(const NodeParts& parts, const Specialization& specialization = {});

// Lowers with and without subgroup aggregation, for the module's version as given (0: 1.6) and, where that is
// above 1.5, for 1.5 too; validates all results for Vulkan 1.3 and, where the version allows, 1.2, and looks for
// leftovers of the extension. Returns the readable text of the one without aggregation.
struct LowerRequest {
  uint32_t version = 0;
  uint32_t launch_offset = 64;
  std::optional<uint32_t> push_constant_copy_offset;
  Specialization specialization;
  std::string_view entry_point = "node";
  ExecutionModel execution_model = ExecutionModel::kGLCompute;
  uint32_t packed = 1;  // NodeInfo::packed
  bool in_batches = true;
  bool robust_access = false;
  bool for_cpu = false;
};
[[nodiscard]] std::string LowerText(std::string_view text, const LowerRequest& request = {});
[[nodiscard]] std::string LowerParts(const NodeParts& parts, const LowerRequest& request = {});

// One instruction a line; ids with an OpName, simple types, integer constants, true and false by name.
[[nodiscard]] std::string Readable(const std::vector<uint32_t>& words);
// The lines of the function with that name, from OpFunction to OpFunctionEnd.
[[nodiscard]] std::string FunctionText(std::string_view text, std::string_view name);
// Whether a line matches the pattern: token by token, `*` for any token, a trailing `...` for any rest.
[[nodiscard]] bool HasLine(std::string_view text, std::string_view pattern);
// Whether lines match the patterns in that order, others between them or not.
[[nodiscard]] bool HasLines(std::string_view text, std::initializer_list<std::string_view> patterns);
[[nodiscard]] size_t CountLines(std::string_view text, std::string_view pattern);

}  // namespace trellis::spirv
