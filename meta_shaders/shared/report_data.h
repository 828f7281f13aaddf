// SPDX-License-Identifier: Apache-2.0
// What the device tells the host: losses and broken rules, and what the setting `report` counts. Two languages, as
// graph_data.h.
#ifndef TRELLIS_META_SHADERS_SHARED_REPORT_DATA_H
#define TRELLIS_META_SHADERS_SHARED_REPORT_DATA_H

#include "graph_data.h"

#ifdef __cplusplus
namespace trellis::shared {
#endif

// DeviceReport::kind: what `records` counts. Where nothing is said of `slot`, `level` and `value`, they are 0.
// Records that found no place. slot: of the node that misses them, the slot count for the heap; level: of the consumers
// that would have got them.
TRELLIS_CONSTANT kReportLost = 0u;
// Infos that the device read and that name no node the application may launch, or lack the payloads of their node.
TRELLIS_CONSTANT kReportNoNode = 1u;
TRELLIS_CONSTANT kReportNoPayloads = 2u;
// Count infos without infos.
TRELLIS_CONSTANT kReportNoInfos = 3u;
// With the setting `validate` only. Infos again, and count infos that say where they are.
TRELLIS_CONSTANT kReportPayloadsAlignment = 4u;
TRELLIS_CONSTANT kReportPayloadStride = 5u;
TRELLIS_CONSTANT kReportPayloadCount = 6u;  // value: the largest
TRELLIS_CONSTANT kReportInfosAlignment = 7u;
TRELLIS_CONSTANT kReportInfosStride = 8u;  // value: its low word
// Records whose grid has a component above the launch's bound, or more workgroups in all than are allowed. slot and
// level: of the launch; value: the largest component, or the most workgroups.
TRELLIS_CONSTANT kReportGridComponent = 9u;
TRELLIS_CONSTANT kReportGridWorkgroups = 10u;
// Allocations of more payloads than NodeMaxPayloadsAMDX. slot: that is to get them; value: the most payloads that one
// asked for, where each invocation allocates for itself with all of its workgroup.
TRELLIS_CONSTANT kReportAllocation = 11u;
// Payloads for nodes that do not exist, which is no mistake. value: the largest shader index.
TRELLIS_CONSTANT kReportNoTarget = 12u;
// Records that were left, or were not done with, when all steps of bounded mode had run. slot, level: of the launch.
TRELLIS_CONSTANT kReportLeft = 13u;
// Steps of bounded mode that had something to run. value: steps recorded.
TRELLIS_CONSTANT kReportSteps = 14u;

// What the device tells the host. In a host-visible buffer of the device; the host polls `written`.
struct DeviceReport {
  TRELLIS_UINT origin;  // the graph and the command that dispatched it: layer/replay/reports/device_reports.h
  TRELLIS_UINT kind;
  TRELLIS_UINT slot;
  TRELLIS_UINT level;
  TRELLIS_UINT value;
  TRELLIS_UINT records;  // written last, never 0
};
TRELLIS_CONSTANT kDeviceReportCapacity = 1024u;
struct DeviceReportHeader {  // followed by DeviceReport[kDeviceReportCapacity], used as a ring
  TRELLIS_UINT written;      // atomic, counts all reports ever put into the ring
  TRELLIS_UINT read;         // of those; written by the host alone
  TRELLIS_UINT dropped;      // atomic, counts all reports that found the ring full
  TRELLIS_UINT unused;
};

// For the setting `report`: what one level consumes.
struct CountPlan {
  TRELLIS_ADDRESS consumed;  // Region[], as SizingPlan::consumed
  TRELLIS_ADDRESS header;    // RegionCountsHeader
  TRELLIS_ADDRESS counts;    // RegionCount[region_count]
  TRELLIS_ADDRESS dumps;     // PayloadDump[dump_count]
  TRELLIS_UINT region_count;
  TRELLIS_UINT dump_count;
  TRELLIS_UINT counts_execution;  // 1: in one level of each execution
  TRELLIS_UINT unused;
};

// Copies of the first records that a region gets, for the setting `dump_payloads`. Executions add to `written` until it
// is `capacity`; what has been written stays.
struct PayloadDump {
  TRELLIS_ADDRESS data;  // `capacity` records; a multiple of 4
  TRELLIS_UINT slot;
  TRELLIS_UINT capacity;  // records
  TRELLIS_UINT words;     // of 4 bytes, of a record; the last one may be filled in part
  TRELLIS_UINT written;   // records
};

// Records of one region, summed over all executions of a plan. One invocation adds to each, and executions of a plan
// follow one another, so no addition is atomic. 64-bit sums are declared as addresses are: two words in GLSL.
struct RegionCount {
  TRELLIS_UINT slot;   // written by the CPU
  TRELLIS_UINT level;  // that consumes the region; written by the CPU
  TRELLIS_ADDRESS records;
  TRELLIS_ADDRESS dropped;
  TRELLIS_UINT max_records;    // of one execution
  TRELLIS_UINT coalesce;       // records a workgroup of the slot's node, if it coalesces; else 0; written by the CPU
  TRELLIS_ADDRESS workgroups;  // of a node that coalesces
};
struct RegionCountsHeader {
  TRELLIS_UINT executions;
  TRELLIS_UINT unused[3];
};

#ifdef __cplusplus
static_assert(sizeof(RegionCount) == 40);
static_assert(sizeof(RegionCountsHeader) == 16);
static_assert(sizeof(DeviceReport) == 24);
static_assert(sizeof(DeviceReportHeader) == 16);
static_assert(sizeof(CountPlan) == 48);
static_assert(sizeof(PayloadDump) == 24);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_REPORT_DATA_H
