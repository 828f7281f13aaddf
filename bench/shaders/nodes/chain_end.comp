// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/links.glsl"

// The last node of the chain.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kLevel = 0;
layout(constant_id = 1) const uint kChains = 1;
NODE_INDEX(kLevel);
NODE_STATIC_GRID(1, 1, 1);
readonly NODE_INPUT(Link, link);
layout(push_constant) uniform Push { Words results; } push;

void main() { atomicAdd(push.results.at[node_shader_index * kChains + link.chain], link.value); }
