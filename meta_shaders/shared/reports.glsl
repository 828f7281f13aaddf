// SPDX-License-Identifier: Apache-2.0
// From the device to the host.
#ifndef TRELLIS_META_SHADERS_SHARED_REPORTS_GLSL
#define TRELLIS_META_SHADERS_SHARED_REPORTS_GLSL

#include "buffers.glsl"
#include "report_data.h"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer DeviceReportsReference {
  DeviceReportHeader header;
  DeviceReport at[];
};

// `records` is written last: the host, which may look at any time, takes a report with 0 records for one that is not there yet.
void Report(uvec2 reports, DeviceReport report) {
  if (report.records == 0u) return;
  DeviceReportsReference target = DeviceReportsReference(reports);
  // A place is written again only after the host has read it. The host's `read` may be seen late, which drops a few more. It may also lie beyond a
  // `number` that is old: no place is taken by that one then.
  uint number = atomicOr(target.header.written, 0u);
  for (;;) {
    if (int(number - target.header.read) >= int(kDeviceReportCapacity)) {
      atomicAdd(target.header.dropped, 1u);
      return;
    }
    const uint before = atomicCompSwap(target.header.written, number, number + 1u);
    if (before == number) break;
    number = before;
  }
  const uint index = number % kDeviceReportCapacity;
  target.at[index].origin = report.origin;
  target.at[index].kind = report.kind;
  target.at[index].slot = report.slot;
  target.at[index].level = report.level;
  target.at[index].value = report.value;
  memoryBarrierBuffer();
  atomicExchange(target.at[index].records, report.records);
}

#endif  // TRELLIS_META_SHADERS_SHARED_REPORTS_GLSL
