# SPDX-License-Identifier: Apache-2.0
# How test programs become tests of ctest: programs without a device, and runs of a program on one driver.

include(GoogleTest)

# What a GoogleTest program prints if its filter matched nothing: no success.
set(TRELLIS_NO_TEST_RAN "[=] 0 tests from 0 test suites ran")

# trellis_add_tests(<program> [SANITIZED_PARTS n] [arguments of gtest_discover_tests])
# One test of ctest per test of the program; under the sanitizers one for the program, since starting it takes longer than most tests.
# SANITIZED_PARTS, for programs with the main of trellis_part_main: there the first tier runs one n-th of the tests, as in trellis_add_gpu_run.
function(trellis_add_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SANITIZED_PARTS" "")
  if(NOT TRELLIS_SANITIZE)
    gtest_discover_tests(${program} ${arg_UNPARSED_ARGUMENTS})
    return()
  endif()
  set(environment "")
  if(arg_SANITIZED_PARTS)
    set(environment ENVIRONMENT "TRELLIS_TEST_PARTS=${arg_SANITIZED_PARTS}")
  endif()
  cmake_parse_arguments(arg "" "TEST_FILTER" "PROPERTIES" ${arg_UNPARSED_ARGUMENTS})
  set(filter "")
  if(arg_TEST_FILTER)
    set(filter "--gtest_filter=${arg_TEST_FILTER}")
  endif()
  add_test(NAME ${program} COMMAND ${program} --gtest_brief=1 ${filter})
  set_tests_properties(${program} PROPERTIES FAIL_REGULAR_EXPRESSION "${TRELLIS_NO_TEST_RAN}" TIMEOUT 1500 ${environment} ${arg_PROPERTIES})
endfunction()

# trellis_add_driver_test(<test> DRIVER lavapipe|swiftshader|hardware COMMAND program [argument ...] [ENVIRONMENT NAME=value ...]
#                         [PROPERTIES name value ...])
# A program with the layer in front of a driver.
function(trellis_add_driver_test test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DRIVER" "COMMAND;ENVIRONMENT;PROPERTIES")
  trellis_driver_environment(driver_environment ${arg_DRIVER})
  add_test(NAME ${test} COMMAND ${arg_COMMAND})
  set_tests_properties(${test} PROPERTIES
    ENVIRONMENT "XDG_CONFIG_DIRS=${PROJECT_BINARY_DIR}:/etc/xdg;TRELLIS_ENABLE=1;${driver_environment};${arg_ENVIRONMENT}"
    LABELS gpu
    SKIP_RETURN_CODE 77
    TIMEOUT 4500
    ${arg_PROPERTIES})
endfunction()

# trellis_add_gpu_run(<driver>[.<variant>] PROGRAM program [PARTS n] [SHARDS n] [COST n] [ONLY pattern ...] [WITHOUT pattern ...]
#                     [ENVIRONMENT NAME=value ...])
#
# A GoogleTest program on a driver; its results go to gpu_results/<driver>[.<variant>].json. With PARTS the first tier runs one n-th of the
# tests, chosen by TRELLIS_TEST_PART (tests/support/test_part.h), and the full tier all of them. WITHOUT: tests that the variant would only
# repeat, because they fix the setting that it changes. ONLY: the tests that the variant is about. SHARDS: that many tests of ctest, called
# gpu_<name>.shard_0 and so on, share the program's tests or those of the part, so that two of them use two cores.
function(trellis_add_gpu_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM;PARTS;SHARDS;COST" "ONLY;WITHOUT;ENVIRONMENT")
  string(REGEX MATCH "^[^.]+" driver "${name}")
  set(command ${arg_PROGRAM} --gtest_brief=1)
  if(arg_ONLY)
    list(JOIN arg_ONLY ":" only)
    list(APPEND command "--gtest_filter=${only}")
  elseif(arg_WITHOUT)
    list(JOIN arg_WITHOUT ":" without)
    list(APPEND command "--gtest_filter=-${without}")
  endif()
  # Minutes: ctest begins with these, and the short ones fill in.
  if(NOT arg_COST)
    set(arg_COST 1000)
  endif()
  if(arg_PARTS)
    list(APPEND arg_ENVIRONMENT "TRELLIS_TEST_PARTS=${arg_PARTS}")
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(run ${name})
    if(arg_SHARDS GREATER 1)
      set(run ${name}.shard_${shard})
    endif()
    trellis_add_driver_test(gpu_${run} DRIVER ${driver} COMMAND ${command} "--gtest_output=json:${PROJECT_BINARY_DIR}/gpu_results/${run}.json"
      ENVIRONMENT "TRELLIS_VALIDATE_LOWERED=1" "GTEST_TOTAL_SHARDS=${arg_SHARDS}" "GTEST_SHARD_INDEX=${shard}" ${arg_ENVIRONMENT}
      PROPERTIES COST ${arg_COST} FAIL_REGULAR_EXPRESSION "${TRELLIS_NO_TEST_RAN}")
  endforeach()
endfunction()
