// Entry, first pass: adds up the payloads that every slot gets, in Region::reserved.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "infos.glsl"

layout(local_size_x = 128) in;

// Neighbouring infos often name the same node: an invocation adds up a run of them before it touches the counter.
const uint kRun = 8u;

shared uint invalid_infos;

void main() {
  const EntryPlan plan = EntryPlanReference(push.plan).plan;
  const InfoArray infos = LoadInfoArray(plan);
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  if (gl_LocalInvocationIndex == 0u) invalid_infos = 0u;
  barrier();
  uint invalid = 0u;
  for (uint run = gl_GlobalInvocationID.x; run <= (infos.count - 1u) / kRun && infos.count != 0u; run += step) {
    const uint end = run * kRun + min(kRun, infos.count - run * kRun);
    uint slot = kNoSlot;
    uint sum = 0u;
    for (uint index = run * kRun; index != end; ++index) {
      const EntryInfo info = LoadInfo(plan, infos, index);
      if (info.slot == kNoSlot) {
        ++invalid;
        continue;
      }
      if (info.slot != slot && sum != 0u) {
        ReserveRanks(plan.regions, slot, sum);
        sum = 0u;
      }
      slot = info.slot;
      sum = SaturatingAdd(sum, info.count);
    }
    if (sum != 0u) ReserveRanks(plan.regions, slot, sum);
  }
  if (invalid != 0u) atomicAdd(invalid_infos, invalid);
  barrier();
  if (gl_LocalInvocationIndex == 0u) ReportLoss(plan.reports, plan.graph, kInvalidInfos, 0u, invalid_infos);
}
