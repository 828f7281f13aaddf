// SPDX-License-Identifier: Apache-2.0
// With the settings `report` and `dump_payloads`: counts what a level consumes, and copies the first records.
#ifndef TRELLIS_META_SHADERS_LEVELS_COUNT_REGIONS_GLSL
#define TRELLIS_META_SHADERS_LEVELS_COUNT_REGIONS_GLSL

#include "../shared/kernel.glsl"
#include "../shared/segments.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer CountPlanReference { CountPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer RegionCountsHeaderReference { RegionCountsHeader header; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer RegionCountReference { RegionCount at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer PayloadDumpReference { PayloadDump at[]; };

void CountRegion(uvec2 regions, RegionCountReference counts, uint index) {
  RegionReference region = RegionOf(regions, counts.at[index].slot);
  const uint records = RecordsIn(region);
  counts.at[index].records = AddressAdd(counts.at[index].records, records);
  counts.at[index].dropped = AddressAdd(counts.at[index].dropped, LostOf(region));
  counts.at[index].max_records = max(counts.at[index].max_records, records);
  const uint coalesce = counts.at[index].coalesce;
  if (coalesce != 0u) counts.at[index].workgroups = AddressAdd(counts.at[index].workgroups, DivideUp(records, coalesce));
}

void CopyRecord(PayloadDump dump, uint rank, uvec2 from, uint stride) {
  const uvec2 to = ElementAddress(dump.data, rank, dump.words * 4u);
  for (uint i = 0u; i < dump.words; ++i)
    UintReference(AddressAdd(to, 4u * i)).value = ReadBytes(AddressAdd(from, 4u * i), min(stride - 4u * i, 4u));
}

void CopyRecords(uvec2 regions, PayloadDumpReference dumps, uint index) {
  const PayloadDump dump = dumps.at[index];
  RegionReference region = RegionOf(regions, dump.slot);
  const Records from = region.region.records;
  const uint count = min(dump.capacity - dump.written, RecordsIn(region));
  for (uint rank = 0u; rank < count; ++rank) CopyRecord(dump, dump.written + rank, RecordAddress(from, rank), from.stride);
  // The CPU may read meanwhile.
  memoryBarrierBuffer();
  dumps.at[index].written = dump.written + count;
}

// Counts the region or the dump that the invocation `index` has in a level, when all of its records have been enqueued.
void CountRegions(const CountPlan plan, const uint index) {
  const uvec2 regions = CurrentRegions(plan.consumed);
  if (index == 0u && plan.counts_execution != 0u) RegionCountsHeaderReference(plan.header).header.executions += 1u;
  if (index < plan.region_count) CountRegion(regions, RegionCountReference(plan.counts), index);
  if (index < plan.dump_count) CopyRecords(regions, PayloadDumpReference(plan.dumps), index);
}

#endif  // TRELLIS_META_SHADERS_LEVELS_COUNT_REGIONS_GLSL
