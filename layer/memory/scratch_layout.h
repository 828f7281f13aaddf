// How a graph uses the application's scratch buffer. Pure.
#pragma once

#include <cstdint>

namespace trellis {

// Offsets are bytes from the scratch address, multiples of kScratchAlignment.
struct ScratchLayout {
  uint64_t control = 0;      // ControlBlock
  uint64_t regions[2] = {};  // Region[slot_count + 1] by parity of the level that consumes them
  uint64_t blocks = 0;       // LaunchBlock[launch_count]
  uint64_t arguments = 0;    // DispatchArguments[launch_count]
  uint64_t entry = 0;        // EntryState: dispatches whose infos the device reads
  uint64_t dump = 0;         // where writes to lost records go
  uint64_t size = 0;         // of everything: the extension's minSize

  [[nodiscard]] uint64_t block(uint32_t launch) const;
  [[nodiscard]] uint64_t argument(uint32_t launch) const;
};

// What the extension asks of every scratch address (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144); also our
// sizeGranularity.
inline constexpr uint64_t kScratchAlignment = 64;

// `slot_count`: slots of the graph. `launch_count`: no level has more launches. `largest_record`: bytes of the largest
// record that any node writes or reads.
[[nodiscard]] ScratchLayout LayOutScratch(uint32_t slot_count, uint32_t launch_count, uint32_t largest_record);

}  // namespace trellis
