// SPDX-License-Identifier: Apache-2.0
// What the producer and the shaders that get records share: a list for each shader, whose heads have a cache line each.
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/shaders.glsl"

const uint kQueuesOfLine = 8;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
  uint capacity;  // of a list
  uint records_a_step;
} push;
