// SPDX-License-Identifier: Apache-2.0
// What most tests include. Compiled once per build (cmake/PrecompiledHeaders.cmake).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled/product.h"
