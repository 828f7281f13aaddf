# Checks of the repository itself, as tests.

add_test(NAME repository.includes COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_includes.py")
add_test(NAME repository.includes_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_includes.py" --self-test)
add_test(NAME repository.gpu_results_selftest COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_gpu_results.py" --self-test)
if(TARGET VkLayer_TRELLIS_shader_enqueue)
  add_test(NAME repository.install COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/check_install.py" "${PROJECT_BINARY_DIR}")
endif()
add_test(NAME repository.words COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_repo.sh")

find_program(TRELLIS_CLANG_FORMAT NAMES clang-format-14 clang-format)
mark_as_advanced(TRELLIS_CLANG_FORMAT)
if(TRELLIS_CLANG_FORMAT)
  execute_process(COMMAND "${TRELLIS_CLANG_FORMAT}" --version OUTPUT_VARIABLE trellis_clang_format_version ERROR_QUIET)
  # Other versions format some things differently.
  if(trellis_clang_format_version MATCHES "version 14\\.")
    add_test(NAME repository.format COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_format.sh" "${TRELLIS_CLANG_FORMAT}")
  endif()
endif()
