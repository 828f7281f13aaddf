# SPDX-License-Identifier: Apache-2.0
# The installed package: the programs, the headers, and trellis_add_nodes for other projects (find_package(Trellis)).
include(CMakePackageConfigHelpers)

# Trellis::headers: the include path of trellis/vulkan_shader_enqueue.h.
add_library(trellis_headers INTERFACE)
add_library(Trellis::headers ALIAS trellis_headers)
set_target_properties(trellis_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(trellis_headers INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

install(TARGETS trellis EXPORT TrellisTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
if(TARGET trellis-doctor)
  install(TARGETS trellis-doctor RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endif()
install(TARGETS trellis_headers EXPORT TrellisTargets)
# Debian wants manual pages compressed, without the time.
set(trellis_man_page "${PROJECT_SOURCE_DIR}/docs/man/trellis.1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${trellis_man_page}")
find_program(TRELLIS_GZIP gzip)
mark_as_advanced(TRELLIS_GZIP)
if(TRELLIS_GZIP)
  execute_process(COMMAND "${TRELLIS_GZIP}" -9nc "${trellis_man_page}" OUTPUT_FILE "${CMAKE_CURRENT_BINARY_DIR}/trellis.1.gz"
    COMMAND_ERROR_IS_FATAL ANY)
  set(trellis_man_page "${CMAKE_CURRENT_BINARY_DIR}/trellis.1.gz")
endif()
install(FILES "${trellis_man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
# The program needs the header for GLSL; the other one is for applications.
install(FILES "${PROJECT_SOURCE_DIR}/include/trellis/node_payload.glsl" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trellis" COMPONENT tools)
install(FILES "${PROJECT_SOURCE_DIR}/include/trellis/vulkan_shader_enqueue.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trellis" COMPONENT dev)

set(trellis_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Trellis")
install(EXPORT TrellisTargets NAMESPACE Trellis:: DESTINATION "${trellis_package_dir}" COMPONENT dev)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TrellisConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/TrellisConfig.cmake"
                              INSTALL_DESTINATION "${trellis_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/TrellisConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/TrellisConfig.cmake" "${PROJECT_BINARY_DIR}/package/TrellisConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/TrellisNodes.cmake"
        DESTINATION "${trellis_package_dir}" COMPONENT dev)
