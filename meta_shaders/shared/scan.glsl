// Saturating prefix sums over a workgroup of kScanWorkgroup invocations.
#ifndef TRELLIS_META_SHADERS_SHARED_SCAN_GLSL
#define TRELLIS_META_SHADERS_SHARED_SCAN_GLSL

#include "buffers.glsl"

const uint kScanWorkgroup = 128u;

shared uint scan_sums[kScanWorkgroup];

// Exclusive prefix sum; `total` is the sum of all. Called by all invocations.
uint ScanWorkgroup(uint value, out uint total) {
  const uint self = gl_LocalInvocationIndex;
  scan_sums[self] = value;
  barrier();
  for (uint distance = 1u; distance < kScanWorkgroup; distance *= 2u) {
    const uint before = self >= distance ? scan_sums[self - distance] : 0u;
    barrier();
    scan_sums[self] = SaturatingAdd(scan_sums[self], before);
    barrier();
  }
  const uint exclusive = self > 0u ? scan_sums[self - 1u] : 0u;
  total = scan_sums[kScanWorkgroup - 1u];
  barrier();
  return exclusive;
}

#endif  // TRELLIS_META_SHADERS_SHARED_SCAN_GLSL
