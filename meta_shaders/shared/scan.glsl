// SPDX-License-Identifier: Apache-2.0
// Saturating prefix sums over a workgroup of kScanWorkgroup invocations.
#ifndef TRELLIS_META_SHADERS_SHARED_SCAN_GLSL
#define TRELLIS_META_SHADERS_SHARED_SCAN_GLSL

#include "buffers.glsl"

const uint kScanWorkgroup = 128u;
const uint kScanGroup = 8u;  // invocations
const uint kScanGroups = kScanWorkgroup / kScanGroup;

shared uint scan_values[kScanWorkgroup];
shared uint scan_groups[kScanGroups];

// Exclusive prefix sum; `total` is the sum of all. Called by all invocations. Every invocation adds up its group, then the groups: more additions than in
// a tree, and two barriers in all. One call may follow another at once: neither array is written before a barrier that all its readers have reached.
uint ScanWorkgroup(uint value, out uint total) {
  const uint self = gl_LocalInvocationIndex;
  const uint group = self / kScanGroup;
  scan_values[self] = value;
  barrier();
  uint before = 0u;
  for (uint i = 0u; i < kScanGroup; ++i) {
    const uint other = scan_values[group * kScanGroup + i];
    before = SaturatingAdd(before, i < self % kScanGroup ? other : 0u);
  }
  if (self % kScanGroup == kScanGroup - 1u) scan_groups[group] = SaturatingAdd(before, value);
  barrier();
  uint groups_before = 0u;
  total = 0u;
  for (uint i = 0u; i < kScanGroups; ++i) {
    if (i == group) groups_before = total;
    total = SaturatingAdd(total, scan_groups[i]);
  }
  return SaturatingAdd(groups_before, before);
}

#endif  // TRELLIS_META_SHADERS_SHARED_SCAN_GLSL
