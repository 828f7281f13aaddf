// SPDX-License-Identifier: Apache-2.0
// Instances that are culled, and patches of the visible ones that are subdivided, kept or culled. Mirrored by bench/workloads/culling.cpp.
#include "buffers.glsl"

struct Instance {
  uint x;
  uint y;
  uint size;
  uint seed;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Instances { Instance at[]; };

const uint kView = 32768;  // side of what is seen of a world of 65536

bool is_visible(Instance instance) { return instance.x < kView + instance.size && instance.y < kView + instance.size; }

struct Patch {
  uint instance;
  uint key;
  uint corner;  // x in the low half, y in the high half
  uint size;
};

Patch first_patch(uint number, Instance instance) {
  return Patch(number, instance.seed, instance.y << 16 | instance.x, instance.size);
}

// Half of the patches are culled, a third is kept, the others are divided into four: their number hardly changes.
uint children_of(Patch parent) {
  const uint fate = hash(parent.key ^ parent.corner) & 0xff;
  if (fate < 128) return 0;
  return fate < 212 ? 1 : 4;
}

Patch child(Patch parent, uint number, uint children) {
  const uint key = hash(parent.key + number);
  if (children == 1) return Patch(parent.instance, key, parent.corner, parent.size);
  const uint half_size = parent.size / 2;
  const uint x = (parent.corner + half_size * (number & 1)) & 0xffff;
  const uint y = ((parent.corner >> 16) + half_size * (number >> 1)) & 0xffff;
  return Patch(parent.instance, key, y << 16 | x, half_size);
}

void draw(Words results, Patch drawn) {
  atomicAdd(results.at[drawn.instance], hash(drawn.key ^ drawn.corner) + drawn.size);
}
