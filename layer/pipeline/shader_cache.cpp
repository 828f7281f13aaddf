// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/shader_cache.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "layer/objects/device.h"
#include "spirv_lowering/reflect/node_module.h"

namespace trellis {
namespace {

size_t HashOf(std::span<const uint32_t> words) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

Expected<CheckedModule> Check(std::span<const uint32_t> words) {
  Expected<spirv::Module> module = spirv::ReadNodeModule(words);
  if (!module) return module.error();
  std::vector<spirv::RuleViolation> violations = spirv::CheckRules(*module);
  return CheckedModule{*std::move(module), std::move(violations)};
}

size_t BytesOf(const CachedModule& module) { return module.words().size() * sizeof(uint32_t); }

}  // namespace

const Expected<CheckedModule>& CachedModule::Checked() {
  const std::lock_guard lock(checked_mutex_);
  if (!checked_) checked_ = Check(words_);
  return *checked_;
}

std::shared_ptr<CachedModule::Family> CachedModule::FamilyOf(const spirv::NodeInfo& key,
                                                             const spirv::LowerOptions& options) {
  const std::lock_guard lock(lowerings_mutex_);
  if (lowering_count_ >= kMaxLowerings) {
    families_.clear();
    by_words_.clear();
    lowering_count_ = 0;
  }
  std::shared_ptr<Family>& family = families_[{key, options}];
  if (!family) {
    family = std::make_shared<Family>();
    ++lowering_count_;
  }
  return family;
}

std::shared_ptr<const LoweredShader> CachedModule::FindAgreeing(const Family& family,
                                                                const spirv::Specialization& specialization) {
  std::optional<spirv::ConstantEvaluator> constants;
  for (const std::shared_ptr<const LoweredShader>& shader : family.shaders) {
    if (shader->node.read_constants.empty()) return shader;
    if (!constants) constants.emplace(Checked()->module, specialization);
    if (constants->Agrees(shader->node.read_constants)) return shader;
  }
  return nullptr;
}

std::shared_ptr<const LoweredShader> CachedModule::Lowered(const spirv::NodeInfo& key,
                                                           const spirv::LowerOptions& options,
                                                           const spirv::Specialization& specialization,
                                                           const std::function<LoweredShader()>& lower) {
  const std::shared_ptr<Family> family = FamilyOf(key, options);
  std::shared_ptr<Lowering> lowering;
  {
    // Most specialisations turn out to agree with the first one, so all wait for that.
    const std::lock_guard lock(family->mutex);
    if (std::shared_ptr<const LoweredShader> known = FindAgreeing(*family, specialization)) return known;
    if (family->shaders.empty()) {
      std::shared_ptr<const LoweredShader> first = Intern(lower());
      if (first->result == VK_SUCCESS) family->shaders.push_back(first);
      return first;
    }
    std::shared_ptr<Lowering>& known = family->by_specialization[{specialization.begin(), specialization.end()}];
    if (!known) known = std::make_shared<Lowering>();
    lowering = known;
  }
  const std::lock_guard lock(lowering->mutex);
  if (lowering->shader) return lowering->shader;
  lowering->shader = Intern(lower());
  if (lowering->shader->result == VK_SUCCESS) {
    const std::lock_guard family_lock(family->mutex);
    std::vector<std::shared_ptr<const LoweredShader>>& shaders = family->shaders;
    if (std::find(shaders.begin(), shaders.end(), lowering->shader) == shaders.end())
      shaders.push_back(lowering->shader);
  }
  return lowering->shader;
}

std::shared_ptr<const LoweredShader> CachedModule::Intern(LoweredShader shader) {
  if (shader.result != VK_SUCCESS) return std::make_shared<const LoweredShader>(std::move(shader));
  const std::lock_guard lock(lowerings_mutex_);
  ++lowering_count_;
  std::weak_ptr<const LoweredShader>& known = by_words_[shader.node.words];
  if (std::shared_ptr<const LoweredShader> same = known.lock()) return same;
  auto interned = std::make_shared<const LoweredShader>(std::move(shader));
  known = interned;
  return interned;
}

std::shared_ptr<ShaderCache> ShaderCache::Of(Device& device) {
  return device.components.GetOrCreate<ShaderCache>([] { return std::make_shared<ShaderCache>(); });
}

std::shared_ptr<CachedModule> ShaderCache::Find(std::span<const uint32_t> words) {
  const size_t hash = HashOf(words);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = modules_.equal_range(hash);
  const auto found = std::find_if(first, last, [words](const auto& entry) {
    const std::vector<uint32_t>& known = entry.second.module->words();
    return std::equal(words.begin(), words.end(), known.begin(), known.end());
  });
  if (found != last) {
    found->second.last_use = ++uses_;
    return found->second.module;
  }
  auto module = std::make_shared<CachedModule>(words);
  modules_.emplace(hash, Entry{module, ++uses_});
  bytes_ += BytesOf(*module);
  Evict();
  return module;
}

// Keeps the newest, however large it is.
void ShaderCache::Evict() {
  while (bytes_ > budget_ && modules_.size() > 1) {
    const auto oldest = std::min_element(modules_.begin(), modules_.end(), [](const auto& a, const auto& b) {
      return a.second.last_use < b.second.last_use;
    });
    bytes_ -= BytesOf(*oldest->second.module);
    modules_.erase(oldest);
  }
}

size_t ShaderCache::size() const {
  const std::lock_guard lock(mutex_);
  return modules_.size();
}

}  // namespace trellis
