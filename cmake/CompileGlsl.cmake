# SPDX-License-Identifier: Apache-2.0
# Shaders as C++ headers, made at build time.
#
#   trellis_compile_glsl(<target> SOURCE x.comp HEADER x_spv.h VARIABLE kXSpv
#                        [DEFINES NAME=VALUE ...] [INCLUDES dir ...] [DEPENDS file ...]
#                        [TARGET_ENV vulkan1.2|vulkan1.3] [NAMESPACE trellis] [PUBLIC])
#   trellis_assemble_spirv(<target> SOURCE x.spvasm HEADER x_spv.h VARIABLE kXSpv
#                          [TARGET_ENV vulkan1.3] [NAMESPACE trellis] [PUBLIC])
#
# The header defines `inline constexpr std::uint32_t VARIABLE[]` in NAMESPACE (default trellis). HEADER may contain
# folders; it is found as #include "HEADER", by the target alone or, with PUBLIC, also by what links the target.
# Included GLSL files are tracked; the repository's root is always on the GLSL include path.

set(TRELLIS_WORDS_TO_HEADER "${CMAKE_CURRENT_LIST_DIR}/words_to_header.py")

function(trellis_add_words_header target source words header variable name_space visibility)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/shader_headers/${header}")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND Python3::Interpreter "${TRELLIS_WORDS_TO_HEADER}" --input "${words}" --output "${output}" --variable "${variable}"
            --namespace "${name_space}" --source "${source}"
    DEPENDS "${words}" "${TRELLIS_WORDS_TO_HEADER}"
    COMMENT "Shader header ${header}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} ${visibility} "${CMAKE_CURRENT_BINARY_DIR}/shader_headers")
endfunction()

macro(trellis_shader_arguments)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PUBLIC" "SOURCE;HEADER;VARIABLE;TARGET_ENV;NAMESPACE" "DEFINES;INCLUDES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCE OR NOT arg_HEADER OR NOT arg_VARIABLE)
    message(FATAL_ERROR "${CMAKE_CURRENT_FUNCTION}(${target}): SOURCE, HEADER and VARIABLE are needed; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TARGET_ENV)
    set(arg_TARGET_ENV vulkan1.2)
  endif()
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE trellis)
  endif()
  set(visibility PRIVATE)
  if(arg_PUBLIC)
    set(visibility PUBLIC)
  endif()
  get_filename_component(source "${arg_SOURCE}" ABSOLUTE)
  file(RELATIVE_PATH source_name "${PROJECT_SOURCE_DIR}" "${source}")
  # The header's name tells apart several outputs from one source.
  set(words "${CMAKE_CURRENT_BINARY_DIR}/shader_words/${arg_HEADER}.spv")
  get_filename_component(words_folder "${words}" DIRECTORY)
  file(MAKE_DIRECTORY "${words_folder}")
endmacro()

function(trellis_compile_glsl target)
  trellis_shader_arguments()
  set(flags "")
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND flags "-D${define}")
  endforeach()
  foreach(folder IN LISTS arg_INCLUDES)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND flags "-I${folder}")
  endforeach()
  add_custom_command(
    OUTPUT "${words}"
    COMMAND "${TRELLIS_GLSLANG}" -V --quiet --target-env ${arg_TARGET_ENV} ${flags} "-I${PROJECT_SOURCE_DIR}"
            --depfile "${words}.d" -o "${words}" "${source}"
    DEPENDS "${source}" ${arg_DEPENDS}
    DEPFILE "${words}.d"
    COMMENT "GLSL ${source_name}"
    VERBATIM)
  trellis_add_words_header(${target} "${source_name}" "${words}" "${arg_HEADER}" "${arg_VARIABLE}" "${arg_NAMESPACE}" ${visibility})
endfunction()

function(trellis_assemble_spirv target)
  trellis_shader_arguments()
  if(NOT TRELLIS_SPIRV_AS)
    message(FATAL_ERROR "missing spirv-as: it comes with SPIRV-Tools (package spirv-tools, or the Vulkan SDK)")
  endif()
  add_custom_command(
    OUTPUT "${words}"
    COMMAND "${TRELLIS_SPIRV_AS}" --target-env ${arg_TARGET_ENV} -o "${words}" "${source}"
    DEPENDS "${source}" ${arg_DEPENDS}
    COMMENT "SPIR-V ${source_name}"
    VERBATIM)
  trellis_add_words_header(${target} "${source_name}" "${words}" "${arg_HEADER}" "${arg_VARIABLE}" "${arg_NAMESPACE}" ${visibility})
endfunction()
