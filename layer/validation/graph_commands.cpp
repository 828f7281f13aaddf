// SPDX-License-Identifier: Apache-2.0
#include "layer/validation/graph_commands.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/objects/bound_state_replay.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/validation/host_infos.h"

namespace trellis {
namespace {

std::string Hex(uint64_t address) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

// What an instance has that the pipeline of a mesh node was not created for; empty if the two fit.
std::string Difference(const RenderingShape& instance, const RenderingShape& node) {
  if (instance.dynamic != node.dynamic)
    return instance.dynamic ? "was begun with vkCmdBeginRendering, not with the render pass object of"
                            : "has a render pass object, but there is none in the pipeline of";
  if (!instance.dynamic) return {};
  if (instance.view_mask != node.view_mask)
    return "has the view mask " + std::to_string(instance.view_mask) + ", not " + std::to_string(node.view_mask) +
           " like the pipeline of";
  if (instance.color_attachments != node.color_attachments)
    return "has " + std::to_string(instance.color_attachments) + " color attachments, not " +
           std::to_string(node.color_attachments) + " like the pipeline of";
  return {};
}

// One command that is being recorded; collects its findings.
class CommandCheck {
 public:
  CommandCheck(const CommandBuffer& command_buffer, const char* command)
      : command_buffer_(command_buffer), command_(command) {}

  Findings Take() { return std::move(findings_); }

  void CommandBufferState() {
    if (!command_buffer_.is_recording)
      Add("commandBuffer-recording", "the command buffer is not in the recording state: call vkBeginCommandBuffer");
    const auto& families = command_buffer_.device.queue_families;
    constexpr VkQueueFlags kAllowed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    if (command_buffer_.queue_family < families.size() &&
        !(families[command_buffer_.queue_family].queueFlags & kAllowed))
      Add("commandBuffer-cmdpool", "the command buffer's pool is of queue family " +
                                       std::to_string(command_buffer_.queue_family) +
                                       ", which has neither graphics nor compute: use another family");
  }

  void IsPrimary() {
    if (command_buffer_.level != VK_COMMAND_BUFFER_LEVEL_PRIMARY)
      Add("bufferlevel", "the command buffer is a secondary one: record it in a primary command buffer");
  }

  void IsUnprotected() {
    if (command_buffer_.is_protected)
      Add("commandBuffer-09181", "the command buffer's pool was made with VK_COMMAND_POOL_CREATE_PROTECTED_BIT");
  }

  // Without room for what the graph needs the command is refused anyway.
  void ScratchIsThatLarge(const char* rule, VkPipeline graph, ScratchRange scratch) {
    const auto place = command_buffer_.device.scratch_buffers.Find(scratch.address);
    const auto pipeline = command_buffer_.device.execution_graphs.Find(graph);
    if (!place || !pipeline) return;
    const VkDeviceSize left = place->buffer_size - place->offset;
    if (left < scratch.size && left >= pipeline->scratch_layout().size)
      Add(rule, "scratchSize is " + std::to_string(scratch.size) + ", but behind " + Hex(scratch.address) + " only " +
                    std::to_string(left) + " bytes of the buffer are left");
  }

  void ScratchIsAligned(ScratchRange scratch) {
    if (scratch.address % kScratchAlignment != 0)
      Add("scratch-09144", "the scratch address " + Hex(scratch.address) + " is not a multiple of " +
                               std::to_string(kScratchAlignment) + ": round it up, and allocate that much more");
  }

  // Scratch can have been initialised in another command buffer: only what this one says last of a range is certain.
  void ScratchIsOfTheGraph(ScratchRange scratch) {
    const VkPipeline bound = command_buffer_.execution_graph.pipeline;
    const auto& all = command_buffer_.initialized_scratch;
    const auto last = std::find_if(all.rbegin(), all.rend(), [scratch](const InitializedScratch& initialized) {
      return initialized.address < scratch.address + scratch.size &&
             scratch.address < initialized.address + initialized.size;
    });
    if (bound && last != all.rend() && last->graph != bound)
      Add("scratch-10194", "the scratch memory at " + Hex(scratch.address) +
                               " was initialised last with execution graph " + Hex(HandleToU64(last->graph)) +
                               ", but " + Hex(HandleToU64(bound)) +
                               " is bound: call vkCmdInitializeGraphScratchMemoryAMDX with that one");
  }

  // A set that nothing fits may be one that no invocation gets to: not certain.
  void SetsAreBound() {
    const auto pipeline = command_buffer_.device.execution_graphs.Find(command_buffer_.execution_graph.pipeline);
    if (!pipeline || !pipeline->layout) return;
    std::set<uint32_t> used;
    for (const ExecutionGraphPipeline::CompiledNode& node : pipeline->nodes)
      if (node.pipeline) used.insert(node.pipeline->descriptor_sets().begin(), node.pipeline->descriptor_sets().end());
    for (const uint32_t set : used)
      if (IsBoundForComputeAlone(command_buffer_, *pipeline->layout, set))
        Add("None-08600", "nodes use descriptor set " + std::to_string(set) +
                              ", which is bound at VK_PIPELINE_BIND_POINT_COMPUTE alone: bind or push it at "
                              "VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX");
  }

  // That an instance is open is looked at always.
  void InstanceFitsDrawNodes() {
    const auto pipeline = command_buffer_.device.execution_graphs.Find(command_buffer_.execution_graph.pipeline);
    if (!pipeline || !command_buffer_.render_pass.is_open()) return;
    const RenderingShape& instance = command_buffer_.render_pass.shape();
    for (size_t i = 0; i < pipeline->nodes.size(); ++i) {
      if (!pipeline->graph.nodes[i].info.IsMesh()) continue;
      const std::string differs = Difference(instance, pipeline->nodes[i].pipeline->rendering_shape());
      if (differs.empty()) continue;
      return Add("None-10195", "the render pass instance " + differs + " mesh node " + pipeline->nodes[i].label +
                                   ": create the node's pipeline for this instance");
    }
  }

  void IsAlignedInIndirectBuffer(const char* alignment_rule, const char* buffer_rule, const char* what,
                                 VkDeviceAddress address) {
    if (address % kExecutionGraphDispatchAddressAlignment != 0)
      Add(alignment_rule, std::string(what) + " " + Hex(address) + " is not a multiple of " +
                              std::to_string(kExecutionGraphDispatchAddressAlignment) +
                              " (executionGraphDispatchAddressAlignment)");
    if (!command_buffer_.device.indirect_buffers.Find(address))
      Add(buffer_rule,
          std::string(what) + " " + Hex(address) +
              " does not lie in a buffer with VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT whose address was asked for");
  }

  void InfosOnTheHost(const VkDispatchGraphCountInfoAMDX& count_info) {
    const auto pipeline = command_buffer_.device.execution_graphs.Find(command_buffer_.execution_graph.pipeline);
    Findings found = CheckHostInfos(pipeline ? &pipeline->graph : nullptr, count_info);
    std::move(found.begin(), found.end(), std::back_inserter(findings_));
  }

  void InfosDoNotOverlap(const VkDispatchGraphCountInfoAMDX& count_info) {
    if (count_info.count > 1 && Overlaps(count_info.stride, sizeof(VkDispatchGraphInfoAMDX)))
      Add("infos-09153", "pCountInfo->stride is " + std::to_string(count_info.stride) +
                             ", less than a VkDispatchGraphInfoAMDX: infos overlap");
  }

  // What the three dispatches share.
  void Dispatch(ScratchRange scratch) {
    CommandBufferState();
    IsUnprotected();
    ScratchIsThatLarge("scratch-10192", command_buffer_.execution_graph.pipeline, scratch);
    ScratchIsOfTheGraph(scratch);
    SetsAreBound();
    InstanceFitsDrawNodes();
  }

 private:
  void Add(const char* rule, const std::string& text) {
    findings_.push_back({Vuid(command_, rule), std::string(command_) + "(): " + text});
  }

  const CommandBuffer& command_buffer_;
  const char* const command_;
  Findings findings_;
};

}  // namespace

Findings CheckScratchInitialization(const CommandBuffer& command_buffer, VkPipeline graph, ScratchRange scratch) {
  CommandCheck check(command_buffer, "vkCmdInitializeGraphScratchMemoryAMDX");
  check.CommandBufferState();
  check.IsPrimary();
  check.ScratchIsThatLarge("scratch-10185", graph, scratch);
  check.ScratchIsAligned(scratch);
  return check.Take();
}

void RememberScratchInitialization(CommandBuffer& command_buffer, VkPipeline graph, ScratchRange scratch) {
  std::vector<InitializedScratch>& all = command_buffer.initialized_scratch;
  // Those that no dispatch can meet again go, so that a command buffer of very many dispatches keeps few.
  std::erase_if(all, [scratch](const InitializedScratch& old) {
    return old.address >= scratch.address && old.address + old.size <= scratch.address + scratch.size;
  });
  all.push_back({graph, scratch.address, scratch.size});
}

Findings CheckDispatchGraph(const CommandBuffer& command_buffer, ScratchRange scratch,
                            const VkDispatchGraphCountInfoAMDX& count_info) {
  CommandCheck check(command_buffer, "vkCmdDispatchGraphAMDX");
  check.Dispatch(scratch);
  check.InfosOnTheHost(count_info);
  return check.Take();
}

Findings CheckDispatchGraphIndirect(const CommandBuffer& command_buffer, ScratchRange scratch,
                                    const VkDispatchGraphCountInfoAMDX& count_info) {
  CommandCheck check(command_buffer, "vkCmdDispatchGraphIndirectAMDX");
  check.Dispatch(scratch);
  if (count_info.count == 0) return check.Take();  // nothing is read
  check.IsAlignedInIndirectBuffer("pCountInfo-09152", "pCountInfo-09151", "pCountInfo->infos",
                                  count_info.infos.deviceAddress);
  check.InfosDoNotOverlap(count_info);
  return check.Take();
}

Findings CheckDispatchGraphIndirectCount(const CommandBuffer& command_buffer, ScratchRange scratch,
                                         VkDeviceAddress count_info) {
  CommandCheck check(command_buffer, "vkCmdDispatchGraphIndirectCountAMDX");
  check.Dispatch(scratch);
  check.IsAlignedInIndirectBuffer("countInfo-09161", "countInfo-09160", "countInfo", count_info);
  return check.Take();
}

}  // namespace trellis
