// SPDX-License-Identifier: Apache-2.0
// Everything that the host, the internal kernels and the lowered nodes agree on. One text, two languages: C++ and GLSL
// (std430, buffer_reference).
//
// Addresses are device addresses; GLSL sees them as uvec2 {low, high}, because nothing may require shaderInt64. Sizes
// and strides are bytes. "Plan memory" is written by the host at record time and constant afterwards; "scratch" is the
// application's scratch buffer, exclusive to one execution at a time; "ring" is memory of the queue
// family's pool that the graph has for itself as long as it runs.
#ifndef TRELLIS_META_SHADERS_SHARED_GRAPH_DATA_H
#define TRELLIS_META_SHADERS_SHARED_GRAPH_DATA_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#define TRELLIS_UINT uint32_t
#define TRELLIS_ADDRESS uint64_t
#define TRELLIS_CONSTANT inline constexpr uint32_t
namespace trellis::shared {
#else
#define TRELLIS_UINT uint
#define TRELLIS_ADDRESS uvec2
#define TRELLIS_CONSTANT const uint
#endif

TRELLIS_CONSTANT kNoSlot = 0xffffffffu;

// How a launch turns records into workgroups.
TRELLIS_CONSTANT kLaunchStaticGrid = 0u;   // LaunchBlock::grid workgroups a record
TRELLIS_CONSTANT kLaunchDynamicGrid = 1u;  // workgroups a record from the record itself
TRELLIS_CONSTANT kLaunchCoalescing = 2u;   // up to LaunchBlock::coalesce records a workgroup

// Notes: what a launch keeps about each record, beside the records. LaunchPlan::note_words words a record, of which the
// first is the first workgroup (exclusive prefix sum of workgroups) and the last the workgroups that have yet to finish
// writing; where there is one word only, it is
//   dynamic grids: the first workgroup | others: the workgroups that have yet to finish writing.
TRELLIS_CONSTANT kNoNotes = 0u;
TRELLIS_CONSTANT kShortNotes = 1u;
// Dynamic grids of records that may change while their workgroups start: {first workgroup, grid x, grid y, unfinished}.
TRELLIS_CONSTANT kFullNotes = 4u;

// LaunchPlan::max_workgroups: no bound.
TRELLIS_CONSTANT kAnyWorkgroups = 0xffffffffu;

// A node with a grid from the record launches bounds if they allow a record no more workgroups than this.
TRELLIS_CONSTANT kMaxBoundWorkgroups = 4u;

// Bit of NodeOutput::index_count: `slots` is an array of {shader index, slot} pairs sorted by shader index instead of a
// dense array of slots.
TRELLIS_CONSTANT kSortedSlotPairs = 0x80000000u;
// Bit of NodeOutput::index_count: `slots` is no address but the slot of `first_index`, and in its upper half what is to
// be added (modulo 2^32) for each index after that. Nodes of an array mostly come in such an order.
TRELLIS_CONSTANT kSlotProgression = 0x40000000u;

// One output (payload array type) of a node, resolved for one slot.
struct NodeOutput {
  TRELLIS_ADDRESS
  slots;  // uint[index_count], {uint, uint}[index_count & ~kSortedSlotPairs], or a progression; kNoSlot where there is
          // no node
  TRELLIS_UINT first_index;  // of the array without shader indices, or of the progression
  TRELLIS_UINT index_count;
};

// LaunchBlock::form, and LaunchBatch::form in its place.
// Workgroups of a slice are numbered y * NumWorkgroups.x + x, and a LaunchInput says what they read.
TRELLIS_CONSTANT kFormInput = 0u;
// The dispatch's arguments are counters of the region: workgroup (x, y, z) belongs to record x or, coalescing, to the
// x-th run of records. With grids from records y counts the workgroups that the bounds allow each of them.
TRELLIS_CONSTANT kFormRegion = 1u;
// Workgroups are numbered as with kFormInput, through all launches of a LaunchBatch.
TRELLIS_CONSTANT kFormBatch = 2u;
// The same, in one row; producers have counted the workgroups of all launches. Never for nodes that are lowered for a
// CPU, which do not know it.
TRELLIS_CONSTANT kFormCountedBatch = 3u;

// What a node's shader gets: its 8-byte push constant is the address of one of these, in plan memory, or of a
// LaunchBatch. What is known when the dispatch is recorded; the NodeOutput[] of the slot, in the order of
// NodeInfo::outputs, follows at once.
struct LaunchBlock {
  TRELLIS_ADDRESS control;  // ControlBlock
  // Region[], by slot: what this level appends to. Index `slot count` is the heap. Level 0: may be kAlternating.
  TRELLIS_ADDRESS regions;
  TRELLIS_ADDRESS source;  // LaunchInput; with kFormRegion the Region that the launch reads
  TRELLIS_UINT form;       // kFormInput or kFormRegion
  TRELLIS_UINT grid_x;     // dynamic grids: bound of each component
  TRELLIS_UINT grid_y;
  TRELLIS_UINT grid_z;
  TRELLIS_UINT shader_index;
  TRELLIS_UINT remaining_recursion;
};

// Launches of one level that read regions with kFormRegion and run one pipeline: one dispatch. In plan memory. The
// node's shader looks for its launch. kFormBatch: the kernel launch_batches, one workgroup a batch, writes the sums and
// the arguments. kFormCountedBatch: producers count (Region::batch_total).
struct LaunchBatch {
  // In scratch, or with prepared regions. kFormBatch: uint[member_count + 1], workgroups of the members before; the
  // last: of all. kFormCountedBatch: uint[member_count], workgroups of each.
  TRELLIS_ADDRESS sums;
  TRELLIS_ADDRESS members;    // LaunchBlock[member_count], each with its NodeOutput[]
  TRELLIS_ADDRESS arguments;  // VkDispatchIndirectCommand, in scratch or in a region
  TRELLIS_UINT form;          // where LaunchBlock has its own
  TRELLIS_UINT member_count;
  TRELLIS_UINT member_bytes;      // from one LaunchBlock to the next
  TRELLIS_UINT kind;              // kLaunchStaticGrid or kLaunchCoalescing
  TRELLIS_UINT max_workgroups_x;  // VkPhysicalDeviceLimits::maxComputeWorkGroupCount[0]
  // kFormCountedBatch: LaunchBlock::source of the first member, and bytes from one member's to the next one's; 0: they
  // stand in the members alone.
  TRELLIS_UINT source_step;
  TRELLIS_ADDRESS source;
};

// Records. Those below `dense` lie dense, record r at base + r * stride; where there are others, `dense` is a power of
// two, and they lie in segments (shared/segments.glsl).
struct Records {
  TRELLIS_ADDRESS base;
  TRELLIS_ADDRESS segments;  // Region::segments
  TRELLIS_UINT stride;
  TRELLIS_UINT count;
  TRELLIS_UINT dense;
  TRELLIS_UINT first;  // record that a launch begins with; 0 in regions, and unless bounded mode takes slices
};

// Words of Region::segments, and Region::notes: where a block of memory lies, in units of 16 bytes from the region's
// first record. 0: it has no place yet.
TRELLIS_CONSTANT kNoMemory = 0xffffffffu;    // the pool could not give any
TRELLIS_CONSTANT kFirstClaim = 0xffffff00u;  // and above: somebody is about to give it a place
TRELLIS_CONSTANT kSegments = 64u;            // room for 2^16 times as many records as are dense

// What a launch reads. Host roots: in plan memory, or in scratch if copy_inputs completes it. Other launches: in
// scratch, written by the close kernel, unless the region serves.
struct LaunchInput {
  Records records;
  TRELLIS_ADDRESS notes;         // of record 0; 0 if there are none
  TRELLIS_UINT workgroup_count;  // workgroups at and above this number have nothing to do
  TRELLIS_UINT first_workgroup;  // number of the dispatch's first workgroup; not 0 in bounded mode and of draws alone
  // Grids from records, where there may be many: uint[], for each k with k << landmark_shift below workgroup_count the
  // record that has this workgroup. 0: none.
  TRELLIS_ADDRESS landmarks;
  TRELLIS_UINT landmark_shift;
  // More than 1: the launch has so many slices, and `workgroup_count` is that of the largest one. Bounded mode, where
  // they run one after the other: records that wait in later slices, behind records.count.
  TRELLIS_UINT slices;
};

// A slice: a part of a launch that has more workgroups than two dimensions of a dispatch hold. The third dimension
// counts slices, and each slice numbers its workgroups from 0. Slices of a static grid have the same number of records,
// except the last one. Where grids come from records, LaunchInput::landmarks is the address of Slice[slices + 1]: the
// last one has no workgroups, and begins where the records end.
struct Slice {
  TRELLIS_UINT first_record;
  TRELLIS_UINT workgroup_count;
};
TRELLIS_CONSTANT kMaxSlices = 63u;           // of grids from records
TRELLIS_CONSTANT kMaxStaticSlices = 65535u;  // the least maximum of a dispatch's third dimension

// LaunchPlan::grid_member, which nodes have as a constant: where a record holds its grid (PayloadDispatchIndirectAMDX).
//   bits 0..15 byte offset | bits 16..19 bytes a component (1, 2 or 4) | bits 20..23 component count (1 to 3)
TRELLIS_CONSTANT kGridMemberWidthShift = 16u;
TRELLIS_CONSTANT kGridMemberCountShift = 20u;

// An append buffer of records: one per slot and level, in scratch. Allocation is one atomic add on `reserved`; its
// result is the rank. An allocation that crosses `capacity` fails whole, and since ranks grow monotonically so does
// every later one: the records of the region are those below min(reserved, records.count). Begins with what launches
// read, as LaunchInput does. The heap has one too: stride 16, ranks count 16-byte units. It is also the pool that the
// level's other regions grow out of.
struct Region {
  Records records;              // count: atomic minimum of the capacity and the ranks that failed
  TRELLIS_UINT capacity;        // records; below 2^31, and below 2^16 times `records.dense`
  TRELLIS_UINT coalesce;        // records a workgroup, capacity + 1 at most, if `workgroups` has to be kept; else 0
  TRELLIS_UINT max_workgroups;  // where `workgroups` stops: LaunchPlan::max_workgroups
  TRELLIS_UINT reciprocal;      // (2^32 - 1) / coalesce, rounded down
  TRELLIS_UINT lost;            // atomic; records of allocations that failed; saturates at 2^31
  TRELLIS_UINT refused;         // atomic; the least rank of an allocation that failed
  // Of the members of counted batches, where the workgroups of this launch and of all of them are counted, instead of
  // in `workgroups`: uints, atomic. The second is `workgroups` of the first member, an argument of the dispatch. Else
  // 0.
  TRELLIS_ADDRESS batch_count;
  TRELLIS_ADDRESS batch_total;
  // Where the pool gives the notes about the records, of all launches, when their number is known; words a record. 0:
  // they lie behind the records. Of the pool: not 0 if segments take the units for notes about their records.
  TRELLIS_UINT note_words;
  TRELLIS_UINT note_units;  // of the pool: units of 16 bytes for notes, behind those that ranks count
  // Of the pool where segments take units for notes: those of `reserved` that lie at its beginning, where what was
  // taken gets its place, and those for notes, which lie at its end; both atomic. Else 0.
  TRELLIS_UINT placed;
  TRELLIS_UINT notes_taken;
  TRELLIS_UINT unused1[10];
  // From here: arguments of a static grid's dispatch, {records, grid x, grid y * grid z}.
  TRELLIS_UINT reserved;  // atomic; capacity + 1 at most when no allocation is under way
  TRELLIS_UINT grid_x;
  TRELLIS_UINT grid_yz;
  TRELLIS_UINT unused2[29];
  // From here: arguments of a coalescing launch's dispatch.
  TRELLIS_UINT workgroups;  // atomic; for the records that found their place
  TRELLIS_UINT one_y;
  TRELLIS_UINT one_z;
  TRELLIS_UINT unused3[29];
  TRELLIS_UINT segments[kSegments];  // atomic; those that `capacity` may need
};

// Bit of an address of Region[]: it is that of AlternatingRegions.
TRELLIS_CONSTANT kAlternating = 1u;

// The regions that level 1 consumes, where each execution prepares them for the one after it: two sets of bytes as many
// as `current` and `other` differ by, each a Region[] by slot and behind it what Region::batch_count points to. In
// memory of the PlacedPlan, which only executions on one scratch buffer use, one after the other.
struct AlternatingRegions {
  TRELLIS_UINT current;  // from the end of this structure to the set of the execution that is running, or is to come
  TRELLIS_UINT other;    // to the set that the execution opens for the next one
  TRELLIS_UINT unused[30];
};

// Head of scratch, or in plan memory where regions are prepared.
struct ControlBlock {
  TRELLIS_ADDRESS ring;          // base of this graph's ring, 0 if there is none: then every region has capacity 0
  TRELLIS_ADDRESS dump;          // where writes to lost records go: at least the largest record, in scratch
  TRELLIS_UINT ring_entry;       // index in the pool's table, kNoSlot if none
  TRELLIS_UINT heap_slot;        // index of the heap's Region: the slot count
  TRELLIS_ADDRESS reports;       // LossReportHeader: for what nodes tell with the setting `validate`
  TRELLIS_UINT origin;           // LossReport::origin
  TRELLIS_UINT workgroups_done;  // of count_infos
};

// ---- internal kernels: their 8-byte push constant is the address of their plan, in plan memory ----------------------

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
  TRELLIS_UINT note_words;    // Region::note_words
  TRELLIS_UINT note_units;    // Region::note_units
};

// What the close kernel makes of a launch: the node of slot `identity` runs on the records of the
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
  TRELLIS_UINT note_words;  // kNoNotes, kShortNotes or kFullNotes
  TRELLIS_UINT
  notes_before;           // of the launches before this one on the same region, in words a record: shared/regions.glsl
  TRELLIS_UINT position;  // of its LaunchInput and arguments
  // Dynamic grids: workgroups of the node that run as one of the dispatch. LaunchInput counts those of the node. Else
  // 1: `grid` and `coalesce` say what one of the dispatch gets.
  TRELLIS_UINT packed;
  // Of a dispatch. If there are more, its workgroups stride through them, or take runs. kAnyWorkgroups: they cannot.
  TRELLIS_UINT max_workgroups;
  TRELLIS_UINT has_landmarks;  // 1: the node looks for LaunchInput::landmarks
  // Where the pool gives the notes of the region: which of ClosePlan::launches is the first that keeps some. Else
  // kNoSlot.
  TRELLIS_UINT first_noted;
  TRELLIS_UINT slice_table;  // grids from records: index of its Slice[kMaxSlices + 1] in ClosePlan::slices
  // Of mesh nodes: draws that the launch is split into, one behind the other, with LaunchInputs and arguments from
  // `first_draw` on. There are no slices. Else 0: it is a dispatch.
  TRELLIS_UINT draws;
  TRELLIS_UINT first_draw;
};

// ---- bounded mode (layer/graph/step_schedule.h) ----

// One launch of all that a graph has, in all levels. Its position among them is that of its LaunchInput, its arguments
// and its total.
struct StepLaunch {
  LaunchPlan launch;
  TRELLIS_ADDRESS root;  // level 0: its LaunchInput, with all of its workgroups; it may be that of the launch itself.
                         // 0: nothing but what arrives in the region
  TRELLIS_UINT level;
  TRELLIS_UINT region;  // that it reads, among those of all levels
  TRELLIS_UINT pool;    // that this one grows out of, likewise
  TRELLIS_UINT load;    // of the next level's queue, what one workgroup of the dispatch can fill; 0: it sends nothing
};
// StepLaunch::load of all that has room in a queue.
TRELLIS_CONSTANT kWholeQueue = 0x80000000u;

// The launches of one level, and the regions that they append to.
struct StepLevel {
  TRELLIS_UINT launch_begin;
  TRELLIS_UINT launch_end;
  TRELLIS_UINT opening_begin;  // among the step's openings
  TRELLIS_UINT opening_end;
};

// What a step leaves to the next one, in scratch.
struct StepState {
  TRELLIS_UINT level;  // that ran in the last step; kNoSlot if none did
  TRELLIS_UINT steps;  // that had something to run
};

// StepPlan::phase. The first step starts the roots; what comes after the last one runs nothing, and reports.
TRELLIS_CONSTANT kFirstStep = 0u;
TRELLIS_CONSTANT kLaterStep = 1u;
TRELLIS_CONSTANT kAfterSteps = 2u;

// Sizes the launches that read what the last step sent, then chooses the launches of this one.
struct StepPlan {
  TRELLIS_ADDRESS close;     // ClosePlan: what sizing launches takes, and their inputs and arguments
  TRELLIS_ADDRESS launches;  // StepLaunch[launch_count]; those of a level stand together
  TRELLIS_ADDRESS levels;    // StepLevel[level_count]; a later one goes first
  TRELLIS_ADDRESS openings;  // RegionPlan[]
  TRELLIS_ADDRESS totals;    // uint[launch_count], in scratch: workgroups of the launch's queue
  TRELLIS_ADDRESS state;     // StepState
  TRELLIS_UINT launch_count;
  TRELLIS_UINT phase;
  TRELLIS_UINT reported_steps;  // recorded; 0: nobody asks how many of them had something to run
  TRELLIS_UINT entry_launches;  // of the first launches, that read regions which infos on the device have filled
  TRELLIS_UINT level_count;
  TRELLIS_UINT unused;
};

// LossReport::kind: what `records` counts. Where nothing is said of `slot`, `level` and `value`, they are 0.
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
struct LossReport {
  TRELLIS_UINT origin;  // the graph and the command that dispatched it: layer/replay/reports/loss_reports.h
  TRELLIS_UINT kind;
  TRELLIS_UINT slot;
  TRELLIS_UINT level;
  TRELLIS_UINT value;
  TRELLIS_UINT records;  // written last, never 0
};
TRELLIS_CONSTANT kLossReportCapacity = 1024u;
struct LossReportHeader {  // followed by LossReport[kLossReportCapacity], used as a ring
  TRELLIS_UINT written;    // atomic, counts all reports ever made
  TRELLIS_UINT unused0;
  TRELLIS_UINT unused1;
  TRELLIS_UINT unused2;
};

// One ring of a pool. In memory of the device that the host writes when the pool grows, before the submission that
// needs it.
struct RingEntry {
  TRELLIS_ADDRESS base;
  TRELLIS_ADDRESS bytes;
  TRELLIS_UINT owner;  // atomic; 0 free, 1 claimed. Of no meaning where rings are not claimed
  TRELLIS_UINT unused0;
  TRELLIS_UINT unused1;
  TRELLIS_UINT unused2;
};
struct RingTableHeader {  // followed by RingEntry[count]
  TRELLIS_UINT count;     // host only appends
  TRELLIS_UINT unused0;
  TRELLIS_UINT unused1;
  TRELLIS_UINT unused2;
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

// Where a prepared region begins, and how much of it lies dense: as much as the last execution but one would have
// needed, if there is room for that.
struct DensePart {
  TRELLIS_UINT units;  // of 16 bytes, from the ring's base
  TRELLIS_UINT dense;  // Records::dense
};

// One region per invocation: what is too much for the begin kernel's one workgroup; where there is no begin kernel,
// what the execution opens beside level 0, which appends to none of it.
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
// launch: reads the Region it consumes, writes its LaunchInput, its notes and indirect arguments, reports losses. The
// workgroups after them open the regions that the next level appends to, where they were not opened before level 0.
// Before it sum_grids, with the same plan, adds up what the parts of the first launches begin with.
struct ClosePlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS launches;   // LaunchPlan[]
  TRELLIS_ADDRESS inputs;     // LaunchInput[], in scratch
  TRELLIS_ADDRESS arguments;  // {x, y, z, unused}[], in scratch: VkDispatchIndirectCommand at a stride of 16
  TRELLIS_ADDRESS sums;       // uint[summed_count][parts], in scratch: workgroups of each part; of empty ones anything
  // uint[][parts * kLandmarksOfPart], in scratch: LaunchInput::landmarks of launches that have some, which are the
  // first of all.
  TRELLIS_ADDRESS landmarks;
  TRELLIS_ADDRESS slices;    // Slice[][kMaxSlices + 1], in scratch
  TRELLIS_ADDRESS consumed;  // Region[] with the records of the next level; may be kAlternating
  TRELLIS_ADDRESS regions;   // Region[] of all levels
  TRELLIS_ADDRESS openings;  // RegionPlan[opening_count]
  TRELLIS_ADDRESS reports;   // LossReportHeader
  // Workgroups for launches. The records of the first `parted_count` launches are parted among `parts` workgroups each
  // (kMaxParts at most), to add up grids and write notes; each other launch has one.
  TRELLIS_UINT part_count;
  TRELLIS_UINT parted_count;
  TRELLIS_UINT parts;
  TRELLIS_UINT opening_count;
  TRELLIS_UINT origin;            // LossReport::origin
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

// Beside the last level, which appends to no region: reports what the regions lost. Workgroup 0 sees to prepared ones
// alone, and then turns to the set of the next execution; the workgroups behind it, or all where there are none: one
// region per invocation.
struct LossPlan {
  TRELLIS_ADDRESS regions;      // Region[] of all levels
  TRELLIS_ADDRESS openings;     // RegionPlan[opening_count]
  TRELLIS_ADDRESS prepared;     // kAlternating: where the first `prepared_count` regions are; or 0
  TRELLIS_ADDRESS reports;      // LossReportHeader
  TRELLIS_ADDRESS dense_parts;  // DensePart[prepared_count] of the next execution's OpenPlan; or 0
  TRELLIS_ADDRESS counted;      // with `prepared` and the setting `report`: CountPlan of the last level; or 0
  TRELLIS_UINT opening_count;
  TRELLIS_UINT prepared_count;
  TRELLIS_UINT origin;       // LossReport::origin
  TRELLIS_UINT dense_units;  // of 16 bytes from the ring's base, for all that lies dense
};

// For the setting `report`: what one level consumes.
struct CountPlan {
  TRELLIS_ADDRESS consumed;  // Region[], as ClosePlan::consumed
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

// Records of one region, summed over all executions of a plan. 64-bit sums are pairs of words. One invocation adds to
// each, and executions of a plan follow one another, so no addition is atomic.
struct RegionCount {
  TRELLIS_UINT slot;   // written by the CPU
  TRELLIS_UINT level;  // that consumes the region; written by the CPU
  TRELLIS_UINT records_low;
  TRELLIS_UINT records_high;
  TRELLIS_UINT dropped_low;
  TRELLIS_UINT dropped_high;
  TRELLIS_UINT max_records;     // of one execution
  TRELLIS_UINT coalesce;        // records a workgroup of the slot's node, if it coalesces; else 0; written by the CPU
  TRELLIS_UINT workgroups_low;  // of a node that coalesces
  TRELLIS_UINT workgroups_high;
};
struct RegionCountsHeader {
  TRELLIS_UINT executions;
  TRELLIS_UINT unused0;
  TRELLIS_UINT unused1;
  TRELLIS_UINT unused2;
};

// Last kernel of a graph that claimed a ring, one workgroup: gives it back.
struct ReleasePlan {
  TRELLIS_ADDRESS control;
  TRELLIS_ADDRESS ring_table;
};

// Workgroup size of the kernels that open and close regions and report what they lost.
TRELLIS_CONSTANT kLevelsWorkgroup = 128u;
// Records that one of their workgroups looks at together.
TRELLIS_CONSTANT kLevelsTile = 1024u;
TRELLIS_CONSTANT kMaxParts = 256u;  // ClosePlan::parts; a multiple of kLevelsWorkgroup
TRELLIS_CONSTANT kLandmarksOfPart = 32u;
// Heap allocations begin with a header of this many bytes: {slot, count, stride, unused}.
TRELLIS_CONSTANT kHeapHeaderBytes = 16u;

#ifdef __cplusplus
struct DispatchArguments {
  uint32_t x, y, z, unused;
};
// All of them dense.
constexpr Records DenseRecords(uint64_t base, uint32_t stride, uint32_t count) {
  return {base, 0, stride, count, count, 0};
}
static_assert(sizeof(NodeOutput) == 16);
static_assert(sizeof(LaunchBlock) == 48);
static_assert(sizeof(LaunchBatch) == 56);
static_assert(offsetof(LaunchBatch, form) == offsetof(LaunchBlock, form));
static_assert(sizeof(LaunchInput) == 64);
static_assert(sizeof(Slice) == 8);
static_assert(sizeof(RegionCount) == 40);
static_assert(sizeof(RegionCountsHeader) == 16);
static_assert(sizeof(Region) == 640);
static_assert(offsetof(Region, lost) == 48);
static_assert(offsetof(Region, reserved) == 128);
static_assert(offsetof(Region, workgroups) == 256);
static_assert(offsetof(Region, segments) == 384);
static_assert(sizeof(AlternatingRegions) == 128);
static_assert(sizeof(ControlBlock) == 40);
static_assert(sizeof(RegionPlan) == 64);
static_assert(sizeof(DensePart) == 8);
static_assert(sizeof(LaunchPlan) == 72);
static_assert(sizeof(StepLaunch) == 96);
static_assert(offsetof(StepLaunch, root) == 72);
static_assert(sizeof(StepLevel) == 16);
static_assert(sizeof(StepState) == 8);
static_assert(sizeof(StepPlan) == 72);
static_assert(sizeof(LossReport) == 24);
static_assert(sizeof(LossReportHeader) == 16);
static_assert(sizeof(RingEntry) == 32);
static_assert(sizeof(RingTableHeader) == 16);
static_assert(sizeof(BeginPlan) == 72);
static_assert(sizeof(OpenPlan) == 48);
static_assert(sizeof(ClosePlan) == 144);
static_assert(sizeof(LossPlan) == 64);
static_assert(sizeof(CountPlan) == 48);
static_assert(sizeof(PayloadDump) == 24);
static_assert(sizeof(ReleasePlan) == 16);
static_assert(sizeof(DispatchArguments) == 16);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_GRAPH_DATA_H
