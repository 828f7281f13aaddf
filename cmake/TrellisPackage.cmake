# The installed package: the program, the GLSL header, and trellis_add_nodes for other projects (find_package(Trellis)).
include(CMakePackageConfigHelpers)

install(TARGETS trellis EXPORT TrellisTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/docs/man/trellis.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${PROJECT_SOURCE_DIR}/include/trellis/node_payload.glsl" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trellis")

set(trellis_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Trellis")
install(EXPORT TrellisTargets NAMESPACE Trellis:: DESTINATION "${trellis_package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TrellisConfig.cmake.in" "${PROJECT_BINARY_DIR}/package/TrellisConfig.cmake"
                              INSTALL_DESTINATION "${trellis_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/TrellisConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/TrellisConfig.cmake" "${PROJECT_BINARY_DIR}/package/TrellisConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/TrellisNodes.cmake"
        DESTINATION "${trellis_package_dir}")
