// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/execution_modes.h"

#include <algorithm>

#include "spirv_lowering/ir/built_ins.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kMaxInvocations = 65536;  // of a workgroup; no device has as many

class ModeReader {
 public:
  ModeReader(const NodeModule& node, const Types& types, const ConstantEvaluator& constants, NodeInfo& info)
      : node_(node), types_(types), constants_(constants), info_(info) {}

  Expected<void> Run() {
    for (const Instruction& mode : node_.module.execution_modes) {
      if (Expected<void> read = ReadMode(mode); !read) return read;
    }
    if (static_cast<int>(coalescing_) + static_cast<int>(static_grid_) + static_cast<int>(max_grid_) > 1) {
      return Error{"CoalescingAMDX, StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX exclude each other"};
    }
    ReadWorkgroupSize();
    uint64_t invocations = 1;
    for (const uint32_t size : info_.local_size) invocations = size > kMaxInvocations ? 0 : invocations * size;
    if (invocations == 0 || invocations > kMaxInvocations) {
      return Refuse("OpFunction", node_.entry_function,
                    "the workgroup size is 0 or more than " + std::to_string(kMaxInvocations) + " invocations");
    }
    info_.kind = coalescing_    ? LaunchKind::kCoalescing
                 : static_grid_ ? LaunchKind::kStaticGrid
                                : LaunchKind::kDynamicGrid;
    return {};
  }

 private:
  Expected<void> ReadThree(const Instruction& mode, const std::string& name, std::array<uint32_t, 3>& into) const {
    for (uint32_t i = 0; i < 3; ++i) {
      if (Expected<void> read = ReadOperand(constants_, name, mode.operands[2 + i], into[i]); !read) return read;
    }
    return {};
  }

  Expected<void> ReadGrid(const Instruction& mode, const std::string& name) {
    if (Expected<void> read = ReadThree(mode, name, info_.grid); !read) return read;
    if (uint64_t{info_.grid[0]} * info_.grid[1] > 0xffffffffu ||
        uint64_t{info_.grid[0]} * info_.grid[1] * info_.grid[2] > 0xffffffffu) {
      return Refuse(name, mode.operands[0], "the grid has 2^32 workgroups or more");
    }
    return {};
  }

  Expected<void> ReadMode(const Instruction& mode) {
    const auto one = [&](const char* name, uint32_t& into) {
      return ReadOperand(constants_, name, mode.operands[2], into);
    };
    switch (static_cast<spv::ExecutionMode>(mode.operands[1])) {
      case spv::ExecutionMode::LocalSize:
        std::copy_n(mode.operands.begin() + 2, 3, info_.local_size.begin());
        return {};
      case spv::ExecutionMode::LocalSizeId:
        return ReadThree(mode, "LocalSizeId", info_.local_size);
      case spv::ExecutionMode::CoalescingAMDX:
        coalescing_ = true;
        return {};
      case spv::ExecutionMode::StaticNumWorkgroupsAMDX:
        static_grid_ = true;
        return ReadGrid(mode, "StaticNumWorkgroupsAMDX");
      case spv::ExecutionMode::MaxNumWorkgroupsAMDX:
        max_grid_ = true;
        return ReadGrid(mode, "MaxNumWorkgroupsAMDX");
      case spv::ExecutionMode::ShaderIndexAMDX:
        return one("ShaderIndexAMDX", info_.shader_index);
      case spv::ExecutionMode::MaxNodeRecursionAMDX:
        info_.declares_recursion = true;
        return one("MaxNodeRecursionAMDX", info_.max_recursion);
      case spv::ExecutionMode::IsApiEntryAMDX: {
        uint32_t value = 1;
        Expected<void> read = one("IsApiEntryAMDX", value);
        info_.is_api_entry = value != 0;
        return read;
      }
      case spv::ExecutionMode::SharesInputWithAMDX: {
        const std::optional<std::string> name = constants_.String(mode.operands[2]);
        if (!name)
          return Refuse("SharesInputWithAMDX", mode.operands[2],
                        "the node name is not an OpConstantStringAMDX or OpSpecConstantStringAMDX");
        info_.shares_input = true;
        info_.is_api_entry = false;
        info_.shares_input_with_name = *name;
        return ReadOperand(constants_, "SharesInputWithAMDX", mode.operands[3], info_.shares_input_with_index);
      }
      default:
        return {};
    }
  }

  // The deprecated constant decorated BuiltIn WorkgroupSize wins over LocalSize.
  void ReadWorkgroupSize() {
    for (const BuiltInTarget& found : FindBuiltIns(node_.module)) {
      const Instruction* constant = types_.Find(found.target);
      if (found.built_in != spv::BuiltIn::WorkgroupSize || constant == nullptr ||
          (constant->opcode != spv::Op::OpConstantComposite && constant->opcode != spv::Op::OpSpecConstantComposite))
        continue;
      for (uint32_t i = 0; i < 3 && i < constant->operands.size(); ++i) {
        info_.local_size[i] = constants_.Value(constant->operands[i]).value_or(info_.local_size[i]);
      }
    }
  }

  const NodeModule& node_;
  const Types& types_;
  const ConstantEvaluator& constants_;
  NodeInfo& info_;
  bool coalescing_ = false;
  bool static_grid_ = false;
  bool max_grid_ = false;
};

}  // namespace

Expected<void> ReadExecutionModes(const NodeModule& node, const Types& types, const ConstantEvaluator& constants,
                                  NodeInfo& info) {
  return ModeReader(node, types, constants, info).Run();
}

}  // namespace trellis::spirv
