// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/tally.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace trellis::test::soak {
namespace {

constexpr double kMebibyte = 1 << 20;

// What malloc has handed out: a leak shows here before it shows in the resident set, which malloc's arenas fragment.
double AllocatedMebibytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / kMebibyte;
}

// The resident set; 0 if the system does not tell.
double ResidentMebibytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / kMebibyte;
}

unsigned long long Printable(uint64_t number) { return number; }

}  // namespace

void Tally::Complain(const std::string& what) {
  ++complaints_;
  const std::lock_guard lock(output_);
  std::printf("WRONG: %s\n", what.c_str());
  std::fflush(stdout);
}

void Tally::Print() {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
  const std::lock_guard lock(output_);
  std::printf(
      "%.0f s: %llu devices, %llu graphs, %llu submissions, %llu results, %llu records, %llu wrong, %.0f MiB "
      "allocated, %.0f MiB resident\n",
      seconds.count(), Printable(devices), Printable(graphs), Printable(submissions), Printable(results),
      Printable(records), Printable(complaints_), AllocatedMebibytes(), ResidentMebibytes());
  std::fflush(stdout);
}

}  // namespace trellis::test::soak
