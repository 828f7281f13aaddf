// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/mixed.glsl"
#include "counters.glsl"

// The nodes of one kind at one level of the mixed graph, or its source, by the constant kKind. Each node is a column of the dispatch and has a list.
// Lists for nodes with dynamic grids hold an entry for each workgroup of the node.
const uint kThread = 0;
const uint kBatch = 1;
const uint kFixed = 2;
const uint kDynamic = 3;
const uint kSource = 4;
const uint kNodeInvocations = 32;  // of a workgroup of a node with a grid; several such share one workgroup here

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
  Tasks tasks;        // lists of `capacity`, by node
  Counters counters;  // of the lists
  Queues queues;      // dispatches, by level and kind
  uint capacity;
  uint first;  // number of this level's first node among those of all levels
  uint next;   // the same of the next level
  uint is_last;
} push;

bool has_grid(uint kind) { return kind == kFixed || kind == kDynamic; }

// Takes `count` places in the list of a node. A dispatch has as many rows as the longest of its lists needs.
uint append_to(uint target, uint count) {
  const uint number = push.next + target;
  const uint first = atomicAdd(push.counters.at[number].count, count);
  const uint step = has_grid(target / kNodesOfKind) ? gl_WorkGroupSize.x / kNodeInvocations : gl_WorkGroupSize.x;
  const uint rows = (first + count + step - 1) / step;
  if (rows != (first + step - 1) / step) atomicMax(push.queues.at[number / kNodesOfKind].y, rows);
  return first;
}

uint entries_of(uint target, Visitor visitor) { return target / kNodesOfKind == kDynamic ? parts_of(visitor) : 1; }

void write(uint target, uint place, Visitor visitor) {
  const uint entries = min(entries_of(target, visitor), push.capacity - min(place, push.capacity));
  for (uint part = 0; part < entries; ++part)
    push.tasks.at[(push.next + target) * push.capacity + place + part] = Task(part, visitor.index, visitor.value);
}

void send_one(Visitor visitor) {
  const uint target = target_of(visitor);
  write(target, append_to(target, entries_of(target, visitor)), visitor);
}

shared uint places[kNodesOfLevel];

// For the whole workgroup, which takes its places in each list with one atomic.
void send_many(bool sends, Visitor visitor) {
  const uint lane = gl_LocalInvocationID.x;
  const uint target = target_of(visitor);
  if (lane < kNodesOfLevel) places[lane] = 0;
  barrier();
  const uint before = sends ? atomicAdd(places[target], entries_of(target, visitor)) : 0;
  barrier();
  if (lane < kNodesOfLevel && places[lane] != 0) places[lane] = append_to(lane, places[lane]);
  barrier();
  if (sends) write(target, places[target] + before, visitor);
}

void main() {
  if (kKind == kSource) {
    send_many(true, first_visitor(gl_GlobalInvocationID.x));
    return;
  }
  const uint number = push.first + kKind * kNodesOfKind + gl_WorkGroupID.x;
  const uint workers = has_grid(kKind) ? kNodeInvocations : 1;  // invocations of an entry
  const uint place = (gl_WorkGroupID.y * gl_WorkGroupSize.x + gl_LocalInvocationID.x) / workers;
  const uint worker = gl_LocalInvocationID.x % workers;
  // Read together with the list's length, which tells whether it means anything.
  const Task task = push.tasks.at[number * push.capacity + min(place, push.capacity - 1)];
  const bool mine = place < min(push.counters.at[number].count, push.capacity);
  const Visitor visitor = Visitor(task.index, task.value);
  const uint visits = kKind == kFixed ? kFixedParts : 1;
  if (mine && worker < visits) visit(push.results, visitor, number, kKind == kFixed ? worker : task.part);
  if (push.is_last != 0) return;
  const bool sends = mine && worker == 0 && task.part == 0;
  if (!has_grid(kKind)) send_many(sends, next_visitor(visitor, number));
  else if (sends) send_one(next_visitor(visitor, number));
}
