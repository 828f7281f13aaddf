// SPDX-License-Identifier: Apache-2.0
// What was made for the last few keys that were asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace trellis {

// Keeps the `kMax` most recently used values. Threading: any thread.
template <typename Key, typename Value, size_t kMax>
class RecentCache {
 public:
  RecentCache() { entries_.reserve(kMax); }

  // Null if none is kept.
  [[nodiscard]] std::shared_ptr<const Value> Find(const Key& key) {
    std::lock_guard lock(mutex_);
    return FindLocked(key);
  }

  // What to use from now on: another thread's value if that was kept first.
  [[nodiscard]] std::shared_ptr<const Value> Keep(Key key, std::shared_ptr<const Value> value) {
    // Outlives the lock: what is let go of may call down.
    Entry dropped;
    std::lock_guard lock(mutex_);
    if (std::shared_ptr<const Value> kept = FindLocked(key)) return kept;
    if (entries_.size() == kMax) {
      dropped = std::move(entries_.back());
      entries_.pop_back();
    }
    entries_.insert(entries_.begin(), {std::move(key), value});
    return value;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
  };

  [[nodiscard]] std::shared_ptr<const Value> FindLocked(const Key& key) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&key](const Entry& entry) { return entry.key == key; });
    if (found == entries_.end()) return nullptr;
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().value;
  }

  std::mutex mutex_;            // guards entries_
  std::vector<Entry> entries_;  // most recently used first
};

}  // namespace trellis
