// SPDX-License-Identifier: Apache-2.0
// Entry, second pass: every info takes ranks in its region. One invocation copies a few words by itself; more becomes chunks for copy_chunks; and what
// finds no room among those is copied by the whole workgroup here.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "copy_records.glsl"

layout(local_size_x = kEntryWorkgroup) in;

// One word after the other: more would be what everything waits for.
const uint kMaxWordsAlone = 4u;
// A few rounds of a workgroup: what is small must be spread too, or one workgroup is what everything waits for.
const uint kChunkWords = 2048u;
const uint kMaxChunksOfAnInfo = 4096u;

shared uint together_count;
shared EntryChunk together[kEntryWorkgroup];

// The ranks of an info, as one chunk with all its records.
EntryChunk TakeRecords(EntryPlan plan, EntryInfo info) {
  RegionReference region = RegionOf(plan.regions, info.slot);
  const uint rank = ReserveRanks(region, info.count);
  const uint capacity = region.region.capacity;
  const uint taken = min(info.count, capacity - min(rank, capacity));
  if (taken != info.count) CountLost(region, min(info.count - taken, kMaxCounted));
  const Records records = region.region.records;
  const uint stride = records.stride;
  return EntryChunk(info.payloads, info.payload_stride, ElementAddress(records.base, rank, stride), taken, stride, min(info.payload_bytes, stride), 0u);
}

// False if the table has no room.
bool SplitIntoChunks(EntryPlan plan, uvec2 table, EntryChunk whole) {
  const uint words = SaturatingMultiply(whole.records, whole.record_stride / 4u);
  const uint wanted = clamp(words / kChunkWords, 1u, kMaxChunksOfAnInfo);
  const uint each = (whole.records - 1u) / wanted + 1u;
  const uint count = (whole.records - 1u) / each + 1u;
  EntryStateReference state = EntryStateReference(plan.state);
  if (atomicOr(state.state.chunks_reserved, 0u) > plan.chunk_capacity) return false;
  const uint first = atomicAdd(state.state.chunks_reserved, count);
  if (first > plan.chunk_capacity || count > plan.chunk_capacity - first) return false;
  for (uint i = 0u; i < count; ++i) {
    EntryChunk chunk = whole;
    chunk.source = StridedAddress(whole.source, i * each, whole.source_stride);
    chunk.target = ElementAddress(whole.target, i * each, whole.record_stride);
    chunk.records = min(each, whole.records - i * each);
    EntryChunkReference(table).at[first + i] = chunk;
  }
  atomicMax(state.state.chunk_workgroups, first + count);
  return true;
}

void AppendInfo(EntryPlan plan, uvec2 ring, EntryInfo info) {
  const EntryChunk whole = TakeRecords(plan, info);
  if (whole.records == 0u) return;
  if (SaturatingMultiply(whole.records, whole.record_stride / 4u) <= kMaxWordsAlone) {
    CopyAlone(whole);
  } else if (!SplitIntoChunks(plan, AddressAdd64(ring, plan.chunks_offset), whole)) {
    together[atomicAdd(together_count, 1u)] = whole;
  }
}

void main() {
  const EntryPlan plan = EntryPlanReference(push.plan).plan;
  const uvec2 ring = ControlBlockReference(plan.control).control.ring;
  const InfoArray infos = LoadInfoArray(plan);
  const uint tiles = DivideUp(infos.count, kEntryWorkgroup);
  for (uint tile = gl_WorkGroupID.x; tile < tiles; tile += gl_NumWorkGroups.x) {
    if (gl_LocalInvocationIndex == 0u) together_count = 0u;
    barrier();
    const uint index = tile * kEntryWorkgroup + gl_LocalInvocationIndex;
    if (index < infos.count) {
      const EntryInfo info = LoadInfo(plan, infos, index);
      if (info.slot != kNoSlot && info.count != 0u) AppendInfo(plan, ring, info);
    }
    barrier();
    for (uint i = 0u; i < together_count; ++i) CopyTogether(together[i]);
    barrier();
  }
}
