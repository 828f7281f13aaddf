// SPDX-License-Identifier: Apache-2.0
// Pieces of nodes that hand payloads about.
#pragma once

#include <string>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {

inline constexpr const char* kAllocate = R"(
%allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_3 %uint_0
%handle = OpLoad %outputs %allocated
OpStore %local %handle
)";

// %main with an allocation %allocated of %outputs, stored to the variable %local, and a variable %real of %uint.
inline NodeParts Node(const std::string& body, const std::string& globals = "", const std::string& functions = "") {
  NodeParts parts;
  parts.variables = "%local = OpVariable %fn_out Function\n%real = OpVariable %fn_uint Function\n";
  parts.body = kAllocate + body;
  parts.globals = globals;
  parts.functions = functions;
  return parts;
}

// void set(uint* pointer): *pointer = 7.
inline constexpr const char* kSetType = "%set_type = OpTypeFunction %void %fn_uint\n";
inline constexpr const char* kSet = R"(
%set = OpFunction %void None %set_type
%pointer = OpFunctionParameter %fn_uint
%set_begin = OpLabel
OpStore %pointer %uint_7
OpReturn
OpFunctionEnd
)";
inline constexpr const char* kMember = "%member = OpAccessChain %fn_uint %local %uint_0 %int_0\n";

}  // namespace trellis::spirv
