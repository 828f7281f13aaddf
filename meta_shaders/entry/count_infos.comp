// SPDX-License-Identifier: Apache-2.0
// Entry, first pass: adds up the payloads that every slot gets, in Region::reserved, and reports what is wrong with the infos.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "check_infos.glsl"
#include "infos.glsl"

layout(local_size_x = 128) in;

// Neighbouring infos often name the same node: an invocation adds up a run of them before it touches the counter.
const uint kRun = 8u;

void main() {
  const EntryPlan plan = EntryPlanReference(push.plan).plan;
  const InfoArray infos = LoadInfoArray(plan);
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  BeginChecks();
  for (uint run = gl_GlobalInvocationID.x; run <= (infos.count - 1u) / kRun && infos.count != 0u; run += step) {
    const uint end = run * kRun + min(kRun, infos.count - run * kRun);
    uint slot = kNoSlot;
    uint sum = 0u;
    for (uint index = run * kRun; index != end; ++index) {
      const EntryInfo info = LoadInfo(plan, infos, index);
      CheckInfo(plan, info);
      if (info.slot == kNoSlot) continue;
      if (info.slot != slot && sum != 0u) {
        ReserveRanks(plan.regions, slot, sum);
        sum = 0u;
      }
      slot = info.slot;
      sum = SaturatingAdd(sum, info.count);
    }
    if (sum != 0u) ReserveRanks(plan.regions, slot, sum);
  }
  ReportChecks(plan);
  if (gl_GlobalInvocationID.x == 0u) CheckCountInfo(plan);
}
