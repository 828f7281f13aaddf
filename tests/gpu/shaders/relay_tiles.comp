// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

// Sends tiles on to mesh nodes, moved and with other values and counters. Launched with a static grid, or with
// DYNAMIC, COALESCING or RECURSIVE as that says.
struct Tiles {
  NODE_GRID uvec2 grid;
  uvec2 corner;
  uvec2 step;
  uvec2 size;
  uint value;
  uint counter;
};

struct Order {
  NODE_GRID uvec2 grid;  // of the relay
  uint node;             // index of the mesh node
  uint count;            // payloads that each workgroup sends
  uvec2 move;            // from payload to payload, and from workgroup to workgroup
  uint raise;            // of values, likewise
  uint unused;
  uvec2 tiles_grid;
  uvec2 corner;
  uvec2 step;
  uvec2 size;
  uint value;
  uint counter;
};

layout(local_size_x = 1) in;
NODE_ARRAY(128) NODE_SPARSE NODE_OUTPUT(Tiles, Sent, "tiles", 64);

Tiles Moved(const Order order, const uint number) {
  Tiles tiles;
  tiles.grid = order.tiles_grid;
  tiles.corner = order.corner + number * order.move;
  tiles.step = order.step;
  tiles.size = order.size;
  tiles.value = order.value + number * order.raise;
  tiles.counter = order.counter;
  return tiles;
}

void Send(const Order order, const uint workgroup) {
  Sent sent = Sent_group(order.count, order.node);
  for (uint i = 0; i < order.count; ++i) sent.at[i] = Moved(order, workgroup * order.count + i);
  node_enqueue(sent);
}

#if defined(COALESCING)
readonly NODE_INPUTS(Order, orders, 8);

// One payload for each order, all to the node of the first.
void main() {
  Sent sent = Sent_group(orders.length(), orders[0].node);
  for (uint i = 0; i < orders.length(); ++i) sent.at[i] = Moved(orders[i], 0);
  node_enqueue(sent);
}
#elif defined(DYNAMIC)
NODE_MAX_GRID(64, 64, 1);
readonly NODE_INPUT(Order, order);

void main() { Send(order, gl_WorkGroupID.y * order.grid.x + gl_WorkGroupID.x); }
#elif defined(RECURSIVE)
NODE_STATIC_GRID(1, 1, 1);
NODE_RECURSION(31);
readonly NODE_INPUT(Order, order);
NODE_OUTPUT(Order, Next, "relay", 1);

// Each level sends the same, and the next one a bit further.
void main() {
  Send(order, 31 - node_remaining_recursion);
  const bool goes_on = node_remaining_recursion > 32 - order.grid.x;
  Next next = Next_group(goes_on ? 1 : 0);
  if (goes_on) next.at[0] = order;
  node_enqueue(next);
}
#else
NODE_STATIC_GRID(1, 1, 1);
readonly NODE_INPUT(Order, order);

void main() { Send(order, 0); }
#endif
