// SPDX-License-Identifier: Apache-2.0
// The command line of one verb.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

struct OptionShape {
  std::string_view name;  // "-o", "--json"
  bool takes_value = false;
  bool joined = false;  // "-DNAME" as well as "-D NAME"
  bool repeated = false;
};

class Arguments {
 public:
  // Options may stand anywhere; "--name=value" means "--name value"; "--" ends them. Error: an unknown option, a
  // missing or an extra value.
  [[nodiscard]] static Expected<Arguments> Parse(const std::vector<std::string>& words,
                                                 const std::vector<OptionShape>& shapes);

  [[nodiscard]] const std::vector<std::string>& inputs() const { return inputs_; }
  [[nodiscard]] bool Has(std::string_view option) const { return values_.find(option) != values_.end(); }
  // The last value, or `otherwise`.
  [[nodiscard]] std::string Value(std::string_view option, std::string otherwise = {}) const;
  [[nodiscard]] std::vector<std::string> Values(std::string_view option) const;

 private:
  std::vector<std::string> inputs_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

}  // namespace trellis::tool
