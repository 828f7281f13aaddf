// SPDX-License-Identifier: Apache-2.0
// Modules and graphs that must be refused, with a message that says what and where.
#include <gtest/gtest.h>

#include <algorithm>

#include "spirv_lowering/post/post.h"
#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/graph.h"

namespace trellis::test {
namespace {

class Refused : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (SharedContext() != nullptr) context().messages.Expect("TRELLIS-");
  }

  // Creation fails and one error message holds all of `parts`.
  void ExpectRefused(const std::vector<GraphNode>& nodes, const std::vector<std::string>& parts,
                     bool must_be_valid = true) {
    const Graph graph(context(), nodes, {}, must_be_valid);
    ASSERT_EQ(graph.error(), "");
    EXPECT_LT(graph.result(), 0);
    EXPECT_EQ(graph.handle(), VK_NULL_HANDLE);
    std::string all;
    bool found = false;
    for (const Message& message : context().messages.Find("TRELLIS-")) {
      if (message.severity < VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) continue;
      all += message.id + ": " + message.text + "\n";
      found = found || std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
                return message.text.find(part) != std::string::npos;
              });
    }
    EXPECT_TRUE(found) << "messages:\n" << all;
  }
};

std::vector<uint32_t> Words(const std::string& text) {
  const auto words = spirv::Assemble(text);
  EXPECT_TRUE(static_cast<bool>(words));
  return words ? *words : std::vector<uint32_t>{};
}

// Calls `edit` with each instruction's first word; it returns how many words the instruction has.
void ForEachInstruction(std::vector<uint32_t>& words, const std::function<void(uint32_t* instruction)>& edit) {
  for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) edit(&words[at]);
}

// Revision 1 kept outputs in variables of storage class 5076.
TEST_F(Refused, RevisionOneStorageClass) {
  std::vector<uint32_t> words = Words(ThreadModule(Shape::kDxc));
  ForEachInstruction(words, [](uint32_t* instruction) {
    constexpr uint32_t kTypePointer = 32, kVariable = 59;
    const uint32_t opcode = *instruction & 0xffff;
    const int place = opcode == kTypePointer ? 2 : opcode == kVariable ? 3 : 0;
    if (place != 0 && instruction[place] == 5068) instruction[place] = 5076;
  });
  ExpectRefused({{.text = "revision 1", .entry = "ThreadNode", .words = words}}, {"ThreadNode", "revision 1"});
}

// What spirv-val lets pass: one rule of the extension, which pipeline creation checks with all the others (tests/rules
// has a module for each).
TEST_F(Refused, ByARuleThatTheValidatorDoesNotKnow) {
  constexpr uint32_t kDecorateId = 332, kNodeMaxPayloads = 5020;
  const std::vector<uint32_t> words = Words(ThreadModule(Shape::kDxc));
  std::vector<uint32_t> broken(words.begin(), words.begin() + 5);
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) == kDecorateId && words[at + 2] == kNodeMaxPayloads) continue;
    broken.insert(broken.end(), words.begin() + at, words.begin() + at + (words[at] >> 16));
  }
  ExpectRefused({{.text = "no maximum", .entry = "ThreadNode", .words = broken}},
                {"ThreadNode", "[NodeMaxPayloadsAMDX/"});
}

// Revision 1 decorated with literal names.
TEST_F(Refused, RevisionOneNodeName) {
  std::vector<uint32_t> words = Words(ChainModule(Shape::kDxc));
  ForEachInstruction(words, [](uint32_t* instruction) {
    constexpr uint32_t kDecorate = 71, kDecorateId = 332, kPayloadNodeName = 5091;
    if ((*instruction & 0xffff) != kDecorateId || instruction[2] != kPayloadNodeName) return;
    *instruction = 4u << 16 | kDecorate;
    instruction[3] = 'x';
  });
  ExpectRefused({{.text = "revision 1", .entry = "Source", .words = words}}, {"Source", "revision 1"});
}

TEST_F(Refused, UnknownInstruction) {
  std::vector<uint32_t> words = Words(ThreadModule(Shape::kDxc));
  // In front of the last two instructions, OpReturn and OpFunctionEnd.
  words.insert(words.end() - 2, 1u << 16 | 0x7ff0);
  ExpectRefused({{.text = "unknown", .entry = "ThreadNode", .words = words}}, {"32752"});
}

TEST_F(Refused, TruncatedModule) {
  std::vector<uint32_t> words = Words(ThreadModule(Shape::kDxc));
  words.resize(words.size() - 3);
  ExpectRefused({{.text = "truncated", .entry = "ThreadNode", .words = words}}, {});
}

TEST_F(Refused, NumWorkgroups) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id vector = m.Vector(m.Uint(), 3);
  const Id num_workgroups = m.Global("Input", vector);
  m.Decorate("OpDecorate " + num_workgroups + " BuiltIn NumWorkgroups");
  m.BeginNode({.name = "Node", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .shader_index = 0});
  m.AddWord(words, 0, m.Op("OpCompositeExtract", m.Uint(), m.Load(vector, num_workgroups), "0"));
  m.EndNode();
  ExpectRefused({{.text = m.Text(), .entry = "Node"}}, {"Node", "NumWorkgroups"});
}

TEST_F(Refused, OutputWithoutNodeMaxPayloads) {
  std::string text = ChainModule(Shape::kDxc);
  const size_t at = text.find("NodeMaxPayloadsAMDX");
  ASSERT_NE(at, std::string::npos);
  const size_t begin = text.rfind('\n', at) + 1;
  text.erase(begin, text.find('\n', at) - begin + 1);
  ExpectRefused({{.text = text, .entry = "Source"}}, {"Source", "NodeMaxPayloads"}, false);
}

// A node that sends to `target`.
std::string Sender(const std::string& name, const std::string& target, std::optional<Value> recursion = {}) {
  NodeAsm m;
  const Id record = LeafRecord(m);
  const Payload to = m.Output(target, record);
  m.BeginNode({.name = name,
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = recursion,
               .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 0, 1);
  m.Enqueue(records);
  m.EndNode();
  return m.Text();
}

TEST_F(Refused, Cycle) {
  ExpectRefused(
      {{.text = Sender("Alpha", "Beta"), .entry = "Alpha"}, {.text = Sender("Beta", "Alpha"), .entry = "Beta"}},
      {"Alpha", "Beta"});
}

TEST_F(Refused, SelfRecursionWithoutTheMode) {
  ExpectRefused({{.text = Sender("Alpha", "Alpha"), .entry = "Alpha"}}, {"Alpha", "MaxNodeRecursion"});
}

TEST_F(Refused, DeeperThanTheLimit) {
  const Value too_deep = context().enqueue_properties.maxExecutionGraphDepth;
  ExpectRefused({{.text = Sender("Alpha", "Alpha", too_deep), .entry = "Alpha"}}, {"Alpha"});
}

TEST_F(Refused, DuplicateNode) {
  ExpectRefused({{.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "Twin", .index = 3},
                 {.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "Twin", .index = 3}},
                {"Twin", "3"});
}

// All nodes of a name are of one kind.
TEST_F(Refused, KindsDisagreeWithinAName) {
  ExpectRefused({{.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "Mixed", .index = 0},
                 {.text = BroadcastStaticModule(Shape::kDxc), .entry = "BroadcastNode", .name = "Mixed", .index = 1}},
                {"Mixed"});
}

TEST_F(Refused, MissingEntryPoint) {
  ExpectRefused({{.text = ThreadModule(Shape::kDxc), .entry = "Absent"}}, {"Absent"});
}

// A thread node that shares the input of another one.
std::string SharerModule(const std::string& entry, const std::string& target, bool writes = false) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = entry,
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .is_api_entry = false,
               .shares_input = SharedInput{m.String(target)},
               .input = m.Input(LeafRecord(m))});
  m.AddWord(words, 0, 1);
  if (writes) m.Set(m.NodeInput(), 0, 0, 7);
  m.EndNode();
  return m.Text();
}

TEST_F(Refused, SharingTheInputOfANodeThatShares) {
  ExpectRefused({{.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "Base"},
                 {.text = SharerModule("First", "Base"), .entry = "First"},
                 {.text = SharerModule("Second", "First"), .entry = "Second"}},
                {"Second", "First", "SharesInputWith"});
}

TEST_F(Refused, ASharerThatWritesItsInput) {
  ExpectRefused({{.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "Base"},
                 {.text = SharerModule("Sharer", "Base", true), .entry = "Sharer"}},
                {"Sharer", "NonWritable"});
}

TEST_F(Refused, MoreThan256NodesOnOneInput) {
  const std::string sharer = SharerModule("Sharer", "Base");
  std::vector<GraphNode> nodes = {{.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "Base"}};
  for (uint32_t i = 0; i < 256; ++i) nodes.push_back({.text = sharer, .entry = "Sharer", .index = i});
  ExpectRefused(nodes, {"Base[0]", "256"});
}

}  // namespace
}  // namespace trellis::test
