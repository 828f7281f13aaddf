# SPDX-License-Identifier: Apache-2.0
list(APPEND TRELLIS_LAYER_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/batching.cpp
  ${CMAKE_CURRENT_LIST_DIR}/compile_nodes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/create_compute.cpp
  ${CMAKE_CURRENT_LIST_DIR}/create_graph.cpp
  ${CMAKE_CURRENT_LIST_DIR}/create_graphics.cpp
  ${CMAKE_CURRENT_LIST_DIR}/creation_context.cpp
  ${CMAKE_CURRENT_LIST_DIR}/creation_feedback.cpp
  ${CMAKE_CURRENT_LIST_DIR}/driver_stage.cpp
  ${CMAKE_CURRENT_LIST_DIR}/dump_shaders.cpp
  ${CMAKE_CURRENT_LIST_DIR}/execution_graph.cpp
  ${CMAKE_CURRENT_LIST_DIR}/internal_kernels.cpp
  ${CMAKE_CURRENT_LIST_DIR}/libraries.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lower_node.cpp
  ${CMAKE_CURRENT_LIST_DIR}/needed_kernels.cpp
  ${CMAKE_CURRENT_LIST_DIR}/node_sources.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parallel_for.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shader_cache.cpp
  ${CMAKE_CURRENT_LIST_DIR}/specialization.cpp
)
