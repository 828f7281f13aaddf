// SPDX-License-Identifier: Apache-2.0
// Words -> Module. Checks everything that later code relies on, so that passes may index operands without checking
// again.
#pragma once

#include <cstdint>
#include <span>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Reads a SPIR-V binary of either byte order. Refuses, with a message that names the word offset and the instruction:
// truncated input, a word count of zero or past the end, opcodes the grammar does not know, operands that do not fit
// the grammar (too few, too many, unterminated strings), ids of zero or at/above the bound, results defined twice, a
// bound above the universal limit (SPIR-V 2.17: 4,194,303), instructions outside their section, blocks without
// terminator, uses of ids that nothing defines, types and constants used before their definition (forward pointers
// excepted), type declarations nested deeper than 255. Memory use is linear in the input.
//
// Also refused, because passes index on it: a result type that is not a type; operands of the wrong sort (a pointee
// that is no type, a branch to no label of the same function, a callee or entry point that is no function, an interface
// that is no global variable, a variable whose storage class is not its pointer type's, a function whose parameters are
// not its type's, a member decoration past the structure's members).
// Also refused: functions of entry points that call themselves, directly or through others
// (VUID-StandaloneSpirv-None-04634), so that passes may follow calls.
//
// Not kept: OpNop and debug lines outside functions' blocks (in front of a function or label, where they say nothing
// about an instruction); decoration groups, which become plain decorations of their targets; instructions of the sets
// OpenCL.DebugInfo.100 and DebugInfo, whose operands the core grammar does not describe; non-semantic instructions that
// stand between functions or name ids that nothing defines, with all debug information that refers to them.
[[nodiscard]] Expected<Module> ReadModule(std::span<const uint32_t> words);

}  // namespace trellis::spirv
