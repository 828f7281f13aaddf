#include "layer/pipeline/creation_feedback.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis {

CreationFeedback::CreationFeedback(const void* chain)
    : info_(FindStruct<VkPipelineCreationFeedbackCreateInfo>(chain,
                                                             VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)),
      begin_(std::chrono::steady_clock::now()) {
  if (!info_) return;
  *info_->pPipelineCreationFeedback = {};
  for (uint32_t i = 0; i < info_->pipelineStageCreationFeedbackCount; ++i)
    info_->pPipelineStageCreationFeedbacks[i] = {};
}

void CreationFeedback::AddNode(uint32_t stage, VkPipelineCreationFeedback driver, uint64_t own_nanoseconds) {
  if (!info_) return;
  has_nodes_ = true;
  const bool hit = (driver.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) &&
                   (driver.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT);
  all_hits_ &= hit;
  if (stage >= info_->pipelineStageCreationFeedbackCount) return;
  driver.flags |= VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  driver.duration += own_nanoseconds;
  info_->pPipelineStageCreationFeedbacks[stage] = driver;
}

void CreationFeedback::Finish() {
  if (!info_) return;
  const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_);
  info_->pPipelineCreationFeedback->flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
  if (all_hits_ && has_nodes_)
    info_->pPipelineCreationFeedback->flags |= VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  info_->pPipelineCreationFeedback->duration = static_cast<uint64_t>(elapsed.count());
}

}  // namespace trellis
