// SPDX-License-Identifier: Apache-2.0
#version 460

// Does nothing: how fast workgroups can be launched.
layout(local_size_x_id = 0) in;

void main() {}
