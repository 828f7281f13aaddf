# SPDX-License-Identifier: Apache-2.0
# Precompiled headers, chosen in one place for all C++ targets of a folder. Only third-party headers are precompiled: after a change, a header
# of ours would have everything compiled again. Presets without them (release, tsan, fuzz) show that sources include what they use.

# Sets `result` to the programs and libraries of `directory` and below.
function(trellis_list_targets directory result)
  get_property(all DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  set(targets "")
  foreach(target IN LISTS all)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "EXECUTABLE|LIBRARY")
      list(APPEND targets ${target})
    endif()
  endforeach()
  get_property(children DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    trellis_list_targets("${child}" below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} "${targets}" PARENT_SCOPE)
endfunction()

# trellis_precompile(<owner> <header> <folder> ...)
# Makes the target <owner>, which precompiles cmake/precompiled/<header>.h with the compile options of the calling folder, and lets all C++
# targets in the folders use it. They must have the same options. Targets of one or two sources are left out, because they gain nothing.
function(trellis_precompile owner header)
  set(source "${PROJECT_BINARY_DIR}/precompiled/${owner}.cpp")
  if(NOT EXISTS "${source}")
    file(WRITE "${source}" "")
  endif()
  add_library(${owner} OBJECT "${source}")
  # In angle brackets: a path of this checkout in the generated header would keep ccache from sharing results between checkouts.
  target_precompile_headers(${owner} PRIVATE "<cmake/precompiled/${header}.h>")
  foreach(folder IN LISTS ARGN)
    trellis_list_targets("${CMAKE_CURRENT_SOURCE_DIR}/${folder}" targets)
    foreach(target IN LISTS targets)
      get_target_property(sources ${target} SOURCES)
      list(FILTER sources INCLUDE REGEX "\\.cpp$")
      list(LENGTH sources count)
      if(count GREATER 2)
        target_precompile_headers(${target} REUSE_FROM ${owner})
      endif()
    endforeach()
  endforeach()
endfunction()
