// SPDX-License-Identifier: Apache-2.0
// A loop on several cores. Internal to layer/pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace trellis {

// Calls work(i) for i from 0 to count - 1, on at most `threads` threads (at least one), of which the calling thread is
// one. All have ended when this returns, so no thread outlives the layer. Indices are begun in ascending order; once a
// call returned false none is begun. So if calls return false, the lowest index for which work would return false is
// among those that ran: what failed first does not depend on timing. What a call throws is thrown here.
void ParallelFor(size_t count, uint32_t threads, const std::function<bool(size_t)>& work);

// For ParallelFor, from the setting `threads`.
[[nodiscard]] uint32_t ThreadCount(uint32_t setting);

}  // namespace trellis
