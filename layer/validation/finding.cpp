// SPDX-License-Identifier: Apache-2.0
#include "layer/validation/finding.h"

namespace trellis {

void ReportFindings(Diagnostics& diagnostics, const Findings& findings, MessageObject object) {
  for (const Finding& finding : findings) diagnostics.InvalidUsage(finding.vuid, finding.text, {object});
}

std::string Vuid(const std::string& where, const std::string& rule) { return "VUID-" + where + "-" + rule; }

}  // namespace trellis
