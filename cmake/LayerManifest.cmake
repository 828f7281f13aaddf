# SPDX-License-Identifier: Apache-2.0
# The layer's manifest, twice: in the build tree, so that the layer works without an install
# (XDG_CONFIG_DIRS=<build>:/etc/xdg), and for cmake --install.
#
# On Windows the manifest and the library lie side by side, and the registry names the manifest.
#
# Loaders before 1.4.326 ignore a manifest of an implicit layer in VK_INSTANCE_LAYERS unless the same file is also on the
# explicit path, hence the symbolic links.

set(trellis_layer_target VkLayer_TRELLIS_shader_enqueue)
if(NOT TARGET ${trellis_layer_target})
  return()
endif()

set(trellis_manifest_name VkLayer_TRELLIS_shader_enqueue.json)
set(trellis_manifest_template "${PROJECT_SOURCE_DIR}/json/${trellis_manifest_name}.in")
# The API version is that of the headers which the layer was written against.
set(TRELLIS_API_VERSION 1.4.309)
# The loader wants one number: 1.2.3 is 10203.
math(EXPR TRELLIS_IMPLEMENTATION_VERSION "${PROJECT_VERSION_MAJOR} * 10000 + ${PROJECT_VERSION_MINOR} * 100 + ${PROJECT_VERSION_PATCH}")

# The loader resolves a relative path against the manifest's folder, so an installation can be moved as a whole, and
# cmake --install --prefix works. Under /usr itself the manifest goes to /etc: /usr/share is where RenderDoc's is, and ours
# has to be found before it.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(trellis_manifest_base "${CMAKE_INSTALL_FULL_SYSCONFDIR}/vulkan")
else()
  set(trellis_manifest_base "${CMAKE_INSTALL_DATADIR}/vulkan")
endif()
set(TRELLIS_INSTALL_MANIFEST_DIR "${trellis_manifest_base}" CACHE STRING
    "Folder for implicit_layer.d and explicit_layer.d, absolute or below the prefix; the loader must search it")

# Debian keeps plugins, which have no SONAME, out of the linker's folders.
option(TRELLIS_PRIVATE_LAYER_DIR "Install the layer into a folder of its own below the library folder" OFF)
set(trellis_layer_dir "${CMAKE_INSTALL_LIBDIR}")
set(trellis_full_layer_dir "${CMAKE_INSTALL_FULL_LIBDIR}")
if(TRELLIS_PRIVATE_LAYER_DIR)
  string(APPEND trellis_layer_dir "/trellis")
  string(APPEND trellis_full_layer_dir "/trellis")
endif()

# Writes implicit_layer.d/<manifest> below `folder` and links it into explicit_layer.d. `library_path` is what the manifest says.
function(trellis_write_manifest folder library_path)
  set(TRELLIS_LIBRARY_PATH "${library_path}")
  configure_file("${trellis_manifest_template}" "${folder}/implicit_layer.d/${trellis_manifest_name}" @ONLY)
  file(MAKE_DIRECTORY "${folder}/explicit_layer.d")
  file(CREATE_LINK "../implicit_layer.d/${trellis_manifest_name}" "${folder}/explicit_layer.d/${trellis_manifest_name}" SYMBOLIC)
endfunction()

if(WIN32)
  # In JSON a backslash is written twice.
  set(TRELLIS_LIBRARY_PATH ".\\\\${trellis_layer_target}.dll")
  configure_file("${trellis_manifest_template}" "${PROJECT_BINARY_DIR}/layer/${trellis_manifest_name}" @ONLY)
  install(TARGETS ${trellis_layer_target} LIBRARY DESTINATION layer)
  install(FILES "${PROJECT_BINARY_DIR}/layer/${trellis_manifest_name}" DESTINATION layer)
  return()
endif()

get_target_property(trellis_layer_folder ${trellis_layer_target} BINARY_DIR)
set(trellis_layer_file "${CMAKE_SHARED_LIBRARY_PREFIX}${trellis_layer_target}${CMAKE_SHARED_LIBRARY_SUFFIX}")
file(RELATIVE_PATH trellis_layer_path "${PROJECT_BINARY_DIR}/vulkan/implicit_layer.d" "${trellis_layer_folder}/${trellis_layer_file}")
trellis_write_manifest("${PROJECT_BINARY_DIR}/vulkan" "${trellis_layer_path}")

get_filename_component(trellis_manifest_base "${TRELLIS_INSTALL_MANIFEST_DIR}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH trellis_layer_path "${trellis_manifest_base}/implicit_layer.d" "${trellis_full_layer_dir}/${trellis_layer_file}")
trellis_write_manifest("${PROJECT_BINARY_DIR}/install_manifest" "${trellis_layer_path}")

install(TARGETS ${trellis_layer_target} LIBRARY DESTINATION "${trellis_layer_dir}" COMPONENT layer)
foreach(kind implicit_layer.d explicit_layer.d)
  install(FILES "${PROJECT_BINARY_DIR}/install_manifest/${kind}/${trellis_manifest_name}"
          DESTINATION "${TRELLIS_INSTALL_MANIFEST_DIR}/${kind}" COMPONENT layer)
endforeach()
