# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build folder> -DWORK=<scratch folder> -DPROJECT=<package/> -DGLSLANG=<program> -P package_test.cmake
#
# Installs, builds a project against the package, and checks that a changed include compiles the nodes again.

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(COPY "${PROJECT}/" DESTINATION "${WORK}/source")
# Everything that belongs to the package lies below tools/ in the build tree.
run("install" "${CMAKE_COMMAND}" -DCMAKE_INSTALL_PREFIX=${WORK}/prefix -P "${BUILD}/tools/cmake_install.cmake")
foreach(file bin/trellis include/trellis/node_payload.glsl include/trellis/vulkan_shader_enqueue.h)
  if(NOT EXISTS "${WORK}/prefix/${file}")
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
# Moved as a whole, it still works: the program finds the header next to itself.
file(RENAME "${WORK}/prefix" "${WORK}/moved")
run("configure" "${CMAKE_COMMAND}" -G Ninja -S "${WORK}/source" -B "${WORK}/build" -DCMAKE_PREFIX_PATH=${WORK}/moved -DTRELLIS_GLSLANG=${GLSLANG}
    -DVULKAN_INCLUDE_DIR=${VULKAN_INCLUDE_DIR})
# Without glslang the package says what it needs.
file(WRITE "${WORK}/old_glslang" "#!/bin/sh\necho 'Glslang Version: 11:11.9.0'\n")
file(CHMOD "${WORK}/old_glslang" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
execute_process(COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${WORK}/source" -B "${WORK}/old" -DCMAKE_PREFIX_PATH=${WORK}/moved
                        -DTRELLIS_GLSLANG=${WORK}/old_glslang RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "glslang 12.0 or newer is needed")
  message(FATAL_ERROR "find_package(Trellis) accepted glslang 11:\n${output}")
endif()
run("build" "${CMAKE_COMMAND}" --build "${WORK}/build")
run("program" "${WORK}/build/outside")
set(node "${WORK}/build/nodes/node.spv")
if(NOT EXISTS "${node}")
  message(FATAL_ERROR "trellis_add_nodes made no nodes/node.spv")
endif()

file(SHA256 "${node}" before)
file(WRITE "${WORK}/source/shaders/item.glsl" "struct Item {\n  uint value;\n  uint more;\n};\n")
run("second build" "${CMAKE_COMMAND}" --build "${WORK}/build")
file(SHA256 "${node}" after)
if(before STREQUAL after)
  message(FATAL_ERROR "a changed include did not compile the node again")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" OUTPUT_VARIABLE output)
if(NOT output MATCHES "no work to do")
  message(FATAL_ERROR "a build without changes did something:\n${output}")
endif()
file(REMOVE_RECURSE "${WORK}")
