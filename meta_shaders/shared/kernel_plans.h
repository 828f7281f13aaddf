// SPDX-License-Identifier: Apache-2.0
// What the internal kernels get: their 8-byte push constant is the address of their plan, in plan memory. And the
// tables of rings. Two languages, as graph_data.h.
#ifndef TRELLIS_META_SHADERS_SHARED_KERNEL_PLANS_H
#define TRELLIS_META_SHADERS_SHARED_KERNEL_PLANS_H

#include "graph_data.h"

#ifdef __cplusplus
namespace trellis::shared {
#endif

// How to open the region of one slot for the producers of a level.
struct RegionPlan {
  TRELLIS_ADDRESS offset;  // from the ring's base; a multiple of 16
  TRELLIS_UINT slot;       // the slot count for the heap
  TRELLIS_UINT stride;
  TRELLIS_UINT capacity;
  TRELLIS_UINT level;     // that consumes the region
  TRELLIS_UINT region;    // index of the Region among those of all levels
  TRELLIS_UINT coalesce;  // as in Region
  TRELLIS_UINT grid_x;
  TRELLIS_UINT grid_yz;
  TRELLIS_UINT max_workgroups;
  TRELLIS_UINT batch_region;  // index of the first member's Region, where there is a counted batch
  TRELLIS_UINT batch_count;   // Region::batch_count in bytes from the first Region of all levels; 0: there is none
  TRELLIS_UINT dense;         // Records::dense
  TRELLIS_UINT state_words;   // Region::state_words
  TRELLIS_UINT state_units;   // Region::state_units
};

// What the sizing kernel makes of a launch: the node of slot `identity` runs on the records of the
// region `slot`. The two differ for nodes that share the input of another one.
struct LaunchPlan {
  TRELLIS_UINT slot;
  TRELLIS_UINT identity;
  TRELLIS_UINT kind;
  TRELLIS_UINT grid_x;  // static: the grid; dynamic: bound of each component
  TRELLIS_UINT grid_y;
  TRELLIS_UINT grid_z;
  TRELLIS_UINT coalesce;
  TRELLIS_UINT grid_member;
  TRELLIS_UINT state_words;         // kNoRecordState, kShortRecordState or kFullRecordState
  TRELLIS_UINT state_words_before;  // of the launches before this one on the same region, in words a record
  TRELLIS_UINT position;            // of its LaunchInput and arguments
  // Dynamic grids: workgroups of the node that run as one of the dispatch. LaunchInput counts those of the node. Else
  // 1: `grid` and `coalesce` say what one of the dispatch gets.
  TRELLIS_UINT packed;
  // Maximum of a dispatch. If there are more, its workgroups stride through them, or take runs. kAnyWorkgroups: they
  // cannot.
  TRELLIS_UINT max_workgroups;
  TRELLIS_UINT has_search_index;  // 1: the node looks for LaunchInput::search_index
  // Where the pool gives the record state of the region: which of SizingPlan::launches is the first that keeps some.
  // Else kNoSlot.
  TRELLIS_UINT first_with_state;
  TRELLIS_UINT slice_table;  // grids from records: index of its Slice[kMaxSlices + 1] in SizingPlan::slices
  // For mesh nodes: the number of draws that the launch is split into, one behind the other, with LaunchInputs and
  // arguments from `first_draw` on. There are no slices. Else 0: it is a dispatch.
  TRELLIS_UINT draws;
  TRELLIS_UINT first_draw;
};

// One ring of a pool. In memory of the device that the host writes when the pool grows, before the submission that
// needs it.
struct RingEntry {
  TRELLIS_ADDRESS base;
  TRELLIS_ADDRESS bytes;
  TRELLIS_UINT owner;  // atomic; 0 free, 1 claimed. Of no meaning where rings are not claimed
  TRELLIS_UINT unused[3];
};
struct RingTableHeader {  // followed by RingEntry[count]
  TRELLIS_UINT count;     // host only appends
  TRELLIS_UINT unused[3];
};

// First kernel of a graph, one workgroup: finds a ring of at least `ring_bytes`, writes ControlBlock, opens regions.
struct BeginPlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS ring_table;
  TRELLIS_ADDRESS ring_bytes;
  TRELLIS_ADDRESS dump;
  TRELLIS_ADDRESS regions;   // Region[] of all levels
  TRELLIS_ADDRESS openings;  // RegionPlan[opening_count]
  TRELLIS_ADDRESS reports;   // ControlBlock::reports
  TRELLIS_UINT opening_count;
  TRELLIS_UINT heap_slot;
  TRELLIS_UINT origin;       // ControlBlock::origin
  TRELLIS_UINT claims_ring;  // 1: graphs on other queues may want the same ring; release_ring gives it back
};

// copy_inputs makes private copies of the inputs of nodes that write them. Plan memory must stay as the host wrote it,
// because the recording may execute again, even while it executes; so these inputs are copied to the half of the ring
// that level 0 does not append to, and the LaunchInput to scratch.
//
// One launch of level 0. The first one of a root copies the records; nodes that share its input only get a LaunchInput.
struct InputCopy {
  TRELLIS_ADDRESS source;       // the records and their state, in plan memory
  TRELLIS_ADDRESS ring_offset;  // where they go, from the ring's base; a multiple of 16
  // Where the record state behind the records goes, from the ring's base, if there is any.
  TRELLIS_ADDRESS record_state_offset;
  // LaunchInput in plan memory: complete, but its records and their state are those to copy.
  TRELLIS_ADDRESS input_template;
  TRELLIS_ADDRESS target;  // LaunchInput in scratch
  TRELLIS_UINT pieces;     // 16-byte pieces to copy, padding included. 0: copied by another one
  TRELLIS_UINT slot;       // for the loss report when there is no ring, by the one that copies
};

// Workgroup (x, i) copies every NumWorkgroups.x-th batch of copy i.
struct CopyPlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS copies;   // InputCopy[NumWorkgroups.y]
  TRELLIS_ADDRESS reports;  // DeviceReportHeader
  TRELLIS_UINT origin;      // DeviceReport::origin
  TRELLIS_UINT unused;
};

// Workgroup size of the copy kernel, and so the pieces in a batch.
TRELLIS_CONSTANT kCopyWorkgroup = 128u;

// Where a prepared region begins, and how much of it lies dense: as much as the last execution but one would have
// needed, if there is room for that.
struct DensePart {
  TRELLIS_UINT units;  // of 16 bytes, from the ring's base
  TRELLIS_UINT dense;  // Records::dense
};

// One region per invocation: what is too much for the begin kernel's one workgroup; where there is no begin kernel,
// what the execution opens in addition to level 0, which appends to none of it.
struct OpenPlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS regions;      // Region[] of all levels
  TRELLIS_ADDRESS openings;     // RegionPlan[opening_count]
  TRELLIS_ADDRESS prepared;     // kAlternating: the first `prepared_count` regions are of the set of the next execution
  TRELLIS_ADDRESS dense_parts;  // DensePart[prepared_count], which stand for what the openings say; or 0
  TRELLIS_UINT opening_count;
  TRELLIS_UINT prepared_count;
};

// Between levels, for launches whose regions cannot serve as arguments. Workgroups [0, part_count): one per part of a
// launch: reads the Region it consumes, writes its LaunchInput, its record state and indirect arguments, reports
// losses. The workgroups after them open the regions that the next level appends to, where they were not opened before
// level 0. Before it sum_grids, with the same plan, adds up what the parts of the first launches begin with.
struct SizingPlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS launches;   // LaunchPlan[]
  TRELLIS_ADDRESS inputs;     // LaunchInput[], in scratch
  TRELLIS_ADDRESS arguments;  // {x, y, z, unused}[], in scratch: VkDispatchIndirectCommand at a stride of 16
  TRELLIS_ADDRESS sums;       // uint[summed_count][parts], in scratch: workgroups of each part; of empty ones anything
  // uint[][parts * kSearchEntriesOfPart], in scratch: LaunchInput::search_index of launches that have some, which are
  // the first of all.
  TRELLIS_ADDRESS search_index;
  TRELLIS_ADDRESS slices;    // Slice[][kMaxSlices + 1], in scratch
  TRELLIS_ADDRESS consumed;  // Region[] with the records of the next level; may be kAlternating
  TRELLIS_ADDRESS regions;   // Region[] of all levels
  TRELLIS_ADDRESS openings;  // RegionPlan[opening_count]
  TRELLIS_ADDRESS reports;   // DeviceReportHeader
  // Workgroups for launches. The records of the first `parted_count` launches are parted among `parts` workgroups each
  // (kMaxParts at most), to add up grids and write record state; each other launch has one.
  TRELLIS_UINT part_count;
  TRELLIS_UINT parted_count;
  TRELLIS_UINT parts;
  TRELLIS_UINT opening_count;
  TRELLIS_UINT origin;            // DeviceReport::origin
  TRELLIS_UINT level;             // of the launches
  TRELLIS_UINT reports_losses;    // 1: the regions are opened again, so that report_losses cannot tell what they lost
  TRELLIS_UINT heap_slot;         // index of the heap's Region, if its `lost` is to be reported (by workgroup 0)
  TRELLIS_UINT max_workgroups_x;  // VkPhysicalDeviceLimits::maxComputeWorkGroupCount[0] and [1]
  TRELLIS_UINT max_workgroups_y;
  TRELLIS_UINT max_grid_workgroups;  // product of a record's grid is clamped to this (maxExecutionGraphWorkgroups)
  TRELLIS_UINT summed_count;         // the first of these launches; parts of the others count what is before them
  TRELLIS_UINT max_draw_x;           // of a draw: workgroups in a row, and in all, which are whole rows
  TRELLIS_UINT max_draw_workgroups;
};

// Next to the last level, which appends to no region: reports what the regions lost. Workgroup 0 sees to prepared ones
// alone, and then turns to the set of the next execution; the workgroups behind it, or all where there are none: one
// region per invocation.
struct LossPlan {
  TRELLIS_ADDRESS regions;      // Region[] of all levels
  TRELLIS_ADDRESS openings;     // RegionPlan[opening_count]
  TRELLIS_ADDRESS prepared;     // kAlternating: where the first `prepared_count` regions are; or 0
  TRELLIS_ADDRESS reports;      // DeviceReportHeader
  TRELLIS_ADDRESS dense_parts;  // DensePart[prepared_count] of the next execution's OpenPlan; or 0
  TRELLIS_ADDRESS counted;      // with `prepared` and the setting `report`: CountPlan of the last level; or 0
  TRELLIS_UINT opening_count;
  TRELLIS_UINT prepared_count;
  TRELLIS_UINT origin;       // DeviceReport::origin
  TRELLIS_UINT dense_units;  // of 16 bytes from the first region on, for all that lies dense
};

// Last kernel of a graph that claimed a ring, one workgroup: gives it back.
struct ReleasePlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS ring_table;
};

// Workgroup size of the kernels that open regions, size launches, and count and report records.
TRELLIS_CONSTANT kLevelsWorkgroup = 128u;
// Records that one of their workgroups looks at together.
TRELLIS_CONSTANT kLevelsTile = 1024u;
TRELLIS_CONSTANT kMaxParts = 256u;  // SizingPlan::parts; a multiple of kLevelsWorkgroup
TRELLIS_CONSTANT kSearchEntriesOfPart = 32u;

#ifdef __cplusplus
static_assert(sizeof(RegionPlan) == 64);
static_assert(sizeof(DensePart) == 8);
static_assert(sizeof(LaunchPlan) == 72);
static_assert(sizeof(RingEntry) == 32);
static_assert(sizeof(RingTableHeader) == 16);
static_assert(sizeof(BeginPlan) == 72);
static_assert(sizeof(InputCopy) == 48);
static_assert(sizeof(CopyPlan) == 32);
static_assert(sizeof(OpenPlan) == 48);
static_assert(sizeof(SizingPlan) == 144);
static_assert(sizeof(LossPlan) == 64);
static_assert(sizeof(ReleasePlan) == 16);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_KERNEL_PLANS_H
