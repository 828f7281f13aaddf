#include "layer/pipeline/creation_context.h"

#include "layer/objects/handle_table.h"

namespace trellis {

VkResult CreationContext::Fail(VkResult result, const std::string& text) const {
  device.diagnostics.Error("TRELLIS-graph-creation", "the execution graph pipeline was not created: " + text,
                           {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
  return result;
}

}  // namespace trellis
