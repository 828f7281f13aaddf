// SPDX-License-Identifier: Apache-2.0
// Headers of the standard library that most sources include. Compiled once per build (cmake/PrecompiledHeaders.cmake).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
