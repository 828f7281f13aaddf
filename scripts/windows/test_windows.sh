#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for Windows, packs the archive, and tests what is in it under Wine: Windows loader -> layer -> winevulkan -> lavapipe.
# Prints one line per test. Everything that it makes is in build/wine.
#
# usage: scripts/windows/test_windows.sh [--built] [--full]
#
#   --built  without building first
#   --full   all tests of GPU features, not one part of eight
set -euo pipefail

REPO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for part in common build drivers wine; do
  # shellcheck source=/dev/null
  . "${REPO_ROOT}/scripts/lib/${part}.sh"
done

build=yes
gpu_parts=8
while [ $# -gt 0 ]; do
  case $1 in
    --built) build=no ;;
    --full) gpu_parts=1 ;;
    *) Die "unknown option '$1': there are --built and --full" ;;
  esac
  shift
done
if [ "${build}" = yes ]; then
  "${REPO_ROOT}/scripts/windows/build_windows.sh" --test
  ConfigureAndBuild windows-tests --target trellis_gpu_tests
fi
archive=$("${REPO_ROOT}/scripts/windows/make_zip.sh")
rm -rf "${WINE_DIR}/archive" "${WINE_DIR}/run"
mkdir -p "${WINE_DIR}/archive" "${WINE_DIR}/run"
unzip -q -d "${WINE_DIR}/archive" "${archive}"
unpacked=$(find "${WINE_DIR}/archive" -mindepth 1 -maxdepth 1 -type d)
loader=${DEPS_DIR}/windows/bin/vulkan-1.dll
cp "${loader}" "${unpacked}/samples/"
cp "${loader}" "${unpacked}/bin/"
StartWine

failures=0
# Name, then a command. The test passes if the command succeeds.
Test() {
  local name=$1
  shift
  if "$@" >"${WINE_DIR}/run/output" 2>&1; then
    printf 'ok      %s\n' "${name}"
  else
    printf 'FAILED  %s\n' "${name}"
    sed 's/^/        /' "${WINE_DIR}/run/output" | tail -n 15
    failures=$((failures + 1))
  fi
}
Not() { ! "$@"; }

# Runs hello_graph.exe in the folder run, with the environment given as NAME=value.
Hello() { (cd "${WINE_DIR}/run" && timeout 300 env TRELLIS_ENABLE=1 "$@" wine "${samples}/hello_graph.exe" 2>&1) | tr -d '\r' | tee "${WINE_DIR}/run/hello"; }
HelloPasses() { Hello "$@" && grep -q '^PASS' "${WINE_DIR}/run/hello"; }
SamplePasses() { (cd "${WINE_DIR}/run" && TRELLIS_ENABLE=1 timeout 300 wine "${samples}/$1.exe" 2>&1) | tr -d '\r' | grep '^PASS'; }
# Asks for a log file in the environment or by a settings file and says whether it was written.
LogIsWritten() {
  rm -f "${WINE_DIR}/run/trellis.log"
  HelloPasses "$@" && [ -s "${WINE_DIR}/run/trellis.log" ]
}
LogIsMissing() {
  rm -f "${WINE_DIR}/run/trellis.log"
  HelloPasses "$@" && [ ! -e "${WINE_DIR}/run/trellis.log" ]
}
# Wine keeps variables that begin with VK_ to itself, so the command interpreter of Windows sets this one.
LogIsWrittenWithPath() {
  local path
  path=$(WindowsPath "$1")
  rm -f "${WINE_DIR}/run/trellis.log"
  (cd "${WINE_DIR}/run" && TRELLIS_ENABLE=1 wine cmd /c "set VK_LAYER_SETTINGS_PATH=${path}&&medium\\hello_graph.exe") | grep '^PASS' &&
    [ -s "${WINE_DIR}/run/trellis.log" ]
}
# Only the level comes from the file: a log in the other place shows that both count, the environment before the file.
LogIsWrittenElsewhere() {
  rm -f "${WINE_DIR}/run/trellis.log" "${WINE_DIR}/run/other.log"
  HelloPasses TRELLIS_LOG_FILE=other.log && [ -s "${WINE_DIR}/run/other.log" ] && [ ! -e "${WINE_DIR}/run/trellis.log" ]
}
# Runs the program from the archive's folder bin and looks at the file that it writes.
DoctorPasses() {
  local file=${WINE_DIR}/run/doctor.json
  rm -f "${file}"
  (cd "${WINE_DIR}/run" && timeout 500 wine "${unpacked}/bin/trellis.exe" doctor --no-bench -o doctor.json) &&
    python3 - "${file}" "$1" <<'PYTHON'
import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
assert report["verdict"] == "all checks passed", report["verdict"]
tests = [test for device in report["devices"] for test in device["tests"]]
assert tests and all(test["passed"] for test in tests), tests
assert report["manifest_folder"].endswith(sys.argv[2]), report["manifest_folder"]
print(len(tests), "tests passed on", report["devices"][0]["device"])
PYTHON
}
left_out=${REPO_ROOT}/tests/windows/left_out.txt
# The first of `gpu_parts` parts. The file gpu_summary says how many tests passed, and which were skipped for what reason.
GpuTestsPass() {
  local status=0
  (cd "${WINE_DIR}/run" && timeout 7000 env TRELLIS_ENABLE=1 TRELLIS_VALIDATE_LOWERED=1 TRELLIS_TEST_PARTS="${gpu_parts}" TRELLIS_TEST_PART=0 TRELLIS_TEST_SMALLER_PARTS=1 \
    wine medium/trellis_gpu_tests.exe "--gtest_filter=-$(sed -n 's/^\([^#:]*\): .*/\1/p' "${left_out}" | paste -sd:)") 2>&1 | tr -d '\r' >"${WINE_DIR}/run/gpu_output" || status=$?
  awk '
    /^\[ RUN      \]/ { reason = "" }
    /: Skipped$/ { getline; reason = $0 }
    /^\[  SKIPPED \].*ms\)$/ { skipped++; print "skipped " $4 ": " (reason == "" ? "no reason was printed" : reason) }
    /^\[==========\].*ran\./ { total = $0 }
    /^\[  PASSED  \]/ { passed = $4 }
    END { printf "%d passed, %d skipped: %s\n", passed, skipped, substr(total, 14) }' "${WINE_DIR}/run/gpu_output" >"${WINE_DIR}/run/gpu_summary"
  grep -v '^\[ RUN\|^\[       OK\|^\[---' "${WINE_DIR}/run/gpu_output"
  [ "${status}" -eq 0 ] && ! grep -q '^0 passed' "${WINE_DIR}/run/gpu_summary"
}
Settings() { printf 'trellis_shader_enqueue.log_level = debug\ntrellis_shader_enqueue.log_file = %s\n' "$2" >"$1"; }
InstallBat() { wine cmd /c "$(wine winepath -w "${unpacked}/$1.bat" | tr -d '\r')" ${2:+"$2"}; }

samples=${unpacked}/samples
printf '%s\n' "Wine $(wine --version 2>/dev/null), every process elevated, as Wine says"
Test "without an installation the sample says that the extension is missing" Not HelloPasses
Test "install.bat machine" InstallBat install machine
Test "hello_graph.exe passes (HKLM)" HelloPasses
Test "hello_graph_glsl.exe passes (HKLM)" SamplePasses hello_graph_glsl
Test "an elevated process takes no setting from the environment" LogIsMissing TRELLIS_LOG_LEVEL=debug TRELLIS_LOG_FILE=trellis.log
Test "trellis.exe doctor passes; the registry decides about the layer" DoctorPasses "the loader's choice"
Settings "${WINE_DIR}/run/vk_layer_settings.txt" trellis.log
Test "an elevated process takes no setting from a file" LogIsMissing
rm "${WINE_DIR}/run/vk_layer_settings.txt"
Test "uninstall.bat machine" InstallBat uninstall machine
Test "after that the sample says that the extension is missing" Not HelloPasses
Test "install.bat for the user" InstallBat install
Test "an elevated process gets no layer of the user" Not HelloPasses

printf '%s\n' "the same, not elevated (medium32.dll in place of advapi32.dll)"
samples=${WINE_DIR}/run/medium
mkdir "${samples}"
cp "${unpacked}"/samples/hello_graph.exe "${samples}/"
python3 "${REPO_ROOT}/tests/windows/make_medium.py" "${samples}" "${loader}" "${unpacked}/layer/VkLayer_TRELLIS_shader_enqueue.dll" \
  "${unpacked}/bin/trellis-doctor.exe"
# The registry names the layer of the archive; that one becomes the copy.
mv "${samples}/VkLayer_TRELLIS_shader_enqueue.dll" "${unpacked}/layer/"
mv "${samples}/trellis-doctor.exe" "${unpacked}/bin/"
cp "${samples}/vulkan-1.dll" "${samples}/medium32.dll" "${unpacked}/bin/"
Test "hello_graph.exe passes (HKCU)" HelloPasses
Test "a setting of the environment counts" LogIsWritten TRELLIS_LOG_LEVEL=debug TRELLIS_LOG_FILE=trellis.log
Test "without it no log is written" LogIsMissing
Settings "${WINE_DIR}/run/vk_layer_settings.txt" trellis.log
Test "a settings file in the working folder counts" LogIsWritten
rm "${WINE_DIR}/run/vk_layer_settings.txt"
mkdir "${WINE_DIR}/run/ordner-äöü"
Settings "${WINE_DIR}/run/ordner-äöü/vk_layer_settings.txt" trellis.log
Test "VK_LAYER_SETTINGS_PATH counts: a folder with letters that are not ASCII" LogIsWrittenWithPath "${WINE_DIR}/run/ordner-äöü"
Test "VK_LAYER_SETTINGS_PATH counts: a file" LogIsWrittenWithPath "${WINE_DIR}/run/ordner-äöü/vk_layer_settings.txt"
for hive in HKCU HKLM; do
  key="${hive}\\Software\\Khronos\\Vulkan\\Settings"
  wine reg add "${key}" /v "$(WindowsPath "${WINE_DIR}/run/ordner-äöü/vk_layer_settings.txt")" /t REG_DWORD /d 0 /f >/dev/null
  Test "a settings file that ${hive} names counts" LogIsWritten
  Test "the environment has precedence over it" LogIsWrittenElsewhere
  wine reg delete "${key}" /f >/dev/null
done
cp "$(BuildDir windows-tests)/tests/gpu/trellis_gpu_tests.exe" "${samples}/"
Test "tests of GPU features, part 1 of ${gpu_parts}" GpuTestsPass
sed 's/^/        /' "${WINE_DIR}/run/gpu_summary"
sed -n 's/^[^#]/        left out &/p' "${left_out}"
Test "uninstall.bat for the user" InstallBat uninstall
Test "after that the sample says that the extension is missing" Not HelloPasses
Test "trellis.exe doctor passes; it makes the loader look into the archive's folder" DoctorPasses '\layer'

Test "trellis.exe --version" wine "${unpacked}/bin/trellis.exe" --version
spirv=$(find "$(BuildDir windows)/samples/hello_graph" -name '*.spv' -print -quit)
cp "${spirv}" "${WINE_DIR}/run/ordner-äöü/knoten-ß.spv"
Test "trellis.exe validate, in a folder with letters that are not ASCII" \
  wine "${unpacked}/bin/trellis.exe" validate "$(WindowsPath "${WINE_DIR}/run/ordner-äöü/knoten-ß.spv")"

printf '%s failed\n' "${failures}"
[ "${failures}" -eq 0 ]
