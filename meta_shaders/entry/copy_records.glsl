// SPDX-License-Identifier: Apache-2.0
// From the application's payloads, at any address and stride, to records.
#ifndef TRELLIS_META_SHADERS_ENTRY_COPY_RECORDS_GLSL
#define TRELLIS_META_SHADERS_ENTRY_COPY_RECORDS_GLSL

#include "infos.glsl"

void CopyWord(EntryChunk chunk, uint record, uint word) {
  const uint offset = word * 4u;
  uint value = 0u;
  if (offset < chunk.payload_bytes)
    value = ReadBytes(AddressAdd(StridedAddress(chunk.source, record, chunk.source_stride), offset), min(chunk.payload_bytes - offset, 4u));
  UintReference(AddressAdd(ElementAddress(chunk.target, record, chunk.record_stride), offset)).value = value;
}

// By one invocation.
void CopyAlone(EntryChunk chunk) {
  for (uint record = 0u; record < chunk.records; ++record)
    for (uint word = 0u; word < chunk.record_stride / 4u; ++word) CopyWord(chunk, record, word);
}

// Whether source and target, and all their strides, are made of aligned units of kUnitBytes.
const uint kUnitBytes = 16u;
bool IsInUnits(EntryChunk chunk) {
  const uint parts = chunk.source.x | chunk.source_stride.x | chunk.payload_bytes | chunk.target.x | chunk.record_stride;
  return parts % kUnitBytes == 0u && chunk.payload_bytes == chunk.record_stride;
}

void CopyUnit(EntryChunk chunk, uint record, uint unit) {
  const uint offset = unit * kUnitBytes;
  UnitReference(AddressAdd(ElementAddress(chunk.target, record, chunk.record_stride), offset)).unit =
      UnitReference(AddressAdd(StridedAddress(chunk.source, record, chunk.source_stride), offset)).unit;
}

// By all invocations of a workgroup: neighbours take neighbouring parts of a record, as many records at a time as there is room for.
void CopyTogether(EntryChunk chunk) {
  const bool in_units = IsInUnits(chunk);
  const uint parts = chunk.record_stride / (in_units ? kUnitBytes : 4u);
  if (parts == 0u) return;
  const uint lanes = parts >= kEntryWorkgroup ? kEntryWorkgroup : 1u << (findMSB(parts * 2u - 1u));
  for (uint record = gl_LocalInvocationIndex / lanes; record < chunk.records; record += kEntryWorkgroup / lanes) {
    for (uint part = gl_LocalInvocationIndex % lanes; part < parts; part += lanes) {
      if (in_units) {
        CopyUnit(chunk, record, part);
      } else {
        CopyWord(chunk, record, part);
      }
    }
  }
}

#endif  // TRELLIS_META_SHADERS_ENTRY_COPY_RECORDS_GLSL
