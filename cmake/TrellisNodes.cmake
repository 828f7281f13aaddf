# SPDX-License-Identifier: Apache-2.0
# Nodes of work graphs, written in GLSL, compiled with a target. Part of the build and of the installed package (find_package(Trellis)).
#
#   trellis_add_nodes(<target> SOURCES node.comp ...
#                     [OUTPUT_DIRECTORY dir]          # node.comp becomes dir/node.spv; default: <build folder>/nodes
#                     [OUTPUT file]                   # or: one module with the entry points of all sources
#                     [VARIABLE name]                 # OUTPUT is a C++ header that defines the words as `name`; its folder is put on <target>'s include path
#                     [ENTRY_POINTS name ...]         # of the n-th source; default: main
#                     [DEFINES NAME=VALUE ...] [INCLUDES dir ...] [TARGET_ENV vulkan1.3] [DEBUG])
#
# The nodes are compiled again when a source, a file it includes or the compiler changes. What was made is listed in the target's property
# TRELLIS_NODES. glslang is the program in TRELLIS_GLSLANG if that is set, else what `trellis compile` finds.
# A cross build needs TRELLIS_HOST_PROGRAM: the program `trellis` of the machine that builds.

# One run of the compiler. Reads the arguments of trellis_add_nodes.
function(trellis_compile_nodes target output sources entry_points)
  set(flags --target-env ${arg_TARGET_ENV})
  if(TRELLIS_GLSLANG)
    list(APPEND flags --glslang "${TRELLIS_GLSLANG}")
  endif()
  if(arg_DEBUG)
    list(APPEND flags -g)
  endif()
  if(arg_VARIABLE)
    list(APPEND flags --vn ${arg_VARIABLE})
  endif()
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND flags "-D${define}")
  endforeach()
  foreach(folder IN LISTS arg_INCLUDES)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND flags "-I${folder}")
  endforeach()
  foreach(name IN LISTS entry_points)
    list(APPEND flags -e ${name})
  endforeach()
  get_filename_component(folder "${output}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  get_filename_component(name "${output}" NAME)
  # In a cross build the program of the build machine.
  if(CMAKE_CROSSCOMPILING AND TRELLIS_HOST_PROGRAM)
    set(program "${TRELLIS_HOST_PROGRAM}")
    set(program_dependency "${TRELLIS_HOST_PROGRAM}")
  else()
    set(program "$<TARGET_FILE:Trellis::trellis>")
    set(program_dependency Trellis::trellis)
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${program} compile ${sources} ${flags} -o "${output}" -M "${output}.d"
    DEPENDS ${sources} ${program_dependency}
    DEPFILE "${output}.d"
    COMMENT "Nodes ${name}"
    VERBATIM)
  # Headers are sources of the target; without a source a custom target makes the rest.
  target_sources(${target} PRIVATE "${output}")
  set_property(TARGET ${target} APPEND PROPERTY TRELLIS_NODES "${output}")
endfunction()

function(trellis_add_nodes target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "DEBUG" "OUTPUT;OUTPUT_DIRECTORY;VARIABLE;TARGET_ENV" "SOURCES;ENTRY_POINTS;DEFINES;INCLUDES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "trellis_add_nodes(${target}): SOURCES are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(arg_VARIABLE AND NOT arg_OUTPUT)
    message(FATAL_ERROR "trellis_add_nodes(${target}): VARIABLE needs OUTPUT")
  endif()
  if(NOT arg_TARGET_ENV)
    set(arg_TARGET_ENV vulkan1.3)
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/nodes")
  endif()
  set(sources "")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  if(arg_OUTPUT)
    get_filename_component(output "${arg_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    trellis_compile_nodes(${target} "${output}" "${sources}" "${arg_ENTRY_POINTS}")
    if(arg_VARIABLE)
      get_filename_component(folder "${output}" DIRECTORY)
      target_include_directories(${target} PRIVATE "${folder}")
    endif()
    return()
  endif()
  get_filename_component(arg_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(position 0)
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WLE)
    set(entry_point "")
    list(LENGTH arg_ENTRY_POINTS named)
    if(position LESS named)
      list(GET arg_ENTRY_POINTS ${position} entry_point)
    endif()
    math(EXPR position "${position} + 1")
    trellis_compile_nodes(${target} "${arg_OUTPUT_DIRECTORY}/${name}.spv" "${source}" "${entry_point}")
  endforeach()
endfunction()
