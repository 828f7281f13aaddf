# SPDX-License-Identifier: Apache-2.0
#   trellis_spirv_rules      the extension's rules that SPIRV-Tools does not check
#   trellis_spirv_front_end  raw glslang output -> nodes

add_library(trellis_spirv_rules STATIC
  rules/branch_regions.cpp
  rules/branch_regions.h
  rules/check_rules.cpp
  rules/check_rules.h
  rules/decoration_rules.cpp
  rules/divergence.cpp
  rules/divergence.h
  rules/divergent_values.cpp
  rules/entry_divergence.cpp
  rules/entry_divergence.h
  rules/function_divergence.cpp
  rules/function_divergence.h
  rules/instruction_rules.cpp
  rules/mode_rules.cpp
  rules/module_rules.cpp
  rules/payload_type_rules.cpp
  rules/rule_context.cpp
  rules/rule_context.h
  rules/source_lines.cpp
  rules/source_lines.h
  rules/uniformity.cpp
  rules/uniformity.h
  rules/validator_view.cpp
  rules/validator_view.h)
target_link_libraries(trellis_spirv_rules PUBLIC trellis_spirv_lowering)

add_library(trellis_spirv_front_end STATIC
  front_end/handle_plan.cpp
  front_end/handle_plan.h
  front_end/handle_uses.cpp
  front_end/handle_uses.h
  front_end/inline_calls.cpp
  front_end/inline_calls.h
  front_end/merge.cpp
  front_end/merge.h
  front_end/payload_arrays.cpp
  front_end/payload_arrays.h
  front_end/rewrite.cpp
  front_end/rewrite.h
  front_end/selects.cpp
  front_end/selects.h
  front_end/stand_ins.cpp
  front_end/stand_ins.h)
target_link_libraries(trellis_spirv_front_end PUBLIC trellis_spirv_rules)
