// SPDX-License-Identifier: Apache-2.0
// From the device to the host.
#ifndef TRELLIS_META_SHADERS_SHARED_REPORTS_GLSL
#define TRELLIS_META_SHADERS_SHARED_REPORTS_GLSL

#include "buffers.glsl"
#include "report_data.h"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer DeviceReportHeaderReference { DeviceReportHeader header; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer DeviceReportReference { DeviceReport report; };

// `records` is written last: the host, which may look at any time, takes a report with 0 records for one that is not there yet.
void Report(uvec2 reports, DeviceReport report) {
  if (report.records == 0u) return;
  const uint index = atomicAdd(DeviceReportHeaderReference(reports).header.written, 1u) % kDeviceReportCapacity;
  DeviceReportReference target = DeviceReportReference(AddressAdd(reports, kDeviceReportHeaderBytes + index * kDeviceReportBytes));
  target.report.origin = report.origin;
  target.report.kind = report.kind;
  target.report.slot = report.slot;
  target.report.level = report.level;
  target.report.value = report.value;
  memoryBarrierBuffer();
  atomicExchange(target.report.records, report.records);
}

#endif  // TRELLIS_META_SHADERS_SHARED_REPORTS_GLSL
