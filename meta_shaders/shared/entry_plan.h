// SPDX-License-Identifier: Apache-2.0
// Graph dispatches whose infos and payloads lie in device memory (vkCmdDispatchGraphIndirectAMDX and
// vkCmdDispatchGraphIndirectCountAMDX): how the kernels of meta_shaders/entry/ turn them into the regions that level 0
// consumes. Two languages, as graph_data.h.
//
//   count_infos     adds up the payloads of every slot, and gives every region its exact place in one half of the ring
//   append_infos    takes the ranks, copies what is small, leaves the rest to
//   copy_chunks     which copies pieces of large infos, each with a workgroup of its own
//
// Infos are read twice and in place; the application's memory is only ever read.
#ifndef TRELLIS_META_SHADERS_SHARED_ENTRY_PLAN_H
#define TRELLIS_META_SHADERS_SHARED_ENTRY_PLAN_H

#include "graph_data.h"

#ifdef __cplusplus
namespace trellis::shared {
#endif

// What VkDispatchGraphInfoAMDX::nodeIndex stands for; in the order of node indices.
struct EntryNode {
  TRELLIS_UINT slot;           // kNoSlot: the application may not launch it
  TRELLIS_UINT payload_bytes;  // what its payloads have to be read; the rest of a record becomes 0
};

// A region that level 0 consumes.
struct EntryRoot {
  TRELLIS_UINT slot;
  TRELLIS_UINT state_words;  // a record, over all launches that read it
};

// In scratch. The head is the VkDispatchIndirectCommand of copy_chunks.
struct EntryState {
  TRELLIS_UINT chunk_workgroups;  // atomic maximum
  TRELLIS_UINT one_y;
  TRELLIS_UINT one_z;
  TRELLIS_UINT chunks_reserved;  // atomic; past the capacity once a reservation has failed
};

// Records of one info that one workgroup copies.
struct EntryChunk {
  TRELLIS_ADDRESS source;  // the application's memory; any alignment
  TRELLIS_ADDRESS source_stride;
  TRELLIS_ADDRESS target;
  TRELLIS_UINT records;
  TRELLIS_UINT record_stride;
  TRELLIS_UINT payload_bytes;
  TRELLIS_UINT unused;
};

struct EntryPlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS count_info;     // VkDispatchGraphCountInfoAMDX in device memory, or 0: then the next three are set
  TRELLIS_ADDRESS infos;          // VkDispatchGraphInfoAMDX, aligned to 4 bytes
  TRELLIS_ADDRESS info_stride;    // bytes
  TRELLIS_ADDRESS nodes;          // EntryNode[node_count]
  TRELLIS_ADDRESS roots;          // EntryRoot[root_count]
  TRELLIS_ADDRESS regions;        // Region[], opened without capacity
  TRELLIS_ADDRESS half_offset;    // of the half of the ring that the regions share, from the ring's base
  TRELLIS_ADDRESS chunks_offset;  // of EntryChunk[chunk_capacity] in the other half
  TRELLIS_ADDRESS state;          // EntryState
  TRELLIS_ADDRESS reports;        // DeviceReportHeader
  TRELLIS_UINT info_count;
  TRELLIS_UINT node_count;
  TRELLIS_UINT root_count;
  TRELLIS_UINT half_units;  // size of the half in units of 16 bytes
  TRELLIS_UINT chunk_capacity;
  TRELLIS_UINT origin;  // DeviceReport::origin
  // Rules for infos: of addresses, and maxExecutionGraphShaderPayloadCount.
  TRELLIS_UINT address_alignment;
  TRELLIS_UINT max_payload_count;
};

// Workgroup size of all entry kernels; infos that one workgroup takes at a time.
TRELLIS_CONSTANT kEntryWorkgroup = 128u;
// Bytes of a VkDispatchGraphInfoAMDX.
TRELLIS_CONSTANT kEntryInfoBytes = 24u;

#ifdef __cplusplus
static_assert(sizeof(EntryNode) == 8);
static_assert(sizeof(EntryRoot) == 8);
static_assert(sizeof(EntryState) == 16);
static_assert(sizeof(EntryChunk) == 40);
static_assert(sizeof(EntryPlan) == 120);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_ENTRY_PLAN_H
