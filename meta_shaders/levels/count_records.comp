// SPDX-License-Identifier: Apache-2.0
// For the settings `report` and `dump_payloads`. Runs before the launches of a level, when all that they consume has been sent and lies where it was
// written: later levels may use the same memory.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "count_regions.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

void main() { CountRegions(CountPlanReference(push.plan).plan, gl_GlobalInvocationID.x); }
