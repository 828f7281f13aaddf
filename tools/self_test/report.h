// SPDX-License-Identifier: Apache-2.0
// The doctor's file. It is written anew at every step, so that a crash leaves what was found before, and the step that
// crashed.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "tools/self_test/json.h"

namespace trellis::self_test {

// One device in the report; its members are JSON.
struct DeviceEntry {
  std::string description = "null";
  bool offers_graphs = false;
  JsonArray tests;
  std::string bench = "null";
  JsonArray messages;
};

class Report {
 public:
  explicit Report(std::string path) : path_(std::move(path)) {}

  JsonObject& head() { return head_; }
  std::deque<DeviceEntry>& devices() { return devices_; }
  // Says what is done next and writes the file. Returns false if it cannot be written.
  bool Begin(std::string_view step);
  // Writes the file for the last time.
  bool Finish(std::string_view verdict);

 private:
  bool Write();

  std::string path_;
  JsonObject head_;
  std::deque<DeviceEntry> devices_;
  std::string step_, verdict_;
};

}  // namespace trellis::self_test
