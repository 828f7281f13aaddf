// SPDX-License-Identifier: Apache-2.0
// One call of a function of meta_shaders/runtime in every invocation of a dispatch, and what it returned. Two
// languages, as graph_data.h.
#ifndef TRELLIS_TESTS_REPLAY_RUNTIME_CALL_H
#define TRELLIS_TESTS_REPLAY_RUNTIME_CALL_H

#include "meta_shaders/shared/graph_data.h"

#ifdef __cplusplus
namespace trellis::shared {
#endif

TRELLIS_CONSTANT kCallReserveWorkgroup = 0u;
TRELLIS_CONSTANT kCallReserveInvocation = 1u;
TRELLIS_CONSTANT kCallReserveInvocations = 2u;
TRELLIS_CONSTANT kCallDeferWorkgroup = 3u;  // with the enqueue, as kCallDeferInvocation
TRELLIS_CONSTANT kCallDeferInvocation = 4u;
TRELLIS_CONSTANT kCallCopyArray = 5u;  // from a reservation for output 0 to one for `target`
TRELLIS_CONSTANT kCallCheck = 6u;      // all three functions of check.glsl
TRELLIS_CONSTANT kCallElement = 7u;
TRELLIS_CONSTANT kCallEnterStatic = 8u;
TRELLIS_CONSTANT kCallEnterDynamic = 9u;
TRELLIS_CONSTANT kCallEnterCoalescing = 10u;
// Into a static grid; the number of the workgroup is the invocation's, and so is the workgroup.
TRELLIS_CONSTANT kCallFinishWriting = 11u;

TRELLIS_CONSTANT kRuntimeCallWorkgroup = 64u;
// What is stored into records.
TRELLIS_CONSTANT kRuntimeCallStamp = 0x5a5a5a5au;

struct RuntimeCall {
  TRELLIS_ADDRESS launch;   // LaunchBlock, with its NodeOutput[]
  TRELLIS_ADDRESS results;  // RuntimeResult[], by invocation of the dispatch
  TRELLIS_UINT function;
  // Reservations. Steps are added for each invocation of the workgroup.
  TRELLIS_UINT target;  // number of the output
  TRELLIS_UINT count;
  TRELLIS_UINT count_step;
  TRELLIS_UINT index;  // and kCallElement's
  TRELLIS_UINT index_step;
  TRELLIS_UINT limit;
  TRELLIS_UINT record_bytes;  // of which the last word is stored to; 0: nothing is stored
  // kCallElement: the handle.
  TRELLIS_ADDRESS base;
  TRELLIS_UINT handle_count;
  TRELLIS_UINT handle_stride;
  // kCallDeferWorkgroup, kCallDeferInvocation: not 0, is written over the slot before the enqueue.
  TRELLIS_UINT slot;
  // Entries. The step is added to x for each invocation of the dispatch.
  TRELLIS_UINT id_x;
  TRELLIS_UINT id_y;
  TRELLIS_UINT id_z;
  TRELLIS_UINT id_step;
  TRELLIS_UINT row;  // workgroups of the dispatch in x, and in y
  TRELLIS_UINT rows;
  TRELLIS_UINT slices;  // in z; 0: one
  TRELLIS_UINT grid_x;  // grids from records: NodeInfo::RecordsOfBounds
  TRELLIS_UINT grid_y;
  TRELLIS_UINT grid_z;
  TRELLIS_UINT each;  // records a workgroup; grids from records: the grid member
  TRELLIS_UINT state_words;
  TRELLIS_UINT packed;  // with `invocations` each; 1: each invocation is the first one of a workgroup
  TRELLIS_UINT invocations;
  TRELLIS_UINT strides;          // before what is returned
  TRELLIS_UINT in_batch;         // not 0: as a node that may be in batches; a LaunchBatch may be pushed
  TRELLIS_UINT for_cpu;          // not 0: as nodes for CPUs do it
  TRELLIS_UINT by_search_index;  // not 0: as nodes that want LaunchInput::search_index
  TRELLIS_UINT in_runs;          // not 0: `strides` is through a run, where that can be
  TRELLIS_UINT launches_bounds;  // not 0: as nodes whose grids come from records and that may launch bounds
};

struct RuntimeResult {
  TRELLIS_ADDRESS base;  // handle: of the reservation, or of the input
  TRELLIS_UINT count;
  TRELLIS_UINT stride;
  TRELLIS_ADDRESS element;  // kCallElement; entries: x and y of the workgroup
  TRELLIS_UINT record;      // entries
  TRELLIS_UINT is_true;     // what was returned
};

#ifdef __cplusplus
static_assert(sizeof(RuntimeCall) == 152);
static_assert(sizeof(RuntimeResult) == 32);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_TESTS_REPLAY_RUNTIME_CALL_H
