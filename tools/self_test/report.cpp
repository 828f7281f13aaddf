// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/report.h"

#include <cstdio>
#include <fstream>

namespace trellis::self_test {
namespace {

std::string DescribeEntry(const DeviceEntry& entry) {
  JsonObject json;
  json.Add("device", entry.description);
  json.Truth("offers_graphs", entry.offers_graphs);
  json.Add("messages", entry.messages.str());
  json.Add("tests", entry.tests.str());
  json.Add("bench", entry.bench);
  return json.str();
}

}  // namespace

bool Report::Begin(std::string_view step) {
  step_ = step;
  return Write();
}

bool Report::Finish(std::string_view verdict) {
  step_.clear();
  verdict_ = verdict;
  return Write();
}

bool Report::Write() {
  JsonObject json = head_;
  // Only in a file that was not finished.
  if (!step_.empty()) json.Text("running", step_);
  if (!verdict_.empty()) json.Text("verdict", verdict_);
  JsonArray devices;
  for (const DeviceEntry& entry : devices_) devices.Add(DescribeEntry(entry));
  json.Add("devices", devices.str());
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file << json.str() << "\n";
  file.flush();
  if (!file)
    std::fprintf(stderr, "trellis doctor: the file '%s' cannot be written; choose another one with -o\n",
                 path_.c_str());
  return static_cast<bool>(file);
}

}  // namespace trellis::self_test
