// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trellis {

// A pipeline cache with VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT: one thread at a time may use it. Other
// caches are not tracked. There is nothing else to know about it.
struct ExternallySynchronizedCache {};

}  // namespace trellis
