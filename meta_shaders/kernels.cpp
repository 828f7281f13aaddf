// SPDX-License-Identifier: Apache-2.0
#include "meta_shaders/kernels.h"

#include "meta_shaders/append_infos_spv.h"
#include "meta_shaders/begin_graph_spv.h"
#include "meta_shaders/close_level_spv.h"
#include "meta_shaders/copy_chunks_spv.h"
#include "meta_shaders/copy_inputs_spv.h"
#include "meta_shaders/count_records_spv.h"
#include "meta_shaders/count_infos_spv.h"
#include "meta_shaders/launch_batches_spv.h"
#include "meta_shaders/open_regions_spv.h"
#include "meta_shaders/release_ring_spv.h"
#include "meta_shaders/report_losses_spv.h"
#include "meta_shaders/step_graph_spv.h"
#include "meta_shaders/sum_grids_spv.h"

namespace trellis {

std::span<const uint32_t> KernelWords(Kernel kernel) {
  switch (kernel) {
    case Kernel::kBeginGraph:
      return kBeginGraphSpv;
    case Kernel::kOpenRegions:
      return kOpenRegionsSpv;
    case Kernel::kCopyInputs:
      return kCopyInputsSpv;
    case Kernel::kCountInfos:
      return kCountInfosSpv;
    case Kernel::kAppendInfos:
      return kAppendInfosSpv;
    case Kernel::kCopyChunks:
      return kCopyChunksSpv;
    case Kernel::kSumGrids:
      return kSumGridsSpv;
    case Kernel::kCloseLevel:
      return kCloseLevelSpv;
    case Kernel::kLaunchBatches:
      return kLaunchBatchesSpv;
    case Kernel::kStepGraph:
      return kStepGraphSpv;
    case Kernel::kCountRecords:
      return kCountRecordsSpv;
    case Kernel::kReportLosses:
      return kReportLossesSpv;
    case Kernel::kReleaseRing:
      return kReleaseRingSpv;
  }
  return {};
}

const char* KernelName(Kernel kernel) {
  switch (kernel) {
    case Kernel::kBeginGraph:
      return "trellis begin_graph";
    case Kernel::kOpenRegions:
      return "trellis open_regions";
    case Kernel::kCopyInputs:
      return "trellis copy_inputs";
    case Kernel::kCountInfos:
      return "trellis count_infos";
    case Kernel::kAppendInfos:
      return "trellis append_infos";
    case Kernel::kCopyChunks:
      return "trellis copy_chunks";
    case Kernel::kSumGrids:
      return "trellis sum_grids";
    case Kernel::kCloseLevel:
      return "trellis close_level";
    case Kernel::kLaunchBatches:
      return "trellis launch_batches";
    case Kernel::kStepGraph:
      return "trellis step_graph";
    case Kernel::kCountRecords:
      return "trellis count_records";
    case Kernel::kReportLosses:
      return "trellis report_losses";
    case Kernel::kReleaseRing:
      return "trellis release_ring";
  }
  return "";
}

}  // namespace trellis
