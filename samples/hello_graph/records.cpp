// SPDX-License-Identifier: Apache-2.0
#include "samples/hello_graph/records.h"

namespace hello {
namespace {

constexpr uint32_t kFirstNodeInvocations = 2;

void ThirdNode(uint32_t entry_record_index, ResultWords& words) { words[kEntryRecords + entry_record_index] += 1; }

void SecondNode(uint32_t entry_record_index, uint32_t increment, ResultWords& words) {
  words[entry_record_index] += increment;
  ThirdNode(entry_record_index, words);
}

void FirstNode(const EntryRecord& record, ResultWords& words) {
  for (uint32_t workgroup = 0; workgroup < record.grid_size; ++workgroup) {
    for (uint32_t thread = 0; thread < kFirstNodeInvocations; ++thread) {
      const uint32_t dispatch_thread = workgroup * kFirstNodeInvocations + thread;
      SecondNode(record.record_index, dispatch_thread * 2 + thread + 1, words);
    }
  }
}

}  // namespace

EntryRecords MakeEntryRecords() {
  EntryRecords records;
  for (uint32_t i = 0; i < kEntryRecords; ++i) records[i] = {.grid_size = i + 1, .record_index = i};
  return records;
}

ResultWords ComputeExpectedWords(const EntryRecords& records) {
  ResultWords words = {};
  for (const EntryRecord& record : records) FirstNode(record, words);
  return words;
}

}  // namespace hello
