// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/specialization.h"

#include <vector>

namespace trellis {

// The words are what the lowering wrote, so well-formed.
std::set<uint32_t> DecorationLiterals(std::span<const uint32_t> words, spv::Decoration decoration) {
  constexpr size_t kHeaderWords = 5;
  std::set<uint32_t> literals;
  for (size_t at = kHeaderWords; at < words.size();) {
    const auto opcode = static_cast<spv::Op>(words[at] & spv::OpCodeMask);
    const uint32_t count = words[at] >> spv::WordCountShift;
    if (opcode == spv::Op::OpFunction || count == 0) break;
    if (opcode == spv::Op::OpDecorate && count == 4 && words[at + 2] == static_cast<uint32_t>(decoration))
      literals.insert(words[at + 3]);
    at += count;
  }
  return literals;
}

spirv::Specialization ReadSpecialization(const VkSpecializationInfo* info) {
  spirv::Specialization specialization;
  if (!info) return specialization;
  const auto* data = static_cast<const uint8_t*>(info->pData);
  for (uint32_t i = 0; i < info->mapEntryCount; ++i) {
    const VkSpecializationMapEntry& entry = info->pMapEntries[i];
    if (entry.offset > info->dataSize || entry.size > info->dataSize - entry.offset) continue;
    specialization[entry.constantID].assign(data + entry.offset, data + entry.offset + entry.size);
  }
  return specialization;
}

const VkSpecializationInfo* KeepSpecialization(const VkSpecializationInfo* info, const std::set<uint32_t>& ids,
                                               Arena& arena) {
  if (!info) return nullptr;
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint8_t> data;
  const spirv::Specialization given = ReadSpecialization(info);
  for (uint32_t i = 0; i < info->mapEntryCount; ++i) {
    const auto constant = given.find(info->pMapEntries[i].constantID);
    if (constant == given.end() || !ids.contains(constant->first)) continue;
    const std::vector<uint8_t>& bytes = constant->second;
    entries.push_back({constant->first, static_cast<uint32_t>(data.size()), bytes.size()});
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  // SwiftShader reads the first entry even where there is none.
  if (entries.empty()) return nullptr;
  VkSpecializationInfo kept = {};
  kept.mapEntryCount = static_cast<uint32_t>(entries.size());
  kept.pMapEntries = arena.CopyArray(entries.data(), entries.size());
  kept.dataSize = data.size();
  kept.pData = arena.CopyArray(data.data(), data.size());
  return arena.Copy(kept);
}

}  // namespace trellis
