// SPDX-License-Identifier: Apache-2.0
// Modules that tests share: between them they hold every shape of instruction that the reader has to cope with.
#pragma once

#include <string_view>
#include <vector>

namespace trellis::spirv {

struct SampleModule {
  std::string_view name;
  std::string_view text;
};

// Every function of every module is called or an entry point, so that no proper prefix of one is a module.
[[nodiscard]] const std::vector<SampleModule>& SampleModules();
[[nodiscard]] std::string_view SampleText(std::string_view name);

}  // namespace trellis::spirv
