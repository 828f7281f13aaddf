// SPDX-License-Identifier: Apache-2.0
// What the shaders of state_test.cpp see of the state that must survive a graph.
layout(set = 0, binding = 1) uniform Identity { uint identity; };
layout(set = 1, binding = 0) readonly buffer Table { uint table[]; };
#ifdef COMPUTE
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Push { layout(offset = 32) uvec4 push[6]; };
#else
layout(set = 0, binding = 0) readonly buffer Words { uint words[]; };
layout(push_constant) uniform Push { uvec4 push[2]; };
#endif
