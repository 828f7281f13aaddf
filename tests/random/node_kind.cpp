// SPDX-License-Identifier: Apache-2.0
#include "tests/random/node_kind.h"

namespace trellis::test::random_graphs {
namespace {

std::vector<InputForm> InputForms() {
  const Launch fixed = Launch::kStaticGrid, dynamic = Launch::kDynamicGrid, coalescing = Launch::kCoalescing;
  return {
      {.launch = fixed, .lanes = {1, 1, 1}, .record_words = 2},
      {.launch = fixed, .lanes = {4, 2, 1}, .record_words = 5},
      {.launch = fixed, .lanes = {2, 1, 2}, .record_words = 0, .declared = false},
      {.launch = dynamic, .lanes = {8, 1, 1}, .record_words = 2, .grid = {1, 1}},
      {.launch = dynamic, .lanes = {2, 3, 1}, .record_words = 5, .grid = {1, 2}},
      {.launch = dynamic, .lanes = {1, 1, 1}, .record_words = 12, .grid = {9, 3}},
      {.launch = dynamic, .lanes = {4, 1, 1}, .record_words = 2, .grid = {1, 2, 16}},
      {.launch = dynamic, .lanes = {1, 1, 4}, .record_words = 5, .grid = {2, 3, 8}},
      {.launch = dynamic, .lanes = {3, 1, 1}, .record_words = 3, .grid = {0, 3}, .declared = false},
      {.launch = coalescing, .lanes = {4, 1, 1}, .record_words = 2, .coalesce = 4},
      {.launch = coalescing, .lanes = {8, 1, 1}, .record_words = 5, .coalesce = 20},
      {.launch = coalescing, .lanes = {16, 1, 1}, .record_words = 12, .coalesce = 3, .overwrites = true},
      {.launch = coalescing, .lanes = {2, 1, 1}, .record_words = 0, .declared = false},
      {.launch = coalescing, .lanes = {1, 1, 1}, .record_words = 2},
      {.launch = coalescing, .lanes = {1, 1, 1}, .record_words = 5, .overwrites = true},
  };
}

std::vector<std::vector<OutputForm>> OutputForms() {
  const Scope group = Scope::kWorkgroup, lane = Scope::kInvocation;
  return {
      {},
      {{group, 2}},
      {{lane, 5}, {.scope = group, .record_words = 2, .late = true}},
      {{.scope = lane, .record_words = 12, .late = true}, {lane, 0}},
      {{group, 3}, {.scope = group, .record_words = 5, .dense = true}, {lane, 2}},
      {{lane, 2}, {.scope = lane, .record_words = 2, .shares_limits = true}, {group, 12}},
  };
}

// Not every input with every list of outputs: a driver takes up to a second to compile a node with three outputs.
bool IsInLibrary(size_t input, size_t outputs) {
  switch (outputs) {
    case 2:
      return input % 2 == 0;
    case 3:
      return input % 3 == 2;
    case 4:
      return input % 4 == 0;
    case 5:
      return input % 4 == 1;
    default:
      return true;
  }
}

NodeKind MakeKind(uint32_t number, const InputForm& input, const std::vector<OutputForm>& outputs) {
  NodeKind kind;
  kind.input = input;
  kind.outputs = outputs;
  // Different periods, so that forms and these meet in all combinations.
  kind.shape = (number * 5 / 3) % 2 == 0 ? Shape::kDxc : Shape::kDirect;
  kind.vulkan_memory_model = number % 5 == 4;
  kind.can_recurse = number % 7 < 5;
  kind.is_api_entry = number % 11 != 10;
  return kind;
}

std::vector<NodeKind> MakeKinds() {
  const std::vector<InputForm> inputs = InputForms();
  const std::vector<std::vector<OutputForm>> outputs = OutputForms();
  std::vector<NodeKind> kinds;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (IsInLibrary(i, o)) kinds.push_back(MakeKind(static_cast<uint32_t>(kinds.size()), inputs[i], outputs[o]));
    }
  }
  for (const InputForm& input : inputs) {
    if (input.launch == Launch::kCoalescing) continue;
    NodeKind kind = MakeKind(static_cast<uint32_t>(kinds.size()), input, {});
    kind.is_mesh = true;
    kind.can_recurse = false;
    kinds.push_back(std::move(kind));
  }
  const size_t plain = kinds.size();
  for (size_t from = 1; from < plain; from += 5) {
    NodeKind kind = kinds[from];
    kind.shares_input = true;
    kind.input.overwrites = false;  // the input of nodes that share it is NonWritable
    kind.is_api_entry = from % 2 == 0;
    kind.can_recurse = false;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

std::string Number(uint32_t value) { return std::to_string(value); }

std::string DescribeInput(const NodeKind& kind) {
  const InputForm& input = kind.input;
  std::string text;
  if (input.launch == Launch::kStaticGrid) text = "static grid";
  if (input.launch == Launch::kDynamicGrid)
    text = "dynamic grid (" + Number(input.grid.components) + " x " + Number(input.grid.bits) + " bit at word " +
           Number(input.grid.first_word) + ")";
  if (input.launch == Launch::kCoalescing) text = kind.Lanes() == 1 ? "thread" : "coalescing";
  text += ", " + Number(input.lanes[0]) + "x" + Number(input.lanes[1]) + "x" + Number(input.lanes[2]) + " lanes, " +
          Number(input.record_words) + " words";
  if (!input.declared) text += " (not declared)";
  if (input.overwrites) text += ", overwrites them";
  return text;
}

}  // namespace

uint32_t NodeKind::BudgetFactor(const OutputForm& output, uint32_t max_coalesced) const {
  if (Coalescing()) return max_coalesced;
  return output.scope == Scope::kInvocation ? Lanes() : 1;
}

Variant VariantOf(uint32_t kind, uint32_t variant) {
  const uint32_t coalesce = NodeKinds()[kind].input.coalesce;
  Variant made;
  made.coalesce = variant == 0 ? coalesce : coalesce / 2 + 1;
  for (uint32_t o = 0; o < kMaxOutputs; ++o) {
    made.base[o] = (kind + o + variant) % 2 == 0 ? 0 : kVariantBase;
    made.most[o] = 1 + (kind + 2 * o + variant) % 3;
  }
  return made;
}

const std::vector<NodeKind>& NodeKinds() {
  static const std::vector<NodeKind> kinds = MakeKinds();
  return kinds;
}

std::string DescribeKind(const NodeKind& kind) {
  std::string text = (kind.is_mesh ? "mesh, " : "") + DescribeInput(kind);
  text += kind.shape == Shape::kDxc ? ", handles" : ", allocation's pointer";
  if (kind.vulkan_memory_model) text += ", Vulkan memory model";
  if (!kind.is_api_entry) text += ", no API entry";
  for (const OutputForm& output : kind.outputs) {
    text += output.scope == Scope::kWorkgroup ? "; workgroup " : "; invocation ";
    text += Number(output.record_words) + " words";
    if (output.late) text += " late";
    if (output.dense) text += " dense";
    if (output.shares_limits) text += " sharing limits";
  }
  return text;
}

}  // namespace trellis::test::random_graphs
