// SPDX-License-Identifier: Apache-2.0
// Mesh nodes as text.
#pragma once

#include <string>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {

// A mesh node with a static grid that draws two triangles of four vertices. Adds to what Compose has:
//
// - types: %v4float, pointers %out_v4float %out_v3uint (Output), %in_v3uint (Input)
// - outputs: %vertices (blocks with the position), %triangles (indices), %colors (location 0, per primitive), %normals
//   (location 1, per vertex), which nothing writes
// - constants: %origin
[[nodiscard]] NodeParts MeshParts();

// The modes of the mesh pipeline, as MeshParts has them.
inline constexpr const char* kMeshModes = R"(
OpExecutionMode %main OutputVertices 4
OpExecutionMode %main OutputPrimitivesEXT 2
OpExecutionMode %main OutputTrianglesEXT
)";

// The module of `parts` with a fragment shader "pixel" that reads what %colors and %normals hold.
[[nodiscard]] std::string ComposeWithFragment(const NodeParts& parts);

}  // namespace trellis::spirv
