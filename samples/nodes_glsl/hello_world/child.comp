// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "record.glsl"

// Broadcast: one workgroup of 8 x 8 invocations a record.
layout(local_size_x = 8, local_size_y = 8) in;
readonly NODE_INPUT(RecordData, record);
NODE_STATIC_GRID(1, 1, 1);

layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() { results.words[gl_GlobalInvocationID.y * 8 + gl_GlobalInvocationID.x] = uint(record.my_data); }
