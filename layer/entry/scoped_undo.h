// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace trellis::entry {

// Destroys what the driver has just made, unless it is kept: if there is no memory left to take note of an object, the
// application gets an error and no handle to destroy.
template <typename Undo>
class [[nodiscard]] ScopedUndo {
 public:
  explicit ScopedUndo(Undo undo) : undo_(std::move(undo)) {}
  ~ScopedUndo() {
    if (!kept_) undo_();
  }
  ScopedUndo(const ScopedUndo&) = delete;
  ScopedUndo& operator=(const ScopedUndo&) = delete;

  void Keep() { kept_ = true; }

 private:
  Undo undo_;
  bool kept_ = false;
};

}  // namespace trellis::entry
