#include "meta_shaders/kernels.h"

#include "meta_shaders/begin_graph_spv.h"
#include "meta_shaders/close_level_spv.h"
#include "meta_shaders/copy_inputs_spv.h"
#include "meta_shaders/end_graph_spv.h"

namespace trellis {

std::span<const uint32_t> KernelWords(Kernel kernel) {
  switch (kernel) {
    case Kernel::kBeginGraph:
      return kBeginGraphSpv;
    case Kernel::kCopyInputs:
      return kCopyInputsSpv;
    case Kernel::kCloseLevel:
      return kCloseLevelSpv;
    case Kernel::kEndGraph:
      return kEndGraphSpv;
  }
  return {};
}

const char* KernelName(Kernel kernel) {
  switch (kernel) {
    case Kernel::kBeginGraph:
      return "trellis begin_graph";
    case Kernel::kCopyInputs:
      return "trellis copy_inputs";
    case Kernel::kCloseLevel:
      return "trellis close_level";
    case Kernel::kEndGraph:
      return "trellis end_graph";
  }
  return "";
}

}  // namespace trellis
