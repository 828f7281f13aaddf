// SPDX-License-Identifier: Apache-2.0
// What all nodes of the mixed graph share. Levels are told apart by name, nodes of a level and kind by index.
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/mixed.glsl"

struct Task {
  NODE_GRID uint parts;
  uint index;
  uint value;
  uint level;  // of the node that gets it: in the record, so that the nodes of a kind are one shader
};

layout(constant_id = 0) const uint kIndex = 0;
layout(constant_id = 1) const uint kLevels = 1;
NODE_INDEX(kIndex);

layout(push_constant) uniform Push { Words results; } push;

// SENDERS: most records that a workgroup sends, to all four together. Sparse, because behind the last level there are no nodes.
const uint kArray = kNodesOfKind;
NODE_NAME_ID(10) NODE_SPARSE NODE_ARRAY(kArray) NODE_OUTPUT(Task, ToThread, "thread", SENDERS);
NODE_NAME_ID(11) NODE_LIMIT_OF("ToThread") NODE_SPARSE NODE_ARRAY(kArray) NODE_OUTPUT(Task, ToBatch, "batch", SENDERS);
NODE_NAME_ID(12) NODE_LIMIT_OF("ToThread") NODE_SPARSE NODE_ARRAY(kArray) NODE_OUTPUT(Task, ToFixed, "fixed", SENDERS);
NODE_NAME_ID(13) NODE_LIMIT_OF("ToThread") NODE_SPARSE NODE_ARRAY(kArray) NODE_OUTPUT(Task, ToDynamic, "dynamic", SENDERS);

#define SEND_TO(Type, kind)                                                              \
  {                                                                                      \
    const uint count = sends && target / kNodesOfKind == kind ? 1 : 0;                   \
    Type sent = Type##_thread(count, target % kNodesOfKind);                             \
    if (count != 0) sent.at[0] = Task(parts_of(visitor), visitor.index, visitor.value, level); \
    node_enqueue(sent);                                                                  \
  }

// To be called by the whole workgroup.
void send(bool sends, Visitor visitor, uint level) {
  const uint target = target_of(visitor);
  SEND_TO(ToThread, 0)
  SEND_TO(ToBatch, 1)
  SEND_TO(ToFixed, 2)
  SEND_TO(ToDynamic, 3)
}

// Number of this node among those of all levels.
uint number_of(uint level, uint kind) { return level * kNodesOfLevel + kind * kNodesOfKind + node_shader_index; }

// A record of node `number` at `level` goes on to the next level.
void send_on(bool sends, Visitor visitor, uint number, uint level) {
  send(sends && level + 1 < kLevels, next_visitor(visitor, number), level + 1);
}
