// SPDX-License-Identifier: Apache-2.0
// Says what the layer would take from this process: one line `name = value` a fact. For raised_privileges_test.py.
#include <sys/auxv.h>

#include <cstdio>

#include "layer/settings/load_settings.h"

int main() {
  const trellis::SettingSources sources = trellis::ProcessSettingSources(nullptr);
  const trellis::Settings settings = trellis::LoadSettings(sources).settings;
  std::printf("raised = %d\n", getauxval(AT_SECURE) != 0);
  std::printf("environment = %d\n", settings.ring_budget == 7);  // set there by the test
  std::printf("file = %d\n", settings.threads == 7);             // set there by the test
  return 0;
}
