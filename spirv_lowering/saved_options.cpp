// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/saved_options.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "spirv_lowering/reflect/packing.h"

namespace trellis::spirv {
namespace {

constexpr std::string_view kEntryPoint = "entry_point";
constexpr std::string_view kConstant = "constant.";  // with its SpecId; the value is bytes as hexadecimal digits

static_assert(sizeof(LoweringTarget) == 8 * sizeof(bool), "VisitNumbers has a line for each member");
template <typename Saved, typename Visitor>
void VisitNumbers(Saved& saved, Visitor visit) {
  auto& options = saved.options;
  auto& target = options.target;
  visit("launch_offset", options.launch_offset);
  visit("push_constant_copy_offset", options.push_constant_copy_offset);
  visit("robust_access", options.robust_access);
  visit("subgroup_aggregation", target.subgroup_aggregation);
  visit("subgroup_partition", target.subgroup_partition);
  visit("maximal_reconvergence", target.maximal_reconvergence);
  visit("workgroup_aggregation", target.workgroup_aggregation);
  visit("mesh_subgroup_search", target.mesh_subgroup_search);
  visit("int64_addresses", target.int64_addresses);
  visit("for_cpu", target.for_cpu);
  visit("check_allocations", target.check_allocations);
  visit("packed", saved.packed);
  visit("max_workgroups", saved.max_workgroups);
  visit("launches_bounds", saved.launches_bounds);
  visit("in_batches", saved.in_batches);
  visit("optimize", saved.optimize);
}

template <typename Number>
bool Parse(std::string_view text, Number& number, int base = 10) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && rest == end;
}

bool ReadConstant(std::string_view id, std::string_view digits, Specialization& specialization) {
  uint32_t key = 0;
  if (!Parse(id, key) || digits.size() % 2 != 0) return false;
  std::vector<uint8_t> bytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    if (!Parse(digits.substr(2 * i, 2), bytes[i], 16)) return false;
  specialization.insert_or_assign(key, std::move(bytes));
  return true;
}

bool ReadNumber(std::string_view key, std::string_view value, SavedOptions& saved) {
  uint32_t number = 0;
  if (!Parse(value, number)) return false;
  bool found = false;
  VisitNumbers(saved, [&](std::string_view name, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    if (name != key || (std::is_same_v<Member, bool> && number > 1)) return;
    member = static_cast<Member>(number);
    found = true;
  });
  return found;
}

bool ReadLine(std::string_view line, SavedOptions& saved) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = line.substr(0, equals), value = line.substr(equals + 1);
  if (key.starts_with(kConstant)) return ReadConstant(key.substr(kConstant.size()), value, saved.specialization);
  if (key != kEntryPoint) return ReadNumber(key, value, saved);
  saved.entry_point = value;
  return true;
}

}  // namespace

std::string WriteOptions(const SavedOptions& saved) {
  std::string text = std::string(kEntryPoint) + "=" + saved.entry_point + "\n";
  VisitNumbers(saved, [&](const char* name, const std::optional<uint32_t>& value) {
    if (value) text += std::string(name) + "=" + std::to_string(*value) + "\n";
  });
  constexpr char kDigits[] = "0123456789abcdef";
  for (const auto& [id, bytes] : std::map(saved.specialization.begin(), saved.specialization.end())) {
    text += std::string(kConstant) + std::to_string(id) + "=";
    for (const uint8_t byte : bytes) text += {kDigits[byte / 16], kDigits[byte % 16]};
    text += "\n";
  }
  return text;
}

Expected<void> ReadOptions(std::string_view text, SavedOptions& saved) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty() && !ReadLine(line, saved)) return Error{"'" + std::string(line) + "' is not a known KEY=VALUE"};
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

Expected<void> Apply(const SavedOptions& saved, NodeInfo& info) {
  info.launches_bounds = saved.launches_bounds;
  const uint32_t max_packed = info.IsMesh() ? 1 : WorkgroupsToPack(info);
  if (saved.packed == 0 || saved.packed > max_packed)
    return Error{"packed=" + std::to_string(saved.packed) + ": node '" + info.entry_point + "' allows 1 to " +
                 std::to_string(max_packed)};
  info.packed = saved.packed;
  info.max_workgroups = saved.max_workgroups;
  info.in_batches = info.in_batches && saved.in_batches;
  return {};
}

}  // namespace trellis::spirv
