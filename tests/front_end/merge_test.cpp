// SPDX-License-Identifier: Apache-2.0
// Several nodes in one module.
#include <gtest/gtest.h>

#include "spirv_lowering/front_end/merge.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/validator_view.h"
#include "tests/front_end/compile_glsl.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kProducer =
    "layout(local_size_x = 4) in;\nlayout(constant_id = 1) const uint kMax = 8;\nstruct Item { uint value; "
    "};\nNODE_STATIC_GRID(2, 1, 1);\n"
    "NODE_OUTPUT(Item, Work, \"consumer\", kMax);\n"
    "void main() { Work w = Work_group(4); w.at[gl_LocalInvocationIndex].value = uint(sqrt(float(kMax))); "
    "node_enqueue(w); }";
constexpr const char* kConsumer =
    "layout(local_size_x = 8) in;\nlayout(constant_id = 1) const uint kMax = 8;\nstruct Item { uint value; "
    "};\nNODE_INPUTS(Item, items, 8);\n"
    "layout(set = 0, binding = 0) buffer R { uint n[]; };\n"
    "void main() { if (gl_LocalInvocationIndex < items.length()) "
    "atomicAdd(n[uint(sqrt(float(items[gl_LocalInvocationIndex].value)))], kMax); }";

TEST(Merge, BothEntryPointsAreValidReflectAndLower) {
  Expected<Module> merged = MergeModules(
      {NodeOrFail(kProducer, {.entry_point = "producer"}), NodeOrFail(kConsumer, {.entry_point = "consumer"})});
  ASSERT_TRUE(merged) << merged.error().message;
  for (const RuleViolation& violation : CheckRules(*merged)) ADD_FAILURE() << Describe(violation);
  const std::vector<uint32_t> words = WriteModule(*merged);
  const Expected<void> valid = Validate(words);
  EXPECT_TRUE(valid) << valid.error().message;
  const Expected<Module> again = ReadModule(words);
  ASSERT_TRUE(again) << again.error().message;
  for (const char* name : {"producer", "consumer"}) {
    const Expected<NodeInfo> info = Reflect(*again, name, {});
    ASSERT_TRUE(info) << info.error().message;
    const Expected<LoweredNode> lowered = Lower(*again, *info, {});
    EXPECT_TRUE(lowered) << lowered.error().message;
  }
  const std::string text = ToText(*merged);
  EXPECT_EQ(CountOf(text, "OpTypeInt 32 0"), 1u) << "types that must be unique are";
  EXPECT_EQ(CountOf(text, "OpExtInstImport"), 1u);
  EXPECT_EQ(CountOf(text, "SpecId 1"), 1u) << "one specialisation constant of a kind";
  EXPECT_EQ(CountOf(text, "OpTypeNodePayloadArrayAMDX"), 2u) << "payload arrays are never shared";
}

TEST(Merge, EntryPointsOfOneName) {
  const Expected<Module> merged = MergeModules({NodeOrFail(kProducer), NodeOrFail(kConsumer)});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().message, "two entry points have the name 'main'");
}

TEST(Merge, MemoryModelsThatDiffer) {
  const Module vulkan =
      NodeOrFail(std::string("#pragma use_vulkan_memory_model\n") + kConsumer, {.entry_point = "consumer"});
  const Expected<Module> merged = MergeModules({NodeOrFail(kProducer), vulkan});
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().message, "modules of different memory models cannot be one");
}

TEST(Merge, WorkgroupSizesBeforeSpirv16) {
  const std::string size = "\nvoid unused(uvec3 s) {}\n";
  const GlslOptions old_producer{.target_environment = "vulkan1.2", .entry_point = "producer"};
  const GlslOptions old_consumer{.target_environment = "vulkan1.2", .entry_point = "consumer"};
  Expected<Module> merged = MergeModules({NodeOrFail(kProducer, old_producer), NodeOrFail(kConsumer, old_consumer)});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_FALSE(Contains(ToText(*merged), "BuiltIn WorkgroupSize"));
  EXPECT_EQ(Reflect(*merged, "consumer", {})->local_size[0], 8u);
  EXPECT_EQ(Reflect(*merged, "producer", {})->local_size[0], 4u);
}

}  // namespace
}  // namespace trellis::spirv
