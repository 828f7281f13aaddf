// SPDX-License-Identifier: Apache-2.0
#include "tests/spirv_lowering/mesh_parts.h"

namespace trellis::spirv {

NodeParts MeshParts() {
  NodeParts parts;
  parts.execution_model = "MeshEXT";
  parts.capabilities = "OpCapability MeshShadingEXT";
  parts.extensions = "OpExtension \"SPV_EXT_mesh_shader\"";
  parts.interface = "%input %vertices %triangles %colors %normals";
  parts.local_size = "OpExecutionMode %main LocalSize 4 1 1";
  parts.modes = std::string(kMeshModes) + "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  parts.decorations = R"(
OpDecorate %vertex Block
OpMemberDecorate %vertex 0 BuiltIn Position
OpDecorate %triangles BuiltIn PrimitiveTriangleIndicesEXT
OpDecorate %colors Location 0
OpDecorate %colors PerPrimitiveEXT
OpDecorate %normals Location 1
)";
  parts.globals = R"(
%v4float = OpTypeVector %float 4
%vertex = OpTypeStruct %v4float
%vertex_array = OpTypeArray %vertex %uint_4
%index_array = OpTypeArray %v3uint %uint_2
%color_array = OpTypeArray %v4float %uint_2
%normal_array = OpTypeArray %v4float %uint_4
%ptr_vertices = OpTypePointer Output %vertex_array
%ptr_triangles = OpTypePointer Output %index_array
%ptr_colors = OpTypePointer Output %color_array
%ptr_normals = OpTypePointer Output %normal_array
%out_v4float = OpTypePointer Output %v4float
%out_v3uint = OpTypePointer Output %v3uint
%in_v3uint = OpTypePointer Input %v3uint
%vertices = OpVariable %ptr_vertices Output
%triangles = OpVariable %ptr_triangles Output
%colors = OpVariable %ptr_colors Output
%normals = OpVariable %ptr_normals Output
%float_0 = OpConstant %float 0
%float_1 = OpConstant %float 1
%origin = OpConstantComposite %v4float %float_0 %float_0 %float_0 %float_1
%corners = OpConstantComposite %v3uint %uint_0 %uint_1 %uint_2
)";
  parts.body = R"(
OpSetMeshOutputsEXT %uint_4 %uint_2
%position = OpAccessChain %out_v4float %vertices %uint_1 %int_0
OpStore %position %origin
%triangle = OpAccessChain %out_v3uint %triangles %uint_0
OpStore %triangle %corners
%color = OpAccessChain %out_v4float %colors %uint_0
OpStore %color %origin
)";
  return parts;
}

std::string ComposeWithFragment(const NodeParts& parts) {
  NodeParts both = parts;
  both.decorations += R"(
OpDecorate %color_in Location 0
OpDecorate %color_in PerPrimitiveEXT
OpDecorate %normal_in Location 1
OpDecorate %pixel_out Location 0
)";
  both.globals += R"(
%in_v4float = OpTypePointer Input %v4float
%color_in = OpVariable %in_v4float Input
%normal_in = OpVariable %in_v4float Input
%pixel_out = OpVariable %out_v4float Output
)";
  both.functions += R"(
%pixel = OpFunction %void None %fn_void
%pixel_begin = OpLabel
%of_color = OpLoad %v4float %color_in
%of_normal = OpLoad %v4float %normal_in
%sum = OpFAdd %v4float %of_color %of_normal
OpStore %pixel_out %sum
OpReturn
OpFunctionEnd
)";
  std::string text = Compose(both);
  text.insert(text.find("OpExecutionMode"),
              "OpEntryPoint Fragment %pixel \"pixel\" %color_in %normal_in %pixel_out\n"
              "OpExecutionMode %pixel OriginUpperLeft\n");
  return text;
}

}  // namespace trellis::spirv
