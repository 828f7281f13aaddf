# SPDX-License-Identifier: Apache-2.0
# Builds for 64-bit Windows with the cross compiler of Debian's package g++-mingw-w64-x86-64-posix. The variant with posix threads is needed:
# the other one has no std::thread. Programs and libraries carry the compiler's run time, so they need no DLL but those of Windows.
#
#   TRELLIS_WINDOWS_PREFIX   folder with the libraries for Windows that scripts/windows/bootstrap.sh makes
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

if(NOT TRELLIS_WINDOWS_PREFIX)
  set(TRELLIS_WINDOWS_PREFIX "$ENV{TRELLIS_WINDOWS_PREFIX}")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRELLIS_WINDOWS_PREFIX)

# Programs that run during the build are this machine's; libraries and headers are never.
set(CMAKE_FIND_ROOT_PATH "${TRELLIS_WINDOWS_PREFIX}" /usr/x86_64-w64-mingw32)
list(APPEND CMAKE_PREFIX_PATH "${TRELLIS_WINDOWS_PREFIX}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(trellis_static_run_time "-static -static-libgcc -static-libstdc++")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${trellis_static_run_time}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${trellis_static_run_time}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${trellis_static_run_time}")
