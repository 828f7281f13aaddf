// SPDX-License-Identifier: Apache-2.0
// Counts pixels by material, in shared memory: count_items.glsl for neighbours that mostly share one.
#include "count_agreeing.glsl"

uint count_item(uint material) { return count_agreeing(material); }
