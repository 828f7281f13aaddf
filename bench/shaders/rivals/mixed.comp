#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/mixed.glsl"

// A node of the mixed graph, or its source, by the constant kKind. Lists for nodes with dynamic grids hold an entry for each workgroup.
const uint kThread = 0;
const uint kBatch = 1;
const uint kFixed = 2;
const uint kDynamic = 3;
const uint kSource = 4;
const uint kRecordsOfThread = 64;  // of a workgroup
const uint kRecordsOfBatch = 32;

struct Task {
  uint part;
  uint index;
  uint value;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Tasks { Task at[]; };

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kKind = kSource;
layout(push_constant) uniform Push {
  Words results;
  Tasks tasks;  // lists of `capacity`, by node
  Queues queues;
  uint capacity;
  uint number;  // of the node among those of all levels
  uint next;    // number of the next level's first node
  uint is_last;
} push;

uint records_a_step(uint target) {
  const uint kind = target / kNodesOfKind;
  return kind == kThread ? kRecordsOfThread : kind == kBatch ? kRecordsOfBatch : 1;
}

void write(uint target, uint place, uint parts, Visitor visitor) {
  for (uint part = 0; part < parts && place + part < push.capacity; ++part)
    push.tasks.at[(push.next + target) * push.capacity + place + part] = Task(part, visitor.index, visitor.value);
}

shared uint places[kNodesOfLevel];

// Workgroups of many records take the places of each list with one atomic.
void send_many(bool sends, uint target, uint parts, Visitor visitor) {
  const uint lane = gl_LocalInvocationIndex;
  if (lane < kNodesOfLevel) places[lane] = 0;
  barrier();
  const uint before = sends ? atomicAdd(places[target], parts) : 0;
  barrier();
  if (lane < kNodesOfLevel && places[lane] != 0)
    places[lane] = append_for(push.queues, push.next + lane, places[lane], records_a_step(lane));
  barrier();
  if (sends) write(target, places[target] + before, parts, visitor);
}

void send(bool sends, Visitor visitor) {
  const uint target = target_of(visitor);
  const uint parts = target / kNodesOfKind == kDynamic ? parts_of(visitor) : 1;
  if (kKind == kFixed || kKind == kDynamic) {
    if (sends) write(target, append_for(push.queues, push.next + target, parts, records_a_step(target)), parts, visitor);
  } else {
    send_many(sends, target, parts, visitor);
  }
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  if (kKind == kSource) {
    send(true, first_visitor(gl_WorkGroupID.x * gl_WorkGroupSize.x + lane));
    return;
  }
  const bool many = kKind == kThread || kKind == kBatch;
  const uint place = many ? gl_WorkGroupID.x * gl_WorkGroupSize.x + lane : gl_WorkGroupID.x;
  const bool mine = !many || place < push.queues.at[push.number].count;
  Task task = Task(0, 0, 0);
  if (mine) task = push.tasks.at[push.number * push.capacity + place];
  const Visitor visitor = Visitor(task.index, task.value);
  const uint workers = kKind == kFixed ? kFixedParts : kKind == kDynamic ? 1 : gl_WorkGroupSize.x;
  if (mine && lane < workers) visit(push.results, visitor, push.number, kKind == kFixed ? lane : task.part);
  if (push.is_last != 0) return;
  send(mine && (many || (lane == 0 && task.part == 0)), next_visitor(visitor, push.number));
}
