# SPDX-License-Identifier: Apache-2.0
# Packages (cpack): three of Debian's, and an archive that can be unpacked anywhere. scripts/make_packages.sh makes them.
#
#   trellis-layer   the layer and its manifest
#   trellis-tools   trellis, trellis-doctor, the GLSL header
#   trellis-dev     the C header and the CMake package

# The default is a reserved domain: who publishes packages sets an address.
set(TRELLIS_PACKAGE_CONTACT "The Trellis authors <trellis@example.org>" CACHE STRING "Name and address of who publishes the packages")

set(trellis_debian_docs "${PROJECT_BINARY_DIR}/package/debian")
find_program(TRELLIS_GZIP gzip)
mark_as_advanced(TRELLIS_GZIP)
foreach(component layer tools dev)
  # Debian wants a changelog of its own form; CHANGELOG.md is what people read.
  set(changelog "${trellis_debian_docs}/${component}/changelog")
  file(WRITE "${changelog}" "trellis-${component} (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n"
       " -- ${TRELLIS_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000\n")
  if(TRELLIS_GZIP)
    execute_process(COMMAND "${TRELLIS_GZIP}" -9nf "${changelog}")
    install(FILES "${changelog}.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/trellis-${component}" COMPONENT debian_${component} EXCLUDE_FROM_ALL)
  endif()
  install(FILES packaging/debian/copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/trellis-${component}"
          COMPONENT debian_${component} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_PACKAGE_NAME trellis)
set(CPACK_PACKAGE_VENDOR "The Trellis authors")
set(CPACK_PACKAGE_CONTACT "${TRELLIS_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "VK_AMDX_shader_enqueue (GPU work graphs) for any Vulkan driver")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL layer tools dev docs)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_BINARY_DIR}/package/generator_options.cmake")
# One package of Debian's is two components: what everyone installs, and what Debian wants besides.
file(WRITE "${CPACK_PROJECT_CONFIG_FILE}" [[
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_ALL layer tools dev debian_layer debian_tools debian_dev)
endif()
]])

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_LAYER_PACKAGE_NAME trellis-layer)
set(CPACK_DEBIAN_LAYER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LAYER_PACKAGE_RECOMMENDS "libvulkan1, trellis-tools (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LAYER_DESCRIPTION "This package has the layer. It is off until the variable TRELLIS_ENABLE=1 is\nset in an application's environment.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME trellis-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "glslang-tools, trellis-layer (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "The program trellis compiles nodes from GLSL, validates them and shows what\nthey are. 'trellis doctor' checks drivers and devices.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME trellis-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "trellis-tools (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libvulkan-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "The header trellis/vulkan_shader_enqueue.h declares VK_AMDX_shader_enqueue\nwhatever the age of the Vulkan headers. The CMake package Trellis compiles\nnodes with a target.")

include(CPack)
foreach(component layer tools dev)
  string(TOUPPER ${component} upper)
  cpack_add_component_group(${component} DISPLAY_NAME "trellis-${component}" DESCRIPTION "${CPACK_DEBIAN_${upper}_DESCRIPTION}")
  cpack_add_component(${component} GROUP ${component})
  cpack_add_component(debian_${component} GROUP ${component})
endforeach()
