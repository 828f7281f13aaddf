#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

// Sends one tile.
struct Tiles {
  NODE_GRID uvec2 grid;
  uvec2 corner;
  uvec2 step;
  uvec2 size;
  uint value;
  uint counter;
};

layout(local_size_x = 1) in;
NODE_STATIC_GRID(1, 1, 1);
NODE_OUTPUT(Tiles, Sent, "tiles", 1);

void main() {
  Sent sent = Sent_group(1);
  sent.at[0].grid = uvec2(1);
  sent.at[0].corner = uvec2(0);
  sent.at[0].step = uvec2(1);
  sent.at[0].size = uvec2(8);
  sent.at[0].value = 1;
  sent.at[0].counter = 0;
  node_enqueue(sent);
}
