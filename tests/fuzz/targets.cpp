// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "spirv_lowering/fragment_shader.h"
#include "spirv_lowering/front_end/rewrite.h"
#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/reflect/reflect.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/uniformity.h"

namespace trellis::fuzz {
namespace {

// The promise of one second is for a pipeline's node; a hostile module may name thousands of entry points.
constexpr size_t kMaxEntryPoints = 2;

void Require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

void RequireMessage(const Error& error) { Require(!error.message.empty(), "who refuses says why"); }

// What leaves a target can be read again.
void RequireReadable(std::span<const uint32_t> words) {
  const Expected<spirv::Module> module = spirv::ReadModule(words);
  if (!module) Require(false, ("what comes out can be read, but: " + module.error().message).c_str());
}

void RequireDescriptions(const spirv::Module& module) {
  for (const spirv::RuleViolation& violation : spirv::CheckRules(module))
    Require(!Describe(violation).empty(), "a broken rule is described");
  for (const spirv::RuleViolation& warning : spirv::CheckUniformity(module))
    Require(!Describe(warning).empty(), "a warning is described");
}

// A pipeline with and without room for the launch address in its push constants.
std::vector<spirv::LowerOptions> OptionsFor(const spirv::NodeInfo& info) {
  spirv::LowerOptions pushed;
  pushed.launch_offset = (info.push_constant_end + 7) / 8 * 8;
  spirv::LowerOptions copied;
  copied.target.subgroup_aggregation = copied.target.mesh_subgroup_search = true;
  copied.push_constant_copy_offset = 8;
  return {pushed, copied};
}

void LowerEntryPoint(const spirv::Module& module, const spirv::Instruction& entry, const LoweringVisitor& visit) {
  const std::optional<spirv::ExecutionModel> model = spirv::NodeModelOf(entry);
  if (!model) return;
  const std::string name = spirv::DecodeString(entry.operands.data() + 2, entry.operands.size() - 2);
  const spirv::Specialization specialization = {{0, {1, 0, 0, 0}}};
  const Expected<spirv::NodeInfo> info = spirv::Reflect(module, name, specialization, *model);
  if (!info) return visit(info.error());
  for (const spirv::LowerOptions& options : OptionsFor(*info))
    visit(spirv::Lower(module, *info, options, specialization));
}

void ExtractFragmentShaders(const spirv::Module& module) {
  for (size_t i = 0; i < std::min(module.entry_points.size(), kMaxEntryPoints); ++i) {
    const std::vector<uint32_t>& operands = module.entry_points[i].operands;
    const Expected<std::vector<uint32_t>> words =
        spirv::ExtractFragmentShader(module, spirv::DecodeString(operands.data() + 2, operands.size() - 2));
    if (words)
      RequireReadable(*words);
    else
      RequireMessage(words.error());
  }
}

}  // namespace

void LowerEntryPoints(const spirv::Module& module, const LoweringVisitor& visit) {
  for (size_t i = 0; i < std::min(module.entry_points.size(), kMaxEntryPoints); ++i)
    LowerEntryPoint(module, module.entry_points[i], visit);
}

void FuzzLowering(std::span<const uint32_t> words) {
  const Expected<spirv::Module> module = spirv::ReadNodeModule(words);
  if (!module) return RequireMessage(module.error());
  RequireDescriptions(*module);
  ExtractFragmentShaders(*module);
  LowerEntryPoints(*module, [](const Expected<spirv::LoweredNode>& lowered) {
    if (!lowered) return RequireMessage(lowered.error());
    RequireReadable(lowered->words);
  });
}

void FuzzRewriter(std::span<const uint32_t> words) {
  Expected<spirv::Module> raw = spirv::ReadModule(words);
  if (!raw) return RequireMessage(raw.error());
  Expected<spirv::RewrittenNode> node = spirv::RewriteRawNode(*std::move(raw));
  if (!node) return RequireMessage(node.error());
  RequireDescriptions(node->module);
  spirv::StripDebugInfo(node->module);
  RequireReadable(spirv::WriteModule(node->module));
}

std::vector<uint32_t> WordsOf(std::span<const uint8_t> bytes) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

}  // namespace trellis::fuzz
