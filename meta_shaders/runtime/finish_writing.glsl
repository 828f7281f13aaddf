// SPDX-License-Identifier: Apache-2.0
// OpFinishWritingNodePayloadAMDX.
#ifndef TRELLIS_META_SHADERS_RUNTIME_FINISH_WRITING_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_FINISH_WRITING_GLSL

#include "meta_shaders/runtime/enter.glsl"

// True in the last workgroup of the record: every other one has called it, and what it wrote to the record before can be seen now.
bool trellis_finish_writing(const uint state_words) {
  uvec2 state = ElementAddress(trellis_record_state, trellis_record, state_words * 4u);
  UintReference unfinished = UintReference(AddressAdd(state, state_words * 4u - 4u));
  PayloadBarrier();
  uint before = 0u;
  if (trellis_local_index == 0u) {
    before = atomicAdd(unfinished.value, 0xffffffffu, kPayloadScope, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  }
  before = BroadcastInWorkgroup(uvec4(before)).x;
  PayloadBarrier();
  return before == 1u;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_FINISH_WRITING_GLSL
