// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "record.glsl"

// Thread: one invocation, which sends one record.
layout(local_size_x = 1) in;
NODE_INPUTS(NodeEmpty, launches, 1);
NODE_OUTPUT(RecordData, Node, "MyChildNode", 1);

void main() {
  Node node = Node_thread(1);
  node.at[0].my_data = 123456;
  node_enqueue(node);
}
