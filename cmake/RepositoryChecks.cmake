# SPDX-License-Identifier: Apache-2.0
# Checks of the repository itself, as tests.

add_test(NAME repository.includes COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_includes.py")
add_test(NAME repository.includes_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_includes.py" --self-test)
add_test(NAME repository.lengths COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_lengths.py")
add_test(NAME repository.lengths_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_lengths.py" --self-test)
add_test(NAME repository.gpu_results_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_gpu_results.py" --self-test)
add_test(NAME repository.summary_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/summarise_tests.py" --self-test)
add_test(NAME repository.spdx_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_spdx.py" --self-test)
add_test(NAME repository.conformance_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_conformance.py" --self-test)
add_test(NAME repository.valid_usage_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_valid_usage.py" --self-test)
# docs/conformance.md and docs/valid_usage.md against the tests that were built.
set(test_programs "")
foreach(program IN ITEMS fault front_end gpu graph kernel layer memory pipeline replay rules sample spirv thread tool validation)
  if(TARGET trellis_${program}_tests)
    list(APPEND test_programs --program ${program}=$<TARGET_FILE:trellis_${program}_tests>)
  endif()
endforeach()
add_test(NAME repository.conformance
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_conformance.py" ${test_programs})
if(EXISTS "${TRELLIS_VULKAN_REGISTRY}/validusage.json")  # not in every package of the headers
  add_test(NAME repository.valid_usage
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_valid_usage.py"
            --registry "${TRELLIS_VULKAN_REGISTRY}/validusage.json" ${test_programs})
endif()
if(TARGET VkLayer_TRELLIS_shader_enqueue)
  add_test(NAME repository.exports
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_exports.py" "${CMAKE_NM}" "$<TARGET_FILE:VkLayer_TRELLIS_shader_enqueue>")
  add_test(NAME repository.install COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_install.py" "${PROJECT_BINARY_DIR}")
  # Each installation rewrites the build tree's install_manifest.txt.
  set_tests_properties(repository.install PROPERTIES RESOURCE_LOCK install_manifest)
endif()
# The text of http://www.apache.org/licenses/LICENSE-2.0.txt.
add_test(NAME repository.license COMMAND "${CMAKE_COMMAND}" -E sha256sum "${PROJECT_SOURCE_DIR}/LICENSE")
set_tests_properties(repository.license PROPERTIES
  PASS_REGULAR_EXPRESSION "^cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30")
add_test(NAME repository.words COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_repo.sh")

option(TRELLIS_CHECK_FORMAT "Check the formatting of C++ files as a test (needs clang-format 14)" OFF)
if(TRELLIS_CHECK_FORMAT)
  find_program(TRELLIS_CLANG_FORMAT NAMES clang-format-14 clang-format REQUIRED)
  mark_as_advanced(TRELLIS_CLANG_FORMAT)
  add_test(NAME repository.format COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_format.sh" "${TRELLIS_CLANG_FORMAT}")
endif()
add_test(NAME repository.documents COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_documents.py")
add_test(NAME repository.documents_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_documents.py" --self-test)
add_test(NAME repository.run_documents_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/run_documents.py" --self-test)
# With sanitizers the drivers' own leaks would count.
if(TARGET trellis AND TARGET hello_graph AND NOT TRELLIS_SANITIZE)
  if("lavapipe" IN_LIST TRELLIS_CPU_DRIVERS)
    trellis_driver_environment(environment lavapipe)
    add_test(NAME documents
      COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/run_documents.py" --build "${PROJECT_BINARY_DIR}"
              --include "${TRELLIS_VULKAN_INCLUDE_DIR}")
    set_tests_properties(documents PROPERTIES ENVIRONMENT "${environment}" LABELS gpu)
  else()
    message(STATUS "The commands of the documents are not tested: there is no lavapipe")
  endif()
  add_test(NAME repository.man_page
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/man_page.py" "$<TARGET_FILE:trellis>")
endif()
