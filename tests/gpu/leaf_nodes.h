// SPDX-License-Identifier: Apache-2.0
// Nodes that many tests end in.
#pragma once

#include <string>

#include "tests/support/node_asm.h"

namespace trellis::test {

// {index, value}, what the leaf nodes take.
inline Id LeafRecord(NodeAsm& m) { return m.Struct({{m.Uint(), 0}, {m.Uint(), 4}}); }

// Thread node: words[index] += value.
inline void AddThreadLeaf(NodeAsm& m, const std::string& name, const Id& words, const Id& record,
                          Value shader_index = 0) {
  m.BeginNode({.name = name, .launch = Launch::kCoalescing, .shader_index = shader_index, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, index, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
}

// Coalescing node: words[index] += value, one invocation a record.
inline void AddCoalescingLeaf(NodeAsm& m, const std::string& name, const Id& words, const Id& record,
                              uint32_t max_records) {
  m.BeginNode({.name = name,
               .launch = Launch::kCoalescing,
               .local_size = {max_records, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, max_records)});
  const Id lane = m.LocalIndex();
  m.If(m.Less(lane, m.Length(m.NodeInput())), [&] {
    const Id index = m.Get(m.NodeInput(), lane, 0);
    m.AddWord(words, index, m.Get(m.NodeInput(), lane, 1));
  });
  m.EndNode();
}

// Writes {index, value} into element `element` of an output of LeafRecord.
inline void SetLeaf(NodeAsm& m, const Records& records, Value element, Value index, Value value) {
  m.Set(records, element, 0, index);
  m.Set(records, element, 1, value);
}

}  // namespace trellis::test
