// SPDX-License-Identifier: Apache-2.0
// Valid usage that an application broke. The functions of this directory look for it and return it; nothing but
// ReportFindings speaks. They are called with the setting `validate` only, and change nothing: what is wrong goes on as
// without it. What the layer checks always is not checked here again; docs/valid_usage.md lists both.
#pragma once

#include <string>
#include <vector>

#include "layer/diagnostics/diagnostics.h"

namespace trellis {

struct Finding {
  std::string vuid;  // whole, with "VUID-"
  std::string text;  // command or member: what is wrong; what to do
};
using Findings = std::vector<Finding>;

// One message each, with the VUID as its name.
inline void ReportFindings(Diagnostics& diagnostics, const Findings& findings, MessageObject object) {
  for (const Finding& finding : findings) diagnostics.InvalidUsage(finding.vuid, finding.text, {object});
}

// "VUID-<where>-<rule>", where a rule is such as "scratch-10194".
[[nodiscard]] inline std::string Vuid(const std::string& where, const std::string& rule) {
  return "VUID-" + where + "-" + rule;
}

}  // namespace trellis
