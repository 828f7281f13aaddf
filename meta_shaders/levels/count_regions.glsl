// SPDX-License-Identifier: Apache-2.0
// With the settings `report` and `dump_payloads`: counts what a level consumes, and copies the first records.
#ifndef TRELLIS_META_SHADERS_LEVELS_COUNT_REGIONS_GLSL
#define TRELLIS_META_SHADERS_LEVELS_COUNT_REGIONS_GLSL

#include "../shared/kernel.glsl"
#include "../shared/segments.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer CountPlanReference { CountPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer RegionCountsHeaderReference { RegionCountsHeader header; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer RegionCountReference { RegionCount count; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer PayloadDumpReference { PayloadDump dump; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer PayloadWordReference { uint word; };

uint RecordsIn(RegionReference region) { return min(region.region.reserved, region.region.records.count); }

void CountRegion(uvec2 regions, RegionCountReference target) {
  RegionReference region = RegionOf(regions, target.count.slot);
  const uint records = RecordsIn(region);
  uint carry;
  target.count.records_low = uaddCarry(target.count.records_low, records, carry);
  target.count.records_high += carry;
  target.count.dropped_low = uaddCarry(target.count.dropped_low, LostOf(region), carry);
  target.count.dropped_high += carry;
  target.count.max_records = max(target.count.max_records, records);
  const uint coalesce = target.count.coalesce;
  if (coalesce == 0u) return;
  const uint workgroups = records / coalesce + (records % coalesce != 0u ? 1u : 0u);
  target.count.workgroups_low = uaddCarry(target.count.workgroups_low, workgroups, carry);
  target.count.workgroups_high += carry;
}

// Of four bytes, of which `count` are asked for. Records may lie at any byte; a word is read only if bytes of it are asked for.
uint WordAt(uvec2 address, uint count) {
  const uint first = address.x & 3u;
  PayloadWordReference words = PayloadWordReference(uvec2(address.x - first, address.y));
  if (first == 0u) return words.word;
  const uint low = words.word >> 8u * first;
  if (count <= 4u - first) return low;
  return low | PayloadWordReference(AddressAdd(uvec2(words), 4u)).word << 32u - 8u * first;
}

void CopyRecord(PayloadDump dump, uint rank, uvec2 from, uint stride) {
  const uvec2 to = ElementAddress(dump.data, rank, dump.words * 4u);
  for (uint i = 0u; i < dump.words; ++i)
    PayloadWordReference(AddressAdd(to, 4u * i)).word = WordAt(AddressAdd(from, 4u * i), stride - 4u * i);
}

void CopyRecords(uvec2 regions, PayloadDumpReference target) {
  const PayloadDump dump = target.dump;
  RegionReference region = RegionOf(regions, dump.slot);
  const Records from = region.region.records;
  const uint count = min(dump.capacity - dump.written, RecordsIn(region));
  for (uint rank = 0u; rank < count; ++rank) CopyRecord(dump, dump.written + rank, RecordAddress(from, rank), from.stride);
  // The CPU may read meanwhile.
  memoryBarrierBuffer();
  target.dump.written = dump.written + count;
}

// Of a level, what the invocation `index` is for. When all has been sent.
void CountRegions(const CountPlan plan, const uint index) {
  const uvec2 regions = CurrentRegions(plan.consumed);
  if (index == 0u && plan.counts_execution != 0u) RegionCountsHeaderReference(plan.header).header.executions += 1u;
  if (index < plan.region_count) CountRegion(regions, RegionCountReference(AddressAdd(plan.counts, index * kRegionCountBytes)));
  if (index < plan.dump_count) CopyRecords(regions, PayloadDumpReference(ElementAddress(plan.dumps, index, kPayloadDumpBytes)));
}

#endif  // TRELLIS_META_SHADERS_LEVELS_COUNT_REGIONS_GLSL
