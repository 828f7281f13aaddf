// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/arguments.h"

#include <algorithm>

#include "spirv_lowering/support/nearest_word.h"

namespace trellis::tool {
namespace {

Error UnknownOption(const std::string& name, const std::vector<OptionShape>& shapes) {
  std::vector<std::string_view> options = {"--help"};
  for (const OptionShape& shape : shapes) options.push_back(shape.name);
  const std::string_view nearest = NearestWord(name, options);
  return Error{"unknown option '" + name + "'" +
               (nearest.empty() ? "" : ": did you mean '" + std::string(nearest) + "'?")};
}

}  // namespace

Expected<Arguments> Arguments::Parse(const std::vector<std::string>& words, const std::vector<OptionShape>& shapes) {
  Arguments result;
  bool options_end = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (options_end || word.size() < 2 || word[0] != '-') {
      result.inputs_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_end = true;
      continue;
    }
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const OptionShape& each) {
      return each.name == name || (each.joined && word.starts_with(each.name));
    });
    if (shape == shapes.end()) return UnknownOption(name, shapes);
    std::vector<std::string>& values = result.values_[std::string(shape->name)];
    if (!shape->takes_value) {
      if (equals != std::string::npos) return Error{"option '" + name + "' takes no value"};
      values.emplace_back();
      continue;
    }
    if (!values.empty() && !shape->repeated) return Error{"option '" + std::string(shape->name) + "' is given twice"};
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (shape->joined && word.size() > shape->name.size()) {
      values.push_back(word.substr(shape->name.size()));
    } else if (++i < words.size()) {
      values.push_back(words[i]);
    } else {
      return Error{"option '" + name + "' needs a value"};
    }
  }
  return result;
}

std::string Arguments::Value(std::string_view option, std::string otherwise) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::move(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::Values(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace trellis::tool
