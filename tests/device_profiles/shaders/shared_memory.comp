// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
shared uint words[4097];  // 4 bytes more than 16 KiB
void main() { words[gl_WorkGroupID.x] = 1; }
