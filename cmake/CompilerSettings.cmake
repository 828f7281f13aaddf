# SPDX-License-Identifier: Apache-2.0
# Settings for everything that Trellis compiles itself.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# The layer lives in other programs: it exports its entry points and nothing else.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

get_property(trellis_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT trellis_multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TRELLIS_CCACHE ccache)
  mark_as_advanced(TRELLIS_CCACHE)
  if(TRELLIS_CCACHE)
    # A second build folder, or a second clone, finds what the first one compiled. Precompiled headers need the sloppiness
    # (ccache's manual, "Precompiled headers"): what a macro such as __TIME__ gave is then not looked at.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${TRELLIS_CCACHE}")
    if(TRELLIS_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options(-fpch-preprocess)
    endif()
  endif()
endif()

add_compile_options(-Wall -Wextra)
if(TRELLIS_WERROR)
  add_compile_options(-Werror)
endif()

# Inside precompiled headers g++ 12 no longer knows which code is the standard library's, and warns about it. Presets without
# precompiled headers keep the warnings.
if(TRELLIS_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # One precompiled header serves libraries and programs, which CMake would compile with -fPIE.
  add_compile_options(-fPIC)
  add_compile_options(-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
endif()

if(TRELLIS_SANITIZE)
  add_compile_options(-fsanitize=${TRELLIS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TRELLIS_SANITIZE})
  # Instrumented code hides initialisations from g++: it warns about its own <regex>.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# Coverage, which libFuzzer is led by. The fuzzers alone are linked with libFuzzer itself. Comparisons are not traced: they took a third of
# the time, and what they are for, values to put into an input, come from the dictionary and the mutator.
if(TRELLIS_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
endif()

# The file of each folder named platform that is compiled: the rest of the code has none for one system.
set(TRELLIS_PLATFORM posix)
if(WIN32)
  set(TRELLIS_PLATFORM windows)
endif()

# Include paths start at the repository's root: "spirv_lowering/ir/module.h".
include_directories("${PROJECT_SOURCE_DIR}")
