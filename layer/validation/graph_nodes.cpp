// SPDX-License-Identifier: Apache-2.0
// Rules of VkExecutionGraphPipelineCreateInfoAMDX about the nodes of a graph that was created.
#include <algorithm>
#include <optional>
#include <string>

#include "layer/graph/describe.h"
#include "layer/validation/graph_creation.h"

namespace trellis {
namespace {

void Add(Findings& findings, const char* rule, const std::string& text) {
  findings.push_back(
      {Vuid("VkExecutionGraphPipelineCreateInfoAMDX", rule), "vkCreateExecutionGraphPipelinesAMDX(): " + text});
}

std::string LabelOf(const Node& node) { return NodeLabel(node.name, node.index); }

std::string Bytes(uint32_t size) { return std::to_string(size) + " bytes"; }

// A node need not declare its input, whatever is sent to it, unless its grid is in there.
bool DeclaresInput(const Node& node) { return node.info.input.size != 0; }

// One finding for each name at most.
void CheckInputSizes(const Graph& graph, Findings& findings) {
  const Node* first = nullptr;  // of its name, with a declared input; null once the name has its finding
  const std::string* name = nullptr;
  for (const uint32_t index : graph.nodes_by_name) {
    const Node& node = graph.nodes[index];
    if (!DeclaresInput(node)) continue;
    if (!name || *name != node.name) {
      name = &node.name;
      first = &node;
    } else if (first && first->info.input.size != node.info.input.size) {
      Add(findings, "None-09135",
          "nodes " + LabelOf(*first) + " and " + LabelOf(node) + " have one name, but input payloads of " +
              Bytes(first->info.input.size) + " and " + Bytes(node.info.input.size) + ": declare one structure");
      first = nullptr;
    }
  }
}

void CheckPayloadSize(const Graph& graph, uint32_t producer, const spirv::NodeOutputInfo& output, Findings& findings) {
  const auto differs = [&](const Node& target) {
    return &target != &graph.nodes[producer] && target.name == output.target_name && DeclaresInput(target) &&
           target.info.input.size != output.payload.size;
  };
  const auto target = std::find_if(graph.nodes.begin(), graph.nodes.end(), differs);
  if (target == graph.nodes.end()) return;
  Add(findings, "PayloadNodeNameAMDX-09139",
      "node " + LabelOf(graph.nodes[producer]) + " sends payloads of " + Bytes(output.payload.size) + " to " +
          LabelOf(*target) + ", whose input payload has " + Bytes(target->info.input.size) + ": declare one structure");
}

// An index that has to have a node. Whether PayloadNodeArraySizeAMDX counts from the base index or from 0 is read both
// ways: only what is in both ranges counts. Constant indices are in either.
std::optional<uint32_t> MissingIndex(const Graph& graph, const spirv::NodeOutputInfo& output) {
  const auto is_missing = [&](uint32_t index) { return graph.FindNode(output.target_name, index) == kNoNode; };
  for (uint32_t index = output.base_index; index < output.array_size; ++index)
    if (is_missing(index)) return index;
  if (!output.constant_indices) return std::nullopt;
  const auto missing = std::find_if(output.constant_indices->begin(), output.constant_indices->end(), is_missing);
  return missing == output.constant_indices->end() ? std::nullopt : std::optional(*missing);
}

void CheckTargets(const Graph& graph, uint32_t producer, const spirv::NodeOutputInfo& output, Findings& findings) {
  if (output.sparse) return;
  if (const std::optional<uint32_t> missing = MissingIndex(graph, output))
    Add(findings, "flags-10184",
        "node " + LabelOf(graph.nodes[producer]) + " sends to " + output.target_name + ", but there is no node " +
            NodeLabel(output.target_name, *missing) +
            ": add it, or declare the output with PayloadNodeSparseArrayAMDX; what is sent there is dropped");
}

// Pipelines whose shaders use much more than their range are not created at all; launch_offset is rounded up.
void CheckPushConstants(const ExecutionGraphPipeline& pipeline, uint32_t node, Findings& findings) {
  const spirv::NodeInfo& info = pipeline.graph.nodes[node].info;
  const PipelineLayout& layout = pipeline.nodes[node].pipeline->layout();
  const uint32_t range = info.IsMesh() ? layout.draw.push_constant_end : layout.push_constant_end;
  if (info.push_constant_end > range)
    Add(findings, "layout-10069",
        "the push constant block of node " + LabelOf(pipeline.graph.nodes[node]) + " ends at byte " +
            std::to_string(info.push_constant_end) + ", but the " + (info.IsMesh() ? "MESH" : "COMPUTE") +
            " range of the pipeline layout at byte " + std::to_string(range) + ": enlarge the range");
}

// No rule of the specification, but the extension's proposal wants it. Layers below draw each node with what it has.
void CheckDynamicStates(const ExecutionGraphPipeline& pipeline, Findings& findings) {
  const ExecutionGraphPipeline::CompiledNode* first = nullptr;
  for (size_t i = 0; i < pipeline.nodes.size(); ++i) {
    if (!pipeline.graph.nodes[i].info.IsMesh()) continue;
    const ExecutionGraphPipeline::CompiledNode& node = pipeline.nodes[i];
    if (!first) first = &node;
    if (node.pipeline->dynamic_states() == first->pipeline->dynamic_states()) continue;
    return findings.push_back({"TRELLIS-mesh-node-states",
                               "vkCreateExecutionGraphPipelinesAMDX(): mesh nodes " + first->label + " and " +
                                   node.label +
                                   " have different dynamic states, which other implementations may not draw: create "
                                   "the pipelines of all mesh nodes with the same ones"});
  }
}

}  // namespace

Findings CheckGraphNodes(const ExecutionGraphPipeline& pipeline) {
  Findings findings;
  const Graph& graph = pipeline.graph;
  CheckInputSizes(graph, findings);
  for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
    for (const spirv::NodeOutputInfo& output : graph.nodes[node].info.outputs) {
      CheckPayloadSize(graph, node, output, findings);
      if (!pipeline.is_library) CheckTargets(graph, node, output, findings);
    }
    CheckPushConstants(pipeline, node, findings);
  }
  CheckDynamicStates(pipeline, findings);
  return findings;
}

}  // namespace trellis
