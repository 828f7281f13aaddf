// SPDX-License-Identifier: Apache-2.0
// Private copies of the inputs of nodes that write them. Plan memory must stay as the host wrote it, because the
// recording may execute again, even while it executes; so these inputs are copied to the half of the ring that level 0
// does not append to, and the LaunchInput to scratch. Two languages, as graph_data.h.
#ifndef TRELLIS_META_SHADERS_SHARED_INPUT_COPY_H
#define TRELLIS_META_SHADERS_SHARED_INPUT_COPY_H

#include "graph_data.h"

#ifdef __cplusplus
namespace trellis::shared {
#endif

// One launch of level 0. The first one of a root copies the records; nodes that share its input only get a LaunchInput.
struct InputCopy {
  TRELLIS_ADDRESS source;          // the records and their notes, in plan memory
  TRELLIS_ADDRESS ring_offset;     // where they go, from the ring's base; a multiple of 16
  TRELLIS_ADDRESS notes_offset;    // where the notes behind the records go, from the ring's base, if there are any
  TRELLIS_ADDRESS input_template;  // LaunchInput in plan memory: complete, but its records and notes are those to copy
  TRELLIS_ADDRESS target;          // LaunchInput in scratch
  TRELLIS_UINT pieces;             // 16-byte pieces to copy, padding included. 0: copied by another one
  TRELLIS_UINT slot;               // for the loss report when there is no ring, by the one that copies
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

#ifdef __cplusplus
static_assert(sizeof(InputCopy) == 48);
static_assert(sizeof(CopyPlan) == 32);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_INPUT_COPY_H
