# SPDX-License-Identifier: Apache-2.0
list(APPEND TRELLIS_LAYER_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/graph_commands.cpp
  ${CMAKE_CURRENT_LIST_DIR}/graph_creation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/graph_nodes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/host_infos.cpp
)
