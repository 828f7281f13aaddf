# SPDX-License-Identifier: Apache-2.0
list(APPEND TRELLIS_LAYER_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/device_buffer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_arena.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_block_pool.cpp
  ${CMAKE_CURRENT_LIST_DIR}/prepared_regions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ring_pool.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scratch_layout.cpp
)
