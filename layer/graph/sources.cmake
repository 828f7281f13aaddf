# SPDX-License-Identifier: Apache-2.0
list(APPEND TRELLIS_LAYER_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/describe.cpp
  ${CMAKE_CURRENT_LIST_DIR}/graph.cpp
  ${CMAKE_CURRENT_LIST_DIR}/levels.cpp
  ${CMAKE_CURRENT_LIST_DIR}/link.cpp
  ${CMAKE_CURRENT_LIST_DIR}/link_order.cpp
  ${CMAKE_CURRENT_LIST_DIR}/load_bounds.cpp
  ${CMAKE_CURRENT_LIST_DIR}/longest_paths.cpp
  ${CMAKE_CURRENT_LIST_DIR}/memory_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/record_grid.cpp
  ${CMAKE_CURRENT_LIST_DIR}/region_layout.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ring_parts.cpp
  ${CMAKE_CURRENT_LIST_DIR}/step_schedule.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tables.cpp
)
