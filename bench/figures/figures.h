// SPDX-License-Identifier: Apache-2.0
// Figures that are no comparison of two times on the device. Each is empty, or says so, where the platform cannot tell.
#pragma once

#include <string>
#include <vector>

#include "bench/framework/report.h"

namespace trellis::bench {

// Workgroups that a graph with dynamic grids launches besides those that it needs (P5).
std::vector<Figure> LaunchedWorkgroups(const Gpu& gpu, bool quick);
// CPU time of recording a graph dispatch compared with that of the commands it becomes (P7).
std::vector<Figure> RecordingCost(const Gpu& gpu, bool quick);
// The same for a small graph in 1 to 1,024 command buffers that are reset together.
std::vector<Figure> CommandBufferCost(const Gpu& gpu, bool quick);
// CPU time of recording a dispatch of 64 MiB of payloads, compared with one memcpy of them.
std::vector<Figure> HostPayloads(const Gpu& gpu, bool quick);
// Time in the layer compared with time in the driver when a large graph is created (P8).
std::vector<Figure> CreationCost(const Gpu& gpu, bool quick);
// Bytes of device memory a record beyond its payload (P9). `device`: as for Gpu.
std::vector<Figure> MemoryPerRecord(const std::string& device, bool quick);
// What an application pays that does not enable the extension (P10).
std::vector<Figure> PlainApplications(const Gpu& gpu, bool quick);
// Time that a step of bounded mode takes that was recorded and has nothing to do. `device`: as for Gpu.
std::vector<Figure> UnusedSteps(const std::string& device, bool quick);

// CPU time of recording mesh nodes that the host dispatches compared with that of the same hand-written draws (M1).
// `device`: as for Gpu.
std::vector<Figure> DrawCost(const std::string& device, bool quick);
// Time of compute that sends records to mesh nodes, compared with that of a dispatch, a barrier and indirect draws:
// many records for one node (M2), records for few of many nodes (M4). `device`: as for Gpu.
std::vector<Figure> PickedDrawCost(const std::string& device, bool quick);
std::vector<Figure> FewOfManyDrawCost(const std::string& device, bool quick);
// Time of a graph inside a render pass instance compared with that of the same one between two instances (M3).
// `device`: as for Gpu.
std::vector<Figure> SplitCost(const std::string& device, bool quick);
// Time from the creation of a device's first graph to the end of its first dispatch. Drivers that keep compiled shaders
// on disk are cold only without that cache. `device`: as for Gpu.
std::vector<Figure> ColdDispatch(const std::string& device);

// For PlainApplications, in a process of its own, with the layer or without: prints the nanoseconds that recording one
// plain dispatch takes on the device of that number.
void PrintPlainDispatchCost(unsigned device);

}  // namespace trellis::bench
