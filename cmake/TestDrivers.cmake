# SPDX-License-Identifier: Apache-2.0
# The drivers that tests run on, and the environments that select them.

# Those that scripts/bootstrap.sh provides.
find_file(TRELLIS_ICD_LAVAPIPE NAMES lvp_icd.json lvp_icd.x86_64.json lvp_icd.aarch64.json
  PATHS /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d /usr/share/vulkan/icd.d NO_DEFAULT_PATH)
set(TRELLIS_ICD_SWIFTSHADER "${PROJECT_SOURCE_DIR}/build/deps/swiftshader/vk_swiftshader_icd.json" CACHE FILEPATH "Manifest of SwiftShader")
set(TRELLIS_NEWER_VALIDATION_DIR "${PROJECT_SOURCE_DIR}/build/deps/validation"
  CACHE PATH "Folder with the manifest of a newer validation layer than the system's")
mark_as_advanced(TRELLIS_ICD_LAVAPIPE TRELLIS_ICD_SWIFTSHADER TRELLIS_NEWER_VALIDATION_DIR)

set(TRELLIS_CPU_DRIVERS "")  # those that are there
foreach(driver IN ITEMS lavapipe swiftshader)
  string(TOUPPER "TRELLIS_ICD_${driver}" manifest)
  if(EXISTS "${${manifest}}" AND NOT CMAKE_CROSSCOMPILING)
    list(APPEND TRELLIS_CPU_DRIVERS ${driver})
  endif()
endforeach()

# Sets `result` to the environment in which lavapipe keeps compiled shaders in the folder `name`. The tests have folders of their own, one for each
# size of subgroups: Mesa (25.0.7) takes what was compiled for another size for the same, so that samples go wrong and draws with a vertex stage
# corrupt the heap.
function(trellis_lavapipe_cache result name)
  set(caches "$ENV{XDG_CACHE_HOME}")
  if(NOT caches)
    set(caches "$ENV{HOME}/.cache")
  endif()
  set(folder "${caches}/trellis/${name}")
  file(MAKE_DIRECTORY "${folder}")
  set(${result} "MESA_SHADER_CACHE_DIR=${folder}" PARENT_SCOPE)
endfunction()

# Sets `result` to the environment that makes `driver` the only one. "hardware" stands for the system's drivers.
function(trellis_driver_environment result driver)
  if(driver STREQUAL "hardware")
    set(environment "TRELLIS_TEST_DEVICE=hardware")
  else()
    string(TOUPPER "TRELLIS_ICD_${driver}" manifest)
    # Loaders before 1.3.207 know the first name only.
    set(environment "VK_ICD_FILENAMES=${${manifest}}" "VK_DRIVER_FILES=${${manifest}}")
  endif()
  if(driver STREQUAL "lavapipe")
    trellis_lavapipe_cache(cache lavapipe)
    list(APPEND environment "${cache}")
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# Sets `result` to what lavapipe needs besides trellis_driver_environment for subgroups of `size` invocations.
function(trellis_lavapipe_subgroups result size)
  trellis_lavapipe_cache(cache lavapipe_subgroups_${size})
  math(EXPR bits "32 * ${size}")
  set(${result} "LP_NATIVE_VECTOR_WIDTH=${bits}" "TRELLIS_TEST_SUBGROUP_SIZE=${size}" "${cache}" PARENT_SCOPE)
endfunction()
