# SPDX-License-Identifier: Apache-2.0
# trellis_generate(OUTPUT SCRIPT INPUTS file... [DEPENDS file...])
# Runs `SCRIPT INPUTS OUTPUT` at build time, for targets that have OUTPUT as a source or depend on it.
function(trellis_generate output script)
  cmake_parse_arguments(arg "" "" "INPUTS;DEPENDS" ${ARGN})
  get_filename_component(name "${output}" NAME)
  # -B: modules that scripts share leave nothing behind in the checkout.
  add_custom_command(
    OUTPUT "${output}"
    COMMAND Python3::Interpreter -B "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${arg_INPUTS} "${output}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${arg_INPUTS} ${arg_DEPENDS}
    COMMENT "Table ${name}"
    VERBATIM)
endfunction()

# trellis_generate_from_registry(OUTPUT SCRIPT [file...])
# Passes vk.xml as the first input, then the files.
function(trellis_generate_from_registry output script)
  trellis_generate("${output}" "${script}" INPUTS "${TRELLIS_VULKAN_REGISTRY}/vk.xml" ${ARGN}
    DEPENDS "${PROJECT_SOURCE_DIR}/layer/dispatch/registry.py")
endfunction()
