# SPDX-License-Identifier: Apache-2.0
# Finds what Trellis needs, from a local prefix (scripts/bootstrap.sh), the distribution or a Vulkan SDK (VULKAN_SDK).
# Everything that is missing is named at once, with what provides it.
#
# Defines for the rooms:
#   Vulkan::Headers, Vulkan::Vulkan (the loader), SPIRV-Headers::SPIRV-Headers
#   Trellis::SpirvTools     SPIRV-Tools' library and optimiser
#   TRELLIS_VULKAN_INCLUDE_DIR, TRELLIS_VULKAN_REGISTRY (folder of vk.xml)
#   TRELLIS_SPIRV_GRAMMAR   spirv.core.grammar.json
#   TRELLIS_GLSLANG, TRELLIS_SPIRV_AS, TRELLIS_SPIRV_VAL, TRELLIS_SPIRV_DIS   programs (the last three may be NOTFOUND)
#   Python3::Interpreter; with TRELLIS_BUILD_TESTS also GTest::gtest, GTest::gmock, nlohmann_json::nlohmann_json

if(DEFINED ENV{VULKAN_SDK})
  list(APPEND CMAKE_PREFIX_PATH "$ENV{VULKAN_SDK}")
endif()

set(trellis_missing "")
function(trellis_report_missing what hint)
  set(trellis_missing "${trellis_missing}  missing ${what}: ${hint}\n" PARENT_SCOPE)
endfunction()

# Headers: revision 2 of the extension is what counts, not the version number.
find_package(VulkanHeaders CONFIG QUIET)
if(TARGET Vulkan::Headers)
  get_target_property(trellis_vulkan_include Vulkan::Headers INTERFACE_INCLUDE_DIRECTORIES)
endif()
find_path(TRELLIS_VULKAN_INCLUDE_DIR vulkan/vulkan_core.h HINTS ${trellis_vulkan_include})
mark_as_advanced(TRELLIS_VULKAN_INCLUDE_DIR)
set(trellis_headers_hint
    "Vulkan-Headers 1.4.309 or newer (CMake package VulkanHeaders; libvulkan-dev on Debian 13, vulkan-headers on Fedora and Arch, or the Vulkan SDK)")
if(NOT TRELLIS_VULKAN_INCLUDE_DIR)
  trellis_report_missing("Vulkan-Headers" "${trellis_headers_hint}")
else()
  set(trellis_amdx_revision "")
  if(EXISTS "${TRELLIS_VULKAN_INCLUDE_DIR}/vulkan/vulkan_beta.h")
    file(STRINGS "${TRELLIS_VULKAN_INCLUDE_DIR}/vulkan/vulkan_beta.h" trellis_amdx_revision
         REGEX "define VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION +2")
  endif()
  if(NOT trellis_amdx_revision)
    trellis_report_missing("Vulkan-Headers with VK_AMDX_shader_enqueue revision 2 (too old: ${TRELLIS_VULKAN_INCLUDE_DIR})"
                           "${trellis_headers_hint}")
  endif()
endif()
if(NOT TARGET Vulkan::Headers AND TRELLIS_VULKAN_INCLUDE_DIR)
  add_library(Vulkan::Headers INTERFACE IMPORTED)
  set_target_properties(Vulkan::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TRELLIS_VULKAN_INCLUDE_DIR}")
endif()
find_path(TRELLIS_VULKAN_REGISTRY vk.xml HINTS "${TRELLIS_VULKAN_INCLUDE_DIR}/../share/vulkan/registry"
          PATH_SUFFIXES share/vulkan/registry)
mark_as_advanced(TRELLIS_VULKAN_REGISTRY)
if(NOT TRELLIS_VULKAN_REGISTRY)
  trellis_report_missing("the Vulkan registry, vk.xml" "${trellis_headers_hint}")
endif()

# Loader: only the samples and the tests link it.
if(TRELLIS_VULKAN_INCLUDE_DIR)
  set(Vulkan_INCLUDE_DIR "${TRELLIS_VULKAN_INCLUDE_DIR}" CACHE PATH "")
endif()
find_package(Vulkan QUIET)
if(NOT TARGET Vulkan::Vulkan)
  trellis_report_missing("Vulkan-Loader" "libvulkan.so for linking (libvulkan-dev on Debian, vulkan-loader-devel on Fedora, vulkan-icd-loader on Arch, or the Vulkan SDK)")
endif()

# SPIRV-Headers: the grammar is what the operand table is generated from.
find_package(SPIRV-Headers CONFIG QUIET)
set(trellis_spirv_headers_hint
    "SPIRV-Headers 1.4.309 or newer (CMake package SPIRV-Headers; spirv-headers on Debian 13 and Arch, spirv-headers-devel on Fedora, or the Vulkan SDK)")
if(NOT TARGET SPIRV-Headers::SPIRV-Headers)
  trellis_report_missing("SPIRV-Headers" "${trellis_spirv_headers_hint}")
else()
  get_target_property(trellis_spirv_include SPIRV-Headers::SPIRV-Headers INTERFACE_INCLUDE_DIRECTORIES)
  find_file(TRELLIS_SPIRV_GRAMMAR spirv.core.grammar.json HINTS ${trellis_spirv_include} PATH_SUFFIXES spirv/unified1)
  mark_as_advanced(TRELLIS_SPIRV_GRAMMAR)
  set(trellis_grammar_revision "")
  if(TRELLIS_SPIRV_GRAMMAR)
    file(STRINGS "${TRELLIS_SPIRV_GRAMMAR}" trellis_grammar_revision REGEX "OpAllocateNodePayloadsAMDX" LIMIT_COUNT 1)
  endif()
  if(NOT trellis_grammar_revision)
    trellis_report_missing("SPIRV-Headers with SPV_AMDX_shader_enqueue revision 2 (too old: ${trellis_spirv_include})"
                           "${trellis_spirv_headers_hint}")
  endif()
endif()

find_package(SPIRV-Tools CONFIG QUIET)
find_package(SPIRV-Tools-opt CONFIG QUIET)
if(TARGET SPIRV-Tools-opt AND (TARGET SPIRV-Tools-static OR TARGET SPIRV-Tools))
  add_library(trellis_spirv_tools INTERFACE)
  add_library(Trellis::SpirvTools ALIAS trellis_spirv_tools)
  target_link_libraries(trellis_spirv_tools INTERFACE SPIRV-Tools-opt)
  if(TARGET SPIRV-Tools-static)
    target_link_libraries(trellis_spirv_tools INTERFACE SPIRV-Tools-static)
  else()
    target_link_libraries(trellis_spirv_tools INTERFACE SPIRV-Tools)
  endif()
else()
  trellis_report_missing("SPIRV-Tools" "SPIRV-Tools 2025.1 or newer (CMake packages SPIRV-Tools and SPIRV-Tools-opt; spirv-tools on Debian 13 and Arch, spirv-tools-devel on Fedora, or the Vulkan SDK)")
endif()

find_program(TRELLIS_GLSLANG NAMES glslangValidator glslang)
if(NOT TRELLIS_GLSLANG)
  trellis_report_missing("glslang" "the program glslangValidator or glslang (glslang-tools on Debian, glslang on Fedora and Arch, or the Vulkan SDK)")
endif()
foreach(tool as dis val)
  string(TOUPPER "TRELLIS_SPIRV_${tool}" variable)
  find_program(${variable} spirv-${tool})
  mark_as_advanced(${variable})
endforeach()
mark_as_advanced(TRELLIS_GLSLANG)

if(CMAKE_CROSSCOMPILING)
  find_program(TRELLIS_HOST_PROGRAM trellis
    PATHS "${CMAKE_CURRENT_SOURCE_DIR}/build/dev/tools/trellis" "${CMAKE_CURRENT_SOURCE_DIR}/build/release/tools/trellis" NO_DEFAULT_PATH)
  if(NOT TRELLIS_HOST_PROGRAM)
    trellis_report_missing("trellis" "the program of this machine, which compiles nodes: cmake --preset release && cmake --build build/release --target trellis")
  endif()
endif()

find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(NOT TARGET Python3::Interpreter)
  trellis_report_missing("Python 3.9 or newer" "runs the build-time generators (python3)")
endif()

if(TRELLIS_BUILD_TESTS)
  find_package(GTest CONFIG QUIET)
  if(NOT TARGET GTest::gtest OR NOT TARGET GTest::gtest_main OR NOT TARGET GTest::gmock)
    trellis_report_missing("GoogleTest" "CMake package GTest with gmock (libgtest-dev and libgmock-dev on Debian, gtest-devel and gmock-devel on Fedora, gtest on Arch), or configure with -DTRELLIS_BUILD_TESTS=OFF")
  endif()
endif()
find_package(nlohmann_json CONFIG QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  trellis_report_missing("nlohmann_json" "CMake package nlohmann_json (nlohmann-json3-dev on Debian, json-devel on Fedora, nlohmann-json on Arch)")
endif()

find_package(Threads REQUIRED)

if(trellis_missing)
  message(FATAL_ERROR "Trellis cannot be built yet.\n\n${trellis_missing}\n"
                      "On Debian 12 and 13 scripts/bootstrap.sh provides all of this (then use: cmake --preset dev).")
endif()
