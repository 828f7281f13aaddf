# SPDX-License-Identifier: Apache-2.0
target_sources(trellis_spirv_tests PRIVATE
  barriers_test.cpp
  builtins_test.cpp
  call_shapes_test.cpp
  case_literals_test.cpp
  check_allocations_test.cpp
  commit_test.cpp
  entry_point_test.cpp
  finish_writing_test.cpp
  fragment_shader_test.cpp
  group_allocations_test.cpp
  handle_shapes_test.cpp
  handles_test.cpp
  hostile_test.cpp
  lower_test.cpp
  mesh_parts.cpp
  mesh_parts.h
  mesh_test.cpp
  node_samples.cpp
  node_samples.h
  node_text.cpp
  node_text.h
  order_globals_test.cpp
  packing_test.cpp
  payload_types_test.cpp
  push_constant_memory_test.cpp
  push_constants_test.cpp
  reflect_refusal_test.cpp
  reflect_test.cpp
  robust_access_test.cpp
  shape_parts.h
  shared_memory_test.cpp
  specialized_layout_test.cpp
  stored_types_test.cpp
  strip_test.cpp)
# An ordinary shader in the versions that drivers of the extension meet.
trellis_compile_glsl(trellis_spirv_tests SOURCE leaf.comp HEADER tests/leaf_1_0.h VARIABLE kLeaf10 TARGET_ENV vulkan1.0)
trellis_compile_glsl(trellis_spirv_tests SOURCE leaf.comp HEADER tests/leaf_1_3.h VARIABLE kLeaf13 TARGET_ENV vulkan1.1)
trellis_compile_glsl(trellis_spirv_tests SOURCE leaf.comp HEADER tests/leaf_1_6.h VARIABLE kLeaf16 TARGET_ENV vulkan1.3)
target_link_libraries(trellis_spirv_tests PRIVATE trellis_spirv_lowering trellis_test_environment)
target_compile_definitions(trellis_spirv_tests PRIVATE "TRELLIS_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
