#   trellis_spirv_rules      the extension's rules that SPIRV-Tools does not check
#   trellis_spirv_front_end  raw glslang output -> nodes

add_library(trellis_spirv_front_end STATIC
  front_end/handle_plan.cpp
  front_end/handle_plan.h
  front_end/handles.cpp
  front_end/handles.h
  front_end/inline_calls.cpp
  front_end/inline_calls.h
  front_end/payload_arrays.cpp
  front_end/payload_arrays.h
  front_end/rewrite.cpp
  front_end/rewrite.h
  front_end/stand_ins.cpp
  front_end/stand_ins.h
  rules/source_lines.cpp
  rules/source_lines.h)
target_link_libraries(trellis_spirv_front_end PUBLIC trellis_spirv_lowering)
