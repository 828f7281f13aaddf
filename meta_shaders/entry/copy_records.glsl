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

// By all invocations of a workgroup: neighbours take neighbouring words of a record, as many records at a time as there is room for.
void CopyTogether(EntryChunk chunk) {
  const uint words = chunk.record_stride / 4u;
  if (words == 0u) return;
  const uint lanes = words >= kEntryWorkgroup ? kEntryWorkgroup : 1u << (findMSB(words * 2u - 1u));
  for (uint record = gl_LocalInvocationIndex / lanes; record < chunk.records; record += kEntryWorkgroup / lanes)
    for (uint word = gl_LocalInvocationIndex % lanes; word < words; word += lanes) CopyWord(chunk, record, word);
}

#endif  // TRELLIS_META_SHADERS_ENTRY_COPY_RECORDS_GLSL
