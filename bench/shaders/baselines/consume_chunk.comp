// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/records.glsl"

// One workgroup a chunk of records, which says where they are.
struct Chunk {
  Vectors records;
  uint count;
  uint unused;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Chunks { Chunk at[]; };

layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
  Vectors results;
  Chunks chunks;
} push;

void main() {
  const uint chunk = gl_WorkGroupID.x;
  if (gl_LocalInvocationID.x >= push.chunks.at[chunk].count) return;
  const Record record = Record(push.chunks.at[chunk].records.at[gl_LocalInvocationID.x]);
  push.results.at[record.words.x] =
      uvec4(result_word(record, 0), result_word(record, 1), result_word(record, 2), result_word(record, 3));
}
