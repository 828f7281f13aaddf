# SPDX-License-Identifier: Apache-2.0
#   trellis_spirv_lowering  reflection and lowering of nodes

file(GLOB trellis_runtime_glsl CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/meta_shaders/runtime/*.glsl")
set(trellis_runtime_functions "${CMAKE_CURRENT_BINARY_DIR}/generated/spirv_lowering/runtime/functions.h")
trellis_generate("${trellis_runtime_functions}" runtime/generate_functions.py INPUTS ${trellis_runtime_glsl})

add_library(trellis_spirv_lowering STATIC
  fragment_shader.cpp
  fragment_shader.h
  lower.cpp
  lower.h
  passes/barriers.cpp
  passes/barriers.h
  passes/builtins.cpp
  passes/builtins.h
  passes/entry_built_ins.cpp
  passes/entry_built_ins.h
  passes/entry_point.cpp
  passes/entry_point.h
  passes/function_grouper.h
  passes/group_allocations.cpp
  passes/group_allocations.h
  passes/group_values.cpp
  passes/handle_access.cpp
  passes/handle_calls.cpp
  passes/handle_lowering.h
  passes/handle_types.cpp
  passes/handle_types.h
  passes/handles.cpp
  passes/handles.h
  passes/memory_access.cpp
  passes/memory_access.h
  passes/order_globals.cpp
  passes/order_globals.h
  passes/pass_context.h
  passes/plain_module.cpp
  passes/plain_module.h
  passes/push_constant_memory.cpp
  passes/push_constant_memory.h
  passes/push_constants.cpp
  passes/push_constants.h
  passes/robust_access.cpp
  passes/robust_access.h
  passes/runtime_calls.cpp
  passes/runtime_calls.h
  passes/shared_memory.cpp
  passes/shared_memory.h
  passes/stored_types.cpp
  passes/stored_types.h
  reflect/allocations.cpp
  reflect/allocations.h
  reflect/commit.cpp
  reflect/commit.h
  reflect/constants.cpp
  reflect/constants.h
  reflect/execution_modes.cpp
  reflect/execution_modes.h
  reflect/grid_member.cpp
  reflect/grid_member.h
  reflect/handle_paths.cpp
  reflect/handle_paths.h
  reflect/node_info.h
  reflect/node_module.cpp
  reflect/node_module.h
  reflect/packing.cpp
  reflect/packing.h
  reflect/payload_pointers.cpp
  reflect/payload_pointers.h
  reflect/payload_scalars.cpp
  reflect/payload_scalars.h
  reflect/records_per_node.cpp
  reflect/records_per_node.h
  reflect/reflect.cpp
  reflect/reflect.h
  reflect/variable_writes.cpp
  reflect/variable_writes.h
  runtime/operand.h
  runtime/runtime_library.cpp
  runtime/runtime_library.h
  saved_options.cpp
  saved_options.h
  "${trellis_runtime_functions}")
target_include_directories(trellis_spirv_lowering PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
target_link_libraries(trellis_spirv_lowering PUBLIC trellis_spirv_ir)

# SPIR-V 1.3, the oldest version that a lowered node can have: its functions are linked into nodes of any later one.
set(trellis_runtime_source "${PROJECT_SOURCE_DIR}/meta_shaders/runtime/runtime.comp")
foreach(model IN ITEMS Glsl450 Vulkan)
  foreach(variant IN ITEMS "" Subgroup SubgroupPartition Int64 SubgroupInt64 SubgroupPartitionInt64)
    set(defines "")
    if(model STREQUAL "Vulkan")
      list(APPEND defines TRELLIS_VULKAN_MEMORY_MODEL=1)
    endif()
    string(TOLOWER "${model}" model_name)
    set(header "spirv_lowering/runtime/runtime_${model_name}")
    if(variant MATCHES "Subgroup")
      list(APPEND defines TRELLIS_SUBGROUP_AGGREGATION=1)
      string(APPEND header "_subgroup")
    endif()
    if(variant MATCHES "Partition")
      list(APPEND defines TRELLIS_SUBGROUP_PARTITION=1)
      string(APPEND header "_partition")
    endif()
    if(variant MATCHES "Int64")
      list(APPEND defines TRELLIS_INT64_ADDRESSES=1)
      string(APPEND header "_int64")
    endif()
    trellis_compile_glsl(trellis_spirv_lowering SOURCE "${trellis_runtime_source}" HEADER "${header}_spv.h" VARIABLE kRuntime${model}${variant}Spv
      DEFINES ${defines} TARGET_ENV vulkan1.1)
  endforeach()
endforeach()
