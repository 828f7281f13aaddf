# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(SPIRV-Tools)
include("${CMAKE_CURRENT_LIST_DIR}/SPIRV-Tools-optTargets.cmake")
