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

// Record state: what a launch keeps about each record, next to the records. LaunchPlan::state_words words a record, of
// which the first is the first workgroup (exclusive prefix sum of workgroups) and the last the workgroups that have yet
// to finish writing; where there is one word only, it is
//   dynamic grids: the first workgroup | others: the workgroups that have yet to finish writing.
TRELLIS_CONSTANT kNoRecordState = 0u;
TRELLIS_CONSTANT kShortRecordState = 1u;
// Dynamic grids of records that may change while their workgroups start: {first workgroup, grid x, grid y, unfinished}.
TRELLIS_CONSTANT kFullRecordState = 4u;

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
  // Of the array without shader indices, or of the progression, counted from PayloadNodeBaseIndexAMDX, so that shaders
  // that differ in it alone are one; of pairs, what an index from there lacks: minus that base.
  TRELLIS_UINT first_index;
  TRELLIS_UINT index_count;
};

// LaunchBlock::form, and LaunchBatch::form in its place.
// Workgroups of a slice are numbered y * NumWorkgroups.x + x, and a LaunchInput says what they read.
TRELLIS_CONSTANT kFormInput = 0u;
// The dispatch's arguments are counters of the region: workgroup (x, y, z) belongs to record x or, coalescing, to the
// x-th run of records. With grids from records y counts the workgroups that the bounds allow each of them, if those of
// several records do not share one.
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
  // Region[], by slot: what this level appends to. Index `slot count` is the heap. Level 0: may be kAlternating. 0: the
  // node has no outputs.
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

// Words of Region::segments: where a block of memory lies, in units of 16 bytes from the region's first record. 0: it
// has no place yet.
TRELLIS_CONSTANT kNoMemory = 0xffffffffu;    // the pool could not give any
TRELLIS_CONSTANT kFirstClaim = 0xffffff00u;  // and above: an invocation is about to give it a place
TRELLIS_CONSTANT kSegments = 64u;            // room for 2^16 times as many records as are dense

// What a launch reads. Host roots: in plan memory, or in scratch if copy_inputs completes it. Other launches: in
// scratch, written by the sizing kernel, unless the region serves.
struct LaunchInput {
  Records records;
  TRELLIS_ADDRESS record_state;  // of record 0; 0 if there is none
  TRELLIS_UINT workgroup_count;  // workgroups at and above this number have nothing to do
  TRELLIS_UINT first_workgroup;  // number of the dispatch's first workgroup; not 0 in bounded mode and of draws alone
  // Grids from records, where there may be many: uint[], for each k with k << search_shift below workgroup_count the
  // record that has this workgroup. 0: none.
  TRELLIS_ADDRESS search_index;
  TRELLIS_UINT search_shift;
  // More than 1: the launch has so many slices, and `workgroup_count` is that of the largest one. Bounded mode, where
  // they run one after the other: records that wait in later slices, behind records.count.
  TRELLIS_UINT slices;
};

// A slice: a part of a launch that has more workgroups than two dimensions of a dispatch hold. The third dimension
// counts slices, and each slice numbers its workgroups from 0. Slices of a static grid have the same number of records,
// except the last one. Where grids come from records, LaunchInput::search_index is the address of Slice[slices + 1]:
// the last one has no workgroups, and begins where the records end.
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
  // For members of counted batches: addresses of uints, atomic, that count the workgroups of this launch and of all of
  // them, instead of `workgroups`. The second is `workgroups` of the first member, an argument of the dispatch. Else 0.
  TRELLIS_ADDRESS batch_count;
  TRELLIS_ADDRESS batch_total;
  // Where the pool gives the state of the records, of all launches, when their number is known: words per record. 0: it
  // lies behind the records. Of the pool: not 0 if segments take the units for their records' state.
  TRELLIS_UINT state_words;
  TRELLIS_UINT state_units;  // of the pool: units of 16 bytes for record state, behind those that ranks count
  // For a pool whose segments take units for record state: of `reserved`, the units that lie at its beginning, where
  // what was taken gets its place, and those for record state, which lie at its end; both atomic. Else 0.
  TRELLIS_UINT placed;
  TRELLIS_UINT state_units_taken;
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
  TRELLIS_ADDRESS reports;       // DeviceReportHeader: for what nodes tell with the setting `validate`
  TRELLIS_UINT origin;           // DeviceReport::origin
  TRELLIS_UINT workgroups_done;  // of count_infos
};

// Heap allocations begin with a header of this many bytes: runtime/defer.glsl.
TRELLIS_CONSTANT kHeapHeaderBytes = 16u;

// GLSL has no sizeof and no offsetof.
TRELLIS_CONSTANT kRegionBytes = 640u;
TRELLIS_CONSTANT kRegionWorkgroupsOffset = 256u;
TRELLIS_CONSTANT kRegionSegmentsOffset = 384u;
TRELLIS_CONSTANT kAlternatingRegionsBytes = 128u;
TRELLIS_CONSTANT kLaunchBatchBytes = 56u;
TRELLIS_CONSTANT kLaunchInputBytes = 64u;
TRELLIS_CONSTANT kSliceBytes = 8u;

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
static_assert(sizeof(LaunchBatch) == kLaunchBatchBytes);
static_assert(offsetof(LaunchBatch, form) == offsetof(LaunchBlock, form));
static_assert(sizeof(LaunchInput) == kLaunchInputBytes);
static_assert(sizeof(Slice) == kSliceBytes);
static_assert(sizeof(Region) == kRegionBytes);
static_assert(offsetof(Region, reserved) == 128);
static_assert(offsetof(Region, workgroups) == kRegionWorkgroupsOffset);
static_assert(offsetof(Region, segments) == kRegionSegmentsOffset);
static_assert(sizeof(AlternatingRegions) == kAlternatingRegionsBytes);
static_assert(sizeof(ControlBlock) == 40);
static_assert(sizeof(DispatchArguments) == 16);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_GRAPH_DATA_H
