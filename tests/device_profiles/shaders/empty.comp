// SPDX-License-Identifier: Apache-2.0
#version 450
#ifndef WIDTH
#define WIDTH 1
#endif
layout(local_size_x = WIDTH) in;
void main() {}
