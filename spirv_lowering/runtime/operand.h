// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv::runtime {

// What a function of the runtime is called with. Without a default, so that none is forgotten.
class Operand {
 public:
  Operand(Id id) : id_(id) {}          // NOLINT: implicit
  operator Id() const { return id_; }  // NOLINT: implicit

 private:
  Id id_;
};

}  // namespace trellis::spirv::runtime
