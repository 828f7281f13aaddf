// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "item.glsl"

layout(local_size_x = 1) in;
NODE_INPUTS(Item, items, 1);

void main() { items[0].value = 1; }
