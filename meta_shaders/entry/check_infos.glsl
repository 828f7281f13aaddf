// SPDX-License-Identifier: Apache-2.0
// What is wrong with infos, counted for the host. Infos that cannot be used are always told of; the rest with the setting `validate`.
#ifndef TRELLIS_META_SHADERS_ENTRY_CHECK_INFOS_GLSL
#define TRELLIS_META_SHADERS_ENTRY_CHECK_INFOS_GLSL

#include "infos.glsl"

const uint kFirstDefect = kReportNoNode;
const uint kDefects = kReportPayloadCount - kReportNoNode + 1u;

// By kind, from kFirstDefect on: infos of this workgroup.
shared uint defects[kDefects];
shared uint largest_payload_count;

void CountDefect(uint kind) { atomicAdd(defects[kind - kFirstDefect], 1u); }

// Called by all invocations of a workgroup, as ReportChecks.
void BeginChecks() {
  if (gl_LocalInvocationIndex < kDefects) defects[gl_LocalInvocationIndex] = 0u;
  if (gl_LocalInvocationIndex == 0u) largest_payload_count = 0u;
  barrier();
}

// Neither 0, which repeats one thing, nor large enough for one after the other.
bool Overlaps(uvec2 stride, uint bytes) { return stride.y == 0u && stride.x != 0u && stride.x < bytes; }

void CheckPayloads(EntryPlan plan, EntryInfo info) {
  if (info.count > plan.max_payload_count) {
    CountDefect(kReportPayloadCount);
    atomicMax(largest_payload_count, info.count);
  }
  if (info.payload_bytes == 0u || info.count == 0u) return;
  if (info.payloads.x % plan.address_alignment != 0u) CountDefect(kReportPayloadsAlignment);
  if (info.count > 1u && Overlaps(info.payload_stride, info.payload_bytes)) CountDefect(kReportPayloadStride);
}

void CheckInfo(EntryPlan plan, EntryInfo info) {
  if (info.slot == kNoSlot) {
    CountDefect(info.defect);
  } else if (kValidate) {
    CheckPayloads(plan, info);
  }
}

void ReportChecks(EntryPlan plan) {
  barrier();
  if (gl_LocalInvocationIndex >= kDefects) return;
  const uint kind = kFirstDefect + gl_LocalInvocationIndex;
  const uint value = kind == kReportPayloadCount ? largest_payload_count : 0u;
  Report(plan.reports, DeviceReport(plan.origin, kind, 0u, 0u, value, defects[gl_LocalInvocationIndex]));
}

// Where the device reads it. Called by one invocation of the dispatch.
void CheckCountInfo(EntryPlan plan) {
  const InfoArray infos = LoadStatedInfos(plan);
  if (IsNull(plan.count_info) || infos.count == 0u) return;
  if (IsNull(infos.base)) Report(plan.reports, DeviceReport(plan.origin, kReportNoInfos, 0u, 0u, 0u, infos.count));
  if (!kValidate) return;
  if (infos.base.x % plan.address_alignment != 0u)
    Report(plan.reports, DeviceReport(plan.origin, kReportInfosAlignment, 0u, 0u, 0u, infos.count));
  if (infos.count > 1u && Overlaps(infos.stride, kEntryInfoBytes))
    Report(plan.reports, DeviceReport(plan.origin, kReportInfosStride, 0u, 0u, infos.stride.x, infos.count));
}

#endif  // TRELLIS_META_SHADERS_ENTRY_CHECK_INFOS_GLSL
