// SPDX-License-Identifier: Apache-2.0
#include "layer/maintenance5/advertised.h"

namespace trellis {

void FillMaintenance5Features(VkPhysicalDeviceMaintenance5Features& features) { features.maintenance5 = VK_TRUE; }

void FillMaintenance5Properties(VkPhysicalDeviceMaintenance5Properties& properties) {
  properties.earlyFragmentMultisampleCoverageAfterSampleCounting = VK_FALSE;
  properties.earlyFragmentSampleMaskTestBeforeSampleCounting = VK_FALSE;
  properties.depthStencilSwizzleOneSupport = VK_FALSE;
  properties.polygonModePointSize = VK_FALSE;
  properties.nonStrictSinglePixelWideLinesUseParallelogram = VK_FALSE;
  properties.nonStrictWideLinesUseParallelogram = VK_FALSE;
}

}  // namespace trellis
