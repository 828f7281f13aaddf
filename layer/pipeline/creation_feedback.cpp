// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/creation_feedback.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis {

CreationFeedback::CreationFeedback(const void* chain)
    : info_(FindStruct<VkPipelineCreationFeedbackCreateInfo>(chain)), begin_(std::chrono::steady_clock::now()) {
  if (!info_) return;
  *info_->pPipelineCreationFeedback = {};
  for (uint32_t i = 0; i < info_->pipelineStageCreationFeedbackCount; ++i)
    info_->pPipelineStageCreationFeedbacks[i] = {};
}

void CreationFeedback::AddNode(uint32_t stage, VkPipelineCreationFeedback driver, uint64_t own_nanoseconds) {
  AddKernel(driver);  // counts in the same way
  if (!info_ || stage >= info_->pipelineStageCreationFeedbackCount) return;
  driver.flags |= VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  driver.duration += own_nanoseconds;
  info_->pPipelineStageCreationFeedbacks[stage] = driver;
}

void CreationFeedback::AddKernel(VkPipelineCreationFeedback driver) {
  is_any_compiled_ = true;
  all_hits_ &= (driver.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) &&
               (driver.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT);
}

void CreationFeedback::Finish() {
  if (!info_) return;
  info_->pPipelineCreationFeedback->flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  if (all_hits_ && is_any_compiled_)
    info_->pPipelineCreationFeedback->flags |= VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  info_->pPipelineCreationFeedback->duration = NanosecondsSince(begin_);
}

uint64_t NanosecondsSince(std::chrono::steady_clock::time_point begin) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
}

}  // namespace trellis
