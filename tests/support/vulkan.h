// SPDX-License-Identifier: Apache-2.0
// Vulkan with the provisional extensions and prototypes, for tests.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

#include "layer/dispatch/struct_type.h"
