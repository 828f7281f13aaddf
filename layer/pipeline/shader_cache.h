// SPDX-License-Identifier: Apache-2.0
// Modules that were read and nodes that were lowered, by content: each is worked on once while the cache keeps it,
// however many shader modules, pipelines and libraries it appears in. Internal to layer/pipeline.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/lower.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;

// A module and what it breaks of the extension's rules.
struct CheckedModule {
  spirv::Module module;
  std::vector<spirv::RuleViolation> violations;
};

// What became of a node: words for the driver, or why there are none. Immutable.
struct LoweredShader {
  VkResult result = VK_SUCCESS;
  std::string reason;  // if it failed
  spirv::LoweredNode node;
  std::string options;                   // with the setting `dump_dir`: spirv::WriteOptions
  std::set<uint32_t> specializable_ids;  // SpecIds that the words still have
  std::set<uint32_t> descriptor_sets;    // that variables in the words belong to
};

// One module. Threading: any thread. A thread that asks for what another one is working on waits for it.
class CachedModule {
 public:
  explicit CachedModule(std::span<const uint32_t> words) : words_(words.begin(), words.end()) {}

  [[nodiscard]] const std::vector<uint32_t>& words() const { return words_; }

  // Reads and checks the module when called first. Fails with the reader's message; broken rules are not failures here,
  // because they may be another entry point's. Valid as long as this object.
  [[nodiscard]] const Expected<CheckedModule>& Checked();

  // The result of `lower`, which is called where there is none yet for equal keys (spirv::LoweringKey) and options, and
  // a specialisation that agrees about the constants that lowering read. Equal words are one object, so that different
  // specialisations that lead to them can be told to need the same. `lower` must be a pure function of them and of the
  // device, and must not call down.
  [[nodiscard]] std::shared_ptr<const LoweredShader> Lowered(const spirv::NodeInfo& key,
                                                             const spirv::LowerOptions& options,
                                                             const spirv::Specialization& specialization,
                                                             const std::function<LoweredShader()>& lower);

 private:
  // A module may be specialised without end; what is forgotten is made again when it is needed.
  static constexpr size_t kMaxLowerings = 1024;

  struct Key {
    spirv::NodeInfo info;
    spirv::LowerOptions options;
    auto operator<=>(const Key&) const = default;
  };
  struct Lowering {
    std::mutex mutex;  // guards shader; held while it is made
    std::shared_ptr<const LoweredShader> shader;
  };
  // What one key led to under different specialisations.
  struct Family {
    std::mutex mutex;                                           // guards what follows; held while the first one is made
    std::vector<std::shared_ptr<const LoweredShader>> shaders;  // that succeeded
    std::map<std::map<uint32_t, std::vector<uint8_t>>, std::shared_ptr<Lowering>> by_specialization;
  };

  [[nodiscard]] std::shared_ptr<Family> FamilyOf(const spirv::NodeInfo& key, const spirv::LowerOptions& options);
  // Null if none of the family's shaders suits the specialisation.
  [[nodiscard]] std::shared_ptr<const LoweredShader> FindAgreeing(const Family& family,
                                                                  const spirv::Specialization& specialization);

  const std::vector<uint32_t> words_;
  std::mutex checked_mutex_;  // guards checked_ until it is there; held while it is made
  std::optional<Expected<CheckedModule>> checked_;
  std::shared_ptr<const LoweredShader> Intern(LoweredShader shader);

  std::mutex lowerings_mutex_;  // guards what follows
  std::map<Key, std::shared_ptr<Family>> families_;
  size_t lowering_count_ = 0;
  std::map<std::vector<uint32_t>, std::weak_ptr<const LoweredShader>> by_words_;
};

// All modules of a device; those that were not used for the longest time are forgotten when there are too many.
// Threading: any thread. Ownership: modules are shared with their users.
class ShaderCache {
 public:
  // `budget`: most bytes of SPIR-V that are remembered. What is made of them takes several times as much.
  explicit ShaderCache(size_t budget = kDefaultBudget) : budget_(budget) {}

  [[nodiscard]] static std::shared_ptr<ShaderCache> Of(Device& device);

  // The module with these words.
  [[nodiscard]] std::shared_ptr<CachedModule> Find(std::span<const uint32_t> words);
  [[nodiscard]] size_t size() const;

 private:
  static constexpr size_t kDefaultBudget = size_t{8} << 20;

  struct Entry {
    std::shared_ptr<CachedModule> module;
    uint64_t last_use = 0;
  };

  void Evict();

  const size_t budget_;
  mutable std::mutex mutex_;                        // guards what follows
  std::unordered_multimap<size_t, Entry> modules_;  // by hash of the words
  size_t bytes_ = 0;
  uint64_t uses_ = 0;
};

}  // namespace trellis
