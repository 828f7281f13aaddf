// SPDX-License-Identifier: Apache-2.0
// The records of most workloads: 16 bytes, made from an index. Mirrored by bench/workloads/records.h.
#include "buffers.glsl"

struct Record {
  uvec4 words;  // {index, seed, and two words of ballast}
};

Record make_record(uint index) { return Record(uvec4(index, hash(index), index * 3u, ~index)); }

// What is computed of one record: four words, or one for the bin that it was sorted into.
uint result_word(Record record, uint word) { return hash(record.words[word] + word); }
uint bin_result(Record record, uint bin) { return hash(record.words.y ^ (bin * 0x9e3779b9u)) + record.words.z; }
