// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/entry_built_ins.h"

#include <array>
#include <vector>

#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/runtime/functions.h"

namespace trellis::spirv {

Id ConstantVector(Types& types, const std::array<uint32_t, 3>& value) {
  const std::vector<uint32_t> parts = {types.ConstantUint(value[0]), types.ConstantUint(value[1]),
                                       types.ConstantUint(value[2])};
  return types.Append(spv::Op::OpConstantComposite, types.Vector(types.Uint(), 3), parts);
}

Expected<EntryBuiltIns> EntryBuiltIns::Import(Lowering& lowering) {
  EntryBuiltIns values(lowering);
  Importer& runtime = lowering.runtime;
  Expected<void> taken = Take({{runtime.ImportFunction(runtime::ShaderIndex::kName), values.shader_index_},
                               {runtime.ImportFunction(runtime::RemainingRecursion::kName), values.remaining_},
                               {runtime.ImportVariable("trellis_workgroup_id"), values.workgroup_id_},
                               {runtime.ImportVariable("trellis_local_index"), values.local_index_}});
  if (!taken) return taken.error();
  return values;
}

// The Input variable with the built-in, which the node may have already.
Id EntryBuiltIns::Variable(spv::BuiltIn built_in, Id type) {
  for (const BuiltInTarget& found : FindBuiltIns(lowering_.module)) {
    const Instruction* variable = types_.Find(found.target);
    if (found.built_in == built_in && variable != nullptr && variable->IsVariable(spv::StorageClass::Input))
      return found.target;
  }
  const Id pointer = types_.Pointer(spv::StorageClass::Input, type);
  const Id variable = types_.Append(spv::Op::OpVariable, pointer, {static_cast<uint32_t>(spv::StorageClass::Input)});
  Decorate(lowering_.module, variable, spv::Decoration::BuiltIn, {static_cast<uint32_t>(built_in)});
  return variable;
}

Id EntryBuiltIns::Load(Builder& builder, spv::BuiltIn built_in, Id wanted) {
  const Id variable = Variable(built_in, wanted);
  const Id declared = types_.Pointee(types_.Find(variable)->type_id);
  const Id value = builder.Emit(spv::Op::OpLoad, declared, {variable});
  return declared == wanted ? value : builder.Emit(spv::Op::OpBitcast, wanted, {value});
}

// A single row has it in x; where the index itself is asked for, lavapipe finds y and z by two divisions more for each
// invocation.
Id EntryBuiltIns::LocalIndex(Builder& builder) {
  const Id uint = types_.Uint();
  const NodeInfo& info = lowering_.info;
  if (info.packed == 1 && info.local_size[1] * info.local_size[2] != 1)
    return Load(builder, spv::BuiltIn::LocalInvocationIndex, uint);
  const Id place = Load(builder, spv::BuiltIn::LocalInvocationId, types_.Vector(uint, 3));
  return builder.Emit(spv::Op::OpCompositeExtract, uint, {place, 0});
}

// Where in its own workgroup an invocation is.
Id EntryBuiltIns::LocalId(Builder& builder) {
  const Id uint = types_.Uint();
  const Id uvec3 = types_.Vector(uint, 3);
  if (lowering_.info.packed == 1 && !lowering_.info.DistrustsLocalId())
    return Load(builder, spv::BuiltIn::LocalInvocationId, uvec3);
  const std::array<uint32_t, 3>& size = lowering_.info.local_size;
  const Id index = builder.Emit(spv::Op::OpLoad, uint, {local_index_});
  const Id x = types_.ConstantUint(size[0]);
  const Id row = builder.Emit(spv::Op::OpUDiv, uint, {index, x});
  const Id y = types_.ConstantUint(size[1]);
  return builder.Emit(spv::Op::OpCompositeConstruct, uvec3,
                      {builder.Emit(spv::Op::OpUMod, uint, {index, x}), builder.Emit(spv::Op::OpUMod, uint, {row, y}),
                       builder.Emit(spv::Op::OpUDiv, uint, {row, y})});
}

void EntryBuiltIns::Fill(Builder& builder, const ReplacedBuiltIn& built_in) {
  const Id uint = types_.Uint();
  const Id uvec3 = types_.Vector(uint, 3);
  Id type = uint;
  Id value = kNoId;
  switch (built_in.built_in) {
    case spv::BuiltIn::WorkgroupId:
      type = uvec3;
      value = builder.Emit(spv::Op::OpLoad, uvec3, {workgroup_id_});
      break;
    case spv::BuiltIn::GlobalInvocationId: {
      type = uvec3;
      const Id workgroup = builder.Emit(spv::Op::OpLoad, uvec3, {workgroup_id_});
      const Id first =
          builder.Emit(spv::Op::OpIMul, uvec3, {workgroup, ConstantVector(types_, lowering_.info.local_size)});
      value = builder.Emit(spv::Op::OpIAdd, uvec3, {first, LocalId(builder)});
      break;
    }
    case spv::BuiltIn::LocalInvocationId:
      type = uvec3;
      value = LocalId(builder);
      break;
    case spv::BuiltIn::LocalInvocationIndex:
      value = builder.Emit(spv::Op::OpLoad, uint, {local_index_});
      break;
    case spv::BuiltIn::ShaderIndexAMDX:
      value = builder.Call(uint, shader_index_, {});
      break;
    default:
      value = builder.Call(uint, remaining_, {});
      break;
  }
  if (type != built_in.value_type) value = builder.Emit(spv::Op::OpBitcast, built_in.value_type, {value});
  builder.EmitVoid(spv::Op::OpStore, {built_in.variable, value});
}

}  // namespace trellis::spirv
